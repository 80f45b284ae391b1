//! The frames that a caller gets (page, "Event types"; details page, section 5).
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use protocol::a2a::{Envelope, EnvelopeMode, GatewayError, KEEPALIVE};
use protocol::sse::{Event, Item, Reader};
use serde_json::value::RawValue;

fn event(name: &str, data: &str) -> Event {
    let event_type = (!name.is_empty()).then(|| name.to_owned());
    Event { event_type, data: data.to_owned(), id: None }
}

fn frame(name: &str, data: &str, mode: EnvelopeMode) -> String {
    String::from_utf8(Envelope::of_event(&event(name, data), mode).to_frame("f3c1")).unwrap()
}

fn flat(name: &str, data: &str) -> String {
    frame(name, data, EnvelopeMode::Flat)
}

fn expected(name: &str, envelope_type: &str, payload: &str) -> String {
    format!(
        "event: {name}\ndata: {{\"stream_id\":\"f3c1\",\"type\":{envelope_type},\"payload\":{payload}}}\n\n"
    )
}

#[test]
fn each_type_has_the_event_name_of_the_page() {
    let table = [
        ("status_update", "task.status", false),
        ("artifact", "task.artifact", false),
        ("done", "task.done", true),
        ("error", "task.error", true),
        ("text", "message", false),
        ("", "message", false),
        ("task.done", "message", false),
        ("Done", "message", false),
    ];
    for (envelope_type, name, terminal) in table {
        let data = format!(r#"{{"type":"{envelope_type}","payload":{{"a":1}}}}"#);
        let quoted = format!("\"{envelope_type}\"");
        assert_eq!(flat("", &data), expected(name, &quoted, r#"{"a":1}"#));
        let envelope = Envelope::of_event(&event("", &data), EnvelopeMode::Flat);
        assert_eq!(envelope.is_terminal(), terminal, "{envelope_type}");
        assert_eq!(envelope.envelope_type(), envelope_type);
    }
}

#[test]
fn an_object_with_a_type_wins_over_the_event_name() {
    let data = r#"{"type":"done","payload":1.50,"stream_id":"theirs"}"#;
    assert_eq!(flat("task.status", data), expected("task.done", "\"done\"", "1.50"));
    assert_eq!(flat("x", r#"{"type":"done"}"#), expected("task.done", "\"done\"", "null"));
}

#[test]
fn an_object_without_a_type_is_the_payload_and_the_event_name_the_type() {
    let table = [
        ("task.status", "task.status", "\"status_update\""),
        ("task.artifact", "task.artifact", "\"artifact\""),
        ("task.done", "task.done", "\"done\""),
        ("task.error", "task.error", "\"error\""),
        ("message", "message", "\"\""),
        ("", "message", "\"\""),
        ("done", "message", "\"\""),
    ];
    let payloads = [
        r#"{"payload":1}"#,
        r#"{"type":1}"#,
        r#"{"type":null,"payload":{}}"#,
        "{}",
        "[1]",
        "1e2",
        "null",
        "\"x\"",
        r#"{"type":["done"]}"#,
    ];
    for (name, frame_name, envelope_type) in table {
        for payload in payloads {
            assert_eq!(flat(name, payload), expected(frame_name, envelope_type, payload));
        }
    }
}

#[test]
fn text_that_is_no_json_becomes_a_string() {
    for (data, payload) in [
        ("hello", r#""hello""#),
        ("", r#""""#),
        ("a\nb", r#""a\nb""#),
        ("{\"a\":", r#""{\"a\":""#),
        ("1 2", r#""1 2""#),
        ("[DONE]", r#""[DONE]""#),
    ] {
        assert_eq!(flat("", data), expected("message", "\"\"", payload));
        assert_eq!(flat("task.done", data), expected("task.done", "\"done\"", payload));
    }
}

#[test]
fn nested_keeps_the_whole_object() {
    let data = r#"{"type":"done","payload":1,"stream_id":"theirs"}"#;
    assert_eq!(frame("", data, EnvelopeMode::Nested), expected("task.done", "\"done\"", data));
    assert_eq!(frame("", "{}", EnvelopeMode::Nested), expected("message", "\"\"", "{}"));
    assert_eq!(EnvelopeMode::from_name("nested"), Some(EnvelopeMode::Nested));
    assert_eq!(EnvelopeMode::from_name("flat"), Some(EnvelopeMode::default()));
    assert_eq!(EnvelopeMode::from_name("x"), None);
}

#[test]
fn a_payload_over_several_lines_is_put_on_one() {
    let data = "{ \"type\" : \"artifact\",\n\"payload\":\t{\n \"a b\" : [ 1.50 ,\r 12345678901234567890123 ],\n \"q\\\" \\\\\" : \" x\\n \" } }";
    let payload = r#"{"a b":[1.50,12345678901234567890123],"q\" \\":" x\n "}"#;
    assert_eq!(flat("", data), expected("task.artifact", "\"artifact\"", payload));
}

#[test]
fn types_and_stream_ids_are_escaped() {
    let envelope = Envelope::of_event(&event("", "{\"type\":\"a\\n\\\"\"}"), EnvelopeMode::Flat);
    let frame = String::from_utf8(envelope.to_frame("s\"\n")).unwrap();
    assert_eq!(
        frame,
        "event: message\ndata: {\"stream_id\":\"s\\\"\\n\",\"type\":\"a\\n\\\"\",\"payload\":null}\n\n"
    );
}

#[test]
fn the_gateways_own_errors_are_terminal() {
    let table = [
        (GatewayError::IdleTimeout, -32001, "stream idle timeout"),
        (
            GatewayError::EndedEarly,
            -32603,
            "internal error: agent stream ended before a terminal event",
        ),
        (GatewayError::ResponseTooLarge, -32603, "internal error: response too large"),
        (GatewayError::ShuttingDown, -32603, "internal error: gateway shutting down"),
    ];
    for (error, code, message) in table {
        let envelope = Envelope::from(error);
        assert!(envelope.is_terminal());
        let payload = format!(r#"{{"code":{code},"message":"{message}"}}"#);
        let frame = String::from_utf8(envelope.to_frame("f3c1")).unwrap();
        assert_eq!(frame, expected("task.error", "\"error\"", &payload));
    }
    assert_eq!(KEEPALIVE, b": keepalive\n\n");
}

/// JSON, with white space between its tokens.
fn json() -> impl Strategy<Value = String> {
    let space = prop::sample::select(vec!["", " ", "\n", "\r\n", "\t "]);
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("-1.50e+07".to_owned()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    let leaf = (space.clone(), leaf).prop_map(|(space, leaf)| format!("{space}{leaf}{space}"));
    leaf.prop_recursive(3, 20, 4, move |inner| {
        let key = prop_oneof![Just("type".to_owned()), Just("payload".to_owned()), any::<String>()];
        let members = prop::collection::vec((key, inner.clone()), 0..4);
        let object = members.prop_map(|members| {
            let members = members
                .iter()
                .map(|(key, value)| format!("{}:{value}", serde_json::to_string(key).unwrap()));
            format!("\n{{{}}}", members.collect::<Vec<_>>().join(","))
        });
        let array = prop::collection::vec(inner, 0..4)
            .prop_map(|values| format!("[{} ]", values.join(",")).replace("[ ]", "[]"));
        prop_oneof![object, array]
    })
}

fn check(data: &str, name: &str, mode: EnvelopeMode) {
    let envelope = Envelope::of_event(&event(name, data), mode);
    let bytes = envelope.to_frame("f3c1");
    let text = std::str::from_utf8(&bytes).unwrap();
    assert_eq!(text.matches('\n').count(), 3, "{text:?}");
    assert!(text.ends_with("\n\n") && !text.contains('\r'), "{text:?}");
    let (mut reader, mut input) = (Reader::new(), bytes.as_slice());
    let Ok(Some(Item::Event(read))) = reader.read(&mut input) else { panic!("{text:?}") };
    assert_eq!(read.event_type.as_deref(), Some(envelope.event_name()));
    let mut keys: std::collections::BTreeMap<String, &RawValue> =
        serde_json::from_str(&read.data).unwrap();
    assert_eq!(keys.remove("stream_id").unwrap().get(), "\"f3c1\"");
    let envelope_type: String = serde_json::from_str(keys.remove("type").unwrap().get()).unwrap();
    let parsed = Envelope::new(envelope_type, keys.remove("payload").unwrap());
    assert_eq!(parsed, envelope);
    assert!(keys.is_empty());
}

proptest! {
    #[test]
    fn every_frame_is_three_lines_and_parses_back(
        data in prop_oneof![json(), any::<String>()],
        name in prop_oneof![Just("task.done".to_owned()), any::<String>()],
        nested in any::<bool>(),
    ) {
        check(&data, &name, if nested { EnvelopeMode::Nested } else { EnvelopeMode::Flat });
    }

    #[test]
    fn one_line_is_the_same_value(data in json()) {
        let raw: &RawValue = serde_json::from_str(&data).unwrap();
        let payload = Envelope::new("x", raw);
        let before: serde_json::Value = serde_json::from_str(&data).unwrap();
        let after: serde_json::Value = serde_json::from_str(payload.payload()).unwrap();
        prop_assert_eq!(before, after);
    }
}
