//! Which requests are served (details page, sections 1 and 2).

use crate::support::{
    ID, STREAM, delete, get, json_answer, rpc, rpc_error, rpc_to, send_json, simulated,
};

#[tokio::test(start_paused = true)]
async fn another_method_than_a_paths_own_is_a_405_that_says_which() {
    let (gateway, mut agent) = simulated().await;
    for (method, path, allow) in [
        ("GET", "/a2a/agent-1", "POST"),
        ("PUT", "/a2a/agent-1", "POST"),
        ("DELETE", "/a2a/agent-1", "POST"),
        ("GET", "/a2a/no-such-agent", "POST"),
        ("POST", "/a2a/agent-1/stream", "GET"),
        ("POST", "/a2a/agent-1/.well-known/agent-card.json", "GET"),
        ("POST", "/.well-known/agent-card.json", "GET"),
        ("POST", "/agents", "GET"),
        ("POST", "/agents/agent-1", "GET, DELETE"),
        ("POST", "/metrics", "GET"),
    ] {
        let answer = gateway.ask(send_json(method, path, "", STREAM)).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some(allow)), "{method} {path}");
        assert!(!answer.error_message().is_empty());
    }
    agent.expect_no_request();
}

#[tokio::test(start_paused = true)]
async fn what_leads_nowhere_is_a_404() {
    let (gateway, mut agent) = simulated().await;
    for path in [
        "/",
        "/a2a",
        "/a2a/",
        "/a2a/agent-1/",
        "/a2a/agent-1/stream/",
        "/a2a/agent-1/streams",
        "/a2a//stream",
        "/A2A/agent-1/stream",
        "/agents/",
        "/agents/agent-1/x",
        "/metrics/",
        "/.well-known/agent.json",
    ] {
        let answer = gateway.ask(get(path)).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(!answer.error_message().is_empty());
    }
    for path in ["/", "/a2a/agent-1/", "/message/stream"] {
        let answer = gateway.ask(send_json("POST", path, "", STREAM)).await;
        assert_eq!(answer.status, 404, "{path}");
    }
    assert_eq!(gateway.ask(delete("/agents/agent-1/x")).await.status, 404);
    agent.expect_no_request();
}

/// A call whose body has so many bytes.
fn call_of(length: usize) -> String {
    let start = r#"{"jsonrpc":"2.0","id":1,"method":"x/y","params":{"x":""#;
    let end = r#""}}"#;
    format!("{start}{}{end}", "x".repeat(length - start.len() - end.len()))
}

#[tokio::test(start_paused = true)]
async fn a_body_of_4_mib_is_read_and_one_byte_more_is_a_413() {
    let (gateway, mut agent) = simulated().await;
    let longest = call_of(4 * 1024 * 1024);
    let error = json_answer(&rpc_error("1", -32002, "agent not found: no-such-agent"));
    gateway.send(rpc_to("no-such-agent", &longest)).await.expect_all(error).await;

    let mut caller = gateway.send(rpc(&longest)).await;
    let mut exchange = agent.request().await;
    assert!(exchange.body == longest);
    exchange.answer_json("{}").await;
    caller.expect_all(json_answer("{}")).await;

    let over = call_of(4 * 1024 * 1024 + 1);
    let chunked = format!(
        "POST /a2a/{ID} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{over}\r\n0\r\n\r\n",
        over.len()
    );
    for request in [rpc(&over), chunked, send_json("POST", "/agents/register", "", &over)] {
        assert_eq!(gateway.ask(request).await.status, 413);
    }
    agent.expect_no_request();
}

#[tokio::test(start_paused = true)]
async fn http_1_0_and_a_request_without_a_host_are_served() {
    let (gateway, mut agent) = simulated().await;
    for request in [
        rpc(STREAM).replace("HTTP/1.1", "HTTP/1.0"),
        rpc(STREAM).replace("Host: localhost:9090\r\n", ""),
    ] {
        let mut caller = gateway.send(request).await;
        let mut exchange = agent.accept().await;
        caller.expect(crate::support::STREAM_HEAD).await;
        exchange.envelope("done", "1").await;
        assert!(caller.rest().await.starts_with("event: task.done\n"));
    }
}
