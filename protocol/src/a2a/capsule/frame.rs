//! A capsule's frames, as far as the gateway looks into them.

use crate::a2a::json;
use crate::sse::Event;
use crate::{ContextId, TaskId};
use serde::Deserialize;

/// What one event of a capsule says.
#[derive(Debug)]
pub(super) enum Frame {
    Status(Status),
    /// `artifact`, `text` or `thinking`: the envelope's type is the event's name.
    Piece {
        task: TaskId,
        envelope_type: &'static str,
    },
    Error {
        message: String,
    },
    ConnectionAck,
    /// `gap` or `capsule-closed`.
    Notice,
}

/// A `status` frame.
#[derive(Debug)]
pub(super) struct Status {
    pub(super) task: TaskId,
    pub(super) context_id: Option<ContextId>,
    pub(super) state: String,
    pub(super) message: String,
    pub(super) is_final: bool,
}

impl Status {
    /// A `failed` with the message `input-timeout`: final on the wire, but not the task's end.
    pub(super) fn is_input_timeout(&self) -> bool {
        self.is_final && self.state == "failed" && self.message == "input-timeout"
    }

    /// Whether nothing of the task follows, or nothing that the caller is to see: a `completed` may
    /// be followed by another attempt, but it is an answer.
    pub(super) fn ends_task(&self) -> bool {
        self.is_final && !self.is_input_timeout()
    }
}

/// Whether an event shows that its sender is a capsule: one of the page's names, over data that
/// have no `type` and do have what the page says is in them. A name alone is not enough: it is what
/// any agent may call its events.
pub(crate) fn is_frame(event: &Event) -> bool {
    Frame::parse(event).is_some()
}

impl Frame {
    /// The frame that an event is. `None` for one that the page does not have, which is ignored.
    pub(super) fn parse(event: &Event) -> Option<Self> {
        let name = event.event_type.as_deref()?;
        if name == "error" {
            return error_message(&event.data).map(|message| Self::Error { message });
        }
        let members = json::members(&event.data)?;
        if members.get("type").is_some_and(|raw| json::string(raw).is_some()) {
            return None;
        }
        let has = |key| members.contains_key(key);
        let task = || json::string(members.get("id")?).map(TaskId::from);
        let piece = |envelope_type| Some(Self::Piece { task: task()?, envelope_type });
        match name {
            "status" => parse_status(&event.data).map(Self::Status),
            "artifact" if has("artifact") => piece("artifact"),
            "text" if has("text") => piece("text"),
            "thinking" if has("text") => piece("thinking"),
            "connection-ack" if has("role") => Some(Self::ConnectionAck),
            "gap" if has("first_available_id") => Some(Self::Notice),
            "capsule-closed" => Some(Self::Notice),
            _ => None,
        }
    }
}

fn parse_status(data: &str) -> Option<Status> {
    let StatusData { id, context_id, status, r#final } = serde_json::from_str(data).ok()?;
    Some(Status {
        task: id.into(),
        context_id: context_id.map(ContextId::from),
        state: status.state,
        message: status.message,
        is_final: r#final,
    })
}

/// The text of an `error` frame. It is pasted without escaping, so the data may be no JSON: then it
/// is what stands between the page's `{"error":"` and `"}`.
fn error_message(data: &str) -> Option<String> {
    if let Some(members) = json::members(data) {
        let typed = members.get("type").is_some_and(|raw| json::string(raw).is_some());
        return members.get("error").filter(|_| !typed).and_then(|raw| json::string(raw));
    }
    let pasted = data.strip_prefix(r#"{"error":""#)?;
    Some(pasted.strip_suffix(r#""}"#).unwrap_or(pasted).to_owned())
}

#[derive(Deserialize)]
struct StatusData {
    id: String,
    #[serde(default)]
    context_id: Option<String>,
    status: StatusBody,
    #[serde(default)]
    r#final: bool,
}

#[derive(Deserialize)]
struct StatusBody {
    state: String,
    #[serde(default)]
    message: String,
}
