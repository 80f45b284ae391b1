//! What a request is refused for before its agent is asked, on both routes (page, "Overview";
//! details page, section 2).

use crate::support::{
    ID, STREAM, TestGateway, get, http_error, json_answer, rpc, rpc_error, rpc_to, rpc_with,
    simulated, stream_of,
};

/// Expects this JSON-RPC error, HTTP 200.
async fn expect(gateway: &TestGateway, request: &str, id: &str, code: i32, message: &str) {
    let expected = json_answer(&rpc_error(id, code, message));
    gateway.send(request).await.expect_all(expected).await;
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_not_said_to_be_json_is_a_parse_error() {
    let (gateway, _agent) = simulated().await;
    let mut told = None;
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "", "application/xml"] {
        let request = rpc(STREAM).replace("application/json", content_type);
        let answer = gateway.ask(&request).await;
        let start = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: "#;
        assert_eq!(answer.status, 200);
        assert!(answer.body.starts_with(start), "{answer:?}");
        assert_eq!(told.get_or_insert_with(|| answer.body.clone()), &answer.body);
    }
    let none = rpc(STREAM).replace("Content-Type: application/json\r\n", "");
    assert_eq!(Some(gateway.ask(&none).await.body), told);
}

#[tokio::test(start_paused = true)]
async fn json_content_types_may_have_parameters() {
    let (gateway, mut agent) = simulated().await;
    for content_type in
        ["application/json; charset=utf-8", "Application/JSON", "application/a+json"]
    {
        let request = rpc(STREAM).replace("application/json", content_type);
        let mut caller = gateway.send(&request).await;
        let _exchange = agent.accept().await;
        caller.expect(crate::support::STREAM_HEAD).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_not_json_is_a_parse_error() {
    let (gateway, _agent) = simulated().await;
    for body in ["", "{", "nonsense", r#"{"jsonrpc":"2.0"}x"#, "{'a':1}", "\u{feff}{}"] {
        expect(&gateway, &rpc(body), "null", -32700, "parse error: invalid JSON").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_not_one_object_is_an_invalid_request() {
    let (gateway, _agent) = simulated().await;
    let batch = format!("[{STREAM},{STREAM}]");
    for body in ["[]", &batch, "null", "1", r#""text""#] {
        let message = "invalid request: body must be an object";
        expect(&gateway, &rpc(body), "null", -32600, message).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_jsonrpc_that_is_not_2_0_is_an_invalid_request() {
    let (gateway, _agent) = simulated().await;
    let method = r#""method":"message/stream""#;
    for body in [
        format!(r#"{{"id":7,{method}}}"#),
        format!(r#"{{"id":7,"jsonrpc":"1.0",{method}}}"#),
        format!(r#"{{"id":7,"jsonrpc":2.0,{method}}}"#),
        format!(r#"{{"id":7,"jsonrpc":null,{method}}}"#),
    ] {
        let message = "invalid request: invalid jsonrpc version";
        expect(&gateway, &rpc(&body), "7", -32600, message).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_method_that_is_not_a_non_empty_string_is_an_invalid_request() {
    let (gateway, _agent) = simulated().await;
    for method in ["", r#","method":"""#, r#","method":1"#, r#","method":null"#] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":7{method}}}"#);
        let message = "invalid request: missing method field";
        expect(&gateway, &rpc(&body), "7", -32600, message).await;
    }
}

/// Lower case, digits and hyphens, 2 to 128 of them.
fn invalid_ids() -> Vec<String> {
    let invalid = ["a", "Agent-1", "agent_1", "agent.1", "agent%201", "%C3%A9%C3%A9", "agent:1"];
    invalid.map(str::to_owned).into_iter().chain(["a".repeat(129)]).collect()
}

#[tokio::test(start_paused = true)]
async fn an_agent_id_that_cannot_be_one_is_an_invalid_request() {
    let (gateway, _agent) = simulated().await;
    let message = "invalid request: invalid agent_id";
    for id in invalid_ids() {
        expect(&gateway, &rpc_to(&id, STREAM), "1", -32600, message).await;
        let request = get(&format!("/a2a/{id}/stream"));
        gateway.send(&request).await.expect_all(http_error("400 Bad Request", message)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_not_registered_is_not_found() {
    let (gateway, _agent) = simulated().await;
    let longest = "z".repeat(128);
    for id in ["no-such-agent", "--", "00", &longest] {
        let message = format!("agent not found: {id}");
        expect(&gateway, &rpc_to(id, STREAM), "1", -32002, &message).await;
        let request = get(&format!("/a2a/{id}/stream"));
        gateway.send(&request).await.expect_all(http_error("404 Not Found", &message)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn params_that_are_not_an_object_are_invalid() {
    let (gateway, mut agent) = simulated().await;
    for params in ["[]", "null", "1", r#""x""#] {
        let request = rpc(&stream_of(params));
        expect(&gateway, &request, "1", -32602, "invalid params").await;
    }
    agent.expect_no_request();
}

#[tokio::test(start_paused = true)]
async fn a_query_that_cannot_be_read_is_invalid_params() {
    let (gateway, mut agent) = simulated().await;
    for query in
        ["timeout=x", "timeout=0", "timeout=-1", "timeout=1&timeout=2", "text=%", "text=%ff"]
    {
        let answer = gateway.ask(get(&format!("/a2a/{ID}/stream?{query}"))).await;
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.error_message().starts_with("invalid params"), "{answer:?}");
    }
    agent.expect_no_request();
}

/// Each request is wrong in everything from one check on: the first check decides.
#[tokio::test(start_paused = true)]
async fn the_checks_are_made_in_order() {
    let (gateway, _agent) = simulated().await;
    let wrong_type = rpc_to("A", "nonsense").replace("application/json", "text/plain");
    let answer = gateway.ask(&wrong_type).await;
    assert!(answer.body.contains("-32700") && !answer.body.contains("invalid JSON"), "{answer:?}");
    for (id, body, request_id, code, message) in [
        ("A", "nonsense", "null", -32700, "parse error: invalid JSON"),
        ("A", "[]", "null", -32600, "invalid request: body must be an object"),
        ("A", r#"{"params":1,"id":3}"#, "3", -32600, "invalid request: invalid jsonrpc version"),
        (
            "A",
            r#"{"jsonrpc":"2.0","params":1,"id":3}"#,
            "3",
            -32600,
            "invalid request: missing method field",
        ),
        ("A", &stream_of("1"), "1", -32600, "invalid request: invalid agent_id"),
        ("no-such-agent", &stream_of("1"), "1", -32002, "agent not found: no-such-agent"),
        (ID, &stream_of("1"), "1", -32602, "invalid params"),
    ] {
        expect(&gateway, &rpc_to(id, body), request_id, code, message).await;
    }
    let answer = gateway.ask(get("/a2a/A/stream?timeout=x")).await;
    assert_eq!(answer.error_message(), "invalid request: invalid agent_id");
    let answer = gateway.ask(get("/a2a/no-such-agent/stream?timeout=x")).await;
    assert_eq!(answer.error_message(), "agent not found: no-such-agent");
}

#[tokio::test(start_paused = true)]
async fn the_method_decides_and_not_what_the_caller_accepts() {
    let (gateway, mut agent) = simulated().await;
    for accept in ["", "Accept: text/event-stream\r\n", "Accept: application/json\r\n"] {
        let mut caller = gateway.send(rpc_with(accept, STREAM)).await;
        let _exchange = agent.accept().await;
        caller.expect(crate::support::STREAM_HEAD).await;
        // Asked for as a stream or not, an error is JSON.
        let request = rpc_with(accept, "nonsense");
        expect(&gateway, &request, "null", -32700, "parse error: invalid JSON").await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_id_is_echoed_verbatim() {
    let (gateway, _agent) = simulated().await;
    for id in [
        "0",
        "-1",
        "1e2",
        "1.0",
        "123456789012345678901234567890",
        "null",
        r#""""#,
        r#""a \u00e9 é \" \\ \n""#,
    ] {
        let body = format!(r#"{{"method":"message/stream","id" : {id} ,"jsonrpc":"2.0"}}"#);
        let request = rpc_to("no-such-agent", &body);
        expect(&gateway, &request, id, -32002, "agent not found: no-such-agent").await;
    }
    let request = rpc_to("no-such-agent", r#"{"jsonrpc":"2.0","method":"message/stream"}"#);
    expect(&gateway, &request, "null", -32002, "agent not found: no-such-agent").await;
}

/// Not on the page: the agent might read another request than the gateway does.
#[tokio::test(start_paused = true)]
async fn a_request_that_can_be_read_in_two_ways_is_invalid() {
    let (gateway, mut agent) = simulated().await;
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"message/stream","method":"message/send"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"message/stream","m\u0065thod":"message/send"}"#,
    ] {
        expect(&gateway, &rpc(body), "1", -32600, "invalid request: duplicate key").await;
    }
    for id in ["{}", "[1]", "true"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"message/stream"}}"#);
        expect(&gateway, &rpc(&body), "null", -32600, "invalid request: invalid id").await;
    }
    agent.expect_no_request();
}
