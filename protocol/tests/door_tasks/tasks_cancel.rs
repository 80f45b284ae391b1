//! `tasks/cancel`.

use crate::{Loop, call, error, snapshot, waiting};
use protocol::door::TaskState;

#[test]
fn it_is_the_task_cancelled() {
    let canceled = r#"{"jsonrpc":"2.0","id":1,"result":{"contextId":"ctx_a","id":"tsk_a","status":{"state":"canceled"}}}"#;
    // The prompt of one that waits goes with its wait.
    for before in [
        snapshot("a", TaskState::Submitted),
        snapshot("a", TaskState::Working),
        waiting("a", "Which one?"),
        snapshot("a", TaskState::Canceled),
    ] {
        let mut tasks = Loop::new([before]);
        assert_eq!(call("tasks/cancel", r#"{"id":"tsk_a"}"#, &mut tasks), canceled);
    }
}

#[test]
fn a_finished_task_stays_what_it_was() {
    for (state, name) in [(TaskState::Completed, "completed"), (TaskState::Failed, "failed")] {
        let mut tasks = Loop::new([snapshot("a", state)]);
        assert_eq!(
            call("tasks/cancel", r#"{"id":"tsk_a"}"#, &mut tasks),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"contextId":"ctx_a","id":"tsk_a","status":{{"state":"{name}"}}}}}}"#
            )
        );
    }
}

#[test]
fn it_requires_an_id() {
    let required = error(-32602, "Invalid params: tasks/cancel requires an id");
    for params in ["", "null", "{}", "[]", r#""tsk_a""#, r#"{"id":null}"#, r#"{"id":1}"#] {
        let mut tasks = Loop::new([snapshot("a", TaskState::Working)]);
        assert_eq!(call("tasks/cancel", params, &mut tasks), required, "{params}");
        assert_eq!(tasks.known[0].state, TaskState::Working);
    }
}

#[test]
fn a_task_that_nobody_knows_is_not_found() {
    let mut tasks = Loop::new([snapshot("a", TaskState::Working)]);
    assert_eq!(
        call("tasks/cancel", r#"{"id":"tsk_b"}"#, &mut tasks),
        error(-32001, "Task not found")
    );
}
