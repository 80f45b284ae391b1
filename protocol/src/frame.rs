//! Every frame of the stream, to its exact bytes (protocol page, "Frame format" and the section
//! of each event).
//!
//! A frame's data is always one line: JSON escapes every line feed and carriage return, and the
//! `error` frame, whose text is pasted without escaping, has them replaced.

use crate::{Artifact, ConversationMode, FrameId, HookArtifact, Task, TaskId, counters};
use serde::Serialize;
use std::rc::Rc;

/// A frame with an id, as the replay buffer keeps it and every connection gets it.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) id: FrameId,
    pub(crate) bytes: Rc<[u8]>,
    /// Whether it is a `status` with `"final":true`: what ends a `message/stream`.
    pub(crate) final_status: bool,
}

/// A piece of what a driver or tool emits (sections `text` and `thinking`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// A piece of the reply.
    Text(String),
    /// A piece of the reasoning.
    Thinking(String),
}

/// What a `status` frame says, beyond the task (section `status`).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Status<'a> {
    Turn(u64),
    Resumed,
    InputRequired { prompt: &'a str },
    Completed { response: &'a str },
    Failed { message: &'a str },
    InputTimeout,
    Canceled,
    CanceledBeforeStart,
}

impl Frame {
    /// A `status` frame. The three of an input wait carry no context id.
    pub(crate) fn status(id: FrameId, task: &Task, status: Status<'_>) -> Self {
        let turn;
        let (state, message) = match status {
            Status::Turn(number) => {
                turn = format!("inference turn {number}");
                ("working", turn.as_str())
            }
            Status::Resumed => ("working", "resumed"),
            Status::InputRequired { prompt } => ("input-required", prompt),
            Status::Completed { .. } => ("completed", "session ended"),
            Status::Failed { message } => ("failed", message),
            Status::InputTimeout => ("failed", "input-timeout"),
            Status::Canceled => ("canceled", "task canceled"),
            Status::CanceledBeforeStart => ("canceled", "task canceled before it started"),
        };
        let of_input_wait =
            matches!(status, Status::Resumed | Status::InputRequired { .. } | Status::InputTimeout);
        let response = match status {
            Status::Completed { response } => Some(response),
            _ => None,
        };
        let final_status = !matches!(state, "working" | "input-required");
        let data = StatusData {
            id: task.id.as_str(),
            context_id: (!of_input_wait).then(|| task.context_id.as_str()),
            status: StatusBody { state, message, response },
            r#final: final_status,
        };
        Self { id, bytes: encode(Some(id), "status", &data), final_status }
    }

    /// A `text` frame: a chunk, or the mark of a turn's end, or the whole reply.
    pub(crate) fn text(id: FrameId, task: &TaskId, text: &str, is_final: bool) -> Self {
        Self::piece(id, "text", task, text, is_final)
    }

    /// A `thinking` frame.
    pub(crate) fn thinking(id: FrameId, task: &TaskId, text: &str) -> Self {
        Self::piece(id, "thinking", task, text, false)
    }

    fn piece(id: FrameId, event: &str, task: &TaskId, text: &str, is_final: bool) -> Self {
        let data = PieceData { id: task.as_str(), text, r#final: is_final };
        Self { id, bytes: encode(Some(id), event, &data), final_status: false }
    }

    /// The `artifact` frame of a tool call.
    pub(crate) fn artifact(id: FrameId, task: &TaskId, artifact: &Artifact) -> Self {
        let body = ArtifactBody {
            tool_name: &artifact.tool_name,
            content: &artifact.content,
            fence_source: artifact.fence_source.as_deref(),
            tool_call_id: artifact.tool_call_id.as_deref().filter(|id| !id.is_empty()),
            is_error: artifact.is_error,
            duration_ms: Some(artifact.duration_ms),
            exit_code: artifact.exit_code,
            truncated: artifact.truncated,
        };
        Self::artifact_body(id, task, body)
    }

    /// The `artifact` frame of a hook.
    pub(crate) fn hook_artifact(id: FrameId, task: &TaskId, artifact: &HookArtifact) -> Self {
        let body = ArtifactBody {
            tool_name: &artifact.hook_name,
            content: &artifact.content,
            fence_source: None,
            tool_call_id: None,
            is_error: false,
            duration_ms: None,
            exit_code: None,
            truncated: false,
        };
        Self::artifact_body(id, task, body)
    }

    fn artifact_body(id: FrameId, task: &TaskId, artifact: ArtifactBody<'_>) -> Self {
        let data = ArtifactData { id: task.as_str(), artifact };
        Self { id, bytes: encode(Some(id), "artifact", &data), final_status: false }
    }
}

/// The `rejected` status: for the connection that submitted the task alone.
pub(crate) fn rejected(task: &Task) -> Rc<[u8]> {
    let data = StatusData {
        id: task.id.as_str(),
        context_id: Some(task.context_id.as_str()),
        status: StatusBody {
            state: "rejected",
            message: "task rejected: capsule is busy",
            response: None,
        },
        r#final: true,
    };
    encode(Some(counters::REJECTED_ID), "status", &data)
}

/// The `gap` frame.
pub(crate) fn gap(first_available_id: u64) -> Rc<[u8]> {
    encode(None, "gap", &GapData { first_available_id })
}

/// The `connection-ack` frame.
pub(crate) fn connection_ack(mode: ConversationMode) -> Rc<[u8]> {
    let data = ConnectionAckData { role: "observer", conversation_mode: mode.as_str() };
    encode(None, "connection-ack", &data)
}

/// The `capsule-closed` frame.
pub(crate) fn capsule_closed() -> Rc<[u8]> {
    encode(None, "capsule-closed", &CapsuleClosedData {})
}

/// The `error` frame. The page has `message` pasted without escaping, which may make the data
/// invalid JSON; a line end in it would break the frame and becomes a space.
pub(crate) fn error(message: &str) -> Rc<[u8]> {
    let message = message.replace(['\n', '\r'], " ");
    format!("event: error\ndata: {{\"error\":\"{message}\"}}\n\n").into_bytes().into()
}

fn encode(id: Option<FrameId>, event: &str, data: &impl Serialize) -> Rc<[u8]> {
    let mut bytes = Vec::with_capacity(256);
    if let Some(FrameId(id)) = id {
        bytes.extend_from_slice(b"id: ");
        write_json(&mut bytes, &id);
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(b"event: ");
    bytes.extend_from_slice(event.as_bytes());
    bytes.extend_from_slice(b"\ndata: ");
    write_json(&mut bytes, data);
    bytes.extend_from_slice(b"\n\n");
    bytes.into()
}

/// Appends `value`. Structs, strings and numbers written to memory leave serde nothing to fail at.
pub(crate) fn write_json(bytes: &mut Vec<u8>, value: &impl Serialize) {
    let written = serde_json::to_writer(bytes, value);
    debug_assert!(written.is_ok());
}

#[derive(Serialize)]
struct StatusData<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_id: Option<&'a str>,
    status: StatusBody<'a>,
    r#final: bool,
}

#[derive(Serialize)]
struct StatusBody<'a> {
    state: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<&'a str>,
}

#[derive(Serialize)]
struct PieceData<'a> {
    id: &'a str,
    text: &'a str,
    r#final: bool,
}

#[derive(Serialize)]
struct ArtifactData<'a> {
    id: &'a str,
    artifact: ArtifactBody<'a>,
}

#[derive(Serialize)]
struct ArtifactBody<'a> {
    tool_name: &'a str,
    content: &'a str,
    fence_source: Option<&'a str>,
    tool_call_id: Option<&'a str>,
    is_error: bool,
    duration_ms: Option<u64>,
    exit_code: Option<i32>,
    truncated: bool,
}

#[derive(Serialize)]
struct GapData {
    first_available_id: u64,
}

#[derive(Serialize)]
struct ConnectionAckData<'a> {
    role: &'a str,
    conversation_mode: &'a str,
}

#[derive(Serialize)]
struct CapsuleClosedData {}
