//! The gateway's keys, one option each.

use clap::ValueEnum;
use host_harness::gateway::{EnvelopeMode, Gateway, GatewayBuilder, Settings};
use std::time::Duration;

#[derive(clap::Args)]
#[command(next_help_heading = "Limits and formats")]
pub(super) struct GatewayOptions {
    /// How long an agent may send no event before its stream is ended (`MaxSSEIdleSeconds`)
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    max_sse_idle_seconds: u64,
    /// How much data one event, or a synchronous answer, may have (`AgentMaxResponseBytes`)
    #[arg(long, value_name = "BYTES", default_value_t = 10 * 1024 * 1024)]
    agent_max_response_bytes: usize,
    /// How many requests an agent serves at a time (`AgentMaxConcurrency`)
    #[arg(long, value_name = "N", default_value_t = 100)]
    agent_max_concurrency: usize,
    /// How long a registration lives without a heartbeat; 0 is for ever
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    agent_ttl_seconds: u64,
    /// What a frame's payload is, where the agent's data has a type
    #[arg(long, value_enum, default_value_t = Envelope::Flat)]
    envelope: Envelope,
    /// How long a synchronous request may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    sync_timeout_seconds: u64,
    /// How long an agent may take to accept a stream whose request names no time
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    stream_timeout_seconds: u64,
    /// The longest time that a request can name
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    max_stream_timeout_seconds: u64,
    /// The longest request body
    #[arg(long, value_name = "BYTES", default_value_t = 4 * 1024 * 1024)]
    max_body_bytes: usize,
    /// What agents are told in X-KubeMQ-Caller-ID
    #[arg(long, value_name = "TEXT", default_value = "a2a-gateway", value_parser = header_value)]
    caller_id: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Envelope {
    /// The agent's payload
    Flat,
    /// The agent's whole object
    Nested,
}

impl GatewayOptions {
    pub(super) fn builder(&self) -> GatewayBuilder {
        let settings = Settings {
            max_sse_idle: Duration::from_secs(self.max_sse_idle_seconds),
            agent_max_response_bytes: self.agent_max_response_bytes,
            agent_max_concurrency: self.agent_max_concurrency,
            agent_ttl: Duration::from_secs(self.agent_ttl_seconds),
            envelope: match self.envelope {
                Envelope::Flat => EnvelopeMode::Flat,
                Envelope::Nested => EnvelopeMode::Nested,
            },
            sync_timeout: Duration::from_secs(self.sync_timeout_seconds),
            default_stream_timeout: Duration::from_secs(self.stream_timeout_seconds),
            max_stream_timeout: Duration::from_secs(self.max_stream_timeout_seconds),
            max_body_bytes: self.max_body_bytes,
        };
        Gateway::builder().settings(settings).caller_id(&self.caller_id)
    }
}

fn header_value(text: &str) -> Result<String, String> {
    match http::HeaderValue::from_str(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err("it has to be visible ASCII characters".into()),
    }
}
