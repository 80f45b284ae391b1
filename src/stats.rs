//! Figures for operators.

use crate::Component;
use crate::bindings::exports::murmur::capsule_stream::stats::{Guest, Values};
use crate::state;

impl Guest for Component {
    fn get() -> Values {
        state::with(|state| {
            let now = state::now();
            let (frames, bytes) = state.session.replay_buffer_size();
            let behind =
                state.clients.iter().filter(|c| c.wants_write(&state.session, now)).count();
            Values {
                connections: count(state.clients.len()),
                pending_requests: count(state.arrivals.len()),
                frames_written: state.session.frames_written(),
                frames_dropped: state.session.frames_dropped(),
                replay_buffer_frames: count(frames),
                replay_buffer_bytes: bytes,
                connections_behind: count(behind),
            }
        })
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
