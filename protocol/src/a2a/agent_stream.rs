//! From an agent's connections to envelopes (details page, sections 4, 5 and 7).
//!
//! An agent has one connection, the one that the request was submitted on. A Murmur capsule can
//! have a second one, a `stream/watch`, and this is where both meet. Bytes and ends go in, and
//! [`Step`]s come out:
//!
//! | The agent | First step | Then |
//! |---|---|---|
//! | stated to be a capsule | [`Step::OpenWatch`] with nothing to replay | [`Step::Submit`] once the watch is acknowledged, so that no frame can be missed |
//! | any other | [`Step::Submit`] | [`Step::OpenWatch`] only if its first event shows a capsule, and that capsule closes its stream before the caller's task has ended |

use super::capsule::{self, Capsule, Connection};
use super::envelope::{Envelope, EnvelopeMode, GatewayError};
use super::registry::AgentKind;
use crate::sse::{Event, Item, Reader};
use crate::{ContextId, TaskId};
use std::collections::VecDeque;

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Open a `stream/watch` ([`capsule::watch_request`]) with this `Last-Event-ID`. If that cannot
    /// be done, say [`AgentStream::watch_ended`].
    OpenWatch {
        /// The header's value.
        last_event_id: u64,
    },
    /// Send the request to the agent.
    Submit,
    /// Send the caller this envelope. Nothing follows a terminal one.
    Envelope(Envelope),
}

/// The stream of one request. Take [`AgentStream::next_step`] until there is none: at the start,
/// and after everything that it is told.
#[derive(Debug)]
pub struct AgentStream {
    mode: EnvelopeMode,
    submit: Reader,
    watch: Reader,
    agent: Agent,
    steps: VecDeque<Step>,
    finished: bool,
}

/// What is known of the agent.
#[derive(Debug)]
enum Agent {
    /// Nothing: its first event will show it. The context is the one that the caller named.
    Unknown(Option<ContextId>),
    /// It sends envelopes, or anything at all.
    Other,
    Capsule(Capsule),
}

impl AgentStream {
    /// The stream of a request in that context: for a capsule, [`super::Completed::context_id`];
    /// for an agent that is not stated to be one, the context that the caller named, if any.
    /// An event may have `max_event_bytes` of data.
    pub fn new(
        kind: AgentKind,
        context_id: Option<ContextId>,
        mode: EnvelopeMode,
        max_event_bytes: usize,
    ) -> Self {
        let (agent, first) = match kind {
            AgentKind::Unstated => (Agent::Unknown(context_id), Step::Submit),
            AgentKind::MurmurCapsule => (
                Agent::Capsule(Capsule::stated(context_id)),
                Step::OpenWatch { last_event_id: capsule::REPLAY_NOTHING },
            ),
        };
        Self {
            mode,
            submit: Reader::with_limit(max_event_bytes),
            watch: Reader::with_limit(max_event_bytes),
            agent,
            steps: VecDeque::from([first]),
            finished: false,
        }
    }

    /// Bytes came on the connection of the request. True when an event of the agent, which no
    /// comment is, ended in them: what [`super::StreamClock::heard`] is to be told.
    pub fn submit_bytes(&mut self, bytes: &[u8]) -> bool {
        self.feed(Connection::Submit, bytes)
    }

    /// That connection ended, or broke.
    pub fn submit_ended(&mut self) {
        self.ended(Connection::Submit);
    }

    /// Bytes came on the watch. The result is that of [`AgentStream::submit_bytes`].
    pub fn watch_bytes(&mut self, bytes: &[u8]) -> bool {
        self.feed(Connection::Watch, bytes)
    }

    /// The watch ended, or broke, or could not be opened.
    pub fn watch_ended(&mut self) {
        self.ended(Connection::Watch);
    }

    /// Ends the stream for a reason that its bytes do not show.
    pub fn fail(&mut self, error: GatewayError) {
        if !self.finished {
            self.push(Step::Envelope(error.into()));
        }
    }

    /// What is to be done next, once each.
    pub fn next_step(&mut self) -> Option<Step> {
        let step = self.steps.pop_front()?;
        if let (Step::Submit, Agent::Capsule(capsule)) = (&step, &mut self.agent) {
            capsule.submitted();
        }
        Some(step)
    }

    /// Whether a terminal envelope was made. Everything after it is dropped, and the agent's
    /// connections can be closed.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The task that a capsule made of the request, once it is known: what a caller who leaves
    /// cancels ([`capsule::cancel_request`]).
    pub fn own_task(&self) -> Option<&TaskId> {
        match &self.agent {
            Agent::Capsule(capsule) => capsule.own_task(),
            Agent::Unknown(_) | Agent::Other => None,
        }
    }

    /// Whether the agent is a capsule, as far as is known.
    pub fn is_capsule(&self) -> bool {
        matches!(self.agent, Agent::Capsule(_))
    }

    fn feed(&mut self, connection: Connection, mut bytes: &[u8]) -> bool {
        let mut heard = false;
        while !self.finished {
            let reader = match connection {
                Connection::Submit => &mut self.submit,
                Connection::Watch => &mut self.watch,
            };
            match reader.read(&mut bytes) {
                Ok(Some(Item::Event(event))) => {
                    heard = true;
                    self.take(connection, &event);
                }
                Ok(Some(Item::Comment(_) | Item::Retry(_))) => {}
                Ok(None) => break,
                Err(_) => self.fail(GatewayError::ResponseTooLarge),
            }
        }
        heard
    }

    fn take(&mut self, connection: Connection, event: &Event) {
        if let Agent::Unknown(context_id) = &mut self.agent {
            self.agent = match capsule::is_frame(event) {
                true => Agent::Capsule(Capsule::recognised(context_id.take())),
                false => Agent::Other,
            };
        }
        let step = match &mut self.agent {
            Agent::Capsule(capsule) => capsule.take(connection, event),
            Agent::Unknown(_) | Agent::Other => {
                Some(Step::Envelope(Envelope::of_event(event, self.mode)))
            }
        };
        step.into_iter().for_each(|step| self.push(step));
    }

    fn ended(&mut self, connection: Connection) {
        if self.finished {
            return;
        }
        let step = match &mut self.agent {
            Agent::Capsule(capsule) => capsule.ended(connection),
            Agent::Unknown(_) | Agent::Other => {
                Some(Step::Envelope(GatewayError::EndedEarly.into()))
            }
        };
        step.into_iter().for_each(|step| self.push(step));
    }

    fn push(&mut self, step: Step) {
        self.finished |= matches!(&step, Step::Envelope(envelope) if envelope.is_terminal());
        self.steps.push_back(step);
    }
}
