//! `GET /a2a/{agent_id}/stream`: what the agent is asked for (details page, section 1).

use crate::support::{Agent, Caller, ID, TestGateway, get, simulated};

/// Asks with this query, and expects that the agent gets a request of these params whose id is the
/// stream's.
async fn expect_params(gateway: &TestGateway, agent: &mut Agent, query: &str, params: &str) {
    let mut caller = Caller::new(gateway.send(get(&format!("/a2a/{ID}/stream{query}"))).await);
    let mut exchange = agent.accept().await;
    assert_eq!(exchange.line, "POST /a2a?v=1 HTTP/1.1");
    caller.head().await;
    exchange.envelope("done", "1").await;
    caller.done("1").await;
    let id = caller.stream_id();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":"{id}","method":"message/stream","params":{{{params}}}}}"#
    );
    assert_eq!(exchange.body, body, "{query}");
}

#[tokio::test(start_paused = true)]
async fn without_a_query_the_params_are_empty() {
    let (gateway, mut agent) = simulated().await;
    for query in ["", "?", "?unknown=1&text", "?texts=a"] {
        let params =
            if query.contains("&text") { r#""message":{"parts":[{"text":""}]}"# } else { "" };
        expect_params(&gateway, &mut agent, query, params).await;
    }
}

#[tokio::test(start_paused = true)]
async fn each_text_is_a_part_of_the_message() {
    let (gateway, mut agent) = simulated().await;
    for (query, parts) in [
        ("?text=hello", r#"{"text":"hello"}"#),
        ("?text=a&text=b&text=", r#"{"text":"a"},{"text":"b"},{"text":""}"#),
        ("?text=one+two%20three%2B&x=y", r#"{"text":"one two three+"}"#),
        ("?text=%22%5C%0A%C3%A9%F0%9F%98%80", r#"{"text":"\"\\\né😀"}"#),
    ] {
        let params = format!(r#""message":{{"parts":[{parts}]}}"#);
        expect_params(&gateway, &mut agent, query, &params).await;
    }
}

#[tokio::test(start_paused = true)]
async fn context_and_timeout_have_their_places() {
    let (gateway, mut agent) = simulated().await;
    for (query, params) in [
        ("?contextId=ctx_1", r#""message":{"contextId":"ctx_1"}"#),
        ("?contextId=%22", r#""message":{"contextId":"\""}"#),
        ("?timeout=30", r#""configuration":{"timeout":30}"#),
        ("?timeout=1.50", r#""configuration":{"timeout":1.50}"#),
        (
            "?timeout=60&contextId=ctx_1&text=hello",
            r#""message":{"parts":[{"text":"hello"}],"contextId":"ctx_1"},"configuration":{"timeout":60}"#,
        ),
    ] {
        expect_params(&gateway, &mut agent, query, params).await;
    }
}

/// The wire protocol is that of the POST.
#[tokio::test(start_paused = true)]
async fn the_stream_is_the_same_as_that_of_a_post() {
    let (gateway, mut agent) = simulated().await;
    let mut ids = Vec::new();
    for without_a_body in [true, false] {
        let mut caller =
            if without_a_body { gateway.get_stream().await } else { gateway.stream().await };
        let mut exchange = agent.accept().await;
        caller.head().await;
        exchange.envelope("status_update", r#"{"status":"working"}"#).await;
        caller.status(r#"{"status":"working"}"#).await;
        caller.keepalive().await;
        exchange.envelope("artifact", "[1]").await;
        caller.frame("task.artifact", "artifact", "[1]").await;
        exchange.envelope("error", r#"{"code":1,"message":"m"}"#).await;
        caller.error(1, "m").await;
        ids.push(caller.stream_id().to_owned());
    }
    assert_ne!(ids[0], ids[1]);
}

/// A GET has no body; one that comes all the same is not looked at.
#[tokio::test(start_paused = true)]
async fn a_body_is_ignored() {
    let (gateway, mut agent) = simulated().await;
    let request = crate::support::send_json("GET", &format!("/a2a/{ID}/stream"), "", "nonsense");
    let mut caller = Caller::new(gateway.send(request).await);
    let exchange = agent.accept().await;
    caller.head().await;
    assert!(exchange.body.ends_with(r#""method":"message/stream","params":{}}"#));
}
