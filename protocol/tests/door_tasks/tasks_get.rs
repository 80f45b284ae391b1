//! `tasks/get`: how a task stands.

use crate::{Loop, call, error, snapshot, waiting};
use protocol::door::TaskState;

#[test]
fn it_is_the_task_of_that_id_with_its_state() {
    for (state, name) in [
        (TaskState::Submitted, "submitted"),
        (TaskState::Working, "working"),
        (TaskState::Completed, "completed"),
        (TaskState::Failed, "failed"),
        (TaskState::Canceled, "canceled"),
    ] {
        let mut tasks = Loop::new([snapshot("a", state), snapshot("b", TaskState::Working)]);
        assert_eq!(
            call("tasks/get", r#"{"id":"tsk_a"}"#, &mut tasks),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"contextId":"ctx_a","id":"tsk_a","status":{{"state":"{name}"}}}}}}"#
            )
        );
    }
}

#[test]
fn artifacts_hold_the_prompt_while_input_is_required() {
    assert_eq!(
        call("tasks/get", r#"{"id":"tsk_a"}"#, &mut Loop::new([waiting("a", "Tag it \"v1\"?\n")])),
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"result":{"artifacts":[{"name":"prompt","parts":"#,
            r#"[{"text":"Tag it \"v1\"?\n"}]}],"contextId":"ctx_a","id":"tsk_a","#,
            r#""status":{"state":"input-required"}}}"#
        )
    );
}

#[test]
fn without_an_id_it_is_the_active_or_the_last_task() {
    for params in ["", "null", "{}", r#"{"id":null}"#, r#"{"x":{"id":"tsk_a"}}"#, "[]"] {
        let mut tasks =
            Loop::new([snapshot("a", TaskState::Completed), snapshot("b", TaskState::Working)]);
        assert_eq!(
            call("tasks/get", params, &mut tasks),
            r#"{"jsonrpc":"2.0","id":1,"result":{"contextId":"ctx_b","id":"tsk_b","status":{"state":"working"}}}"#,
            "{params}"
        );
    }
}

#[test]
fn a_task_that_nobody_knows_is_not_found() {
    let not_found = error(-32001, "Task not found");
    for params in [r#"{"id":"tsk_b"}"#, r#"{"id":""}"#, r#"{"id":"TSK_A"}"#] {
        let mut tasks = Loop::new([snapshot("a", TaskState::Working)]);
        assert_eq!(call("tasks/get", params, &mut tasks), not_found, "{params}");
    }
    assert_eq!(call("tasks/get", "", &mut Loop::new([])), not_found);
}

#[test]
fn an_id_that_is_no_string_is_told() {
    let wrong = error(-32602, "Invalid params: the id of a task is a string");
    for id in ["1", "[]", "{}", "true"] {
        let mut tasks = Loop::new([snapshot("a", TaskState::Working)]);
        assert_eq!(call("tasks/get", &format!(r#"{{"id":{id}}}"#), &mut tasks), wrong, "{id}");
    }
}
