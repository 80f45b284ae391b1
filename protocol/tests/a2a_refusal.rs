//! Both shapes of every error before the stream (page, "Overview"; details page, section 2).
#![allow(clippy::unwrap_used)]

use protocol::a2a::{AgentHead, AgentId, Call, Refusal, RequestId, Route, refusal, route};

fn both(refusal: &Refusal) -> (String, u16, String) {
    let (status, body) = refusal.http();
    let json_rpc = refusal.json_rpc(&RequestId::null());
    (String::from_utf8(json_rpc).unwrap(), status, String::from_utf8(body).unwrap())
}

#[test]
fn each_row_of_the_table_has_both_shapes() {
    let table = [
        (Refusal::NotJson, -32700, "parse error: invalid JSON", 400),
        (Refusal::NotAnObject, -32600, "invalid request: body must be an object", 400),
        (Refusal::InvalidVersion, -32600, "invalid request: invalid jsonrpc version", 400),
        (Refusal::MissingMethod, -32600, "invalid request: missing method field", 400),
        (Refusal::InvalidAgentId, -32600, "invalid request: invalid agent_id", 400),
        (Refusal::AgentNotFound("a1".into()), -32002, "agent not found: a1", 404),
        (Refusal::InvalidParams(None), -32602, "invalid params", 400),
        (Refusal::ConcurrencyLimit, -32603, "internal error: concurrency limit exceeded", 429),
        (
            Refusal::AgentUnreachable("refused".into()),
            -32603,
            "internal error: agent unreachable: refused",
            502,
        ),
        (Refusal::AgentTimeout("a1".into()), -32001, "agent timeout: a1", 504),
        (Refusal::AgentStatus(500), -32603, "internal error: agent returned HTTP 500", 502),
        (Refusal::AgentStatus(302), -32603, "internal error: agent returned HTTP 302", 502),
        (Refusal::AgentStatus(502), -32603, "agent unavailable: HTTP 502", 502),
        (Refusal::AgentStatus(503), -32603, "agent unavailable: HTTP 503", 502),
        (
            Refusal::NotAnEventStream,
            -32603,
            "internal error: agent did not return an event stream",
            502,
        ),
    ];
    for (refusal, code, message, status) in table {
        let json_rpc = format!(
            r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":{code},"message":"{message}"}}}}"#
        );
        let http = format!(r#"{{"is_error":true,"message":"{message}"}}"#);
        assert_eq!(both(&refusal), (json_rpc, status, http));
    }
}

#[test]
fn messages_are_escaped() {
    let (json_rpc, _, http) = both(&Refusal::AgentUnreachable("\"\n".into()));
    assert!(json_rpc.ends_with(r#"unreachable: \"\n"}}"#), "{json_rpc}");
    assert!(http.ends_with(r#"unreachable: \"\n"}"#), "{http}");
    assert_eq!(refusal::http_body("x"), br#"{"is_error":true,"message":"x"}"#);
}

#[test]
fn a_query_is_refused_with_its_reason() {
    let Route::Stream { query: Err(error), .. } = route("GET", "/a2a/a1/stream?timeout=x") else {
        panic!();
    };
    let (_, status, http) = both(&Refusal::InvalidParams(Some(error)));
    let message = "invalid params: invalid query: timeout must be a number of seconds above 0";
    assert_eq!((status, http), (400, format!(r#"{{"is_error":true,"message":"{message}"}}"#)));
}

#[test]
fn the_agents_own_error_gets_the_callers_id() {
    let answer = br#"{"jsonrpc":"2.0","id":"theirs","error": {"code": -32601,
        "message":"Method not found","data":{"x": 1.50}}}"#;
    let refusal = Refusal::of_json_answer(answer);
    let body = br#"{"jsonrpc":"2.0","id":1e2,"method":"message/stream"}"#;
    let call = Call::parse(&["application/json"], body).unwrap();
    assert_eq!(
        String::from_utf8(call.refused(refusal.clone()).json_rpc()).unwrap(),
        r#"{"jsonrpc":"2.0","id":1e2,"error":{"code":-32601,"message":"Method not found","data":{"x":1.50}}}"#
    );
    let http = br#"{"is_error":true,"message":"Method not found"}"#.to_vec();
    assert_eq!(refusal.http(), (502, http));
}

#[test]
fn any_other_answer_is_no_event_stream() {
    let answers: [&[u8]; 9] = [
        b"",
        b"\xff",
        b"[]",
        br#"{"result":{}}"#,
        br#"{"error":null}"#,
        br#"{"error":"x"}"#,
        br#"{"error":{"code":1}}"#,
        br#"{"error":{"code":"1","message":"x"}}"#,
        br#"{"error":{"code":1,"message":2}}"#,
    ];
    for answer in answers {
        assert_eq!(Refusal::of_json_answer(answer), Refusal::NotAnEventStream);
    }
}

#[test]
fn the_agents_head_says_what_it_did() {
    let agent = AgentId::parse("a1").unwrap();
    let status = |status| AgentHead::Refused(Refusal::AgentStatus(status));
    let table: [(u16, &[&str], AgentHead); 10] = [
        (200, &["text/event-stream"], AgentHead::EventStream),
        (200, &["Text/Event-Stream ; charset=utf-8"], AgentHead::EventStream),
        (200, &["application/json"], AgentHead::Other),
        (200, &["text/event-streams"], AgentHead::Other),
        (200, &["text/event-stream", "text/plain"], AgentHead::Other),
        (200, &[], AgentHead::Other),
        (204, &["text/event-stream"], status(204)),
        (302, &[], status(302)),
        (503, &[], status(503)),
        (504, &[], AgentHead::Refused(Refusal::AgentTimeout("a1".into()))),
    ];
    for (status, content_types, expected) in table {
        assert_eq!(AgentHead::judge(&agent, status, content_types), expected, "{status}");
    }
}
