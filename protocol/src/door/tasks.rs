//! The agent loop, as the door sees it: what it is asked, and what it says of a task.

use crate::{Task, TaskId};

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

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// It waits for its turn.
    Submitted,
    /// It runs.
    Working,
    /// A tool of it waits for input.
    InputRequired,
    /// It ended with a reply.
    Completed,
    /// It failed, or ended without a final status.
    Failed,
    /// It was cancelled, which the agent loop may still have to come to.
    Canceled,
    /// It was not accepted.
    Rejected,
}

impl TaskState {
    /// The state's name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Working => "working",
            Self::InputRequired => "input-required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Rejected => "rejected",
        }
    }

    /// Whether a task that stands so has ended, or is about to.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Submitted | Self::Working | Self::InputRequired)
    }
}

/// A task, as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskSnapshot {
    /// Its ids.
    pub task: Task,
    /// Its state.
    pub state: TaskState,
    /// What a tool asks for, while input is required.
    pub prompt: Option<String>,
}

/// The agent loop, as the door sees it.
pub trait Tasks {
    /// Hands a task over.
    fn submit(&mut self, submission: Submission) -> Submitted;

    /// Answers the task that waits for input, if one does. The task as it stands then.
    fn answer(&mut self, text: &str) -> Option<TaskSnapshot>;

    /// The task of that id; without one, the task that runs, or else the last one.
    fn get(&mut self, id: Option<&TaskId>) -> Option<TaskSnapshot>;

    /// Cancels the task of that id. A finished one stays what it was.
    fn cancel(&mut self, id: &TaskId) -> Option<TaskSnapshot>;
}
