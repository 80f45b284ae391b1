//! What operators see (details page, section 9).

use crate::support::{ID, STREAM, Setup, TestGateway, call_body, get, rpc, rpc_to, simulated_with};
use host_harness::gateway::Settings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The text, with the number of bytes of the process as `N`.
fn without_memory(text: &str) -> String {
    let name = "process_resident_memory_bytes ";
    let line = text.lines().find(|line| line.starts_with(name)).expect("the process's memory");
    let bytes: u64 = line[name.len()..].parse().unwrap();
    assert!(bytes > 1024 * 1024, "{bytes}");
    text.replace(line, "process_resident_memory_bytes N")
}

/// The text of these samples.
fn text(requests: &[(&str, u64)], streams: &[(&str, u64)]) -> String {
    let requests = requests
        .iter()
        .map(|(labels, count)| format!("kubemq_a2a_requests_total{{{labels}}} {count}\n"));
    let streams = streams
        .iter()
        .map(|(id, count)| format!("kubemq_a2a_sse_streams_active{{agent_id=\"{id}\"}} {count}\n"));
    [
        "# HELP kubemq_a2a_requests_total A2A requests by agent and method.\n\
         # TYPE kubemq_a2a_requests_total counter\n",
        &requests.collect::<String>(),
        "# HELP kubemq_a2a_sse_streams_active Event streams that are open, by agent.\n\
         # TYPE kubemq_a2a_sse_streams_active gauge\n",
        &streams.collect::<String>(),
        "# HELP process_resident_memory_bytes Resident memory size in bytes.\n\
         # TYPE process_resident_memory_bytes gauge\n\
         process_resident_memory_bytes N\n",
    ]
    .concat()
}

/// Expects this, from the handle and over HTTP.
async fn expect(gateway: &TestGateway, expected: &str) {
    assert_eq!(without_memory(&gateway.handle.metrics()), expected);
    let answer = gateway.ask(get("/metrics")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    assert_eq!(without_memory(&answer.body), expected);
}

#[tokio::test(start_paused = true)]
async fn requests_are_counted_by_agent_and_method_and_streams_while_they_are_open() {
    let mut setup = Setup::new(Settings { agent_max_concurrency: 1, ..Settings::default() });
    let mut agent = setup.agent(ID);
    let mut other = setup.agent("agent-2");
    let gateway = setup.simulated().await;
    expect(&gateway, &text(&[], &[])).await;

    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    let stream = r#"agent_id="agent-1",method="message/stream""#;
    expect(&gateway, &text(&[(stream, 1)], &[(ID, 1)])).await;
    // One that is refused is a request as well.
    gateway.send(rpc(STREAM)).await.rest().await;
    expect(&gateway, &text(&[(stream, 2)], &[(ID, 1)])).await;
    exchange.envelope("done", "1").await;
    caller.done("1").await;
    expect(&gateway, &text(&[(stream, 2)], &[(ID, 0)])).await;

    // Its last label values are those that are known: a caller cannot make more.
    for (method, counted) in [
        ("message/send", "message/send"),
        ("tasks/get", "tasks/get"),
        ("tasks/cancel", "tasks/cancel"),
        ("tasks/send", "tasks/send"),
        ("tasks/list", "unknown"),
        ("a\\\"b", "unknown"),
    ] {
        let mut caller = gateway.send(rpc_to("agent-2", &call_body(method))).await;
        other.request().await.answer_json("{}").await;
        caller.rest().await;
        let line = format!(r#"{{agent_id="agent-2",method="{counted}"}} "#);
        assert!(gateway.handle.metrics().contains(&line), "{method}");
    }
    let mut caller = gateway.get_stream().await;
    drop(agent.accept().await);
    caller.client.rest().await;
    // What names no agent of this gateway is not counted, and neither is what is no request.
    for request in [rpc_to("no-such-agent", STREAM), rpc("nonsense"), get("/agents/agent-1")] {
        gateway.send(request).await.rest().await;
    }
    let labels = |id: &str, method: &str| format!(r#"agent_id="{id}",method="{method}""#);
    let requests = [
        (labels(ID, "message/stream"), 3),
        (labels("agent-2", "message/send"), 1),
        (labels("agent-2", "tasks/cancel"), 1),
        (labels("agent-2", "tasks/get"), 1),
        (labels("agent-2", "tasks/send"), 1),
        (labels("agent-2", "unknown"), 2),
    ];
    let requests: Vec<_> = requests.iter().map(|(labels, n)| (labels.as_str(), *n)).collect();
    expect(&gateway, &text(&requests, &[(ID, 0)])).await;
}

/// `keepalives`, `ends`, `disconnects` and `size_limits` wait for it after every other end.
#[tokio::test(start_paused = true)]
async fn the_gauge_is_that_of_the_streams_whose_head_went_out() {
    let (gateway, mut agent) = simulated_with(Settings::default()).await;
    let mut caller = gateway.stream().await;
    let mut exchange = agent.request().await;
    assert_eq!(gateway.active_streams().unwrap_or(0), 0);
    exchange.answer("500 No", "text/plain", "").await;
    caller.client.rest().await;
    assert_eq!(gateway.active_streams().unwrap_or(0), 0);

    let mut open = Vec::new();
    for count in 1..=3 {
        open.push(gateway.open(&mut agent).await);
        assert_eq!(gateway.active_streams(), Some(count));
    }
    drop(open);
    gateway.until_no_streams().await;
}

#[tokio::test]
async fn the_second_port_serves_metrics_and_nothing_else() {
    let mut setup = Setup::new(Settings::default());
    let mut agent = setup.agent_on_a_socket(ID).await;
    let mut gateway = setup.on_a_socket().await;
    let address = gateway.gateway.listen_metrics("127.0.0.1:0").await.unwrap();
    let (_caller, _exchange) = gateway.open(&mut agent).await;
    let ask = async |request: String| {
        let mut socket = TcpStream::connect(address).await.unwrap();
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let answer = ask(get("/metrics")).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    let stream = r#"agent_id="agent-1",method="message/stream""#;
    assert_eq!(without_memory(body), text(&[(stream, 1)], &[(ID, 1)]));
    for request in [rpc(STREAM), get("/"), get("/agents"), get("/a2a/agent-1/stream")] {
        assert!(ask(request).await.starts_with("HTTP/1.1 404 Not Found\r\n"));
    }
}
