//! The replay buffer: a session's most recent frames with ids (protocol page, "Replay").

use crate::frame::Frame;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

/// How many frames the buffer keeps (section "Replay").
pub const CAPACITY: usize = 512;
/// How many bytes the buffer keeps unless told otherwise: the page names no limit, but one artifact
/// may be megabytes.
pub const DEFAULT_MAX_BYTES: u64 = 256 * 1024 * 1024;

/// How many evicted frames connections may hold in all: many replays of different times.
const MAX_HELD: usize = 64 * CAPACITY;

/// The frames, each with a sequence number that grows by one with every frame of the session.
/// Connections are positions in it.
#[derive(Debug)]
pub(crate) struct ReplayBuffer {
    frames: VecDeque<Stored>,
    head: u64,
    written_bytes: u64,
    max_bytes: u64,
    /// Frames from this one on were not offered to connections yet.
    not_offered: u64,
    /// Frames that were evicted and that connections still hold, oldest first.
    held: VecDeque<Held>,
    /// Whether `held` has more since its limits were last looked at.
    held_more: bool,
    /// Connections may not hold evicted frames before this one.
    held_from: u64,
}

/// A frame that was evicted, as long as a connection that has it to write holds it.
#[derive(Debug)]
struct Held {
    sequence: u64,
    bytes: Weak<[u8]>,
    size: u64,
}

#[derive(Debug)]
struct Stored {
    frame: Frame,
    /// The bytes of the session's frames up to and with this one.
    end: u64,
}

/// What a replay from one id writes.
pub(crate) struct Replay<'a> {
    /// The oldest frame's id, where a `gap` frame has to name it first.
    pub(crate) gap: Option<u64>,
    /// The frames, in buffer order, each with its sequence number.
    pub(crate) frames: Box<dyn Iterator<Item = (u64, &'a Frame)> + 'a>,
}

impl ReplayBuffer {
    pub(crate) fn new(max_bytes: u64) -> Self {
        Self {
            frames: VecDeque::new(),
            head: 0,
            written_bytes: 0,
            max_bytes,
            not_offered: 0,
            held: VecDeque::new(),
            held_more: false,
            held_from: 0,
        }
    }

    /// Adds a frame and evicts the oldest ones over the limits.
    pub(crate) fn push(&mut self, frame: Frame) {
        self.head += 1;
        self.written_bytes += frame.bytes.len() as u64;
        self.frames.push_back(Stored { frame, end: self.written_bytes });
        if self.frames.len() > CAPACITY {
            self.evict();
        }
        self.evict_bytes();
    }

    fn evict(&mut self) {
        let sequence = self.oldest();
        if let Some(Stored { frame, .. }) = self.frames.pop_front()
            && Rc::strong_count(&frame.bytes) > 1
        {
            let (bytes, size) = (Rc::downgrade(&frame.bytes), frame.bytes.len() as u64);
            self.held.push_back(Held { sequence, bytes, size });
            self.held_more = true;
        }
    }

    /// Every connection had its chance to take what was written.
    pub(crate) fn offered(&mut self) {
        self.not_offered = self.head;
        self.evict_bytes();
        self.limit_held();
    }

    /// What connections hold beside the buffer has the same limit in bytes, and one in frames: over
    /// it, those that hold the oldest ones have to be given up.
    fn limit_held(&mut self) {
        if !std::mem::take(&mut self.held_more) {
            return;
        }
        self.held.retain(|held| held.bytes.strong_count() > 0);
        let mut bytes: u64 = self.held.iter().map(|held| held.size).sum();
        while (bytes > self.max_bytes || self.held.len() > MAX_HELD)
            && let Some(oldest) = self.held.pop_front()
        {
            bytes -= oldest.size;
            self.held_from = oldest.sequence + 1;
        }
    }

    /// The first frame that a connection may hold though it was evicted.
    pub(crate) fn held_from(&self) -> u64 {
        self.held_from
    }

    /// Evicts the oldest frames over the limit in bytes, but none that was not offered yet, so that
    /// a burst takes nothing from a connection that keeps up. The newest frame always stays.
    fn evict_bytes(&mut self) {
        while self.len() > 1 && self.oldest() < self.not_offered && self.bytes() > self.max_bytes {
            self.evict();
        }
    }

    /// How many frames are kept.
    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }

    /// How many bytes are kept.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes_between(self.oldest(), self.head)
    }

    /// The sequence number that the next frame gets: how many frames the session wrote.
    pub(crate) fn head(&self) -> u64 {
        self.head
    }

    /// The sequence number of the oldest frame that is kept.
    pub(crate) fn oldest(&self) -> u64 {
        self.head - self.frames.len() as u64
    }

    /// The frame with this sequence number, if it is kept.
    pub(crate) fn get(&self, sequence: u64) -> Option<&Frame> {
        self.stored(sequence).map(|stored| &stored.frame)
    }

    /// The size of the frames `from..to`, all of them kept.
    pub(crate) fn bytes_between(&self, from: u64, to: u64) -> u64 {
        let start = self.stored(from).map(|first| first.end - first.frame.bytes.len() as u64);
        let end = to.checked_sub(1).and_then(|last| self.stored(last)).map(|last| last.end);
        match (start, end) {
            (Some(start), Some(end)) => end.saturating_sub(start),
            _ => 0,
        }
    }

    /// A replay from id `last`, by the table in section "Replay". Ids are compared by value.
    pub(crate) fn replay(&self, last: u64) -> Replay<'_> {
        let all = (self.oldest()..).zip(self.frames.iter().map(|stored| &stored.frame));
        match self.frames.front().map(|stored| stored.frame.id.0) {
            Some(oldest) if last < oldest.saturating_sub(1) => {
                Replay { gap: Some(oldest), frames: Box::new(all) }
            }
            _ => Replay {
                gap: None,
                frames: Box::new(all.filter(move |(_, frame)| frame.id.0 > last)),
            },
        }
    }

    fn stored(&self, sequence: u64) -> Option<&Stored> {
        let index = sequence.checked_sub(self.oldest())?;
        self.frames.get(usize::try_from(index).ok()?)
    }
}
