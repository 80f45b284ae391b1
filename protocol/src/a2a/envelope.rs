//! The frames that a caller gets (page, "Event types"; details page, section 5).

use super::json;
use crate::frame::write_json;
use crate::sse::Event;

use serde_json::value::RawValue;

/// The comment that keeps a quiet connection alive.
pub const KEEPALIVE: &[u8] = b": keepalive\n\n";

/// The page's table: envelope types and the names of their events.
const EVENT_NAMES: [(&str, &str); 4] = [
    ("status_update", "task.status"),
    ("artifact", "task.artifact"),
    ("done", "task.done"),
    ("error", "task.error"),
];

/// What the payload is, of an agent's event that is an object with a `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnvelopeMode {
    /// The object's `payload`.
    #[default]
    Flat,
    /// The whole object.
    Nested,
}

impl EnvelopeMode {
    /// The mode of that name: `flat` or `nested`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "flat" => Some(Self::Flat),
            "nested" => Some(Self::Nested),
            _ => None,
        }
    }
}

/// What one frame says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    envelope_type: String,
    /// JSON without white space between its tokens.
    payload: String,
}

impl Envelope {
    /// An envelope of that type.
    pub fn new(envelope_type: impl Into<String>, payload: &RawValue) -> Self {
        Self { envelope_type: envelope_type.into(), payload: json::one_line(payload) }
    }

    /// The envelope that an agent's event is.
    pub fn of_event(event: &Event, mode: EnvelopeMode) -> Self {
        let Ok(data) = serde_json::from_str::<&RawValue>(&event.data) else {
            let payload = json::quoted(&event.data);
            return Self { envelope_type: type_of_event(event).to_owned(), payload };
        };
        let members = json::members(data.get()).unwrap_or_default();
        let Some(envelope_type) = members.get("type").and_then(|raw| json::string(raw)) else {
            return Self::new(type_of_event(event), data);
        };
        let payload = match mode {
            EnvelopeMode::Nested => data,
            EnvelopeMode::Flat => members.get("payload").copied().unwrap_or(RawValue::NULL),
        };
        Self::new(envelope_type, payload)
    }

    /// The terminal envelope of an error: its payload is `{"code":…,"message":…}`.
    pub fn error(code: i32, message: &str) -> Self {
        let payload = format!(r#"{{"code":{code},"message":{}}}"#, json::quoted(message));
        Self { envelope_type: "error".to_owned(), payload }
    }

    /// Its type.
    pub fn envelope_type(&self) -> &str {
        &self.envelope_type
    }

    /// Its payload: JSON on one line.
    pub fn payload(&self) -> &str {
        &self.payload
    }

    /// The name of its event.
    pub fn event_name(&self) -> &'static str {
        let named = EVENT_NAMES.iter().find(|(name, _)| *name == self.envelope_type);
        named.map_or("message", |(_, event)| event)
    }

    /// Whether it ends the stream: `done` and `error`.
    pub fn is_terminal(&self) -> bool {
        matches!(self.envelope_type.as_str(), "done" | "error")
    }

    /// Its frame.
    pub fn to_frame(&self, stream_id: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.payload.len() + 128);
        self.append_frame(stream_id, &mut bytes);
        bytes
    }

    /// Appends its frame.
    pub fn append_frame(&self, stream_id: &str, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(b"event: ");
        bytes.extend_from_slice(self.event_name().as_bytes());
        bytes.extend_from_slice(b"\ndata: {\"stream_id\":");
        write_json(bytes, &stream_id);
        bytes.extend_from_slice(b",\"type\":");
        write_json(bytes, &self.envelope_type);
        bytes.extend_from_slice(b",\"payload\":");
        bytes.extend_from_slice(self.payload.as_bytes());
        bytes.extend_from_slice(b"}\n\n");
    }
}

impl From<GatewayError> for Envelope {
    fn from(error: GatewayError) -> Self {
        Self::error(error.code(), error.message())
    }
}

/// The type of an event whose data names none.
fn type_of_event(event: &Event) -> &'static str {
    let name = event.event_type.as_deref().unwrap_or("message");
    EVENT_NAMES.iter().find(|(_, event)| *event == name).map_or("", |(named, _)| named)
}

/// Why the gateway itself ends a stream (details page, sections 6 and 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatewayError {
    /// No event of the agent for `MaxSSEIdleSeconds`.
    IdleTimeout,
    /// The agent's stream ended, or its connection broke, before a terminal event.
    EndedEarly,
    /// One event has more than `AgentMaxResponseBytes`.
    ResponseTooLarge,
    /// The gateway shuts down.
    ShuttingDown,
}

impl GatewayError {
    /// The code of the payload.
    pub fn code(self) -> i32 {
        match self {
            Self::IdleTimeout => -32001,
            Self::EndedEarly | Self::ResponseTooLarge | Self::ShuttingDown => -32603,
        }
    }

    /// The message of the payload.
    pub fn message(self) -> &'static str {
        match self {
            Self::IdleTimeout => "stream idle timeout",
            Self::EndedEarly => "internal error: agent stream ended before a terminal event",
            Self::ResponseTooLarge => "internal error: response too large",
            Self::ShuttingDown => "internal error: gateway shutting down",
        }
    }
}
