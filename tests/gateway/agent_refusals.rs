//! What an agent does in place of a stream, and what both routes say of it (details page, section
//! 2).

use crate::support::{
    Agent, Caller, Client, EVENT_STREAM, Exchange, ID, STREAM, Setup, TestGateway,
    assert_seconds_since, get, http_error, json_answer, rpc, rpc_error, seconds, simulated,
    stream_of,
};
use host_harness::gateway::Settings;
use tokio::time::Instant;

const NO_STREAM: &str = "internal error: agent did not return an event stream";
const BAD_GATEWAY: &str = "502 Bad Gateway";

/// Asks on both routes, has `answer` answer as the agent, and expects the error in both its shapes.
async fn expect_of_both(
    (gateway, agent): &mut (TestGateway, Agent),
    answer: &str,
    (code, status): (i32, &str),
    message: &str,
) {
    let body = STREAM.replace(r#""id":1"#, r#""id":"c-1""#);
    let rpc_error = json_answer(&rpc_error("\"c-1\"", code, message));
    let http_error = http_error(status, message);
    for (request, expected) in [(rpc(&body), rpc_error), (get_stream(), http_error)] {
        let mut caller = gateway.send(request).await;
        let mut exchange = agent.request().await;
        exchange.send(answer).await;
        caller.expect_all(expected).await;
        exchange.closed().await;
        agent.expect_no_request();
    }
}

fn get_stream() -> String {
    get(&format!("/a2a/{ID}/stream"))
}

/// An answer without a body of interest.
fn status(status: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: text/event-stream\r\ncontent-length: 3\r\n\r\nno!")
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_say_200_is_named_with_its_status() {
    let mut setup = simulated().await;
    for code in ["500 Internal Server Error", "404 Not Found", "401 No", "204 None", "201 Made"] {
        let message = format!("internal error: agent returned HTTP {}", &code[..3]);
        let answer = if code.starts_with("204") {
            "HTTP/1.1 204 None\r\n\r\n".to_owned()
        } else {
            status(code)
        };
        expect_of_both(&mut setup, &answer, (-32603, BAD_GATEWAY), &message).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_says_502_or_503_is_unavailable() {
    let mut setup = simulated().await;
    for code in ["502 Bad Gateway", "503 Service Unavailable"] {
        let message = format!("agent unavailable: HTTP {}", &code[..3]);
        expect_of_both(&mut setup, &status(code), (-32603, BAD_GATEWAY), &message).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_says_504_is_a_timeout() {
    let mut setup = simulated().await;
    let answer = status("504 Gateway Timeout");
    let message = format!("agent timeout: {ID}");
    expect_of_both(&mut setup, &answer, (-32001, "504 Gateway Timeout"), &message).await;
}

#[tokio::test(start_paused = true)]
async fn a_redirect_is_not_followed() {
    let mut setup = simulated().await;
    for code in ["301 Moved", "302 Found", "307 Temporary Redirect"] {
        let location = format!("location: http://{ID}:9000/elsewhere\r\ncontent-length: 0\r\n");
        let answer = format!("HTTP/1.1 {code}\r\n{location}\r\n");
        let message = format!("internal error: agent returned HTTP {}", &code[..3]);
        // It expects that no other request comes.
        expect_of_both(&mut setup, &answer, (-32603, BAD_GATEWAY), &message).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_agents_own_error_is_relayed_with_the_callers_id() {
    let (gateway, mut agent) = simulated().await;
    let error = r#"{"code":-32601,"message":"Method not found","data":{"x":1.50}}"#;
    let answer = format!(r#"{{"id":"the agent's","error":{error},"jsonrpc":"2.0"}}"#);
    for id in ["1", r#""c-1""#, "null"] {
        let body = STREAM.replace(r#""id":1"#, &format!(r#""id":{id}"#));
        let mut caller = gateway.send(rpc(&body)).await;
        agent.request().await.answer_json(&answer).await;
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
        caller.expect_all(json_answer(&expected)).await;
    }
    let mut caller = gateway.send(get_stream()).await;
    agent.request().await.answer_json(&answer).await;
    caller.expect_all(http_error(BAD_GATEWAY, "Method not found")).await;
}

#[tokio::test(start_paused = true)]
async fn any_other_answer_is_not_an_event_stream() {
    let mut setup = simulated().await;
    let close = "HTTP/1.1 200 OK\r\nconnection: close";
    let result = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    for answer in [
        format!("{close}\r\ncontent-length: 0\r\n\r\n"),
        format!("{close}\r\ncontent-length: 2\r\n\r\n{{}}"),
        format!("{close}\r\ncontent-type: application/json\r\ncontent-length: 36\r\n\r\n{result}"),
        format!("{close}\r\ncontent-type: text/html\r\ncontent-length: 9\r\n\r\ndata: 1\n\n"),
        format!("{close}\r\ncontent-type: text/event-streams\r\ncontent-length: 0\r\n\r\n"),
    ] {
        expect_of_both(&mut setup, &answer, (-32603, BAD_GATEWAY), NO_STREAM).await;
    }
}

/// Nobody would wait for its end.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_no_stream_is_not_read_for_ever() {
    let (gateway, mut agent) = simulated().await;
    let mut caller = gateway.stream().await;
    let mut exchange = agent.request().await;
    exchange.send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n").await;
    let piece = " ".repeat(1024 * 1024);
    while exchange.try_send(&piece).await.is_ok() {
        tokio::task::yield_now().await;
    }
    let answer = caller.client.rest().await;
    assert!(answer.contains(r#""code":-32603"#), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_answers_before_it_has_read_the_request_is_heard() {
    let mut setup = Setup::new(Settings::default());
    let mut agent = setup.agent_with_buffer(ID, 1024);
    let gateway = setup.simulated().await;
    let text = "x".repeat(1024 * 1024);
    let mut caller = gateway.send(rpc(&stream_of(&format!(r#"{{"text":"{text}"}}"#)))).await;
    let mut exchange = agent.connection().await;
    exchange.send("HTTP/1.1 413 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").await;
    drop(exchange);
    let message = "internal error: agent returned HTTP 413";
    caller.expect_all(json_answer(&rpc_error("1", -32603, message))).await;
}

/// Whatever the agent says before its head.
#[tokio::test(start_paused = true)]
async fn an_interim_answer_is_not_the_agents_head() {
    let (gateway, mut agent) = simulated().await;
    let mut caller = gateway.stream().await;
    let mut exchange = agent.request().await;
    exchange.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n").await;
    caller.client.expect_silence(seconds(5)).await;
    exchange.send(EVENT_STREAM).await;
    caller.head().await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_cannot_be_reached_is_unreachable() {
    let mut setup = Setup::new(Settings::default());
    setup.nobody("http://nobody:9000/");
    let gateway = setup.simulated().await;
    expect_unreachable(&gateway, || async {}).await;
    assert_eq!(gateway.active_streams().unwrap_or(0), 0);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_hangs_up_or_does_not_speak_http_is_unreachable() {
    let (gateway, mut agent) = simulated().await;
    for answer in ["", "HTTP/1.1 200", "SSH-2.0-OpenSSH_9.6\r\n"] {
        for request in [rpc(STREAM), get_stream()] {
            let mut caller = gateway.send(request).await;
            let mut exchange = agent.request().await;
            exchange.send(answer).await;
            drop(exchange);
            let answer = caller.rest().await;
            assert!(answer.contains("internal error: agent unreachable: "), "{answer}");
        }
    }
}

async fn expect_unreachable<F: Future<Output = ()>>(gateway: &TestGateway, act: impl Fn() -> F) {
    let mut caller = gateway.stream().await;
    act().await;
    let answer = caller.client.rest().await;
    let start = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: agent unreachable: "#;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.split("\r\n\r\n").nth(1).unwrap().starts_with(start), "{answer}");
    let answer = gateway.ask(get_stream()).await;
    assert_eq!(answer.status, 502);
    assert!(answer.error_message().starts_with("internal error: agent unreachable: "));
}

/// Expects that a caller who asks for this waits so long for an agent that says nothing.
async fn expect_timeout_of(
    gateway: &TestGateway,
    agent: &mut Agent,
    request: &str,
    seconds_waited: u64,
    expected: &str,
) {
    let mut client: Client = gateway.connect_with(1024 * 1024, seconds(2 * 60 * 60));
    client.send(request).await;
    let mut exchange: Exchange = agent.request().await;
    let asked = Instant::now();
    let mut caller = Caller::new(client);
    caller.client.expect_all(expected).await;
    assert_seconds_since(asked, seconds_waited);
    exchange.closed().await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_has_ten_seconds_more_than_the_request_says_and_at_most_an_hour() {
    let (gateway, mut agent) = simulated().await;
    let message = format!("agent timeout: {ID}");
    let expected = json_answer(&rpc_error("1", -32001, &message));
    for (configuration, waited) in [
        ("{}", 310),
        (r#"{"timeout":5}"#, 15),
        (r#"{"timeout":100}"#, 110),
        (r#"{"timeout":3600}"#, 3610),
        (r#"{"timeout":3601}"#, 3610),
        (r#"{"timeout":1e300}"#, 3610),
        (r#"{"timeout":0}"#, 310),
        (r#"{"timeout":-1}"#, 310),
        (r#"{"timeout":"5"}"#, 310),
        (r#"{"timeout":null}"#, 310),
    ] {
        let request = rpc(&stream_of(&format!(r#"{{"configuration":{configuration}}}"#)));
        expect_timeout_of(&gateway, &mut agent, &request, waited, &expected).await;
    }
    let expected = http_error("504 Gateway Timeout", &message);
    for (query, waited) in [("", 310), ("?timeout=5", 15), ("?timeout=9000", 3610)] {
        let request = get(&format!("/a2a/{ID}/stream{query}"));
        expect_timeout_of(&gateway, &mut agent, &request, waited, &expected).await;
    }
    // None of them has kept a slot.
    let _open = gateway.open(&mut agent).await;
}
