//! How a stream ends (details page, section 7), but for callers who leave (`disconnects`), idle
//! agents (`keepalives`) and events that are too large (`size_limits`).

use crate::support::{
    Agent, EVENT_STREAM, ID, TestGateway, seconds, simulated_with, within_a_second,
};
use host_harness::gateway::Settings;
use tokio::time::{Instant, sleep};

const ENDED_EARLY: (i32, &str) =
    (-32603, "internal error: agent stream ended before a terminal event");
const SHUTTING_DOWN: (i32, &str) = (-32603, "internal error: gateway shutting down");

/// A gateway whose agent may have one request at a time.
async fn single() -> (TestGateway, Agent) {
    simulated_with(Settings { agent_max_concurrency: 1, ..Settings::default() }).await
}

#[tokio::test(start_paused = true)]
async fn a_terminal_event_ends_the_stream_and_everything_after_it_is_dropped() {
    let (gateway, mut agent) = single().await;
    for (envelope_type, event) in [("done", "task.done"), ("error", "task.error")] {
        let (mut caller, mut exchange) = gateway.open(&mut agent).await;
        // In one piece, so that the later ones surely reach the gateway.
        exchange
            .send(format!(
                "data: {{\"type\":\"{envelope_type}\",\"payload\":1}}\n\n\
                 data: {{\"type\":\"artifact\",\"payload\":2}}\n\n\
                 data: {{\"type\":\"done\",\"payload\":3}}\n\n"
            ))
            .await;
        caller.frame(event, envelope_type, "1").await;
        caller.end().await;
        within_a_second("the agent's connection is closed", exchange.closed()).await;
        gateway.until_no_streams().await;
    }
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test(start_paused = true)]
async fn the_slot_and_the_gauge_are_given_back_with_the_end_of_the_body() {
    let (gateway, mut agent) = single().await;
    for _ in 0..10 {
        let (mut caller, mut exchange) = gateway.open(&mut agent).await;
        assert_eq!(gateway.active_streams(), Some(1));
        exchange.envelope("done", "1").await;
        caller.done("1").await;
        // No time has passed, and nothing was waited for.
        assert_eq!(gateway.active_streams(), Some(0));
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_ends_before_a_terminal_event_is_an_error() {
    let (gateway, mut agent) = single().await;
    // Before any event, and after one.
    let (mut caller, exchange) = gateway.open(&mut agent).await;
    drop(exchange);
    caller.error(ENDED_EARLY.0, ENDED_EARLY.1).await;

    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    exchange.envelope("status_update", "1").await;
    caller.status("1").await;
    drop(exchange);
    caller.error(ENDED_EARLY.0, ENDED_EARLY.1).await;
    gateway.until_no_streams().await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test(start_paused = true)]
async fn events_before_an_early_end_are_relayed_first() {
    let (gateway, mut agent) = single().await;
    let mut caller = gateway.stream().await;
    let mut exchange = agent.request().await;
    exchange.send(format!("{EVENT_STREAM}data: 1\n\ndata: 2\n\ndata: 3")).await;
    drop(exchange);
    caller.head().await;
    caller.frame("message", "", "1").await;
    caller.frame("message", "", "2").await;
    caller.error(ENDED_EARLY.0, ENDED_EARLY.1).await;
}

#[tokio::test(start_paused = true)]
async fn a_body_that_breaks_off_is_an_early_end() {
    let (gateway, mut agent) = single().await;
    for (framing, body, is_broken) in [
        ("transfer-encoding: chunked", "9\r\ndata: 1\n\n\r\n0\r\n\r\n", false),
        ("transfer-encoding: chunked", "9\r\ndata: 1\n\n\r\n", true),
        ("transfer-encoding: chunked", "9\r\ndata: 1\n\n\r\nnonsense\r\n", true),
        ("content-length: 9", "data: 1\n\n", false),
        ("content-length: 10", "data: 1\n\n", true),
    ] {
        let mut caller = gateway.stream().await;
        let mut exchange = agent.request().await;
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n{framing}\r\n");
        exchange.send(format!("{head}\r\n{body}")).await;
        caller.head().await;
        caller.frame("message", "", "1").await;
        if is_broken {
            drop(exchange);
        }
        caller.error(ENDED_EARLY.0, ENDED_EARLY.1).await;
        gateway.until_no_streams().await;
    }
}

/// Neither the limit of synchronous requests, nor the time an answer may take to be read.
#[tokio::test(start_paused = true)]
async fn a_stream_may_take_hours() {
    let (gateway, mut agent) = single().await;
    for without_a_body in [false, true] {
        let mut caller =
            if without_a_body { gateway.get_stream().await } else { gateway.stream().await };
        let mut exchange = agent.accept().await;
        caller.head().await;
        let begun = Instant::now();
        while begun.elapsed() < seconds(2 * 60 * 60) {
            sleep(seconds(25)).await;
            exchange.envelope("status_update", "1").await;
            caller.status("1").await;
        }
        exchange.envelope("done", "2").await;
        caller.done("2").await;
        gateway.until_no_streams().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_streams_with_an_error_and_closes_the_agents_connections() {
    let (gateway, mut agent) =
        simulated_with(Settings { agent_max_concurrency: 2, ..Settings::default() }).await;
    let (mut first, mut first_exchange) = gateway.open(&mut agent).await;
    let (mut second, mut second_exchange) = gateway.open(&mut agent).await;
    first_exchange.envelope("status_update", "1").await;
    first.status("1").await;
    let handle = gateway.handle.clone();
    gateway.shutdown().await;
    for caller in [&mut first, &mut second] {
        caller.error(SHUTTING_DOWN.0, SHUTTING_DOWN.1).await;
    }
    for exchange in [&mut first_exchange, &mut second_exchange] {
        within_a_second("the agent's connection is closed", exchange.closed()).await;
    }
    let none = format!("kubemq_a2a_sse_streams_active{{agent_id=\"{ID}\"}} 0\n");
    assert!(handle.metrics().contains(&none), "{}", handle.metrics());
}
