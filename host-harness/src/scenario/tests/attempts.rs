//! Scenarios of several attempts: `reopen`, and the rules that hold for each attempt by itself.

use super::super::{Act, End};
use super::{DONE, REOPEN, STEPS_FOLLOW, TURN, acts, assert_problems};

const TOOL: &str = "[[step]]\ntool = { name = \"bash\", content = \"\" }\n";
const MAX_TURNS: &str = "[[step]]\nend = \"max_turns\"\n";

fn failed(message: &str) -> Act {
    Act::End(End::Failed { message: message.to_owned() })
}

#[test]
fn a_reopened_task_has_another_attempt_with_its_own_end() {
    let done = || Act::End(End::Completed { response: String::new() });
    let trapped = "[[step]]\nend = \"driver_trapped\"\n";
    assert_eq!(
        acts(&[TURN, DONE, REOPEN, TURN, trapped, REOPEN, TURN, DONE].concat()),
        [
            Act::BeginTurn,
            Act::InferenceReturned,
            done(),
            Act::Reopen,
            Act::BeginTurn,
            failed("session ended"),
            Act::Reopen,
            Act::BeginTurn,
            Act::InferenceReturned,
            done(),
        ]
    );
}

#[test]
fn turns_are_counted_in_each_attempt() {
    let all = acts(&[TURN, TURN, TURN, MAX_TURNS, REOPEN, TURN, TURN, MAX_TURNS].concat());
    let ends: Vec<_> = all.iter().filter(|act| matches!(act, Act::End(_))).cloned().collect();
    assert_eq!(
        ends,
        [
            failed("max_turns exceeded: the task used all 3 inference turns"),
            failed("max_turns exceeded: the task used all 2 inference turns"),
        ]
    );
}

#[test]
fn a_task_is_reopened_after_an_end() {
    let wrong = "a task is reopened after an end; put this after one";
    assert_problems(&[REOPEN, TURN, DONE], [&format!("2: step 1 (reopen): {wrong}")]);
    assert_problems(&[TURN, REOPEN, TURN, DONE], [&format!("4: step 2 (reopen): {wrong}")]);
    assert_problems(
        &[TURN, DONE, REOPEN, REOPEN, TURN, DONE],
        [&format!("8: step 4 (reopen): {wrong}")],
    );
}

#[test]
fn steps_after_an_end_need_a_reopen() {
    for next in [TURN, TOOL] {
        assert_problems(&[TURN, DONE, next, DONE], [&format!("4: step 2 (end): {STEPS_FOLLOW}")]);
    }
}

#[test]
fn a_reopened_attempt_has_an_end() {
    assert_problems(
        &[TURN, DONE, REOPEN],
        ["6: step 3 (reopen): there is no end; write a last `[[step]]` such as end = { completed \
          = \"the reply\" }"],
    );
}

#[test]
fn the_calls_of_an_attempt_need_a_turn_of_that_attempt() {
    assert_problems(
        &[TURN, DONE, REOPEN, TOOL, DONE],
        [
            "8: step 4 (tool): a call needs an inference turn before it; write a `turn` step first",
            "10: step 5 (end): `completed` needs an inference turn before it; write a `turn` step",
        ],
    );
    assert_problems(
        &[TURN, DONE, REOPEN, MAX_TURNS],
        ["8: step 4 (end): `max_turns` needs an inference turn before it; write a `turn` step"],
    );
}

#[test]
fn the_outcome_of_a_call_is_of_a_turn_of_its_attempt() {
    assert_problems(
        &[TURN, DONE, REOPEN, "[[step]]\nend = \"driver_trapped\"\n"],
        ["8: step 4 (end): `driver_trapped` is the outcome of an inference call; put it directly \
          after the `turn` of that call"],
    );
}

#[test]
fn hooks_come_directly_before_the_completed_of_their_attempt() {
    let hook = "[[step]]\nhook = { name = \"h\", content = \"{}\" }\n";
    let artifact = || Act::HookArtifact { hook_name: "h".to_owned(), content: "{}".to_owned() };
    let all = acts(&[TURN, hook, DONE, REOPEN, TURN, hook, DONE].concat());
    assert_eq!((&all[2], &all[7]), (&artifact(), &artifact()));
    assert_problems(
        &[TURN, hook, MAX_TURNS, REOPEN, TURN, hook, DONE],
        ["4: step 2 (hook): a hook artifact comes only before the end `completed`; move it to \
          directly before that end, where other hooks may stand between"],
    );
}
