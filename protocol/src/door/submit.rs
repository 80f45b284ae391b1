//! From a message to a task, and what is said when it does not become one (protocol page, "What
//! `message/stream` writes, in order", steps 3 to 5; `capsule-stream-details.md`, section 8).

use super::json_rpc::{RequestId, RpcError};
use super::{Message, ParamsError, Submission, Submitted, TaskSnapshot, TaskState, Tasks, result};
use crate::{Connection, ContextId, Task, TaskId, frame};
use uuid::Uuid;

/// What both methods say when a task cannot be handed over.
const QUEUE_FAILED: &str = "internal error: queue send failed";

/// Submits what the params of a `message/stream` were, on a connection that
/// [`crate::Session::open_stream`] opened. Where they cannot become a task, the connection gets its
/// last frame. `mint` makes UUIDs, version 7.
pub fn submit(
    connection: &mut Connection,
    params: Result<Message, ParamsError>,
    mint: impl FnMut() -> Uuid,
    tasks: &mut impl Tasks,
) {
    let message = match params {
        Ok(message) => message,
        Err(error) => {
            connection.say_last(frame::error(&format!("Invalid params: {error}")));
            return;
        }
    };
    let (task, submitted) = hand_over(message, mint, tasks);
    match submitted {
        Submitted::Accepted => {}
        Submitted::Busy => connection.say_last(frame::rejected(&task)),
        Submitted::QueueFailed => connection.say_last(frame::error(QUEUE_FAILED)),
    }
}

/// Answers a `message/send`: the answer to a wait for input, if a task waits, else a task of its
/// own.
pub(super) fn send(
    id: RequestId<'_>,
    params: Result<Message, ParamsError>,
    mint: impl FnMut() -> Uuid,
    tasks: &mut impl Tasks,
) -> Vec<u8> {
    let message = match params {
        Ok(message) => message,
        Err(error) => return RpcError::invalid_params(&error).response(id),
    };
    if let Some(answered) = tasks.answer(&message.text) {
        return result::of_task(id, &answered);
    }
    let (task, submitted) = hand_over(message, mint, tasks);
    let state = match submitted {
        Submitted::Accepted => TaskState::Submitted,
        Submitted::Busy => TaskState::Rejected,
        Submitted::QueueFailed => return RpcError::internal(QUEUE_FAILED).response(id),
    };
    result::of_task(id, &TaskSnapshot { task, state, prompt: None })
}

/// Mints the task's ids, and hands it to the agent loop.
fn hand_over(
    message: Message,
    mut mint: impl FnMut() -> Uuid,
    tasks: &mut impl Tasks,
) -> (Task, Submitted) {
    let task = Task {
        id: TaskId::mint(mint()),
        context_id: message.context_id.map_or_else(|| ContextId::mint(mint()), ContextId::from),
    };
    let submitted = tasks.submit(Submission {
        task: task.clone(),
        message_id: message.message_id,
        role: message.role,
        text: message.text,
    });
    (task, submitted)
}
