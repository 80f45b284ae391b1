//! The frames of one `request-input` call (protocol page, `status` and "Event ids").

use crate::counters::{self, Counter};
use crate::frame::{Frame, Status};
use crate::{Session, Task};

/// A tool's wait for input, from its `input-required` frame to its outcome. It owns the input-wait
/// counter. Dropping it writes nothing, as when the task is cancelled during the wait.
#[derive(Debug)]
pub struct InputWait {
    task: Task,
    attempt: u64,
    counter: Counter,
}

impl InputWait {
    pub(crate) fn new(task: Task, attempt: u64) -> Self {
        Self { task, attempt, counter: Counter::starting_at(counters::INPUT_WAIT_START) }
    }

    /// The wait was answered: writes `working` / `resumed`.
    pub fn resumed(mut self, session: &mut Session) {
        self.status(session, Status::Resumed);
    }

    /// The wait timed out: writes `failed` / `input-timeout`, a final status after which the task
    /// goes on.
    pub fn timed_out(mut self, session: &mut Session) {
        self.status(session, Status::InputTimeout);
    }

    pub(crate) fn status(&mut self, session: &mut Session, status: Status<'_>) {
        if session.runs(self.attempt) {
            session.publish(Frame::status(self.counter.take(), &self.task, status));
        }
    }
}
