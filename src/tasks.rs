//! What the stream asks of the agent loop, and the ids that it makes for it.

use crate::bindings::murmur::capsule_stream::{tasks, types};
use protocol::{Submission, Submitted, TaskId, TaskSnapshot, TaskState, Tasks};
use uuid::{Builder, Uuid};
use wasi::clocks::wall_clock;
use wasi::random::random;

/// The agent loop behind the `tasks` import.
pub(crate) struct AgentLoop;

impl Tasks for AgentLoop {
    fn submit(&mut self, submission: Submission) -> Submitted {
        let answer = tasks::submit(&tasks::Submission {
            task: types::Task {
                id: submission.task.id.to_string(),
                context_id: submission.task.context_id.to_string(),
            },
            message_id: submission.message_id,
            role: submission.role,
            text: submission.text,
        });
        match answer {
            tasks::Submitted::Accepted => Submitted::Accepted,
            tasks::Submitted::Busy => Submitted::Busy,
            tasks::Submitted::QueueFailed => Submitted::QueueFailed,
        }
    }

    fn answer(&mut self, text: &str) -> Option<TaskSnapshot> {
        tasks::answer(text).map(TaskSnapshot::from)
    }

    fn get(&mut self, id: Option<&TaskId>) -> Option<TaskSnapshot> {
        tasks::get(id.map(TaskId::as_str)).map(TaskSnapshot::from)
    }

    fn cancel(&mut self, id: &TaskId) -> Option<TaskSnapshot> {
        tasks::cancel(id.as_str()).map(TaskSnapshot::from)
    }
}

impl From<tasks::Snapshot> for TaskSnapshot {
    fn from(snapshot: tasks::Snapshot) -> Self {
        Self {
            task: snapshot.task.into(),
            state: match snapshot.state {
                tasks::TaskState::Submitted => TaskState::Submitted,
                tasks::TaskState::Working => TaskState::Working,
                tasks::TaskState::InputRequired => TaskState::InputRequired,
                tasks::TaskState::Completed => TaskState::Completed,
                tasks::TaskState::Failed => TaskState::Failed,
                tasks::TaskState::Canceled => TaskState::Canceled,
            },
            prompt: snapshot.prompt,
        }
    }
}

/// A UUID, version 7, from the host's clock and random numbers.
pub(crate) fn mint() -> Uuid {
    let now = wall_clock::now();
    let millis =
        now.seconds.wrapping_mul(1000).wrapping_add(u64::from(now.nanoseconds / 1_000_000));
    let mut random_bytes = [0; 10];
    for (byte, random) in random_bytes.iter_mut().zip(random::get_random_bytes(10)) {
        *byte = random;
    }
    Builder::from_unix_timestamp_millis(millis, &random_bytes).into_uuid()
}
