//! What a caller gets of an agent's events, and when (page, "Event types"; details page, sections
//! 4 and 5).

use crate::support::{
    Caller, EVENT_STREAM, STREAM, STREAM_HEAD, rpc, seconds, simulated, simulated_with,
};
use host_harness::gateway::Settings;
use protocol::a2a::EnvelopeMode;
use std::collections::HashSet;

#[tokio::test(start_paused = true)]
async fn the_head_goes_out_before_the_agents_first_event() {
    let (gateway, mut agent) = simulated().await;
    let mut caller = gateway.stream().await;
    let mut exchange = agent.request().await;
    caller.client.expect_silence(seconds(5)).await;
    exchange.send(EVENT_STREAM).await;
    caller
        .client
        .expect(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\
             connection: keep-alive\r\n\r\n",
        )
        .await;
    caller.client.expect_silence(seconds(5)).await;
    exchange.envelope("done", "1").await;
    caller.done("1").await;
}

#[tokio::test(start_paused = true)]
async fn each_frame_reaches_the_caller_before_the_agents_next_event_is_sent() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    for number in 1..=5 {
        let payload = format!(r#"{{"status":"working","progress":{number},"total":5}}"#);
        exchange.envelope("status_update", &payload).await;
        caller.status(&payload).await;
        caller.client.expect_silence(seconds(1)).await;
    }
    exchange.envelope("done", r#"{"final_result":"completed"}"#).await;
    caller.done(r#"{"final_result":"completed"}"#).await;
}

#[tokio::test(start_paused = true)]
async fn events_in_the_same_packet_as_the_agents_head_follow_the_callers_head() {
    let (gateway, mut agent) = simulated().await;
    let mut caller = gateway.stream().await;
    let mut exchange = agent.request().await;
    let events = "data: {\"type\":\"status_update\",\"payload\":1}\n\n\
                  data: {\"type\":\"artifact\",\"payload\":2}\n\n";
    exchange.send(format!("{EVENT_STREAM}{events}")).await;
    caller.head().await;
    caller.status("1").await;
    caller.frame("task.artifact", "artifact", "2").await;
    exchange.envelope("done", "3").await;
    caller.done("3").await;
}

#[tokio::test(start_paused = true)]
async fn a_whole_stream_in_one_packet_is_relayed() {
    let (gateway, mut agent) = simulated().await;
    let mut caller = gateway.stream().await;
    let mut exchange = agent.request().await;
    let done = "data: {\"type\":\"done\",\"payload\":null}\n\n";
    exchange.send(format!("{EVENT_STREAM}data: \"x\"\n\n{done}")).await;
    drop(exchange);
    caller.head().await;
    caller.frame("message", "", "\"x\"").await;
    caller.done("null").await;
}

#[tokio::test(start_paused = true)]
async fn hundreds_of_events_in_one_packet_keep_their_order() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    let events: String = (0..500).map(|number| format!("data: {number}\n\n")).collect();
    exchange.send(format!("{events}data: {{\"type\":\"done\"}}\n\n")).await;
    for number in 0..500 {
        caller.frame("message", "", &number.to_string()).await;
    }
    caller.done("null").await;
}

#[tokio::test(start_paused = true)]
async fn each_envelope_type_has_its_event_name() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    for (envelope_type, event) in [
        ("status_update", "task.status"),
        ("artifact", "task.artifact"),
        ("anything", "message"),
        ("", "message"),
        ("Done", "message"),
        ("task.done", "message"),
        ("done", "task.done"),
    ] {
        exchange.envelope(envelope_type, "{}").await;
        caller.frame(event, envelope_type, "{}").await;
    }
    caller.end().await;

    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    exchange.envelope("error", r#"{"code":7,"message":"mine"}"#).await;
    caller.frame("task.error", "error", r#"{"code":7,"message":"mine"}"#).await;
    caller.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_frame_has_one_data_line_with_three_keys_in_order() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    exchange
        .send(
            "id: 7\ndata: { \"payload\" : { \"b\": 1.50,\ndata: \"a\" : \"x  \\u00e9 é\\n\" },\n\
             data: \"extra\": 1, \"type\":\"status_update\"}\n\n",
        )
        .await;
    caller.client.expect("event: task.status\ndata: {\"stream_id\":\"").await;
    caller.client.read_until("\"").await;
    caller
        .client
        .expect(
            ",\"type\":\"status_update\",\"payload\":{\"b\":1.50,\"a\":\"x  \\u00e9 é\\n\"}}\n\n",
        )
        .await;
}

#[tokio::test(start_paused = true)]
async fn the_payload_is_the_agents_own_or_null() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    for (data, payload) in [
        (r#"{"type":"status_update","payload":{"a":[1,{}]},"b":2}"#, r#"{"a":[1,{}]}"#),
        (r#"{"type":"status_update","payload":"text"}"#, r#""text""#),
        (r#"{"type":"status_update","payload":null}"#, "null"),
        (r#"{"type":"status_update","status":"working"}"#, "null"),
    ] {
        exchange.event(data).await;
        caller.status(payload).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_nested_envelope_has_the_agents_whole_object_as_its_payload() {
    let nested = Settings { envelope: EnvelopeMode::Nested, ..Settings::default() };
    let (gateway, mut agent) = simulated_with(nested).await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    let object = r#"{"type":"status_update","payload":{"a":1},"b":2}"#;
    exchange.event(object).await;
    caller.status(object).await;
    // Where there is no type, both are the same.
    exchange.event(r#"{"b":2}"#).await;
    caller.frame("message", "", r#"{"b":2}"#).await;
    exchange.event(r#"{"type":"done"}"#).await;
    caller.done(r#"{"type":"done"}"#).await;
}

#[tokio::test(start_paused = true)]
async fn data_without_a_type_has_that_of_its_event_name() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    for (name, data, event, envelope_type, payload) in [
        ("task.status", r#"{"a":1}"#, "task.status", "status_update", r#"{"a":1}"#),
        ("task.artifact", "[1]", "task.artifact", "artifact", "[1]"),
        ("task.status", r#"{"type":1}"#, "task.status", "status_update", r#"{"type":1}"#),
        ("task.status", "no JSON", "task.status", "status_update", r#""no JSON""#),
        ("message", r#"{"a":1}"#, "message", "", r#"{"a":1}"#),
        ("unknown", "17", "message", "", "17"),
        ("status_update", "17", "message", "", "17"),
        // Where both say something, the data wins.
        ("task.done", r#"{"type":"artifact","payload":1}"#, "task.artifact", "artifact", "1"),
        ("task.error", "{}", "task.error", "error", "{}"),
    ] {
        exchange.send(format!("event: {name}\ndata: {data}\n\n")).await;
        caller.frame(event, envelope_type, payload).await;
    }
    caller.end().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_not_json_is_relayed_as_a_string() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    for (data, payload) in [
        ("hello", r#""hello""#),
        (r#"{"type":"done""#, r#""{\"type\":\"done\"""#),
        ("data: {}", r#""data: {}""#),
        ("[DONE]", r#""[DONE]""#),
        ("\u{1}\u{2028}", "\"\\u0001\u{2028}\""),
    ] {
        exchange.event(data).await;
        caller.frame("message", "", payload).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_stream_id_is_a_uuid_that_no_other_stream_has() {
    let (gateway, mut agent) = simulated().await;
    let mut ids = HashSet::new();
    for _ in 0..20 {
        let (mut caller, mut exchange) = gateway.open(&mut agent).await;
        // `frame` expects the same id in every frame.
        exchange.envelope("status_update", "1").await;
        caller.status("1").await;
        exchange.envelope("done", "2").await;
        caller.done("2").await;
        ids.insert(caller.stream_id().to_owned());
    }
    assert_eq!(ids.len(), 20);
    for id in ids {
        let lengths: Vec<_> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        assert!(id.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit()), "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_agents_own_stream_id_is_not_the_streams() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    exchange.event(r#"{"stream_id":"theirs","type":"status_update","payload":1}"#).await;
    caller.status("1").await;
    assert_ne!(caller.stream_id(), "theirs");
}

#[tokio::test(start_paused = true)]
async fn no_write_holds_a_part_of_a_frame() {
    let (gateway, mut agent) = simulated().await;
    let (mut client, writes) = gateway.connect_and_keep_writes();
    client.send(rpc(STREAM)).await;
    let mut caller = Caller::new(client);
    let mut exchange = agent.accept().await;
    let long = format!("\"{}\"", "x".repeat(30_000));
    // Cut where no event ends, and two events in one piece.
    let events = format!("data: {long}\n\ndata: 1\n\ndata: 2\n\n");
    for piece in events.as_bytes().chunks(1000) {
        exchange.send(piece).await;
    }
    caller.head().await;
    for payload in [&long, "1", "2"] {
        caller.frame("message", "", payload).await;
    }
    caller.keepalive().await;
    exchange.envelope("done", "3").await;
    caller.done("3").await;
    let writes = writes.lock().unwrap();
    assert!(writes[0].starts_with(STREAM_HEAD.as_bytes()));
    for write in writes.iter().skip(1) {
        assert!(write.ends_with(b"\n\n"), "{:?}", String::from_utf8_lossy(write));
    }
}
