//! The virtual subscriber's half of a stream: from the agent to the channel (details page, sections
//! 4, 5 and 7).

use crate::agent::{self, Read, Response};
use crate::agent_request::mint;
use crate::bindings::a2a::gateway::channels::{Frames, Publisher};
use crate::bindings::a2a::gateway::queries::{Answer, Query, Reply};
use crate::bindings::a2a::gateway::{registry, settings};
use crate::subscriber;
use crate::wait::{Signal, first_of, unless};
use protocol::ContextId;
use protocol::a2a::capsule::{cancel_request, watch_request};
use protocol::a2a::registry::{AgentKind, AgentUrl};
use protocol::a2a::{AgentStream, EnvelopeMode, Step, message};
use std::time::Duration;

/// How many frames are published in one piece: half of what a channel holds.
const FRAMES_AT_ONCE: u32 = 32;

/// How long a capsule may take to answer that a task is cancelled.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

/// One stream, from the query to its end.
pub(crate) struct SubscriberStream {
    machine: AgentStream,
    url: AgentUrl,
    query: Query,
    stream_id: String,
    capsule: bool,
    /// Whether the agent may have the request.
    submitted: bool,
    submit: Option<Response>,
    watch: Option<Response>,
    canceled: Signal,
    publisher: Publisher,
    /// Until the query is answered.
    reply: Option<Reply>,
    pending: Pending,
}

/// Frames on their way to the channel.
#[derive(Default)]
struct Pending {
    bytes: Vec<u8>,
    count: u32,
    terminal: bool,
    /// Whether the agent sent anything.
    heard: bool,
}

/// Why a stream is at its end.
enum End {
    /// A terminal frame was published, or the agent did not accept.
    Done,
    /// The gateway's half does not want any more.
    Canceled,
}

impl SubscriberStream {
    pub(crate) fn new(
        agent: &registry::Agent,
        url: AgentUrl,
        mut query: Query,
        stream_id: String,
        publisher: Publisher,
        reply: Reply,
    ) -> Self {
        let values = settings::get();
        let kind = match agent.murmur_capsule {
            true => AgentKind::MurmurCapsule,
            false => AgentKind::Unstated,
        };
        let mut context_id = query.context_id.take().map(ContextId::from);
        if agent.murmur_capsule
            && let Ok(body) = std::str::from_utf8(&query.body)
        {
            let own = ContextId::from(format!("ctx_{}", mint().simple()));
            let completed = message::complete(body, &own, &mint().to_string());
            query.body = completed.body.into_bytes();
            context_id = Some(completed.context_id);
        }
        let mode = match values.envelope {
            settings::Envelope::Flat => EnvelopeMode::Flat,
            settings::Envelope::Nested => EnvelopeMode::Nested,
        };
        let max_bytes = usize::try_from(values.agent_max_response_bytes).unwrap_or(usize::MAX);
        Self {
            machine: AgentStream::new(kind, context_id, mode, max_bytes),
            url,
            query,
            stream_id,
            capsule: agent.murmur_capsule,
            submitted: false,
            submit: None,
            watch: None,
            canceled: Signal::new(publisher.canceled()),
            publisher,
            reply: Some(reply),
            pending: Pending::default(),
        }
    }

    pub(crate) async fn run(mut self) {
        if let End::Canceled = self.relay().await {
            self.cancel().await;
        }
    }

    async fn relay(&mut self) -> End {
        loop {
            if let Err(end) = self.take_steps().await {
                return end;
            }
            if let Err(end) = self.publish().await {
                return end;
            }
            if self.machine.is_finished() {
                return End::Done;
            }
            if let Err(end) = self.read().await {
                return end;
            }
        }
    }

    /// Does what is to be done next, up to where the agent has to say something.
    async fn take_steps(&mut self) -> Result<(), End> {
        while let Some(step) = self.machine.next_step() {
            match step {
                Step::Envelope(envelope) => {
                    envelope.append_frame(&self.stream_id, &mut self.pending.bytes);
                    self.pending.count += 1;
                    self.pending.terminal = envelope.is_terminal();
                    if self.pending.count == FRAMES_AT_ONCE {
                        self.publish().await?;
                    }
                }
                Step::OpenWatch { last_event_id } => self.open_watch(last_event_id).await?,
                Step::Submit => self.submit().await?,
            }
        }
        if !self.capsule && self.machine.is_capsule() {
            self.capsule = true;
            registry::is_murmur_capsule(&self.query.agent_id);
        }
        Ok(())
    }

    async fn submit(&mut self) -> Result<(), End> {
        self.submitted = true;
        let post = agent::post(&self.url, &self.query.headers, &self.query.body);
        let answered = async {
            match post.await {
                Ok(response) => match subscriber::refusal(&self.query, &response).await {
                    None => Ok(response),
                    Some(refusal) => Err(refusal),
                },
                Err(why) => Err(Answer::Unreachable(why)),
            }
        };
        match unless(&self.canceled, answered).await.ok_or(End::Canceled)? {
            Ok(response) => {
                self.submit = Some(response);
                self.answer(&Answer::Executed);
                Ok(())
            }
            Err(refusal) => {
                self.answer(&refusal);
                Err(End::Done)
            }
        }
    }

    async fn open_watch(&mut self, last_event_id: u64) -> Result<(), End> {
        let mut headers = self.query.headers.clone();
        headers.push(("last-event-id".into(), last_event_id.to_string().into_bytes()));
        let body = watch_request(&self.stream_id);
        let opened = async {
            let response = agent::post(&self.url, &headers, body.as_bytes()).await;
            let response = response.map_err(Answer::Unreachable)?;
            match subscriber::refusal(&self.query, &response).await {
                None => Ok(response),
                Some(refusal) => Err(refusal),
            }
        };
        match unless(&self.canceled, opened).await.ok_or(End::Canceled)? {
            Ok(response) => self.watch = Some(response),
            // Before the agent accepted, the caller is told; afterwards its stream ends.
            Err(refusal) if self.reply.is_some() => {
                self.answer(&refusal);
                return Err(End::Done);
            }
            Err(_) => self.machine.watch_ended(),
        }
        Ok(())
    }

    fn answer(&mut self, answer: &Answer) {
        if let Some(reply) = self.reply.take() {
            reply.send(answer);
        }
    }

    /// Publishes what is pending, once there is space.
    async fn publish(&mut self) -> Result<(), End> {
        if self.pending.count == 0 {
            if std::mem::take(&mut self.pending.heard) {
                self.publisher.heard();
            }
            return Ok(());
        }
        let space = Signal::new(self.publisher.space());
        if first_of([&self.canceled, &space]).await == 0 {
            return Err(End::Canceled);
        }
        let Pending { bytes, count, terminal, .. } = std::mem::take(&mut self.pending);
        self.publisher.publish(&Frames { bytes, count, terminal });
        Ok(())
    }

    /// Waits for the agent to say something, and reads it.
    async fn read(&mut self) -> Result<(), End> {
        loop {
            let watch = read(&mut self.watch, |read| match read {
                Some(bytes) => self.pending.heard |= self.machine.watch_bytes(bytes),
                None => self.machine.watch_ended(),
            });
            let submit = read(&mut self.submit, |read| match read {
                Some(bytes) => self.pending.heard |= self.machine.submit_bytes(bytes),
                None => self.machine.submit_ended(),
            });
            if watch || submit {
                return Ok(());
            }
            let canceled = match (&self.submit, &self.watch) {
                (Some(submit), Some(watch)) => {
                    first_of([&self.canceled, submit.arrived(), watch.arrived()]).await == 0
                }
                (Some(one), None) | (None, Some(one)) => {
                    first_of([&self.canceled, one.arrived()]).await == 0
                }
                (None, None) => {
                    self.canceled.ready().await;
                    true
                }
            };
            if canceled {
                return Err(End::Canceled);
            }
        }
    }

    /// The caller has left. An agent's connection is closed by dropping it; a capsule's task goes on
    /// without one, so it has to be cancelled, as soon as it is known which one that is.
    async fn cancel(mut self) {
        if !self.machine.is_capsule() || !self.submitted {
            return;
        }
        let most = Duration::from_nanos(settings::get().max_sse_idle);
        let patience = Signal::after(most);
        // Nobody has to be told of the cancel twice.
        let told = std::mem::replace(&mut self.canceled, patience);
        drop(told);
        while self.machine.own_task().is_none() && !self.machine.is_finished() {
            let waits = self.submit.is_some() || self.watch.is_some();
            if !waits || self.read().await.is_err() || self.follow().await.is_err() {
                return;
            }
        }
        let Some(task) = self.machine.own_task() else {
            return;
        };
        if self.machine.is_finished() {
            return;
        }
        let body = cancel_request(&self.stream_id, task);
        let patience = Signal::after(CANCEL_TIMEOUT);
        // A capsule that does not answer cannot be told anything.
        let _ =
            unless(&patience, agent::post(&self.url, &self.query.headers, body.as_bytes())).await;
    }

    /// Follows the capsule's connections without relaying anything.
    async fn follow(&mut self) -> Result<(), End> {
        while let Some(step) = self.machine.next_step() {
            if let Step::OpenWatch { last_event_id } = step {
                self.open_watch(last_event_id).await?;
            }
        }
        Ok(())
    }
}

/// Reads what has come of a connection, or its end, which closes it. False where nothing has come.
fn read(connection: &mut Option<Response>, tell: impl FnOnce(Option<&[u8]>)) -> bool {
    match connection.as_ref().map(Response::read) {
        None | Some(Read::Nothing) => return false,
        Some(Read::Bytes(bytes)) => tell(Some(&bytes)),
        Some(Read::End | Read::Broken) => {
            *connection = None;
            tell(None);
        }
    }
    true
}
