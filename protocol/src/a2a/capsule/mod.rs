//! A Murmur capsule as the agent (details page, section 5; the frames are those of the streaming
//! protocol page).
//!
//! A capsule's stream carries every task's frames, and a `message/stream` closes on the first
//! final status of any of them. So the caller's own task has to be told from the others, and its
//! frames be read where they surely come.

mod connections;
mod frame;
mod own_task;
mod requests;

pub use requests::{cancel_request, watch_request};

pub(super) use connections::{Capsule, Connection};
pub(super) use frame::is_frame;

/// The `Last-Event-ID` after which nothing is replayed.
pub const REPLAY_NOTHING: u64 = u64::MAX;
/// The `Last-Event-ID` after which everything is replayed but frames with the id 0.
pub const REPLAY_ALL: u64 = 0;
