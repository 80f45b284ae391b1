//! The frame stream of one capsule, from launch to close.
//!
//! Publishing encodes a frame once and moves the head of the replay buffer, however many
//! connections there are; what a [`Connection`] still lacks is worked out when it can be written to.

use crate::counters::{self, Counter};
use crate::frame::{self, Chunk, Frame, Status};
use crate::heartbeat::{self, Instant};
use crate::replay_buffer::{self, ReplayBuffer};
use crate::{Connection, Endpoint, LastEventId, Task, TaskId};
use std::rc::Rc;
use std::time::Duration;

/// How the capsule keeps its conversations, as `connection-ack` tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationMode {
    /// Every task starts afresh.
    Stateless,
    /// Tasks of a context go on where the last one ended.
    Threaded,
}

impl ConversationMode {
    /// The mode's name in `connection-ack`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stateless => "stateless",
            Self::Threaded => "threaded",
        }
    }
}

/// What can be chosen for a session.
#[derive(Debug, Clone)]
pub struct Settings {
    /// See [`ConversationMode`].
    pub conversation_mode: ConversationMode,
    /// The page's is 15 s; tests shorten it.
    pub heartbeat_interval: Duration,
    /// How many bytes of frames are kept at most, beside the replay buffer's 512 frames. The newest
    /// frame is kept whatever its size. What is evicted is lost to replays, and to connections that
    /// did not take it when it was written.
    pub replay_buffer_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            conversation_mode: ConversationMode::Stateless,
            heartbeat_interval: heartbeat::INTERVAL,
            replay_buffer_bytes: replay_buffer::DEFAULT_MAX_BYTES,
        }
    }
}

/// The frame stream of one capsule.
#[derive(Debug)]
pub struct Session {
    pub(crate) frames: ReplayBuffer,
    pub(crate) heartbeat: Rc<[u8]>,
    /// Bytes on their way to a connection, shared by all that lack the same frames.
    pub(crate) batch: Batch,
    /// Frames that some connection lost because it was too far behind.
    pub(crate) dropped: u64,
    settings: Settings,
    chunk_counter: Counter,
    queued_cancel_counter: Counter,
    attempts: u64,
    running: Option<Running>,
    text_chunk_emitted: bool,
    closed: bool,
}

/// The frames `from..to`, back to back.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Debug)]
struct Running {
    serial: u64,
    task: TaskId,
}

impl Session {
    /// A session at launch.
    pub fn new(settings: Settings) -> Self {
        Self {
            frames: ReplayBuffer::new(settings.replay_buffer_bytes),
            heartbeat: heartbeat::HEARTBEAT.into(),
            batch: Batch::default(),
            dropped: 0,
            settings,
            chunk_counter: Counter::starting_at(counters::CHUNK_START),
            queued_cancel_counter: Counter::starting_at(counters::QUEUED_CANCEL_START),
            attempts: 0,
            running: None,
            text_chunk_emitted: false,
            closed: false,
        }
    }

    /// Opens a `stream/watch` connection: `connection-ack`, then the replay, then live frames.
    pub fn open_watch(&self, now: Instant, last_event_id: LastEventId) -> Connection {
        let mut connection = self.connection(Endpoint::StreamWatch, now);
        connection.say(frame::connection_ack(self.settings.conversation_mode));
        self.replay(&mut connection, last_event_id.for_stream_watch());
        connection
    }

    /// Opens a `message/stream` connection: the replay where the request named an id, then live
    /// frames. [`crate::door::submit`] goes on from there.
    pub fn open_stream(&self, now: Instant, last_event_id: LastEventId) -> Connection {
        let mut connection = self.connection(Endpoint::MessageStream, now);
        if let Some(last) = last_event_id.for_message_stream() {
            self.replay(&mut connection, last);
        }
        connection
    }

    /// Writes a chunk of the attempt that runs. Without one nothing is written.
    pub fn emit_chunk(&mut self, chunk: &Chunk) {
        let Some(running) = &self.running else {
            return;
        };
        let id = self.chunk_counter.take();
        let frame = match chunk {
            Chunk::Text(text) => {
                self.text_chunk_emitted = true;
                Frame::text(id, &running.task, text, false)
            }
            Chunk::Thinking(text) => Frame::thinking(id, &running.task, text),
        };
        self.publish(frame);
    }

    /// The queue reached a task that was cancelled while it waited: writes its `canceled`.
    pub fn cancel_queued(&mut self, task: &Task) {
        if !self.closed {
            let id = self.queued_cancel_counter.take();
            self.publish(Frame::status(id, task, Status::CanceledBeforeStart));
        }
    }

    /// Closes the frame stream: watchers get `capsule-closed` after what they lack, every
    /// connection ends, and nothing is published any more.
    pub fn close(&mut self) {
        self.closed = true;
        self.running = None;
    }

    /// Says that every connection had its chance to [`Self::take`] what was written. Until then the
    /// limit in bytes evicts none of it.
    pub fn offered(&mut self) {
        self.frames.offered();
    }

    /// Whether the frame stream was closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many frames with ids the session wrote.
    pub fn frames_written(&self) -> u64 {
        self.frames.head()
    }

    /// How many frames connections lost by being more than 128 behind, or to the limit in bytes,
    /// counted when it showed.
    pub fn frames_dropped(&self) -> u64 {
        self.dropped
    }

    /// How many frames and bytes the replay buffer holds.
    pub fn replay_buffer_size(&self) -> (usize, u64) {
        (self.frames.len(), self.frames.bytes())
    }

    fn connection(&self, endpoint: Endpoint, now: Instant) -> Connection {
        Connection::new(endpoint, now, self.settings.heartbeat_interval, self.frames.head())
    }

    fn replay(&self, connection: &mut Connection, last: u64) {
        let replay = self.frames.replay(last);
        if let Some(first_available_id) = replay.gap {
            connection.say(frame::gap(first_available_id));
        }
        for (sequence, frame) in replay.frames {
            connection.replay(sequence, frame.bytes.clone());
        }
    }

    pub(crate) fn publish(&mut self, frame: Frame) {
        self.frames.push(frame);
    }

    pub(crate) fn run(&mut self, task: TaskId) -> u64 {
        self.attempts += 1;
        self.text_chunk_emitted = false;
        if !self.closed {
            self.running = Some(Running { serial: self.attempts, task });
        }
        self.attempts
    }

    pub(crate) fn runs(&self, attempt: u64) -> bool {
        self.running.as_ref().is_some_and(|running| running.serial == attempt)
    }

    pub(crate) fn stop(&mut self, attempt: u64) {
        if self.runs(attempt) {
            self.running = None;
        }
    }

    pub(crate) fn begin_inference(&mut self, task_counter: Counter) {
        self.text_chunk_emitted = false;
        self.chunk_counter = task_counter;
    }

    pub(crate) fn text_chunk_emitted(&self) -> bool {
        self.text_chunk_emitted
    }

    pub(crate) fn chunk_counter(&self) -> Counter {
        self.chunk_counter
    }

    pub(crate) fn final_text(&mut self, task: &TaskId, text: &str) {
        let id = self.chunk_counter.take();
        self.publish(Frame::text(id, task, text, true));
    }
}
