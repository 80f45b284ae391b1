//! Where the counters behind the frames' ids start (protocol page, "Event ids").

use crate::FrameId;

/// The task's counter, again for every task and every reopened attempt.
pub const TASK_START: u64 = 0;
/// The queued-cancel counter, once a session.
pub const QUEUED_CANCEL_START: u64 = 2_305_843_009_213_693_951;
/// The chunk counter, at launch.
pub const CHUNK_START: u64 = 4_611_686_018_427_387_903;
/// The input-wait counter, again for every `request-input` call.
pub const INPUT_WAIT_START: u64 = 9_223_372_036_854_775_807;

/// The id of every `rejected` status.
pub const REJECTED_ID: FrameId = FrameId(0);

/// A counter: the value that the next frame takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counter(u64);

impl Counter {
    pub(crate) fn starting_at(start: u64) -> Self {
        Self(start)
    }

    /// The id for one frame. Advances by one.
    pub(crate) fn take(&mut self) -> FrameId {
        let id = FrameId(self.0);
        self.0 = self.0.wrapping_add(1);
        id
    }
}
