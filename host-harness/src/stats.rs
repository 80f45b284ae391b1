//! Figures about a capsule's stream.

use crate::bindings::exports::murmur::capsule_stream::stats::Values;

/// What the component counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// Open connections, on either endpoint.
    pub connections: u32,
    /// Requests whose bodies are still on their way into the component.
    pub pending_requests: u32,
    /// Frames with ids written since launch.
    pub frames_written: u64,
    /// Frames that connections lost by being more than 128 behind, or to the limit in bytes, summed
    /// over connections.
    pub frames_dropped: u64,
    /// Frames in the replay buffer.
    pub replay_buffer_frames: u32,
    /// Bytes in the replay buffer.
    pub replay_buffer_bytes: u64,
    /// Open connections that lack something that was written.
    pub connections_behind: u32,
}

impl From<Values> for Stats {
    fn from(values: Values) -> Self {
        Self {
            connections: values.connections,
            pending_requests: values.pending_requests,
            frames_written: values.frames_written,
            frames_dropped: values.frames_dropped,
            replay_buffer_frames: values.replay_buffer_frames,
            replay_buffer_bytes: values.replay_buffer_bytes,
            connections_behind: values.connections_behind,
        }
    }
}
