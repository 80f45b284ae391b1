//! From a message to a task, and what the connection is told when it does not become one
//! (protocol page, "What `message/stream` writes, in order", steps 3 to 5).

use super::{Message, ParamsError};
use crate::{Connection, ContextId, Task, TaskId, frame};
use uuid::Uuid;

/// A task as it is handed to the agent loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Its ids.
    pub task: Task,
    /// The message's own id.
    pub message_id: String,
    /// The message's role.
    pub role: String,
    /// The message's text.
    pub text: String,
}

/// What the agent loop said to a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Submitted {
    /// It will be run.
    Accepted,
    /// The capsule cannot accept another task.
    Busy,
    /// There was a place, but the task could not be handed over.
    QueueFailed,
}

/// The agent loop, as the stream sees it.
pub trait Tasks {
    /// Hands a task over.
    fn submit(&mut self, submission: Submission) -> Submitted;
}

/// Submits what the params of a `message/stream` were, on a connection that
/// [`crate::Session::open_stream`] opened. Where they cannot become a task, the connection gets its
/// last frame. `mint` makes UUIDs, version 7.
pub fn submit(
    connection: &mut Connection,
    params: Result<Message, ParamsError>,
    mut mint: impl FnMut() -> Uuid,
    tasks: &mut impl Tasks,
) {
    let message = match params {
        Ok(message) => message,
        Err(error) => {
            connection.say_last(frame::error(&format!("Invalid params: {error}")));
            return;
        }
    };
    let task = Task {
        id: TaskId::mint(mint()),
        context_id: message.context_id.map_or_else(|| ContextId::mint(mint()), ContextId::from),
    };
    let submission = Submission {
        task: task.clone(),
        message_id: message.message_id,
        role: message.role,
        text: message.text,
    };
    match tasks.submit(submission) {
        Submitted::Accepted => {}
        Submitted::Busy => connection.say_last(frame::rejected(&task)),
        Submitted::QueueFailed => {
            connection.say_last(frame::error("internal error: queue send failed"));
        }
    }
}
