//! A tool call, from the model's wish to its artifact.

use super::ComponentAgent;
use super::conversation::Message;
use super::response::ToolCall;
use crate::components::{Asks, CallError, Status, ToolResult};
use crate::{AcceptedTask, Attempt, CapsuleHandle, Error};
use protocol::{Artifact, fence};
use std::pin::pin;
use std::time::Duration;
use tokio::time::Instant;

impl ComponentAgent {
    /// Makes the call, writes its artifact, and answers with the message that the model gets.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub(super) async fn dispatch(
        &self,
        call: ToolCall,
        capsule: &CapsuleHandle,
        task: &AcceptedTask,
        attempt: &mut Attempt,
    ) -> Result<Message, Error> {
        let began = Instant::now();
        let result = self.call_tool(&call, capsule, task, attempt).await?;
        let artifact = artifact(&call, result, began.elapsed());
        let message = Message::tool(call.id, &artifact.content, artifact.is_error);
        attempt.artifact(artifact).await?;
        Ok(message)
    }

    /// The outcome of a call; none where there is no such tool.
    async fn call_tool(
        &self,
        call: &ToolCall,
        capsule: &CapsuleHandle,
        task: &AcceptedTask,
        attempt: &Attempt,
    ) -> Result<Option<Result<ToolResult, CallError>>, Error> {
        let Some((_, tool)) = self.tools.iter().find(|(spec, _)| spec.name == call.name) else {
            return Ok(None);
        };
        let (asks, mut asked) = Asks::channel();
        let mut calling = pin!(tool.call(call.input.clone(), capsule, Some(asks)));
        loop {
            tokio::select! {
                result = &mut calling => return result.map(Some),
                Some(ask) = asked.recv() => {
                    let most = self.settings.input_timeout;
                    let outcome = task.request_input(attempt, &ask.prompt, most).await?;
                    // The tool waits for it.
                    let _ = ask.answer.send(outcome);
                }
            }
        }
    }
}

/// What a call leaves (`capsule-stream-details.md`, section 9): a result is fenced, and what went
/// wrong before there was one is not.
fn artifact(
    call: &ToolCall,
    result: Option<Result<ToolResult, CallError>>,
    took: Duration,
) -> Artifact {
    let name = &call.name;
    let unfenced = |content, took: Duration| Artifact {
        tool_name: name.clone(),
        content,
        fence_source: None,
        tool_call_id: call.id.clone(),
        is_error: true,
        duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        exit_code: None,
        truncated: false,
    };
    match result {
        None => {
            let content = format!("tool '{name}' is not declared in manifest allowlist");
            unfenced(content, Duration::ZERO)
        }
        Some(Err(error)) => unfenced(format!("tool '{name}' {error}"), took),
        Some(Ok(result)) => {
            let content = result.data.or(result.summary).unwrap_or_default();
            Artifact {
                fence_source: Some(format!("tool:{name}")),
                is_error: result.status != Status::Passed,
                truncated: result.truncated,
                ..unfenced(fence(name, &content), took)
            }
        }
    }
}
