//! From an agent's bytes to envelopes (details page, sections 4, 5 and 7).

use proptest::prelude::*;
use protocol::a2a::{AgentKind, AgentStream, Envelope, EnvelopeMode, GatewayError, Step};

const LIMIT: usize = 64;

fn stream() -> AgentStream {
    let mut stream = AgentStream::new(AgentKind::Unstated, None, EnvelopeMode::Flat, LIMIT);
    assert_eq!(stream.next_step(), Some(Step::Submit));
    stream
}

fn envelopes(stream: &mut AgentStream) -> Vec<String> {
    std::iter::from_fn(|| stream.next_step())
        .map(|step| match step {
            Step::Envelope(envelope) => {
                format!("{} {}", envelope.envelope_type(), envelope.payload())
            }
            other => panic!("{other:?}"),
        })
        .collect()
}

/// What becomes of a body that ends, which has to be the same wherever it is cut.
fn read(body: &[u8]) -> Vec<String> {
    let run = |pieces: &[&[u8]]| {
        let mut stream = stream();
        for piece in pieces {
            stream.submit_bytes(piece);
        }
        stream.submit_ended();
        assert!(stream.is_finished());
        envelopes(&mut stream)
    };
    let whole = run(&[body]);
    for at in 0..=body.len() {
        let (head, tail) = body.split_at(at);
        assert_eq!(run(&[head, tail]), whole, "cut at {at}");
    }
    assert_eq!(run(&body.chunks(1).collect::<Vec<_>>()), whole);
    whole
}

fn error(error: GatewayError) -> String {
    format!("error {}", Envelope::from(error).payload())
}

#[test]
fn events_are_read_as_the_standard_says() {
    let done = r#"data: {"type":"done","payload":"é"}"#;
    let status = "status_update 1";
    let table = [
        format!("event: task.status\ndata: 1\n\n{done}\n\n"),
        format!("event: task.status\r\ndata: 1\r\n\r\n{done}\r\n\r\n"),
        format!("event: task.status\rdata: 1\r\r{done}\r\r"),
        format!("\u{feff}event: task.status\ndata:1\n\n{done}\n\n"),
        format!(": c\n\nevent: task.status\n:c\nid: 7\nretry: 1\ndata: 1\n\n\n{done}\n\n"),
    ];
    for body in table {
        assert_eq!(read(body.as_bytes()), [status, "done \"é\""], "{body:?}");
    }
    let lines = "data: {\"type\":\ndata: \"done\",\ndata: \"payload\":[1,\ndata: 2]}\n\n";
    assert_eq!(read(lines.as_bytes()), ["done [1,2]"]);
}

#[test]
fn what_follows_a_terminal_is_dropped() {
    for envelope_type in ["done", "error"] {
        let body = format!("data: {{\"type\":\"{envelope_type}\"}}\n\ndata: 1\n\ndata: 2\n\n");
        assert_eq!(read(body.as_bytes()), [format!("{envelope_type} null")]);
    }
    let mut stream = stream();
    stream.submit_bytes(b"event: task.done\ndata: 1\n\n");
    assert!(stream.is_finished());
    assert!(!stream.submit_bytes(b"data: 2\n\n"));
    stream.fail(GatewayError::ShuttingDown);
    stream.submit_ended();
    stream.watch_ended();
    assert_eq!(envelopes(&mut stream), ["done 1"]);
}

#[test]
fn an_end_without_a_terminal_is_an_error() {
    let early = error(GatewayError::EndedEarly);
    let early = early.as_str();
    assert_eq!(read(b""), [early]);
    assert_eq!(read(b"data: 1\n\n"), [" 1", early]);
    // An event that its empty line does not end is none.
    assert_eq!(read(b"data: 1\n\ndata: {\"type\":\"done\"}\n"), [" 1", early]);
}

#[test]
fn only_events_are_heard() {
    let mut stream = stream();
    assert!(!stream.submit_bytes(b":c\n\n: keepalive\n\nretry: 1\n\nevent: x\n\n"));
    assert!(!stream.submit_bytes(b"data: 1\n"));
    assert!(stream.submit_bytes(b"\n:c\n\n"));
}

#[test]
fn an_event_may_have_as_much_data_as_the_limit() {
    let too_large = error(GatewayError::ResponseTooLarge);
    let early = error(GatewayError::EndedEarly);
    let (too_large, early) = (too_large.as_str(), early.as_str());
    let line = "x".repeat(LIMIT);
    let payload = format!(" \"{line}\"");
    assert_eq!(read(format!("data: {line}\n\n").as_bytes()), [payload.as_str(), early]);
    assert_eq!(read(format!("data:{line}\r\n\r\n").as_bytes()), [payload.as_str(), early]);
    assert_eq!(read(format!("data: {line}x\n\n").as_bytes()), [too_large]);
    // One that never ends.
    assert_eq!(read(format!("data: {line}x").as_bytes()), [too_large]);
    assert_eq!(read(format!("data: {line}").as_bytes()), [early]);
    // Over many lines, with a byte for each joining line feed.
    let lines = format!("{}data: {}\n\n", "data: 7\n".repeat(31), "77");
    assert_eq!(read(lines.as_bytes()).len(), 2);
    let lines = format!("{}data: {}\n\n", "data: 7\n".repeat(31), "777");
    assert_eq!(read(lines.as_bytes()), [too_large]);
    let empty = "data\n".repeat(LIMIT + 2);
    assert_eq!(read(empty.as_bytes()), [too_large]);
    // Each event has its own.
    let twice = format!("data: {line}\n\n").repeat(2);
    assert_eq!(read(twice.as_bytes()).len(), 3);
    // Events before it are relayed.
    let second = format!("data: 1\n\ndata: {line}x");
    assert_eq!(read(second.as_bytes()), [" 1", too_large]);
}

#[test]
fn the_stream_can_be_failed_from_outside() {
    for reason in [GatewayError::IdleTimeout, GatewayError::ShuttingDown] {
        let mut stream = stream();
        stream.submit_bytes(b"data: 1\n\n");
        stream.fail(reason);
        assert!(stream.is_finished());
        assert_eq!(envelopes(&mut stream), [" 1".to_owned(), error(reason)]);
    }
}

#[test]
fn an_agent_whose_events_have_a_capsules_names_only_is_none() {
    let events = [
        ("status", r#"{"progress":1}"#),
        ("status", r#"{"id":"t","status":"working"}"#),
        ("status", r#"{"id":"t","status":{"state":"working"},"type":"x"}"#),
        ("text", r#"{"text":"x"}"#),
        ("artifact", r#"{"id":"t"}"#),
        ("error", "boom"),
        ("error", r#"{"error":{"code":1}}"#),
        ("error", r#"{"error":"x","type":"y"}"#),
        ("gap", "{}"),
        ("connection-ack", "1"),
        ("progress", r#"{"id":"t","text":"x"}"#),
    ];
    for (name, data) in events {
        let mut stream = stream();
        stream.submit_bytes(format!("event: {name}\ndata: {data}\n\n").as_bytes());
        assert!(!stream.is_capsule(), "{name} {data}");
        assert_eq!(envelopes(&mut stream).len(), 1, "{name} {data}");
        // It has been decided.
        stream.submit_bytes(b"event: text\ndata: {\"id\":\"t\",\"text\":\"x\"}\n\n");
        assert!(!stream.is_capsule());
        assert_eq!(envelopes(&mut stream), [r#" {"id":"t","text":"x"}"#]);
    }
}

proptest! {
    #[test]
    fn no_bytes_panic_and_every_stream_ends_once(
        kind in prop::sample::select(vec![AgentKind::Unstated, AgentKind::MurmurCapsule]),
        pieces in prop::collection::vec(
            (any::<bool>(), prop_oneof![
                prop::collection::vec(any::<u8>(), 0..40),
                prop::sample::select(vec![
                    &b"event: status\ndata: {\"id\":\"t\",\"status\":{\"state\":\"failed\",\"message\":\"input-timeout\"},\"final\":true}\n\n"[..],
                    b"event: connection-ack\ndata: {\"role\":\"observer\"}\n\n",
                    b"event: text\ndata: {\"id\":\"t\",\"text\":\"x\"}\n\n",
                    b"event: error\ndata: {\"error\":\"a\"b\"}\n\n",
                    b"data: {\"type\":\"done\"}\n\n",
                    b"event: ", b"data: ", b"\n\n", b"\r",
                ]).prop_map(<[u8]>::to_vec),
            ]),
            0..12,
        ),
    ) {
        let mut stream = AgentStream::new(kind, None, EnvelopeMode::Flat, 1000);
        let mut terminals = 0;
        let mut drain = |stream: &mut AgentStream| {
            while let Some(step) = stream.next_step() {
                assert_eq!(terminals, 0);
                terminals += usize::from(matches!(step, Step::Envelope(it) if it.is_terminal()));
            }
        };
        for (watch, piece) in pieces {
            drain(&mut stream);
            if watch { stream.watch_bytes(&piece) } else { stream.submit_bytes(&piece) };
        }
        stream.submit_ended();
        stream.watch_ended();
        drain(&mut stream);
        assert_eq!((terminals, stream.is_finished()), (1, true));
    }
}
