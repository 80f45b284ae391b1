use std::time::Duration;

use protocol::{Artifact, Chunk};

use super::super::{Act, End};
use super::{DONE, acts};

fn wait(millis: u64) -> Act {
    Act::Wait(Duration::from_millis(millis))
}

fn text(text: &str) -> Act {
    Act::Chunk(Chunk::Text(text.to_owned()))
}

fn thinking(text: &str) -> Act {
    Act::Chunk(Chunk::Thinking(text.to_owned()))
}

fn completed(response: &str) -> Act {
    Act::End(End::Completed { response: response.to_owned() })
}

fn failed(message: &str) -> Act {
    Act::End(End::Failed { message: message.to_owned() })
}

/// The acts of a call: those between the turn's and the end's.
fn call(step: &str) -> Vec<Act> {
    let acts = acts(&format!("[[step]]\nturn = {{}}\n[[step]]\n{step}\n{DONE}"));
    assert_eq!(acts[..2], [Act::BeginTurn, Act::InferenceReturned]);
    acts[2..acts.len() - 1].to_vec()
}

fn artifact() -> Artifact {
    Artifact {
        tool_name: "bash".to_owned(),
        content: protocol::fence("bash", "hello"),
        fence_source: Some("tool:bash".to_owned()),
        tool_call_id: None,
        is_error: false,
        duration_ms: 0,
        exit_code: None,
        truncated: false,
    }
}

#[test]
fn a_turn_emits_its_chunks_at_its_pace_and_its_call_returns() {
    let steps = r#"
        [[step]]
        [step.turn]
        after = "600ms"
        pace = "30ms"
        emit = [
            { thinking = "Two words." }, { pause = "300ms" }, { text = "I'll read" },
            { chunk = "as it is" }, { thinking_chunk = "" }, { pause = "1s" },
        ]"#;
    assert_eq!(
        acts(&format!("{steps}\n{DONE}")),
        [
            Act::BeginTurn,
            wait(630),
            thinking("Two "),
            wait(30),
            thinking("words."),
            wait(330),
            text("I'll "),
            wait(30),
            text("read"),
            wait(30),
            text("as it is"),
            wait(30),
            thinking(""),
            wait(1000),
            Act::InferenceReturned,
            completed(""),
        ]
    );
}

#[test]
fn the_files_pace_is_the_default_of_every_chunk() {
    let steps = r#"pace = "40ms"
        [[step]]
        turn = { emit = [{ chunk = "a" }] }
        [[step]]
        tool = { name = "bash", content = "hello", emit = [{ chunk = "b" }] }
        [[step]]
        turn = { pace = "0ms", emit = [{ chunk = "c" }] }"#;
    assert_eq!(
        acts(&format!("{steps}\n{DONE}")),
        [
            Act::BeginTurn,
            wait(40),
            text("a"),
            Act::InferenceReturned,
            wait(40),
            text("b"),
            Act::Artifact(Artifact { duration_ms: 40, ..artifact() }),
            Act::BeginTurn,
            text("c"),
            Act::InferenceReturned,
            completed(""),
        ]
    );
}

#[test]
fn a_tools_result_is_fenced() {
    assert_eq!(
        call("tool = { name = \"bash\", content = \"hello\" }"),
        [Act::Artifact(artifact())]
    );
    let step = r#"
        [step.tool]
        name = "bash"
        content = "hello"
        tool_call_id = "toolu_01"
        is_error = true
        duration_ms = 12
        exit_code = -1
        truncated = true"#;
    let artifact = Artifact {
        tool_call_id: Some("toolu_01".to_owned()),
        is_error: true,
        duration_ms: 12,
        exit_code: Some(-1),
        truncated: true,
        ..artifact()
    };
    assert_eq!(call(step), [wait(12), Act::Artifact(artifact)]);
}

#[test]
fn a_command_in_the_background_has_no_exit_code() {
    let step = "tool = { name = \"bash\", content = \"hello\", background = true }";
    assert_eq!(call(step), [Act::Artifact(artifact())]);
}

#[test]
fn a_tools_chunks_count_towards_its_duration() {
    let step = r#"
        [step.tool]
        name = "bash"
        content = "hello"
        duration_ms = 250
        emit = [{ pause = "60ms" }, { text = "one two" }, { pause = "40ms" }]"#;
    assert_eq!(
        call(step),
        [
            wait(60),
            text("one "),
            text("two"),
            wait(190),
            Act::Artifact(Artifact { duration_ms: 250, ..artifact() }),
        ]
    );
}

#[test]
fn a_skills_result_is_not_fenced() {
    let artifact = Artifact {
        content: "<b>".to_owned(),
        fence_source: None,
        tool_call_id: Some("1".to_owned()),
        is_error: true,
        duration_ms: 3,
        truncated: true,
        ..artifact()
    };
    let step = r#"
        [step.skill]
        name = "bash"
        content = "<b>"
        tool_call_id = "1"
        is_error = true
        duration_ms = 3
        truncated = true
        emit = [{ chunk = "c" }]"#;
    assert_eq!(call(step), [text("c"), wait(3), Act::Artifact(artifact)]);
}

#[test]
fn a_call_that_never_reached_a_tool_is_an_error_without_a_fence() {
    let artifact = Artifact {
        content: "not declared".to_owned(),
        fence_source: None,
        tool_call_id: Some("1".to_owned()),
        is_error: true,
        ..artifact()
    };
    let step = "unreached = { name = \"bash\", content = \"not declared\", tool_call_id = \"1\" }";
    assert_eq!(call(step), [Act::Artifact(artifact)]);
}

#[test]
fn a_refused_call_does_nothing() {
    assert_eq!(call("refused = { name = \"bash\" }"), []);
}

#[test]
fn pauses_of_steps_run_together() {
    assert_eq!(call("pause = \"1s\"\n[[step]]\npause = \"500ms\""), [wait(1500)]);
}

#[test]
fn hooks_leave_artifacts_before_completed() {
    let hook =
        |name: &str| Act::HookArtifact { hook_name: name.to_owned(), content: "{}".to_owned() };
    let step = "hook = { name = \"a\", content = \"{}\" }\n[[step]]\n\
                hook = { name = \"b\", content = \"{}\" }";
    assert_eq!(call(step), [hook("a"), hook("b")]);
}

#[test]
fn each_end_has_its_message_and_says_whether_the_call_returned() {
    for (end, returned, act) in [
        ("{ completed = \"the reply\" }", true, completed("the reply")),
        ("\"driver_trapped\"", false, failed("session ended")),
        ("\"response_failed\"", true, failed("session ended")),
        ("\"compaction_failed\"", true, failed("session ended")),
        ("{ driver_unavailable = \"x\" }", false, failed("driver invocation failed: x")),
        ("\"max_turns\"", true, failed("max_turns exceeded: the task used all 1 inference turns")),
        ("{ spend_refused = \"no money\" }", false, failed("no money")),
        ("\"unreported\"", true, Act::End(End::Unreported)),
    ] {
        let mut expected = vec![Act::BeginTurn];
        expected.extend(returned.then_some(Act::InferenceReturned));
        expected.push(act);
        assert_eq!(acts(&format!("[[step]]\nturn = {{}}\n[[step]]\nend = {end}")), expected);
    }
}

#[test]
fn only_the_last_turns_call_does_not_return() {
    let steps = "[[step]]\nturn = {}\n[[step]]\nturn = {}\n[[step]]\nend = \"driver_trapped\"";
    assert_eq!(
        acts(steps),
        [Act::BeginTurn, Act::InferenceReturned, Act::BeginTurn, failed("session ended")]
    );
}
