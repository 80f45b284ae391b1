//! A task that the agent loop has to run.

use crate::Error;
use crate::feed::{Attempt, FeedHandle};
use crate::tasks::TaskQueue;
use protocol::{Submission, Task};
use std::fmt;
use std::sync::Arc;

/// A task that was accepted and whose turn it is. Dropping it says that it has ended; the next one
/// may run then.
pub struct AcceptedTask {
    submission: Submission,
    feed: FeedHandle,
    tasks: Arc<TaskQueue>,
}

impl AcceptedTask {
    pub(crate) fn new(submission: Submission, feed: FeedHandle, tasks: Arc<TaskQueue>) -> Self {
        Self { submission, feed, tasks }
    }

    /// Its ids.
    pub fn task(&self) -> &Task {
        &self.submission.task
    }

    /// The text of the message, its parts joined with line feeds.
    pub fn text(&self) -> &str {
        &self.submission.text
    }

    /// The message as it was submitted.
    pub fn submission(&self) -> &Submission {
        &self.submission
    }

    /// Begins an attempt at the task: the first, or one that reopens it.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub async fn begin_attempt(&self) -> Result<Attempt, Error> {
        self.feed.begin_attempt(self.submission.task.clone()).await
    }
}

impl Drop for AcceptedTask {
    fn drop(&mut self) {
        self.tasks.ended();
    }
}

impl fmt::Debug for AcceptedTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcceptedTask").field("submission", &self.submission).finish_non_exhaustive()
    }
}
