//! What an agent gets to see of a request (details page, sections 4 and 8).

use crate::support::{
    Exchange, ID, STREAM, Setup, call_body, get, rpc, rpc_with, send_json, simulated,
};
use host_harness::gateway::Settings;

/// A caller's headers, to be forwarded and not.
const CALLERS: &str = "X-Request-ID: r 1\r\nx-trace: a\r\nX-Trace: b\r\nX-Empty:\r\n\
    X-Forwarded-For: 10.0.0.1\r\nX-Forwarded-Proto: https\r\nAuthorization: Bearer secret\r\n\
    Proxy-Authorization: Basic secret\r\nCookie: secret=1\r\nAccept: application/json\r\n\
    Accept-Encoding: gzip\r\nUser-Agent: caller/1\r\nOrigin: http://o\r\nReferer: http://r\r\n\
    Last-Event-ID: 7\r\nForwarded: for=10.0.0.1\r\nVia: 1.1 proxy\r\nTraceparent: 00-1-2-01\r\n\
    X-KubeMQ-Caller-ID: forged\r\nx-kubemq-caller-id: forged too\r\n";

/// The names of a request's headers but for those of the framing, sorted.
fn names(exchange: &Exchange) -> Vec<&str> {
    let framing = ["content-length", "transfer-encoding"];
    let names = exchange.headers.iter().map(|(name, _)| name.as_str());
    let mut names: Vec<_> = names.filter(|name| !framing.contains(name)).collect();
    names.sort_unstable();
    names
}

#[tokio::test(start_paused = true)]
async fn the_agents_url_gets_the_callers_body_and_nothing_of_the_caller_but_that() {
    let (gateway, mut agent) = simulated().await;
    let _caller = gateway.stream().await;
    let exchange = agent.request().await;
    assert_eq!(exchange.line, "POST /a2a?v=1 HTTP/1.1");
    assert_eq!(names(&exchange), ["accept", "content-type", "host", "x-kubemq-caller-id"]);
    assert_eq!(exchange.header("host"), [format!("{ID}:9000")]);
    assert_eq!(exchange.header("accept"), ["text/event-stream"]);
    assert_eq!(exchange.header("content-type"), ["application/json"]);
    assert_eq!(exchange.body, STREAM);
}

#[tokio::test(start_paused = true)]
async fn x_headers_are_forwarded_and_what_could_be_secret_is_not() {
    let (gateway, mut agent) = simulated().await;
    let stream = rpc_with(CALLERS, STREAM);
    let send = rpc_with(CALLERS, &call_body("message/send"));
    let get = get(&format!("/a2a/{ID}/stream")).replace("\r\n\r\n", &format!("\r\n{CALLERS}\r\n"));
    for (request, is_stream) in [(stream, true), (send, false), (get, true)] {
        let _caller = gateway.send(request).await;
        let exchange = agent.request().await;
        let mut expected = vec![
            "content-type",
            "host",
            "x-empty",
            "x-forwarded-proto",
            "x-kubemq-caller-id",
            "x-request-id",
            "x-trace",
            "x-trace",
        ];
        if is_stream {
            expected.insert(0, "accept");
            assert_eq!(exchange.header("accept"), ["text/event-stream"]);
        }
        assert_eq!(names(&exchange), expected);
        assert_eq!(exchange.header("x-request-id"), ["r 1"]);
        assert_eq!(exchange.header("x-trace"), ["a", "b"]);
        assert_eq!(exchange.header("x-empty"), [""]);
        assert_eq!(exchange.header("x-forwarded-proto"), ["https"]);
    }
}

#[tokio::test(start_paused = true)]
async fn the_caller_id_is_the_gateways_whatever_the_caller_says() {
    let (gateway, mut agent) = simulated().await;
    let mut ids = Vec::new();
    for request in [rpc(STREAM), rpc_with(CALLERS, STREAM), rpc_with(CALLERS, &call_body("x/y"))] {
        let _caller = gateway.send(request).await;
        let exchange = agent.request().await;
        let [id] = exchange.header("x-kubemq-caller-id")[..] else {
            panic!("{:?}", exchange.headers);
        };
        assert!(!id.is_empty() && !id.contains("forged"), "{id}");
        ids.push(id.to_owned());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
}

#[tokio::test(start_paused = true)]
async fn nothing_of_the_agents_head_reaches_the_caller() {
    let (gateway, mut agent) = simulated().await;
    let mut caller = gateway.stream().await;
    let mut exchange = agent.request().await;
    exchange
        .send(
            "HTTP/1.1 200 Fine\r\nContent-Type: text/event-stream; charset=utf-8\r\n\
             Set-Cookie: a=b\r\nX-Agent: 1\r\nCache-Control: max-age=60\r\nServer: s\r\n\r\n",
        )
        .await;
    // To the byte.
    caller.head().await;
    exchange.envelope("done", "1").await;
    caller.done("1").await;
}

#[tokio::test(start_paused = true)]
async fn the_body_goes_to_the_agent_byte_for_byte() {
    let (gateway, mut agent) = simulated().await;
    let body = "{ \"params\" :{\"message\":{\"n\":1.50, \"text\":\"\\u00e9 é\"}},\n\t\
                \"id\": 1e2,\"method\":\"message\\/stream\" ,\"jsonrpc\":\"2.0\", \"x\":[]}\n";
    let _caller = gateway.send(rpc(body)).await;
    assert_eq!(agent.request().await.body, body);
}

#[tokio::test(start_paused = true)]
async fn exactly_the_registered_url_gets_the_request() {
    let setup = Setup::new(Settings::default());
    let network = setup.network.clone();
    let gateway = setup.simulated().await;
    for (url, authority, line, host) in [
        ("http://one:9000", "one:9000", "/", "one:9000"),
        ("http://two:9000?a=b", "two:9000", "/?a=b", "two:9000"),
        ("http://three/x/../y//z/", "three", "/x/../y//z/", "three"),
        ("http://Four:80/%41?q=%20&r", "Four:80", "/%41?q=%20&r", "Four:80"),
        ("http://[::1]:7/a", "[::1]:7", "/a", "[::1]:7"),
    ] {
        let mut agent = network.agent(authority);
        let card = format!(r#"{{"agent_id":"{ID}","name":"n","url":"{url}"}}"#);
        let answer = gateway.ask(send_json("POST", "/agents/register", "", &card)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let _caller = gateway.stream().await;
        let exchange = agent.request().await;
        assert_eq!(exchange.line, format!("POST {line} HTTP/1.1"), "{url}");
        assert_eq!(exchange.header("host"), [host], "{url}");
    }
}
