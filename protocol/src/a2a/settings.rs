//! Every number that can be set, and what it is unless it is.

use super::envelope::EnvelopeMode;
use crate::door::DEFAULT_MAX_BODY_BYTES;
use std::time::Duration;

/// What the agent's head may take longer than the request's own timeout (details page, section 2).
const HEAD_GRACE: Duration = Duration::from_secs(10);

/// The gateway's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `MaxSSEIdleSeconds`: how long an agent may send no event; at least a second (page,
    /// "Keepalive and idle timeout").
    pub max_sse_idle: Duration,
    /// `AgentMaxResponseBytes`: the data that one event may have (page, "Response size limit").
    pub agent_max_response_bytes: usize,
    /// `AgentMaxConcurrency`: streams and synchronous requests of one agent (section 9).
    pub agent_max_concurrency: usize,
    /// How long a registration lives without a heartbeat; zero is for ever (section 3).
    pub agent_ttl: Duration,
    /// What a payload is (section 5).
    pub envelope: EnvelopeMode,
    /// What a synchronous request may take. No stream is touched by it (section 2).
    pub sync_timeout: Duration,
    /// What a request that names no timeout counts as naming (section 2).
    pub default_stream_timeout: Duration,
    /// The most that a request can name (section 2).
    pub max_stream_timeout: Duration,
    /// The longest body that is read; over it, 413 (section 2).
    pub max_body_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_sse_idle: Duration::from_secs(300),
            agent_max_response_bytes: 10 * 1024 * 1024,
            agent_max_concurrency: 100,
            agent_ttl: Duration::from_secs(300),
            envelope: EnvelopeMode::default(),
            sync_timeout: Duration::from_secs(60),
            default_stream_timeout: Duration::from_secs(300),
            max_stream_timeout: Duration::from_secs(3600),
            max_body_bytes: DEFAULT_MAX_BODY_BYTES,
        }
    }
}

impl Settings {
    /// How long to wait for the head of the agent's answer to a `message/stream` that named this
    /// timeout, in seconds (section 2). What is no time counts as not named.
    pub fn head_timeout(&self, requested: Option<f64>) -> Duration {
        let requested = requested.filter(|seconds| *seconds > 0.0);
        let timeout = match requested {
            Some(seconds) if seconds < self.max_stream_timeout.as_secs_f64() => {
                Duration::try_from_secs_f64(seconds).unwrap_or(self.max_stream_timeout)
            }
            Some(_) => self.max_stream_timeout,
            None => self.default_stream_timeout.min(self.max_stream_timeout),
        };
        timeout.saturating_add(HEAD_GRACE)
    }
}
