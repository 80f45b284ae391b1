//! What an agent loop tells the stream: the `feed` interface of `wit/feed.wit` as Rust handles.
//!
//! Every call waits only where the capsule is more than a thousand calls behind. It fails with
//! [`Error::Stopped`] once the capsule was stopped.

use crate::Error;
use crate::command::{Command, Feed, ResourceId};
use crate::inbox::Inbox;
use crate::tasks::Tasks;
use protocol::{Artifact, Chunk, HookArtifact, Task, TaskId, TaskState};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The way to the stream. Cheap to clone.
#[derive(Clone)]
pub struct FeedHandle {
    inbox: Arc<Inbox<Command>>,
    next_resource: Arc<AtomicU64>,
}

impl FeedHandle {
    pub(crate) fn new(inbox: Arc<Inbox<Command>>) -> Self {
        Self { inbox, next_resource: Arc::default() }
    }

    /// Begins an attempt at `task`. From now on chunks belong to it.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub async fn begin_attempt(&self, task: Task) -> Result<Attempt, Error> {
        let resource = self.resource();
        self.send(Feed::BeginAttempt { attempt: resource.id, task }).await?;
        Ok(Attempt { resource, registered: None })
    }

    /// Emits a chunk, as a driver or tool does through `murmur:text/chunks`. Without an attempt
    /// that runs it goes nowhere.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub async fn emit(&self, chunk: Chunk) -> Result<(), Error> {
        self.inbox.send(Command::Chunk(chunk)).await.map_err(|_| Error::Stopped)
    }

    /// The queue reached a task that was cancelled while it waited.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub async fn cancel_queued(&self, task: Task) -> Result<(), Error> {
        self.send(Feed::CancelQueued(task)).await
    }

    /// The same, whatever the space: where it has to happen at once.
    pub(crate) fn push_cancel_queued(&self, task: Task) -> Result<(), Error> {
        self.push(Feed::CancelQueued(task))
    }

    /// [`Self::close`], whatever the space.
    pub(crate) fn push_close(&self) -> Result<(), Error> {
        self.push(Feed::Close)
    }

    /// Closes the frame stream while the capsule still serves: watchers get `capsule-closed`.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub async fn close(&self) -> Result<(), Error> {
        self.send(Feed::Close).await
    }

    async fn send(&self, call: Feed) -> Result<(), Error> {
        self.inbox.send(Command::Feed(call)).await.map_err(|_| Error::Stopped)
    }

    fn push(&self, call: Feed) -> Result<(), Error> {
        self.inbox.push(Command::Feed(call)).map_err(|_| Error::Stopped)
    }

    fn resource(&self) -> HeldResource {
        let id = ResourceId(self.next_resource.fetch_add(1, Ordering::Relaxed));
        HeldResource { feed: self.clone(), id, held: true }
    }
}

impl fmt::Debug for FeedHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeedHandle").finish_non_exhaustive()
    }
}

/// A resource of the component, dropped there when it is dropped here.
#[derive(Debug)]
struct HeldResource {
    feed: FeedHandle,
    id: ResourceId,
    held: bool,
}

impl HeldResource {
    /// Makes the call that takes the resource.
    async fn taken_by(mut self, call: impl FnOnce(ResourceId) -> Feed) -> Result<(), Error> {
        self.feed.send(call(self.id)).await?;
        self.held = false;
        Ok(())
    }
}

impl Drop for HeldResource {
    fn drop(&mut self) {
        if self.held {
            // With the capsule the resource is gone as well.
            let _ = self.feed.push(Feed::Drop(self.id));
        }
    }
}

/// One attempt at a task (`wit/feed.wit`, `attempt`). Dropping it ends it without a final status.
#[derive(Debug)]
pub struct Attempt {
    resource: HeldResource,
    /// The task in the registry that says how it stands, for one that came from there.
    registered: Option<(Arc<Tasks>, TaskId)>,
}

impl Attempt {
    pub(crate) fn registered(mut self, tasks: Arc<Tasks>, id: TaskId) -> Self {
        self.registered = Some((tasks, id));
        self
    }

    /// Tells the registry how the task stands. False where it was cancelled, and stays so.
    fn stands(&self, state: TaskState) -> bool {
        self.registered.as_ref().is_none_or(|(tasks, id)| tasks.stands(id, state))
    }

    /// Begins the next inference turn and in it the driver's call: `working`.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`], here and below.
    pub async fn begin_turn(&mut self) -> Result<Inference, Error> {
        self.stands(TaskState::Working);
        let inference = self.resource.feed.resource();
        let call = Feed::BeginTurn { attempt: self.resource.id, inference: inference.id };
        self.resource.feed.send(call).await?;
        Ok(Inference { resource: inference })
    }

    /// Emits a chunk of the reply.
    ///
    /// # Errors
    ///
    /// See [`Self::begin_turn`].
    pub async fn text(&self, chunk: impl Into<String>) -> Result<(), Error> {
        self.resource.feed.emit(Chunk::Text(chunk.into())).await
    }

    /// Emits a chunk of the reasoning.
    ///
    /// # Errors
    ///
    /// See [`Self::begin_turn`].
    pub async fn thinking(&self, chunk: impl Into<String>) -> Result<(), Error> {
        self.resource.feed.emit(Chunk::Thinking(chunk.into())).await
    }

    /// Writes a tool call's result.
    ///
    /// # Errors
    ///
    /// See [`Self::begin_turn`].
    pub async fn artifact(&mut self, artifact: Artifact) -> Result<(), Error> {
        let call = Feed::Artifact { attempt: self.resource.id, artifact };
        self.resource.feed.send(call).await
    }

    /// Writes a hook's artifact, before `completed`.
    ///
    /// # Errors
    ///
    /// See [`Self::begin_turn`].
    pub async fn hook_artifact(&mut self, artifact: HookArtifact) -> Result<(), Error> {
        let call = Feed::HookArtifact { attempt: self.resource.id, artifact };
        self.resource.feed.send(call).await
    }

    /// A tool asks for input: `input-required`.
    ///
    /// # Errors
    ///
    /// See [`Self::begin_turn`].
    pub async fn wait_for_input(&self, prompt: impl Into<String>) -> Result<InputWait, Error> {
        let wait = self.resource.feed.resource();
        let call =
            Feed::WaitForInput { attempt: self.resource.id, wait: wait.id, prompt: prompt.into() };
        self.resource.feed.send(call).await?;
        Ok(InputWait { resource: wait })
    }

    /// Ends the attempt: `completed`, and before it the whole reply as one `text` where the last
    /// turn emitted none. A task that was cancelled before this ends as `canceled` instead, since
    /// `tasks/cancel` has said so.
    ///
    /// # Errors
    ///
    /// See [`Self::begin_turn`].
    pub async fn completed(self, response: impl Into<String>) -> Result<(), Error> {
        if !self.stands(TaskState::Completed) {
            return self.canceled().await;
        }
        let response = response.into();
        self.resource.taken_by(|attempt| Feed::Completed { attempt, response }).await
    }

    /// Ends the attempt: `failed`, or `canceled` as [`Self::completed`] does.
    ///
    /// # Errors
    ///
    /// See [`Self::begin_turn`].
    pub async fn failed(self, message: impl Into<String>) -> Result<(), Error> {
        if !self.stands(TaskState::Failed) {
            return self.canceled().await;
        }
        let message = message.into();
        self.resource.taken_by(|attempt| Feed::Failed { attempt, message }).await
    }

    /// Ends the attempt: `canceled`.
    ///
    /// # Errors
    ///
    /// See [`Self::begin_turn`].
    pub async fn canceled(self) -> Result<(), Error> {
        self.stands(TaskState::Canceled);
        self.resource.taken_by(|attempt| Feed::Canceled { attempt }).await
    }
}

/// A driver's call (`wit/feed.wit`, `inference`). Dropping it says that the call did not return.
#[derive(Debug)]
#[must_use = "an inference call that is not `returned` counts as one that was cut off"]
pub struct Inference {
    resource: HeldResource,
}

impl Inference {
    /// The call returned.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub async fn returned(self) -> Result<(), Error> {
        self.resource.taken_by(|inference| Feed::Returned { inference }).await
    }
}

/// A tool's wait for input (`wit/feed.wit`, `input-wait`). Dropping it writes nothing.
#[derive(Debug)]
#[must_use = "a wait that is dropped counts as cancelled"]
pub struct InputWait {
    resource: HeldResource,
}

impl InputWait {
    /// The answer came.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub async fn resumed(self) -> Result<(), Error> {
        self.resource.taken_by(|wait| Feed::Resumed { wait }).await
    }

    /// It did not come in time. The task goes on.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub async fn timed_out(self) -> Result<(), Error> {
        self.resource.taken_by(|wait| Feed::TimedOut { wait }).await
    }
}
