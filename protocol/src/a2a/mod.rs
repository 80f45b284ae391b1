//! The A2A gateway without any I/O: what it says to callers and to agents, as plain values and
//! functions. The contract is the page "Streaming (SSE)" of the gateway, and the details page
//! (`a2a-gateway-details.md`) whose sections are named here.
//!
//! | Module | What it holds | Details page |
//! |---|---|---|
//! | [`mod@route`], [`query`] | where a request leads | 1 |
//! | [`request`], [`message`] | a JSON-RPC call, and what a Murmur capsule needs in it | 2 |
//! | [`refusal`], [`agent_head`] | the errors before the stream | 2 |
//! | [`registry`] | the agents, their cards, and the answers about them | 3 |
//! | [`envelope`] | the frames that the caller gets | 5 |
//! | [`agent_stream`] | from an agent's connections to envelopes | 5, 7 |
//! | [`capsule`] | a Murmur capsule as the agent | 5 |
//! | [`stream_clock`] | keepalives and the idle timeout | 6 |
//! | [`headers`] | what an agent gets to see of a request | 8 |
//! | [`metrics`], [`slots`] | counters and limits | 9 |
//! | [`settings`] | every number that can be set | — |

pub mod agent_head;
pub mod agent_id;
pub mod agent_stream;
pub mod capsule;
pub mod envelope;
pub mod headers;
mod json;
pub mod message;
pub mod metrics;
mod percent;
pub mod query;
pub mod refusal;
pub mod registry;
pub mod request;
pub mod route;
pub mod settings;
pub mod slots;
pub mod stream_clock;

pub use agent_head::AgentHead;
pub use agent_id::AgentId;
pub use agent_stream::{AgentStream, Step};
pub use envelope::{Envelope, EnvelopeMode, GatewayError, KEEPALIVE};
pub use message::Completed;
pub use metrics::Metrics;
pub use query::{ListQuery, QueryError, StreamQuery};
pub use refusal::{Refusal, Refused};
pub use registry::{AgentKind, Card, Registration, Registry, Reply};
pub use request::{Call, RequestId};
pub use route::{Route, route};
pub use settings::Settings;
pub use slots::Slots;
pub use stream_clock::StreamClock;
