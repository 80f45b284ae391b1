//! What a client may send, and how long it may take.

use std::time::Duration;

use protocol::door::DEFAULT_MAX_BODY_BYTES;

/// Limits of one connection, and of all together. The defaults are those of the capsule's request table
/// (`capsule-stream-details.md`, section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the request head, its empty line included. One more is a 431. Default 64 KiB.
    pub head_bytes: usize,
    /// From the accept to the end of the head. Later is a 408. Default 10 s.
    pub head_timeout: Duration,
    /// Bytes of the request body, decoded. One more is a 413. Default 4 MiB.
    pub body_bytes: usize,
    /// From the end of the head to the end of the body. Later is a 408. Default 30 s.
    pub body_timeout: Duration,
    /// Bytes of all bodies that are on their way or that the handler did not answer yet, beside the
    /// first 16 KiB of each. One more is a 503. Default 256 MiB.
    pub bodies_bytes: usize,
    /// Bytes of bodies and of answers that the component keeps for clients which do not read them,
    /// beside the first 16 KiB of each. One more is a 503. Default 64 MiB.
    pub waiting_bytes: usize,
    /// How long a client may take to read an answer that is no stream. Default 30 s.
    pub answer_timeout: Duration,
    /// How many connections are served at a time. One more is a 503. Default 10,000.
    pub connections: usize,
    /// Whether a client that ended its own side is still there, as one is that sent a whole request
    /// and reads on. Without this it counts as gone half a second later, if it is not answered by
    /// then: a client that leaves ends its side as well, and nothing else tells the two apart.
    /// Default true.
    pub half_close: bool,
    /// After the answer, how long the client's unread bytes are discarded. Default 1 s.
    pub linger: Duration,
    /// After the answer, how many of the client's bytes are discarded at most. Default 1 MiB.
    pub linger_bytes: usize,
    /// At the end of the capsule, how long connections have to take the rest of their answers.
    /// Default 400 ms.
    pub shutdown: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_bytes: 64 * 1024,
            head_timeout: Duration::from_secs(10),
            body_bytes: DEFAULT_MAX_BODY_BYTES,
            body_timeout: Duration::from_secs(30),
            bodies_bytes: 256 * 1024 * 1024,
            waiting_bytes: 64 * 1024 * 1024,
            answer_timeout: Duration::from_secs(30),
            connections: 10_000,
            half_close: true,
            linger: Duration::from_secs(1),
            linger_bytes: 1024 * 1024,
            shutdown: Duration::from_millis(400),
        }
    }
}
