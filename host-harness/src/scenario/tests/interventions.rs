//! What comes from outside the agent loop: answers to a tool that asks, cancels, and work that
//! holds the thread.

use std::time::Duration;

use protocol::{Artifact, Chunk};

use super::super::{Act, Ask, End};
use super::{DONE, TURN, acts, assert_problems};

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn completed() -> Act {
    Act::End(End::Completed { response: String::new() })
}

/// The one call of a tool that asks, with these keys beside `name` and `prompt`.
fn ask(keys: &str) -> Ask {
    let step = format!("[[step]]\nask = {{ name = \"ask-user\", prompt = \"Which one?\"{keys} }}");
    let mut all = acts(&format!("{TURN}{step}\n{DONE}"));
    assert_eq!(all.len(), 4);
    match all.remove(2) {
        Act::Ask(ask) => ask,
        other => panic!("{other:?}"),
    }
}

fn plain_ask() -> Ask {
    Ask {
        tool_name: "ask-user".to_owned(),
        tool_call_id: None,
        prompt: "Which one?".to_owned(),
        timeout: Duration::from_secs(300),
        answer: None,
    }
}

#[test]
fn a_tool_that_asks_waits_five_minutes_for_somebody() {
    assert_eq!(ask(""), plain_ask());
}

#[test]
fn a_tool_that_asks_may_have_another_timeout_and_an_id() {
    assert_eq!(
        ask(", tool_call_id = \"toolu_01\", timeout = \"1.5s\""),
        Ask { tool_call_id: Some("toolu_01".to_owned()), timeout: millis(1500), ..plain_ask() }
    );
}

#[test]
fn a_simulated_user_answers_at_once_or_after_a_while() {
    let answered = |after| Ask { answer: Some((millis(after), "main".to_owned())), ..plain_ask() };
    assert_eq!(ask(", answer = \"main\""), answered(0));
    assert_eq!(ask(", answer = \"main\", answer_after = \"500ms\""), answered(500));
}

#[test]
fn a_time_to_the_answer_needs_an_answer() {
    assert_problems(
        &[TURN, "[[step]]\nask = { name = \"a\", prompt = \"?\", answer_after = \"1s\" }\n", DONE],
        ["4: step 2 (ask): `answer_after` says when, but not what is answered; write `answer` as \
          well"],
    );
}

#[test]
fn an_answer_comes_before_its_wait_is_over() {
    let ask = |keys: &str| {
        format!("[[step]]\nask = {{ name = \"a\", prompt = \"?\", answer = \"x\"{keys} }}\n")
    };
    let wrong = "4: step 2 (ask): the wait is over before its answer comes: `answer_after` has to \
                 be shorter than `timeout`, which is \"5m\" when absent; leave out `answer` for a \
                 wait that times out";
    for keys in [
        ", answer_after = \"2s\", timeout = \"1s\"",
        ", answer_after = \"1s\", timeout = \"1s\"",
        ", answer_after = \"5m\"",
        ", timeout = \"0s\"",
    ] {
        assert_problems(&[TURN, &ask(keys), DONE], [wrong]);
    }
    let good = ask(", answer_after = \"999ms\", timeout = \"1s\"");
    assert_eq!(acts(&format!("{TURN}{good}{DONE}")).len(), 4);
}

#[test]
fn an_answer_is_the_fenced_result_of_the_tool() {
    let ask = Ask { tool_call_id: Some("toolu_01".to_owned()), ..plain_ask() };
    assert_eq!(
        ask.answered("main", millis(500)),
        Artifact {
            tool_name: "ask-user".to_owned(),
            content: "<untrusted-content source=tool:ask-user>\nmain\n</untrusted-content>"
                .to_owned(),
            fence_source: Some("tool:ask-user".to_owned()),
            tool_call_id: Some("toolu_01".to_owned()),
            is_error: false,
            duration_ms: 500,
            exit_code: None,
            truncated: false,
        }
    );
}

/// A tool that traps is a failure before a tool (`capsule-stream-details.md`, section 9).
#[test]
fn a_wait_that_fails_is_an_error_without_a_fence() {
    assert_eq!(
        plain_ask().failed("no input came in time", millis(600)),
        Artifact {
            tool_name: "ask-user".to_owned(),
            content: "tool 'ask-user' failed: no input came in time".to_owned(),
            fence_source: None,
            tool_call_id: None,
            is_error: true,
            duration_ms: 600,
            exit_code: None,
            truncated: false,
        }
    );
}

#[test]
fn a_cancel_is_counted_from_the_beginning_of_its_turn() {
    let turn = "[[step]]\nturn = { cancel_after = \"350ms\", after = \"1s\", emit = [{ chunk = \
                \"a\" }] }\n";
    assert_eq!(
        acts(&format!("{turn}{DONE}")),
        [
            Act::BeginTurn,
            Act::CancelAfter(millis(350)),
            Act::Wait(millis(1000)),
            Act::Chunk(Chunk::Text("a".to_owned())),
            Act::InferenceReturned,
            completed(),
        ]
    );
}

#[test]
fn a_cancel_is_counted_from_the_beginning_of_its_call() {
    for call in [
        "tool = { name = \"t\", content = \"\", duration_ms = 400, cancel_after = \"150ms\" }",
        "skill = { name = \"s\", content = \"\", duration_ms = 400, cancel_after = \"150ms\" }",
    ] {
        let all = acts(&format!("{TURN}[[step]]\n{call}\n{DONE}"));
        assert_eq!(all[2..4], [Act::CancelAfter(millis(150)), Act::Wait(millis(400))], "{call}");
        assert!(matches!(all[4], Act::Artifact(_)), "{call}");
    }
    let call = "ask = { name = \"a\", prompt = \"?\", cancel_after = \"150ms\" }";
    let all = acts(&format!("{TURN}[[step]]\n{call}\n{DONE}"));
    assert_eq!(all[2], Act::CancelAfter(millis(150)));
    assert!(matches!(all[3], Act::Ask(_)));
}

#[test]
fn a_call_that_does_not_run_cannot_be_cancelled_in() {
    assert_problems(
        &[TURN, "[[step]]\nrefused = { name = \"r\", cancel_after = \"1s\" }\n", DONE],
        ["5: unknown field `cancel_after`, expected `name`"],
    );
}

#[test]
fn a_hold_is_no_wait_and_does_not_run_together_with_one() {
    let steps = "[[step]]\npause = \"1s\"\n[[step]]\nhold = \"40s\"\n[[step]]\npause = \"2s\"\n";
    assert_eq!(
        acts(&format!("{TURN}{steps}{DONE}"))[2..5],
        [Act::Wait(millis(1000)), Act::Hold(Duration::from_secs(40)), Act::Wait(millis(2000))]
    );
}
