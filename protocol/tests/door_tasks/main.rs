//! `message/send`, `tasks/get`, `tasks/cancel` and the agent card (section 8 of the details page).
#![allow(clippy::expect_used)]

mod agent_card;
mod message_send;
#[path = "../support/mod.rs"]
mod support;
mod tasks_cancel;
mod tasks_get;

use protocol::door::{Submitted, TaskState};
use protocol::{Answer, Submission, Task, TaskId, TaskSnapshot, Tasks, door};
use support::task;
use uuid::Uuid;

/// An agent loop that knows a few tasks.
struct Loop {
    says: Submitted,
    known: Vec<TaskSnapshot>,
    /// What a task that waits was answered with, and what was submitted.
    answered: Vec<String>,
    got: Vec<Submission>,
}

impl Loop {
    fn new(known: impl IntoIterator<Item = TaskSnapshot>) -> Self {
        let known = known.into_iter().collect();
        Self { says: Submitted::Accepted, known, answered: Vec::new(), got: Vec::new() }
    }

    fn that_says(says: Submitted) -> Self {
        Self { says, ..Self::new([]) }
    }

    fn of(&mut self, id: &TaskId) -> Option<&mut TaskSnapshot> {
        self.known.iter_mut().find(|known| known.task.id == *id)
    }
}

impl Tasks for Loop {
    fn submit(&mut self, submission: Submission) -> Submitted {
        self.got.push(submission);
        self.says
    }

    fn answer(&mut self, text: &str) -> Option<TaskSnapshot> {
        let waiting = self.known.iter_mut().find(|known| known.prompt.is_some())?;
        self.answered.push(text.to_owned());
        (waiting.state, waiting.prompt) = (TaskState::Working, None);
        Some(waiting.clone())
    }

    fn get(&mut self, id: Option<&TaskId>) -> Option<TaskSnapshot> {
        match id {
            Some(id) => self.of(id).cloned(),
            None => self.known.last().cloned(),
        }
    }

    fn cancel(&mut self, id: &TaskId) -> Option<TaskSnapshot> {
        let known = self.of(id)?;
        if !known.state.is_final() {
            (known.state, known.prompt) = (TaskState::Canceled, None);
        }
        Some(known.clone())
    }
}

fn snapshot(name: &str, state: TaskState) -> TaskSnapshot {
    TaskSnapshot { task: task(name), state, prompt: None }
}

fn waiting(name: &str, prompt: &str) -> TaskSnapshot {
    TaskSnapshot { prompt: Some(prompt.to_owned()), ..snapshot(name, TaskState::InputRequired) }
}

/// The response to a whole request, whose tasks get ids that end in 1, 2, ….
fn respond(body: &str, accepts_tasks: bool, tasks: &mut Loop) -> String {
    let mut minted = 0;
    let mint = || {
        minted += 1;
        Uuid::from_u128(0x0199_c4e2_f1b7_712a_9d3e_0000_0000_0000 + minted)
    };
    match door::answer(body.as_bytes(), accepts_tasks, mint, tasks) {
        Answer::Json(response) => String::from_utf8(response).expect("UTF-8"),
        other => panic!("{body}: {other:?}"),
    }
}

/// The response to a call with these params, absent when empty.
fn call(method: &str, params: &str, tasks: &mut Loop) -> String {
    let params = if params.is_empty() { String::new() } else { format!(r#","params":{params}"#) };
    respond(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"{params}}}"#), true, tasks)
}

fn error(code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"{message}"}}}}"#)
}

const MESSAGE: &str = r#"{"messageId":"m","role":"user","parts":[{"text":"Hello"}]}"#;

#[test]
fn results_echo_the_id_verbatim() {
    for id in ["1.50", "12345678901234567890123", "1e2", "-0", "null", r#""a\u0062\"""#, r#""""#] {
        for (method, params) in [
            ("message/send", MESSAGE),
            ("tasks/get", r#"{"id":"tsk_a"}"#),
            ("tasks/cancel", r#"{"id":"tsk_a"}"#),
            ("tasks/cancel", "{}"),
        ] {
            let body =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
            let mut tasks = Loop::new([snapshot("a", TaskState::Working)]);
            let response = respond(&body, true, &mut tasks);
            let outcome = if params == "{}" { "error" } else { "result" };
            let start = format!(r#"{{"jsonrpc":"2.0","id":{id},"{outcome}":{{"#);
            assert!(response.starts_with(&start), "{response}");
        }
    }
}

#[test]
fn under_none_no_task_is_submitted_and_tasks_are_served() {
    let request = |method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
    };
    // Tested before params are looked at, and before a wait.
    for params in [MESSAGE, "{}", "null"] {
        let mut tasks = Loop::new([waiting("a", "?")]);
        let response = respond(&request("message/send", params), false, &mut tasks);
        assert_eq!(response, error(-32601, "Method not found"));
        assert_eq!((tasks.answered.len(), tasks.got.len()), (0, 0));
    }
    let mut tasks = Loop::new([snapshot("a", TaskState::Working)]);
    for (method, state) in [("tasks/get", "working"), ("tasks/cancel", "canceled")] {
        assert_eq!(
            respond(&request(method, r#"{"id":"tsk_a"}"#), false, &mut tasks),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"contextId":"ctx_a","id":"tsk_a","status":{{"state":"{state}"}}}}}}"#
            )
        );
    }
}

#[test]
fn methods_are_told_by_their_exact_names() {
    for method in ["message/Send", "tasks/list", "tasks/GET", "tasks/cancel ", "task/get", ""] {
        assert_eq!(
            call(method, MESSAGE, &mut Loop::new([])),
            error(-32601, "Method not found"),
            "{method}"
        );
    }
}

#[test]
fn a_task_is_named_by_its_id_alone() {
    // Two tasks of one context.
    let of = |id: &str, state| TaskSnapshot {
        task: Task { id: TaskId::from(id.to_owned()), ..task("shared") },
        state,
        prompt: None,
    };
    let mut tasks = Loop::new([of("1", TaskState::Working), of("2", TaskState::Submitted)]);
    call("tasks/cancel", r#"{"id":"2"}"#, &mut tasks);
    assert_eq!(tasks.known, [of("1", TaskState::Working), of("2", TaskState::Canceled)]);
}
