//! One attempt at a task, turn after turn (`capsule-stream-details.md`, sections 6 and 9).

use super::ComponentAgent;
use super::conversation::{Conversation, Message};
use super::response::{self, Response, ResponseError, Stop};
use crate::components::{CallError, ToolResult};
use crate::{AcceptedTask, Attempt, CapsuleHandle, Error};

/// What the driver's or its response's failure is called.
const SESSION_ENDED: &str = "session ended";

/// How an attempt ended: with which status, if any.
enum End {
    Completed(String),
    Failed(String),
    Canceled,
    /// No status says so.
    Unreported,
}

impl ComponentAgent {
    /// Runs the attempt to its end. The conversation, where it completed.
    pub(super) async fn attempt(
        &self,
        capsule: &CapsuleHandle,
        task: &AcceptedTask,
        mut conversation: Conversation,
    ) -> Result<Option<Conversation>, Error> {
        let mut attempt = task.begin_attempt().await?;
        match self.turns(capsule, task, &mut attempt, &mut conversation).await? {
            End::Completed(reply) => {
                attempt.completed(reply).await?;
                return Ok(Some(conversation));
            }
            End::Failed(message) => attempt.failed(message).await?,
            End::Canceled => attempt.canceled().await?,
            End::Unreported => {}
        }
        Ok(None)
    }

    async fn turns(
        &self,
        capsule: &CapsuleHandle,
        task: &AcceptedTask,
        attempt: &mut Attempt,
        conversation: &mut Conversation,
    ) -> Result<End, Error> {
        for _ in 0..self.settings.max_turns {
            // The boundary of a turn, where a cancel takes effect.
            if task.is_canceled() {
                return Ok(End::Canceled);
            }
            let response = match self.infer(capsule, task, attempt, conversation).await? {
                Ok(response) => response,
                Err(end) => return Ok(end),
            };
            conversation.add(Message::assistant(response.content));
            conversation.continuation_id = response.continuation_id;
            match response.stop {
                Stop::EndTurn(_) if task.is_canceled() => return Ok(End::Canceled),
                Stop::EndTurn(reply) => return Ok(End::Completed(reply)),
                Stop::ToolCalls(calls) => {
                    for call in calls {
                        let message = self.dispatch(call, capsule, task, attempt).await?;
                        conversation.add(message);
                    }
                }
            }
        }
        if task.is_canceled() {
            return Ok(End::Canceled);
        }
        let turns = self.settings.max_turns;
        Ok(End::Failed(format!("max_turns exceeded: the task used all {turns} inference turns")))
    }

    /// One call of the driver.
    async fn infer(
        &self,
        capsule: &CapsuleHandle,
        task: &AcceptedTask,
        attempt: &mut Attempt,
        conversation: &Conversation,
    ) -> Result<Result<Response, End>, Error> {
        let inference = attempt.begin_turn().await?;
        let called = tokio::select! {
            biased;
            () = task.canceled() => None,
            called = self.call_driver(capsule, conversation) => Some(called?),
        };
        let result = match called {
            // Dropping the call, and the inference with it, says that it did not return.
            None => return Ok(Err(End::Canceled)),
            Some(Err(CallError::Unavailable(reason))) => {
                return Ok(Err(End::Failed(format!("driver invocation failed: {reason}"))));
            }
            Some(Err(CallError::Trapped(reason))) => {
                tracing::warn!(%reason, "the driver trapped");
                return Ok(Err(End::Failed(SESSION_ENDED.into())));
            }
            Some(Ok(result)) => result,
        };
        inference.returned().await?;
        Ok(response::read(&result).map_err(|error| match error {
            ResponseError::NotJson => {
                tracing::warn!("the driver's response is not JSON");
                End::Unreported
            }
            ResponseError::Failed(reason) => {
                tracing::warn!(%reason, "the driver's response failed");
                End::Failed(SESSION_ENDED.into())
            }
        }))
    }

    async fn call_driver(
        &self,
        capsule: &CapsuleHandle,
        conversation: &Conversation,
    ) -> Result<Result<ToolResult, CallError>, Error> {
        let tools = self.tools.iter().map(|(spec, _)| spec);
        let request = conversation.request(&self.settings, tools);
        match serde_json::to_string(&request) {
            Ok(request) => self.driver.call(request, capsule, None).await,
            Err(error) => Ok(Err(CallError::Unavailable(error.to_string()))),
        }
    }
}
