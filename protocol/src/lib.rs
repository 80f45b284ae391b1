//! The capsule's event stream without any I/O: everything that the protocol page says about bytes,
//! ids, replay, heartbeats and requests, as plain values and functions.
//!
//! Nothing here reads a clock, draws a random number or touches a socket. Time comes in as
//! [`Instant`], identifiers as [`uuid::Uuid`], requests as bytes; what goes out are bytes.
//!
//! | Module | What it holds | Protocol page |
//! |---|---|---|
//! | [`session`] | the frame stream of one capsule: publishing, chunks, closing | Endpoints |
//! | [`attempt`] | what a task writes: turns, artifacts, its end | Event ids |
//! | [`input_wait`] | the frames of one `request-input` call | `status` |
//! | [`frame`] | every frame, to its bytes | Frame format |
//! | [`counters`] | where each id counter starts | Event ids |
//! | [`replay_buffer`] | the last 512 frames with ids | Replay |
//! | [`connection`] | what one client still has to get | Frames a connection misses |
//! | [`heartbeat`] | when a heartbeat is due | Heartbeat |
//! | [`last_event_id`] | the request header a replay starts from | Replay |
//! | [`door`] | routes, JSON-RPC, messages and their errors | Endpoints |
//! | [`sse`] | reading event streams, as the standard says | — |
//! | [`mod@fence`] | the fence around untrusted tool output | `artifact` |
//! | [`ids`] | task and context ids | `status` |
//! | [`a2a`] | the gateway that relays agents' streams to their callers | a page of its own |

pub mod a2a;
pub mod attempt;
pub mod connection;
pub mod counters;
pub mod door;
pub mod fence;
pub mod frame;
pub mod heartbeat;
pub mod ids;
pub mod input_wait;
pub mod last_event_id;
pub mod replay_buffer;
pub mod session;
pub mod sse;

pub use attempt::{Artifact, Attempt, HookArtifact, Inference};
pub use connection::{Connection, Endpoint};
pub use door::{
    AgentCard, Answer, Message, ParamsError, Submission, Submitted, TaskSnapshot, TaskState, Tasks,
};
pub use fence::fence;
pub use frame::Chunk;
pub use heartbeat::Instant;
pub use ids::{ContextId, FrameId, Task, TaskId};
pub use input_wait::InputWait;
pub use last_event_id::LastEventId;
pub use session::{ConversationMode, Session, Settings};
