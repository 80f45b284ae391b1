//! What the head of an agent's answer means (details page, sections 2 and 4).

use super::AgentId;
use super::refusal::Refusal;

/// What to do with an agent's answer, as far as its head says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentHead {
    /// The agent accepted: its body is an event stream.
    EventStream,
    /// It said 200, but not with an event stream. For a stream, the body says why not:
    /// [`Refusal::of_json_answer`]; for a synchronous request, it is the answer.
    Other,
    /// It did not accept.
    Refused(Refusal),
}

impl AgentHead {
    /// Looks at the status and all `content-type` headers of an agent's answer.
    pub fn judge<V: AsRef<[u8]>>(agent: &AgentId, status: u16, content_types: &[V]) -> Self {
        match status {
            200 if is_event_stream(content_types) => Self::EventStream,
            200 => Self::Other,
            504 => Self::Refused(Refusal::AgentTimeout(agent.to_string())),
            status => Self::Refused(Refusal::AgentStatus(status)),
        }
    }
}

fn is_event_stream<V: AsRef<[u8]>>(content_types: &[V]) -> bool {
    let is_one = |value: &[u8]| {
        let essence = value.split(|&byte| byte == b';').next().unwrap_or_default();
        essence.trim_ascii().eq_ignore_ascii_case(b"text/event-stream")
    };
    !content_types.is_empty() && content_types.iter().all(|value| is_one(value.as_ref()))
}
