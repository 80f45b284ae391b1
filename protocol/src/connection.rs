//! What one client still has to get (protocol page, "What … writes, in order" and "Frames a
//! connection misses").
//!
//! A connection is a position among the session's frames, and ahead of that the frames of its own:
//! acknowledgement, replay, an error. It is asked for bytes only when its client can take some.

use crate::heartbeat::{Heartbeats, Instant};
use crate::session::Batch;
use crate::{Session, frame};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

/// How many live frames a connection may be behind before it loses the oldest.
pub const LIVE_QUEUE: u64 = 128;

/// Which of the two endpoints a connection is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// Ends after the first live final `status`.
    MessageStream,
    /// Ends with the capsule's stream.
    StreamWatch,
}

/// One client's connection.
#[derive(Debug)]
pub struct Connection {
    endpoint: Endpoint,
    heartbeats: Heartbeats,
    /// What is written before live frames.
    first: VecDeque<Own>,
    /// The sequence number of the next live frame.
    next: u64,
    /// A frame that is written in part, and how much of it.
    part: Option<(Own, usize)>,
    /// Nothing follows what `first` and `part` hold.
    ending: bool,
}

/// Bytes that a connection has to write.
#[derive(Debug)]
struct Own {
    bytes: Rc<[u8]>,
    /// The frame's sequence number, for one of the session's.
    sequence: Option<u64>,
}

impl Connection {
    pub(crate) fn new(
        endpoint: Endpoint,
        opened: Instant,
        heartbeat_interval: Duration,
        next: u64,
    ) -> Self {
        Self {
            endpoint,
            heartbeats: Heartbeats::new(opened, heartbeat_interval),
            first: VecDeque::new(),
            next,
            part: None,
            ending: false,
        }
    }

    /// Queues a frame of the connection's own, ahead of live frames.
    pub(crate) fn say(&mut self, frame: Rc<[u8]>) {
        self.first.push_back(Own { bytes: frame, sequence: None });
    }

    /// Queues a frame of the session's past.
    pub(crate) fn replay(&mut self, sequence: u64, frame: Rc<[u8]>) {
        self.first.push_back(Own { bytes: frame, sequence: Some(sequence) });
    }

    /// Queues the connection's last frame.
    pub(crate) fn say_last(&mut self, frame: Rc<[u8]>) {
        self.say(frame);
        self.ending = true;
    }

    /// Whether everything was taken and nothing can follow: the body ends here.
    pub fn is_finished(&self) -> bool {
        self.ending && self.at_live()
    }

    /// Whether [`Session::take`] would have something to give, now or as soon as `now` is reached.
    pub fn wants_write(&self, session: &Session, now: Instant) -> bool {
        !self.at_live()
            || (!self.ending
                && (self.next < session.frames.head()
                    || session.is_closed()
                    || self.heartbeats.due(now)))
    }

    /// Whether the connection has to be given up: it did not take its replay, or a frame of which it
    /// took a part, while more was written since than the byte limit of the replay buffer. Dropping
    /// frames would say nothing to its client, and they cannot be held for ever.
    pub fn is_overtaken(&self, session: &Session) -> bool {
        let held = self.part.as_ref().map(|(own, _)| own).into_iter().chain(&self.first);
        let oldest = held.filter_map(|own| own.sequence).next();
        oldest.is_some_and(|sequence| sequence < session.frames.held_from())
    }

    /// The bytes of its own that wait to be taken and that no other connection shares:
    /// acknowledgement, `error`, `rejected`.
    pub fn own_bytes(&self) -> usize {
        let held = self.part.as_ref().map(|(own, _)| own).into_iter().chain(&self.first);
        held.filter(|own| own.sequence.is_none()).map(|own| own.bytes.len()).sum()
    }

    /// When the next heartbeat comes due, or came due while others still wait to be written. None
    /// once the connection is ending.
    pub fn next_heartbeat(&self) -> Option<Instant> {
        (!self.ending).then(|| self.heartbeats.next())
    }

    fn at_live(&self) -> bool {
        self.first.is_empty() && self.part.is_none()
    }

    /// The end of the run of live frames that starts at `next`, cut after the one that closes this
    /// connection, and whether it has one.
    fn live_end(&self, session: &Session) -> (u64, bool) {
        let head = session.frames.head();
        if self.endpoint == Endpoint::MessageStream {
            let is_final = |&at: &u64| session.frames.get(at).is_some_and(|f| f.final_status);
            if let Some(closing) = (self.next..head).find(is_final) {
                return (closing + 1, true);
            }
        }
        (head, false)
    }
}

impl Session {
    /// The next bytes for `connection`, at most `permit` of them, which the caller then has to
    /// write or give the connection up. Empty when it lacks nothing, or `permit` is 0.
    ///
    /// Everything it lacks comes at once as far as `permit` allows; only the end of the stream comes
    /// by itself, so ask until [`Connection::wants_write`] is false. Live frames over 128 behind are
    /// dropped, oldest first, but never one of which a part was taken. Frames that the byte limit
    /// of the replay buffer evicted are dropped as well.
    pub fn take(&mut self, connection: &mut Connection, now: Instant, permit: usize) -> &[u8] {
        self.drop_oldest(connection);
        let live_only =
            connection.at_live() && !connection.ending && !connection.heartbeats.due(now);
        if live_only {
            let (end, closes) = connection.live_end(self);
            let size = self.frames.bytes_between(connection.next, end);
            if connection.next < end && size <= permit as u64 {
                self.fill_batch(connection.next, end);
                connection.next = end;
                connection.ending = closes;
                return &self.batch.bytes;
            }
        }
        self.batch = Batch { bytes: std::mem::take(&mut self.batch.bytes), ..Batch::default() };
        self.batch.bytes.clear();
        while self.batch.bytes.len() < permit {
            let part = connection.part.take();
            let Some((frame, start)) = part.or_else(|| Some((self.next(connection, now)?, 0)))
            else {
                break;
            };
            let room = permit - self.batch.bytes.len();
            let end = frame.bytes.len().min(start.saturating_add(room));
            self.batch.bytes.extend_from_slice(&frame.bytes[start..end]);
            if end < frame.bytes.len() {
                connection.part = Some((frame, end));
            }
        }
        &self.batch.bytes
    }

    fn drop_oldest(&mut self, connection: &mut Connection) {
        let kept_from = self.frames.head().saturating_sub(LIVE_QUEUE).max(self.frames.oldest());
        if !connection.ending && connection.next < kept_from {
            self.dropped += kept_from - connection.next;
            connection.next = kept_from;
        }
    }

    /// Makes the shared batch hold the frames `from..to`, unless it does.
    fn fill_batch(&mut self, from: u64, to: u64) {
        if (self.batch.from, self.batch.to) == (from, to) {
            return;
        }
        self.batch.bytes.clear();
        for frame in (from..to).filter_map(|sequence| self.frames.get(sequence)) {
            self.batch.bytes.extend_from_slice(&frame.bytes);
        }
        (self.batch.from, self.batch.to) = (from, to);
    }

    /// The next frame or heartbeat for a connection that has none in part.
    fn next(&self, connection: &mut Connection, now: Instant) -> Option<Own> {
        if let Some(own) = connection.first.pop_front() {
            return Some(own);
        }
        if connection.ending {
            return None;
        }
        if connection.heartbeats.due(now) {
            connection.heartbeats.take();
            return Some(Own { bytes: self.heartbeat.clone(), sequence: None });
        }
        if let Some(frame) = self.frames.get(connection.next) {
            let own = Own { bytes: frame.bytes.clone(), sequence: Some(connection.next) };
            connection.next += 1;
            connection.ending =
                frame.final_status && connection.endpoint == Endpoint::MessageStream;
            return Some(own);
        }
        if self.is_closed() {
            connection.ending = true;
            if connection.endpoint == Endpoint::StreamWatch {
                return Some(Own { bytes: frame::capsule_closed(), sequence: None });
            }
        }
        None
    }
}
