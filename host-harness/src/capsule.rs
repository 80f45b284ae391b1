//! A capsule that runs: one instance of the component, and the ways to it.

use crate::actor::Actor;
use crate::builder::CapsuleBuilder;
use crate::command::{Command, RequestBody};
use crate::component::StreamComponent;
use crate::components::{ToolInput, ToolResult};
use crate::composed::ComposedPart;
use crate::feed::FeedHandle;
use crate::front::{self, Handler, HandlerGone, Limits};
use crate::guest::Guest;
use crate::host::Host;
use crate::inbox::Inbox;
use crate::settings::Settings;
use crate::task::AcceptedTask;
use crate::tasks::{Next, Tasks};
use crate::{Error, Stats};
use bytes::Bytes;
use http::header::{HOST, HeaderValue};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use protocol::{ConversationMode, TaskId, TaskSnapshot};
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use wasmtime_wasi_http::p2::body::HyperOutgoingBody;

/// How long [`Capsule::stop`] waits for the actor, whose own end takes less.
const STOP: Duration = Duration::from_millis(500);

/// A running capsule. Dropping it ends it at once; [`Self::close`] and [`Self::stop`] are kinder.
pub struct Capsule {
    handle: CapsuleHandle,
    limits: Limits,
    /// The actor, and nothing else.
    actor: JoinSet<wasmtime::Result<()>>,
    fronts: JoinSet<()>,
    fronts_end: watch::Sender<bool>,
}

/// The ways to a capsule. Cheap to clone; it does not keep the capsule alive.
#[derive(Clone)]
pub struct CapsuleHandle {
    inbox: Arc<Inbox<Command>>,
    tasks: Arc<Tasks>,
    feed: FeedHandle,
    conversation_mode: ConversationMode,
}

impl Capsule {
    /// Starts with the page's defaults: see [`CapsuleBuilder`].
    pub fn builder() -> CapsuleBuilder {
        CapsuleBuilder::default()
    }

    pub(crate) async fn start(
        component: &StreamComponent,
        settings: Settings,
    ) -> Result<Self, Error> {
        let inbox = Arc::new(Inbox::new());
        let tasks = Arc::new(Tasks::new(settings.task_acceptance));
        let limits = settings.limits;
        let conversation_mode = settings.conversation_mode;
        let host = Host::new(settings, tasks.clone());
        let guest = Guest::instantiate(component, host, inbox.clone())
            .await
            .map_err(Error::LoadComponent)?;
        let feed = FeedHandle::new(inbox.clone());
        let handle = CapsuleHandle { inbox, tasks, feed, conversation_mode };
        let mut actor = JoinSet::new();
        let end = EndHandle(handle.clone());
        actor.spawn(async move {
            let actor = Actor::new(guest, end.0.inbox.clone());
            let outcome = actor.run().await;
            drop(end);
            outcome
        });
        let (fronts_end, _) = watch::channel(false);
        Ok(Self { handle, limits, actor, fronts: JoinSet::new(), fronts_end })
    }

    /// The ways to this capsule, for agent loops and servers.
    pub fn handle(&self) -> CapsuleHandle {
        self.handle.clone()
    }

    /// Serves the capsule on a socket, until it ends. Port 0 takes a free one; the address that it
    /// became is returned.
    ///
    /// # Errors
    ///
    /// [`Error::Listen`].
    pub async fn listen(&mut self, address: &str) -> Result<SocketAddr, Error> {
        let failed = |error| Error::Listen(address.to_owned(), error);
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let local = listener.local_addr().map_err(failed)?;
        let (limits, handle) = (self.limits, self.handle.clone());
        let mut end = self.fronts_end.subscribe();
        self.fronts.spawn(front::accept_loop(listener, limits, handle, async move {
            // An error says that the capsule is being dropped.
            let _ = end.wait_for(|end| *end).await;
        }));
        Ok(local)
    }

    /// Closes the frame stream and ends: watchers get `capsule-closed` after what they lack.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`] where the component did before.
    pub async fn close(self) -> Result<(), Error> {
        // A capsule that is gone has told its watchers in its own way.
        let _ = self.handle.feed.push_close();
        self.stop().await
    }

    /// Ends as a process does that exits: connections get what was written, for up to a second,
    /// and are closed without `capsule-closed`. Requests that were not looked at yet are not
    /// answered; a call of a composed component that does not return is given up.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`] where the component did before.
    pub async fn stop(mut self) -> Result<(), Error> {
        self.handle
            .inbox
            .wind_down(|command| !matches!(command, Command::Feed(_) | Command::Chunk(_)));
        let _ = self.handle.inbox.push(Command::Stop);
        let outcome = match timeout(STOP, self.ended()).await {
            Ok(outcome) => outcome,
            Err(_) => {
                tracing::warn!("the component is busy and does not stop: it is dropped");
                self.actor.shutdown().await;
                Ok(())
            }
        };
        self.fronts_end.send_replace(true);
        while self.fronts.join_next().await.is_some() {}
        outcome
    }

    /// Waits until the capsule ends by itself: it was stopped, or its component trapped, which is
    /// told once.
    ///
    /// # Errors
    ///
    /// [`Error::Trapped`].
    pub async fn ended(&mut self) -> Result<(), Error> {
        match self.actor.join_next().await {
            Some(Ok(Err(trap))) => Err(Error::Trapped(trap)),
            Some(Err(panic)) => Err(Error::Trapped(wasmtime::Error::new(panic))),
            Some(Ok(Ok(()))) | None => Ok(()),
        }
    }
}

impl fmt::Debug for Capsule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capsule").finish_non_exhaustive()
    }
}

/// Lets go of everybody who waits for the actor, however it ends.
struct EndHandle(CapsuleHandle);

impl Drop for EndHandle {
    fn drop(&mut self) {
        self.0.inbox.close();
        self.0.tasks.close();
    }
}

impl CapsuleHandle {
    /// What an agent loop tells the stream.
    pub fn feed(&self) -> FeedHandle {
        self.feed.clone()
    }

    /// Whether a context's next task goes on where its last one ended. That is for the agent loop
    /// to see to; the stream only tells its watchers.
    pub fn conversation_mode(&self) -> ConversationMode {
        self.conversation_mode
    }

    /// The next task to run, once the one before has ended: its [`AcceptedTask`] was dropped.
    /// Tasks that were cancelled while they waited are reported on the way. None once the capsule
    /// has ended.
    pub async fn next_task(&self) -> Option<AcceptedTask> {
        loop {
            match self.tasks.next().await? {
                Next::Run(submission) => {
                    let (feed, tasks) = (self.feed.clone(), self.tasks.clone());
                    return Some(AcceptedTask::new(submission, feed, tasks));
                }
                // At once: a caller that drops this future must not lose it.
                Next::Canceled(submission) => self.feed.push_cancel_queued(submission.task).ok()?,
            }
        }
    }

    /// Cancels a task and says how it stands then: the same as `tasks/cancel`. None where there is
    /// no such task.
    pub fn cancel_task(&self, id: &TaskId) -> Option<TaskSnapshot> {
        self.tasks.cancel(id)
    }

    /// Answers the task that waits for input, if one does: the same as `message/send` does then.
    pub fn answer(&self, text: impl Into<String>) -> Option<TaskSnapshot> {
        self.tasks.answer(text.into())
    }

    /// Answers a request, whose body may still be on its way. This is how the capsule is served
    /// behind another HTTP server.
    ///
    /// # Errors
    ///
    /// [`HandlerGone`] once the capsule has ended, or where the request's body broke off.
    pub async fn request<B>(
        &self,
        mut request: http::Request<B>,
    ) -> Result<http::Response<HyperOutgoingBody>, HandlerGone>
    where
        B: Body<Data = Bytes, Error = wasmtime_wasi_http::Error> + Send + 'static,
    {
        // WASI wants to know an authority, and the stream does not.
        if request.headers().get(HOST).is_none_or(|host| host.to_str().is_err()) {
            request.headers_mut().insert(HOST, HeaderValue::from_static("capsule"));
        }
        let request = request.map(|body| -> RequestBody { body.boxed_unsync() });
        let (answer, answered) = oneshot::channel();
        self.inbox.push(Command::Request { request, answer }).map_err(|_| HandlerGone)?;
        answered.await.map_err(|_| HandlerGone)?.map_err(|_| HandlerGone)
    }

    /// Holds the thread that the stream is served on, as work does that never pauses: nothing is
    /// written meanwhile, and requests wait. For simulations; returns when the thread is free.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub async fn hold(&self, time: Duration) -> Result<(), Error> {
        let (done, held) = oneshot::channel();
        self.inbox.push(Command::Hold(time, done)).map_err(|_| Error::Stopped)?;
        held.await.map_err(|_| Error::Stopped)
    }

    /// Calls the driver or a tool of the composition that the capsule is.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`]: with a part that traps, the capsule goes.
    pub(crate) async fn run_composed(
        &self,
        part: ComposedPart,
        input: ToolInput,
    ) -> Result<ToolResult, Error> {
        let (result, called) = oneshot::channel();
        self.inbox.push(Command::Run { part, input, result }).map_err(|_| Error::Stopped)?;
        called.await.map_err(|_| Error::Stopped)
    }

    /// Figures about the stream.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub async fn stats(&self) -> Result<Stats, Error> {
        let (reply, replied) = oneshot::channel();
        self.inbox.push(Command::Stats(reply)).map_err(|_| Error::Stopped)?;
        replied.await.map_err(|_| Error::Stopped)
    }
}

impl fmt::Debug for CapsuleHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CapsuleHandle").finish_non_exhaustive()
    }
}

impl Handler for CapsuleHandle {
    type Body = HyperOutgoingBody;

    async fn handle(
        &self,
        request: http::Request<Full<Bytes>>,
    ) -> Result<http::Response<HyperOutgoingBody>, HandlerGone> {
        self.request(request.map(|body| body.map_err(|never| match never {}))).await
    }
}
