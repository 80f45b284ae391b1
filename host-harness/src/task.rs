//! A task that the agent loop has to run.

use crate::Error;
use crate::feed::{Attempt, FeedHandle};
use crate::tasks::{Input, Tasks};
use protocol::{Submission, Task, TaskId, TaskState};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

/// A task that was accepted and whose turn it is. Dropping it says that it has ended; the next one
/// may run then.
pub struct AcceptedTask {
    submission: Submission,
    feed: FeedHandle,
    tasks: Arc<Tasks>,
    canceled: Option<watch::Receiver<bool>>,
}

/// How a tool's wait for input ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputOutcome {
    /// The answer.
    Answered(String),
    /// None came in time: the tool fails, and the task goes on.
    TimedOut,
    /// The task was cancelled: the tool fails, and the task ends at its turn's boundary.
    Canceled,
}

impl AcceptedTask {
    pub(crate) fn new(submission: Submission, feed: FeedHandle, tasks: Arc<Tasks>) -> Self {
        let canceled = tasks.canceled(&submission.task.id);
        Self { submission, feed, tasks, canceled }
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
        // Also after the end of an attempt before: a task that is reopened can be cancelled again.
        self.tasks.stands(&self.submission.task.id, TaskState::Working);
        let attempt = self.feed.begin_attempt(self.submission.task.clone()).await?;
        Ok(attempt.registered(self.tasks.clone(), self.submission.task.id.clone()))
    }

    /// Whether the task was cancelled. What an agent loop does then, and when, is
    /// `capsule-stream-details.md`, section 9: it drops an inference call, lets a tool end, and
    /// ends the attempt with [`Attempt::canceled`].
    pub fn is_canceled(&self) -> bool {
        self.canceled.as_ref().is_some_and(|canceled| *canceled.borrow())
    }

    /// Waits until the task is cancelled.
    pub async fn canceled(&self) {
        if let Some(mut canceled) = self.canceled.clone()
            && canceled.wait_for(|canceled| *canceled).await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }

    /// A tool of the task asks for input: writes `input-required`, waits for the answer, and writes
    /// what became of the wait. Where the task was cancelled before, nothing is written.
    ///
    /// Dropping the future is as if the tool had gone: nobody can answer any more.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub async fn request_input(
        &self,
        attempt: &Attempt,
        prompt: &str,
        most: Duration,
    ) -> Result<InputOutcome, Error> {
        if self.is_canceled() {
            return Ok(InputOutcome::Canceled);
        }
        // Whoever reads the frame can answer at once.
        let mut question = Question::ask(&self.tasks, &self.submission.task.id, prompt);
        let wait = attempt.wait_for_input(prompt).await?;
        match question.answer(most).await {
            Some(Input::Answer(text)) => {
                wait.resumed().await?;
                Ok(InputOutcome::Answered(text))
            }
            Some(Input::Canceled) => Ok(InputOutcome::Canceled),
            None => {
                drop(question);
                wait.timed_out().await?;
                Ok(InputOutcome::TimedOut)
            }
        }
    }
}

/// A wait for input in the registry, until this is dropped.
struct Question<'t> {
    tasks: &'t Tasks,
    id: &'t TaskId,
    answered: oneshot::Receiver<Input>,
}

impl<'t> Question<'t> {
    fn ask(tasks: &'t Tasks, id: &'t TaskId, prompt: &str) -> Self {
        Self { tasks, id, answered: tasks.wait_for_input(id, prompt) }
    }

    async fn answer(&mut self, most: Duration) -> Option<Input> {
        if let Ok(answer) = timeout(most, &mut self.answered).await {
            return answer.ok();
        }
        // One that was taken by the door at this very moment counts; after this none is taken.
        self.answered.close();
        self.answered.try_recv().ok()
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.tasks.no_longer_waits(self.id);
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
