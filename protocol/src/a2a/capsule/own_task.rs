//! Which of a capsule's tasks is the caller's, and what its frames become.

use super::frame::{Frame, Status};
use crate::a2a::envelope::Envelope;
use crate::sse::Event;
use crate::{ContextId, TaskId};
use serde_json::value::RawValue;
use std::collections::HashSet;

/// The code of an error that ended a task.
const TASK_FAILED: i32 = -32603;

/// The caller's task: the first one that is seen in its context after the request was submitted.
/// Where no context is known, it is the first one that is seen at all.
#[derive(Debug)]
pub(super) struct OwnTask {
    context_id: Option<ContextId>,
    id: Option<TaskId>,
    /// Tasks of that context that ran before the request was submitted.
    earlier: HashSet<TaskId>,
}

impl OwnTask {
    pub(super) fn new(context_id: Option<ContextId>) -> Self {
        Self { context_id, id: None, earlier: HashSet::new() }
    }

    pub(super) fn id(&self) -> Option<&TaskId> {
        self.id.as_ref()
    }

    /// A frame that came before the request was submitted: its task is not the caller's.
    pub(super) fn exclude(&mut self, frame: &Frame) {
        if let Frame::Status(Status { task, .. }) | Frame::Piece { task, .. } = frame {
            self.earlier.insert(task.clone());
        }
    }

    /// The envelope that a frame is to the caller, if its task is the caller's.
    pub(super) fn take(&mut self, event: &Event, frame: &Frame) -> Option<Envelope> {
        match frame {
            Frame::Status(status) => self
                .is_own(&status.task, status.context_id.as_ref())
                .then(|| of_status(event, status))?,
            Frame::Piece { task, envelope_type } => {
                self.is_own(task, None).then(|| relayed(envelope_type, event))?
            }
            Frame::Error { .. } | Frame::ConnectionAck | Frame::Notice => None,
        }
    }

    /// The envelope of a frame that only the connection of the request gets, so that it is about
    /// that request whatever task it names: `error`, and a `rejected` status in its context.
    pub(super) fn take_answer(&self, frame: &Frame) -> Option<Envelope> {
        match frame {
            Frame::Error { message } => Some(Envelope::error(TASK_FAILED, message)),
            Frame::Status(status) if status.state == "rejected" => {
                let own = self.context_id.is_none() || self.context_id == status.context_id;
                own.then(|| Envelope::error(TASK_FAILED, &status.message))
            }
            _ => None,
        }
    }

    fn is_own(&mut self, task: &TaskId, context_id: Option<&ContextId>) -> bool {
        if self.id.is_none() {
            let in_context = self.context_id.is_none() || self.context_id.as_ref() == context_id;
            if !in_context || self.earlier.contains(task) {
                return false;
            }
            self.id = Some(task.clone());
            self.earlier = HashSet::new();
        }
        self.id.as_ref() == Some(task)
    }
}

/// A status of the caller's task.
///
/// An `input-timeout` is relayed as progress, although it is final on the wire: only the wait for
/// input failed. The model is told so, the task goes on, and its own final status follows. A
/// terminal envelope here would keep the task's answer from the caller.
///
/// A `completed` is the end, although a hook may reopen the task: nothing on the wire says whether
/// that will happen.
fn of_status(event: &Event, status: &Status) -> Option<Envelope> {
    match status.state.as_str() {
        _ if !status.ends_task() => relayed("status_update", event),
        "completed" => relayed("done", event),
        _ => Some(Envelope::error(TASK_FAILED, &status.message)),
    }
}

/// The frame's data as the payload.
fn relayed(envelope_type: &str, event: &Event) -> Option<Envelope> {
    let data = serde_json::from_str::<&RawValue>(&event.data).ok()?;
    Some(Envelope::new(envelope_type, data))
}
