//! What `GET /metrics` says: the text format of Prometheus, version 0.0.4 (details page, section 9).

use super::AgentId;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The `content-type` of the answer.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The methods that are counted by name, so that no caller can invent label values.
const METHODS: [&str; 5] =
    ["message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/send"];

/// The counters. Agents in them should be registered ones: every new one is a new time series.
#[derive(Debug, Clone, Default)]
pub struct Metrics {
    requests: BTreeMap<(AgentId, &'static str), u64>,
    streams: BTreeMap<AgentId, u64>,
}

/// How many agents and methods have a counter: agents come and go as they like.
pub const MOST_COUNTED: usize = 100_000;

impl Metrics {
    /// Counts a request to an agent, but not to more than [`MOST_COUNTED`] of them with a method.
    pub fn request(&mut self, agent: &AgentId, method: &str) {
        let key = (agent.clone(), method_label(method));
        if self.requests.len() >= MOST_COUNTED && !self.requests.contains_key(&key) {
            return;
        }
        let count = self.requests.entry(key).or_default();
        *count = count.saturating_add(1);
    }

    /// A stream of the agent began. Counted as [`Self::request`] does.
    pub fn stream_began(&mut self, agent: &AgentId) {
        if self.streams.len() >= MOST_COUNTED && !self.streams.contains_key(agent) {
            // An agent without streams gives its place away.
            self.streams.retain(|_, count| *count > 0);
        }
        let count = self.streams.entry(agent.clone()).or_default();
        *count = count.saturating_add(1);
    }

    /// A stream of the agent ended.
    pub fn stream_ended(&mut self, agent: &AgentId) {
        if let Some(count) = self.streams.get_mut(agent) {
            *count = count.saturating_sub(1);
        }
    }

    /// The text, with the memory that the process occupies, in bytes, where that is known.
    pub fn render(&self, resident_memory_bytes: Option<u64>) -> String {
        let mut text = String::new();
        let requests = self.requests.iter().map(|((agent, method), count)| {
            (labels(&[("agent_id", agent.as_str()), ("method", method)]), *count)
        });
        let streams = self
            .streams
            .iter()
            .map(|(agent, count)| (labels(&[("agent_id", agent.as_str())]), *count));
        let memory = resident_memory_bytes.map(|bytes| (String::new(), bytes));
        family(
            &mut text,
            ("kubemq_a2a_requests_total", "counter", "A2A requests by agent and method."),
            requests,
        );
        family(
            &mut text,
            ("kubemq_a2a_sse_streams_active", "gauge", "Event streams that are open, by agent."),
            streams,
        );
        family(
            &mut text,
            ("process_resident_memory_bytes", "gauge", "Resident memory size in bytes."),
            memory.into_iter(),
        );
        text
    }
}

/// The value of the label `method`.
pub fn method_label(method: &str) -> &'static str {
    METHODS.into_iter().find(|known| *known == method).unwrap_or("unknown")
}

/// The value of a label, escaped.
pub fn escape_label(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n")
}

fn labels(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| format!(r#"{name}="{}""#, escape_label(value)));
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
}

fn family(
    text: &mut String,
    (name, kind, help): (&str, &str, &str),
    samples: impl Iterator<Item = (String, u64)>,
) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (labels, value) in samples {
        let _ = writeln!(text, "{name}{labels} {value}");
    }
}
