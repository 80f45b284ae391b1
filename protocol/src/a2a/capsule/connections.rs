//! Which connection the caller's frames are read on.

use super::REPLAY_ALL;
use super::frame::Frame;
use super::own_task::OwnTask;
use crate::a2a::agent_stream::Step;
use crate::a2a::envelope::{Envelope, GatewayError};
use crate::replay_buffer::CAPACITY;
use crate::sse::Event;
use crate::{ContextId, TaskId};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A connection to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connection {
    /// The one that the request was submitted on.
    Submit,
    /// A `stream/watch`.
    Watch,
}

/// A capsule that works for one caller.
#[derive(Debug)]
pub(crate) struct Capsule {
    own: OwnTask,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    /// The watch is being opened, and nothing submitted yet.
    Opening,
    /// The watch has every frame of the task, the request's connection only what comes nowhere
    /// else.
    Watching,
    /// There is no watch: the request's connection has the frames. It closes on the first final
    /// status, which is this one.
    Submitted { closing: Option<Fingerprint> },
    /// It has closed, and a watch replays what may have been missed. What comes before the frame
    /// that closed it is not new: it was read already, or is older than the request. After it,
    /// everything is.
    Resuming { closed_by: Fingerprint, skipped: usize },
    /// The watch has gone past that frame.
    Resumed,
}

/// A frame's name, id and data in one number: what the page has a client tell a frame by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fingerprint(u64);

impl Fingerprint {
    fn of(event: &Event) -> Self {
        let mut hasher = DefaultHasher::new();
        (&event.event_type, &event.id, &event.data).hash(&mut hasher);
        Self(hasher.finish())
    }
}

impl Capsule {
    /// One that was known as a capsule before anything was sent.
    pub(crate) fn stated(context_id: Option<ContextId>) -> Self {
        Self { own: OwnTask::new(context_id), phase: Phase::Opening }
    }

    /// One that is known by its first frame, on the connection of the request.
    pub(crate) fn recognised(context_id: Option<ContextId>) -> Self {
        Self { own: OwnTask::new(context_id), phase: Phase::Submitted { closing: None } }
    }

    pub(crate) fn own_task(&self) -> Option<&TaskId> {
        self.own.id()
    }

    /// The request goes out.
    pub(crate) fn submitted(&mut self) {
        if matches!(self.phase, Phase::Opening) {
            self.phase = Phase::Watching;
        }
    }

    pub(crate) fn take(&mut self, connection: Connection, event: &Event) -> Option<Step> {
        let frame = Frame::parse(event)?;
        match connection {
            Connection::Submit => self.take_submitted(event, &frame).map(Step::Envelope),
            Connection::Watch if matches!(self.phase, Phase::Opening) => {
                self.own.exclude(&frame);
                matches!(frame, Frame::ConnectionAck).then_some(Step::Submit)
            }
            Connection::Watch => self.take_watched(event, &frame).map(Step::Envelope),
        }
    }

    fn take_submitted(&mut self, event: &Event, frame: &Frame) -> Option<Envelope> {
        if let Some(answer) = self.own.take_answer(frame) {
            return Some(answer);
        }
        let Phase::Submitted { closing } = &mut self.phase else {
            return None;
        };
        if matches!(frame, Frame::Status(status) if status.is_final) {
            *closing = Some(Fingerprint::of(event));
        }
        self.own.take(event, frame)
    }

    fn take_watched(&mut self, event: &Event, frame: &Frame) -> Option<Envelope> {
        if let Phase::Resuming { closed_by, skipped } = &mut self.phase {
            *skipped += usize::from(event.id.is_some());
            // No replay is longer than the buffer: one without the mark has lost it.
            if Fingerprint::of(event) == *closed_by || *skipped >= CAPACITY {
                self.phase = Phase::Resumed;
            }
            // The end of the caller's task was not read yet, so it is new wherever it stands.
            if !self.ends_own(frame) {
                return None;
            }
        }
        self.own.take(event, frame)
    }

    fn ends_own(&self, frame: &Frame) -> bool {
        matches!(frame, Frame::Status(status)
            if status.ends_task() && self.own.id() == Some(&status.task))
    }

    pub(crate) fn ended(&mut self, connection: Connection) -> Option<Step> {
        match (connection, &self.phase) {
            (Connection::Submit, Phase::Submitted { closing: Some(closed_by) }) => {
                self.phase = Phase::Resuming { closed_by: *closed_by, skipped: 0 };
                Some(Step::OpenWatch { last_event_id: REPLAY_ALL })
            }
            // The watch has the rest.
            (Connection::Submit, Phase::Watching | Phase::Resuming { .. } | Phase::Resumed) => None,
            (Connection::Submit, Phase::Opening | Phase::Submitted { closing: None })
            | (Connection::Watch, _) => Some(Step::Envelope(GatewayError::EndedEarly.into())),
        }
    }
}
