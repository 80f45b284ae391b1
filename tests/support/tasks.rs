//! Tasks that play scenarios, the methods about tasks, and what those answer.

use super::{Served, TaskFrames, json_answer, message, post};
use host_harness::agent::SimulatedAgent;
use host_harness::scenario::Scenario;

/// What is answered where there is no such task.
pub(crate) const TASK_NOT_FOUND: &str =
    r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Task not found"}}"#;

impl Served {
    /// Has a simulated agent run the capsule's tasks, each the scenario that its text names.
    pub(crate) fn play(&self) {
        self.play_by_default(Scenario::shipped_named("whole-reply").unwrap());
    }

    /// The same with this scenario for tasks whose text names none.
    pub(crate) fn play_by_default(&self, default: Scenario) {
        let handle = self.handle();
        tokio::spawn(async move { SimulatedAgent::new(default).run(&handle).await });
    }

    /// Calls a method over HTTP, and expects this JSON.
    #[track_caller]
    pub(crate) fn call<'a>(
        &'a self,
        method: &str,
        params: &str,
        json: &'a str,
    ) -> impl Future<Output = ()> + 'a {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        async move { self.send(post(&body)).await.expect_all(json_answer(json)).await }
    }

    /// Sends a message of that text, and expects this JSON.
    pub(crate) async fn say(&self, text: &str, json: &str) {
        self.call("message/send", &message(text), json).await;
    }

    /// Asks for the task of that id, and expects this JSON.
    pub(crate) async fn get(&self, id: &str, json: &str) {
        self.call("tasks/get", &format!(r#"{{"id":"{id}"}}"#), json).await;
    }

    /// Cancels the task of that id, and expects this JSON.
    pub(crate) async fn cancel_over_http(&self, id: &str, json: &str) {
        self.call("tasks/cancel", &format!(r#"{{"id":"{id}"}}"#), json).await;
    }
}

impl TaskFrames {
    /// The response whose result is this task in that state.
    pub(crate) fn result(&self, state: &str) -> String {
        let Self { task, context } = self;
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"contextId":"{context}","id":"{task}","status":{{"state":"{state}"}}}}}}"#
        )
    }

    /// The same while a tool of the task asks this.
    pub(crate) fn result_asking(&self, prompt: &str) -> String {
        let artifacts =
            format!(r#""artifacts":[{{"name":"prompt","parts":[{{"text":"{prompt}"}}]}}],"#);
        let result = self.result("input-required");
        result.replacen(r#""contextId""#, &format!(r#"{artifacts}"contextId""#), 1)
    }

    /// A turn's frames: `working`, a chunk for each word, the end of the chunks.
    pub(crate) fn turn(&self, id: u64, turn: u64, reply: &str) -> String {
        let mut frames = self.working(id, turn);
        let mut next = id;
        for word in reply.split_inclusive(' ') {
            next += 1;
            frames += &self.text(next, word);
        }
        frames + &self.final_text(next + 1, "")
    }

    /// The artifact of a tool that asked, and got this answer after so many milliseconds.
    pub(crate) fn answered(&self, id: u64, call: &str, answer: &str, millis: u64) -> String {
        self.artifact(
            id,
            &format!(
                r#"{{"tool_name":"ask-user","content":"<untrusted-content source=tool:ask-user>\n{answer}\n</untrusted-content>","fence_source":"tool:ask-user","tool_call_id":"{call}","is_error":false,"duration_ms":{millis},"exit_code":null,"truncated":false}}"#
            ),
        )
    }

    /// The artifact of a tool that asked, and failed.
    pub(crate) fn unanswered(&self, id: u64, call: &str, why: &str, millis: u64) -> String {
        self.artifact(
            id,
            &format!(
                r#"{{"tool_name":"ask-user","content":"tool 'ask-user' failed: {why}","fence_source":null,"tool_call_id":"{call}","is_error":true,"duration_ms":{millis},"exit_code":null,"truncated":false}}"#
            ),
        )
    }
}

/// A scenario of these steps.
pub(crate) fn scenario(steps: &str) -> Scenario {
    Scenario::parse("test", &format!("about = \"a test\"\n{steps}")).unwrap()
}
