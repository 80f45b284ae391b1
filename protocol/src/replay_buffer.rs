//! The replay buffer: a session's most recent frames with ids (protocol page, "Replay").

use crate::frame::Frame;
use std::collections::VecDeque;

/// How many frames the buffer keeps (section "Replay").
pub const CAPACITY: usize = 512;
/// How many bytes the buffer keeps unless told otherwise: the page names no limit, but one artifact
/// may be megabytes.
pub const DEFAULT_MAX_BYTES: u64 = 256 * 1024 * 1024;

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
    /// The frames, in buffer order.
    pub(crate) frames: Box<dyn Iterator<Item = &'a Frame> + 'a>,
}

impl ReplayBuffer {
    pub(crate) fn new(max_bytes: u64) -> Self {
        Self { frames: VecDeque::new(), head: 0, written_bytes: 0, max_bytes, not_offered: 0 }
    }

    /// Adds a frame and evicts the oldest ones over the limits.
    pub(crate) fn push(&mut self, frame: Frame) {
        self.head += 1;
        self.written_bytes += frame.bytes.len() as u64;
        self.frames.push_back(Stored { frame, end: self.written_bytes });
        if self.frames.len() > CAPACITY {
            self.frames.pop_front();
        }
        self.evict_bytes();
    }

    /// Every connection had its chance to take what was written.
    pub(crate) fn offered(&mut self) {
        self.not_offered = self.head;
        self.evict_bytes();
    }

    /// Evicts the oldest frames over the limit in bytes, but none that was not offered yet, so that
    /// a burst takes nothing from a connection that keeps up. The newest frame always stays.
    fn evict_bytes(&mut self) {
        while self.len() > 1 && self.oldest() < self.not_offered && self.bytes() > self.max_bytes {
            self.frames.pop_front();
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
        let all = self.frames.iter().map(|stored| &stored.frame);
        match self.frames.front().map(|stored| stored.frame.id.0) {
            Some(oldest) if last < oldest.saturating_sub(1) => {
                Replay { gap: Some(oldest), frames: Box::new(all) }
            }
            _ => Replay { gap: None, frames: Box::new(all.filter(move |frame| frame.id.0 > last)) },
        }
    }

    fn stored(&self, sequence: u64) -> Option<&Stored> {
        let index = sequence.checked_sub(self.oldest())?;
        self.frames.get(usize::try_from(index).ok()?)
    }
}
