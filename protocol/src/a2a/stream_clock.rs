//! Keepalives and the idle timeout (page, "Keepalive and idle timeout"; details page, section 6).

use crate::Instant;
use std::time::Duration;

/// How long nothing is written before a [`super::KEEPALIVE`] is.
pub const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(30);

/// The least that the idle timeout can be set to.
pub const SHORTEST_IDLE: Duration = Duration::from_secs(1);

/// The two timers of one stream.
#[derive(Debug, Clone)]
pub struct StreamClock {
    wrote: Instant,
    heard: Instant,
    idle: Duration,
}

impl StreamClock {
    /// For a stream whose head goes out now. An idle timeout under a second counts as one.
    pub fn new(head: Instant, max_idle: Duration) -> Self {
        Self { wrote: head, heard: head, idle: max_idle.max(SHORTEST_IDLE) }
    }

    /// Bytes were written to the caller, be they a frame or a keepalive.
    pub fn wrote(&mut self, now: Instant) {
        self.wrote = self.wrote.max(now);
    }

    /// The agent sent an event. Its comments are none.
    pub fn heard(&mut self, now: Instant) {
        self.heard = self.heard.max(now);
    }

    /// Whether a keepalive is to be written.
    pub fn keepalive_due(&self, now: Instant) -> bool {
        self.keepalive_at() <= now
    }

    /// Whether the stream is to end with [`super::GatewayError::IdleTimeout`].
    pub fn is_idle(&self, now: Instant) -> bool {
        self.idle_at() <= now
    }

    /// When one of the two comes due.
    pub fn next_deadline(&self) -> Instant {
        self.keepalive_at().min(self.idle_at())
    }

    fn keepalive_at(&self) -> Instant {
        after(self.wrote, KEEPALIVE_INTERVAL)
    }

    /// When the stream is idle, unless the agent is heard before.
    pub fn idle_at(&self) -> Instant {
        after(self.heard, self.idle)
    }
}

fn after(start: Instant, duration: Duration) -> Instant {
    let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    Instant(start.0.saturating_add(nanoseconds))
}
