//! When heartbeats are due on a connection (protocol page, "Heartbeat").

use std::time::Duration;

/// The heartbeat's bytes: a comment line that stands alone.
pub const HEARTBEAT: &[u8] = b":heartbeat\n\n";
/// The page's interval.
pub const INTERVAL: Duration = Duration::from_secs(15);

/// A shorter interval would have a connection get nothing but heartbeats.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);

/// A point in time: nanoseconds on whatever monotonic clock the caller reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Instant(pub u64);

/// The heartbeats of one connection. They keep the phase of its opening, whatever else is written.
#[derive(Debug)]
pub(crate) struct Heartbeats {
    opened: Instant,
    interval: u64,
    written: u64,
}

impl Heartbeats {
    /// For a connection opened at `opened`. An interval under a millisecond counts as one.
    pub(crate) fn new(opened: Instant, interval: Duration) -> Self {
        let interval =
            u64::try_from(interval.max(SHORTEST_INTERVAL).as_nanos()).unwrap_or(u64::MAX);
        Self { opened, interval, written: 0 }
    }

    /// Whether one that came due by `now` is still to be written.
    pub(crate) fn due(&self, now: Instant) -> bool {
        self.next() <= now
    }

    /// Marks one as written.
    pub(crate) fn take(&mut self) {
        self.written += 1;
    }

    /// When the next unwritten one comes, or came, due.
    pub(crate) fn next(&self) -> Instant {
        let count = self.written.saturating_add(1);
        Instant(self.opened.0.saturating_add(self.interval.saturating_mul(count)))
    }
}
