//! Timers, slots, headers, counters and settings (details page, sections 6, 8 and 9).
#![allow(clippy::unwrap_used)]

use protocol::Instant;
use protocol::a2a::headers::{Wanted, to_agent};
use protocol::a2a::metrics::{escape_label, method_label};
use protocol::a2a::{AgentId, EnvelopeMode, Metrics, Settings, Slots, StreamClock};
use std::time::Duration;

fn at(seconds: u64) -> Instant {
    Instant(seconds * 1_000_000_000)
}

fn agent(id: &str) -> AgentId {
    AgentId::parse(id).unwrap()
}

#[test]
fn a_keepalive_is_due_thirty_seconds_after_the_last_byte() {
    let mut clock = StreamClock::new(at(100), Duration::from_secs(300));
    assert!(!clock.keepalive_due(Instant(at(130).0 - 1)));
    assert!(clock.keepalive_due(at(130)));
    assert_eq!(clock.next_deadline(), at(130));
    clock.wrote(at(131));
    assert!(!clock.keepalive_due(at(160)));
    assert_eq!(clock.next_deadline(), at(161));
}

#[test]
fn only_an_event_resets_the_idle_timer() {
    let mut clock = StreamClock::new(at(0), Duration::from_secs(300));
    for seconds in (30..300).step_by(30) {
        clock.wrote(at(seconds));
    }
    assert!(!clock.is_idle(at(299)));
    assert_eq!(clock.next_deadline(), at(300));
    assert!(clock.is_idle(at(300)));
    clock.heard(at(299));
    assert!(!clock.is_idle(at(598)));
    assert!(clock.is_idle(at(599)));
    // An event that is not written leaves the keepalive alone.
    assert_eq!(clock.next_deadline(), at(300));
}

#[test]
fn the_idle_timeout_is_at_least_a_second() {
    let clock = StreamClock::new(at(0), Duration::ZERO);
    assert_eq!(clock.next_deadline(), at(1));
    let never = StreamClock::new(Instant(u64::MAX), Duration::MAX);
    assert_eq!(never.next_deadline(), Instant(u64::MAX));
}

#[test]
fn slots_are_refused_and_not_queued() {
    let mut slots = Slots::new(2);
    let (a, b) = (agent("a1"), agent("b1"));
    assert!(slots.take(&a) && slots.take(&a) && !slots.take(&a));
    assert!(slots.take(&b));
    assert_eq!((slots.taken(&a), slots.taken(&b)), (2, 1));
    slots.give_back(&a);
    assert!(slots.take(&a) && !slots.take(&a));
    slots.give_back(&b);
    slots.give_back(&b);
    assert_eq!(slots.taken(&b), 0);
}

#[test]
fn the_agent_gets_the_callers_x_headers_and_ours() {
    let headers = [
        ("X-Trace", "1"),
        ("x-trace", "2"),
        ("X-Forwarded-For", "10.0.0.1"),
        ("X-Forwarded-Host", "h"),
        ("Authorization", "secret"),
        ("Proxy-Authorization", "secret"),
        ("Cookie", "secret"),
        ("X-KubeMQ-Caller-ID", "forged"),
        ("Content-Type", "text/plain"),
        ("Accept", "*/*"),
        ("User-Agent", "curl"),
        ("Xx", "1"),
    ];
    let show = |wanted| {
        to_agent(headers, "caller", wanted)
            .into_iter()
            .map(|(name, value)| format!("{name}: {}", String::from_utf8(value).unwrap()))
            .collect::<Vec<_>>()
    };
    let json = [
        "x-trace: 1",
        "x-trace: 2",
        "x-forwarded-host: h",
        "x-kubemq-caller-id: caller",
        "content-type: application/json",
    ];
    assert_eq!(show(Wanted::Json), json);
    assert_eq!(show(Wanted::Stream), [&json[..], &["accept: text/event-stream"]].concat());
}

#[test]
fn metrics_are_prometheus_text() {
    let mut metrics = Metrics::default();
    let (a, b) = (agent("a1"), agent("b1"));
    metrics.request(&b, "message/stream");
    metrics.request(&a, "message/stream");
    metrics.request(&a, "message/stream");
    metrics.request(&a, "nonsense");
    metrics.stream_began(&a);
    metrics.stream_began(&a);
    metrics.stream_ended(&a);
    metrics.stream_ended(&b);
    metrics.stream_began(&b);
    metrics.stream_ended(&b);
    let expected = "\
# HELP kubemq_a2a_requests_total A2A requests by agent and method.
# TYPE kubemq_a2a_requests_total counter
kubemq_a2a_requests_total{agent_id=\"a1\",method=\"message/stream\"} 2
kubemq_a2a_requests_total{agent_id=\"a1\",method=\"unknown\"} 1
kubemq_a2a_requests_total{agent_id=\"b1\",method=\"message/stream\"} 1
# HELP kubemq_a2a_sse_streams_active Event streams that are open, by agent.
# TYPE kubemq_a2a_sse_streams_active gauge
kubemq_a2a_sse_streams_active{agent_id=\"a1\"} 1
kubemq_a2a_sse_streams_active{agent_id=\"b1\"} 0
# HELP process_resident_memory_bytes Resident memory size in bytes.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 4096
";
    assert_eq!(metrics.render(Some(4096)), expected);
    assert!(!metrics.render(None).contains("memory_bytes 4"));
    assert!(metrics.render(None).ends_with('\n'));
}

#[test]
fn labels_are_known_or_escaped() {
    for method in ["message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/send"] {
        assert_eq!(method_label(method), method);
    }
    for method in ["", "Message/Send", "message/send ", "x\"}"] {
        assert_eq!(method_label(method), "unknown");
    }
    assert_eq!(escape_label("a\\b\"c\nd"), r#"a\\b\"c\nd"#);
}

#[test]
fn the_defaults_are_the_pages() {
    let settings = Settings::default();
    assert_eq!(settings.max_sse_idle, Duration::from_secs(300));
    assert_eq!(settings.agent_max_response_bytes, 10_485_760);
    assert_eq!(settings.agent_max_concurrency, 100);
    assert_eq!(settings.agent_ttl, Duration::from_secs(300));
    assert_eq!(settings.envelope, EnvelopeMode::Flat);
    assert_eq!(settings.sync_timeout, Duration::from_secs(60));
    assert_eq!(settings.max_body_bytes, 4 * 1024 * 1024);
}
