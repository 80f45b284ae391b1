//! Every method but `message/stream`: the body goes to the agent, its answer comes back (details
//! page, sections 1 and 2).

use crate::support::{
    Agent, ID, Setup, TestGateway, assert_seconds_since, call_body, json_answer, rpc, rpc_error,
    seconds, simulated, simulated_with,
};
use host_harness::gateway::Settings;
use tokio::time::{Instant, sleep};

/// Calls, has the agent answer with these bytes, and expects this JSON.
async fn expect((gateway, agent): &mut (TestGateway, Agent), answer: &str, expected: &str) {
    let mut caller = gateway.send(rpc(&call_body("message/send"))).await;
    let mut exchange = agent.request().await;
    exchange.send(answer).await;
    caller.expect_all(json_answer(expected)).await;
    exchange.closed().await;
}

#[tokio::test(start_paused = true)]
async fn any_other_method_goes_to_the_agent_and_its_answer_comes_back_byte_for_byte() {
    let (gateway, mut agent) = simulated().await;
    let answer =
        "{ \"id\":1.0 ,\n \"result\":{\"x\":1.50,\"y\":\"\\u00e9 é\"},\"jsonrpc\":\"2.0\"}\n";
    for method in ["message/send", "tasks/get", "tasks/cancel", "no/such", "message/streams", "é x"]
    {
        let body = format!("{{ \"method\" :\"{method}\",\n\"jsonrpc\":\"2.0\", \"id\": 1.0 }}");
        let mut caller = gateway.send(rpc(&body)).await;
        let mut exchange = agent.request().await;
        assert_eq!(exchange.line, "POST /a2a?v=1 HTTP/1.1");
        assert_eq!(exchange.body, body);
        exchange.answer_json(answer).await;
        caller.expect_all(json_answer(answer)).await;
        exchange.closed().await;
    }
}

/// Also -32601, which is never the gateway's own.
#[tokio::test(start_paused = true)]
async fn an_agents_error_is_its_answer_like_any_other() {
    let mut setup = simulated().await;
    let error = rpc_error("1", -32601, "Method not found");
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{error}", error.len());
    expect(&mut setup, &answer, &error).await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_say_200_is_an_error() {
    let mut setup = simulated().await;
    for (status, code, message) in [
        ("500 No", -32603, "internal error: agent returned HTTP 500"),
        ("404 No", -32603, "internal error: agent returned HTTP 404"),
        ("302 No", -32603, "internal error: agent returned HTTP 302"),
        ("502 No", -32603, "agent unavailable: HTTP 502"),
        ("503 No", -32603, "agent unavailable: HTTP 503"),
        ("504 No", -32001, "agent timeout: agent-1"),
    ] {
        let answer = format!("HTTP/1.1 {status}\r\nlocation: /x\r\ncontent-length: 2\r\n\r\n{{}}");
        expect(&mut setup, &answer, &rpc_error("1", code, message)).await;
    }
    setup.1.expect_no_request();
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_cannot_be_reached_is_an_error() {
    let mut setup = Setup::new(Settings::default());
    setup.nobody("http://nobody:9000/");
    let gateway = setup.simulated().await;
    let answer = gateway.ask(rpc(&call_body("message/send"))).await;
    let start = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: agent unreachable: "#;
    assert!(answer.status == 200 && answer.body.starts_with(start), "{answer:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_may_take_60_seconds_and_no_more() {
    let (gateway, mut agent) = simulated().await;
    let slow = rpc(&call_body("message/send"));
    let mut caller = gateway.send(&slow).await;
    let mut exchange = agent.request().await;
    sleep(seconds(59)).await;
    exchange.answer_json("{}").await;
    caller.expect_all(json_answer("{}")).await;

    // Whether it is the head that does not come, or the body's end.
    let timeout = json_answer(&rpc_error("1", -32001, &format!("agent timeout: {ID}")));
    for begun in ["", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n{}"] {
        let mut caller = gateway.send(&slow).await;
        let mut exchange = agent.request().await;
        let asked = Instant::now();
        exchange.send(begun).await;
        caller.expect_all(&timeout).await;
        assert_seconds_since(asked, 60);
        exchange.closed().await;
    }
}

/// The timeout in the params is that of a stream's head.
#[tokio::test(start_paused = true)]
async fn what_the_params_say_of_time_does_not_matter_to_a_call() {
    let (gateway, mut agent) = simulated().await;
    let params = r#"{"configuration":{"timeout":1}}"#;
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{params}}}"#);
    let mut caller = gateway.send(rpc(&body)).await;
    let mut exchange = agent.request().await;
    sleep(seconds(59)).await;
    exchange.answer_json("{}").await;
    caller.expect_all(json_answer("{}")).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_exactly_the_limit_passes_and_one_byte_more_does_not() {
    let settings = Settings { agent_max_response_bytes: 1000, ..Settings::default() };
    let mut setup = simulated_with(settings).await;
    let close = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
    let exact = format!("\"{}\"", "x".repeat(998));
    let answer =
        |json: &str| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{json}", json.len());
    expect(&mut setup, &answer(&exact), &exact).await;
    let too_large = rpc_error("1", -32603, "internal error: response too large");
    expect(&mut setup, &answer(&format!("{exact} ")), &too_large).await;
    // Without a length it is seen while it is read, and its end is not waited for.
    expect(&mut setup, &format!("{close}{exact} "), &too_large).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_10_mib_is_relayed() {
    let mut setup = simulated().await;
    let json = format!("\"{}\"", "x".repeat(10_485_758));
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{json}", json.len());
    expect(&mut setup, &answer, &json).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_is_answered_after_the_streams_checks() {
    let (gateway, mut agent) = simulated().await;
    let call = |params: &str| {
        rpc(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{params}}}"#))
    };
    let invalid = json_answer(&rpc_error("1", -32602, "invalid params"));
    gateway.send(call("[]")).await.expect_all(invalid).await;
    agent.expect_no_request();
    let mut caller = gateway.send(call("{}")).await;
    agent.request().await.answer_json("{}").await;
    caller.expect_all(json_answer("{}")).await;
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_answers_calls_that_wait() {
    let (gateway, mut agent) = simulated().await;
    let mut caller = gateway.send(rpc(&call_body("message/send"))).await;
    let mut exchange = agent.request().await;
    gateway.shutdown().await;
    let error = rpc_error("1", -32603, "internal error: gateway shutting down");
    caller.expect_all(json_answer(&error)).await;
    exchange.closed().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_json_is_an_error() {
    let mut setup = simulated().await;
    let error = rpc_error("1", -32603, "internal error: agent did not return JSON");
    for body in ["", "<html>", "{} {}", "\u{feff}{}", &"[".repeat(200)] {
        let length = body.len();
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
        expect(&mut setup, &answer, &error).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_is_an_error() {
    let (gateway, mut agent) = simulated().await;
    let message = "internal error: agent unreachable: its answer broke off";
    for head in ["content-length: 100", "transfer-encoding: chunked"] {
        let mut caller = gateway.send(rpc(&call_body("message/send"))).await;
        let mut exchange = agent.request().await;
        exchange.send(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n2\r\n{{}}")).await;
        drop(exchange);
        caller.expect_all(json_answer(&rpc_error("1", -32603, message))).await;
    }
}
