//! `AgentMaxResponseBytes` for one event (page, "Response size limit"; details page, section 7).

use crate::support::{
    Agent, Caller, Exchange, TestGateway, simulated, simulated_with, within_a_second,
};
use host_harness::gateway::Settings;

const TOO_LARGE: (i32, &str) = (-32603, "internal error: response too large");
const LIMIT: usize = 1000;

/// A stream whose events may have 1000 bytes, of an agent with one slot.
async fn open() -> (TestGateway, Agent, Caller, Exchange) {
    let settings = Settings {
        agent_max_response_bytes: LIMIT,
        agent_max_concurrency: 1,
        ..Settings::default()
    };
    let (gateway, mut agent) = simulated_with(settings).await;
    let (caller, exchange) = gateway.open(&mut agent).await;
    (gateway, agent, caller, exchange)
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// Expects that the stream is over because of an event's size.
async fn expect_too_large(opened: (TestGateway, Agent, Caller, Exchange)) {
    let (gateway, mut agent, mut caller, mut exchange) = opened;
    caller.error(TOO_LARGE.0, TOO_LARGE.1).await;
    within_a_second("the agent's connection is closed", exchange.closed()).await;
    gateway.until_no_streams().await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test(start_paused = true)]
async fn an_event_of_exactly_the_limit_passes_and_one_byte_more_does_not() {
    let mut opened = open().await;
    let (_, _, caller, exchange) = &mut opened;
    let text = "x".repeat(LIMIT);
    // Each event is counted by itself.
    for _ in 0..3 {
        exchange.event(&text).await;
        caller.frame("message", "", &quoted(&text)).await;
    }
    exchange.event(&"x".repeat(LIMIT + 1)).await;
    expect_too_large(opened).await;
}

#[tokio::test(start_paused = true)]
async fn an_events_lines_count_together_with_one_byte_for_each_line_end_between_them() {
    let line = format!("data: {}\n", "x".repeat(99));
    let lines = |last: usize| format!("{}data: {}\n\n", line.repeat(9), "x".repeat(last));
    let mut opened = open().await;
    let (_, _, caller, exchange) = &mut opened;
    // Nine times 99 bytes, nine line ends, 100 bytes.
    exchange.send(lines(100)).await;
    let joined = format!("{}{}", format!("{}\\n", "x".repeat(99)).repeat(9), "x".repeat(100));
    caller.frame("message", "", &quoted(&joined)).await;
    exchange.send(lines(101)).await;
    expect_too_large(opened).await;
}

#[tokio::test(start_paused = true)]
async fn a_line_that_never_ends_is_counted_while_it_is_read() {
    let mut opened = open().await;
    let exchange = &mut opened.3;
    exchange.send("data: ").await;
    for _ in 0..=10 {
        if exchange.try_send("x".repeat(100)).await.is_err() {
            break;
        }
    }
    expect_too_large(opened).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_no_data_does_not_count_and_cannot_grow_without_end_either() {
    let mut opened = open().await;
    let (_, _, caller, exchange) = &mut opened;
    let comment = format!(":{}\nevent: {}\n", "x".repeat(2 * LIMIT), "y".repeat(2 * LIMIT));
    exchange.send(format!("{comment}data: 1\n\n")).await;
    caller.frame("message", "", "1").await;
    // Until the gateway gives up.
    while exchange.try_send(":".repeat(100_000)).await.is_ok() {
        tokio::task::yield_now().await;
    }
    let (_gateway, _agent, mut caller, _exchange) = opened;
    caller.error(TOO_LARGE.0, TOO_LARGE.1).await;
}

#[tokio::test(start_paused = true)]
async fn what_came_before_the_large_event_is_relayed() {
    let mut opened = open().await;
    let exchange = &mut opened.3;
    let large = format!("data: {}\n\n", "x".repeat(LIMIT + 1));
    exchange.send(format!("data: 1\n\n{large}data: {{\"type\":\"done\"}}\n\n")).await;
    opened.2.frame("message", "", "1").await;
    expect_too_large(opened).await;
}

#[tokio::test(start_paused = true)]
async fn the_default_is_10_485_760_bytes() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    let text = "x".repeat(10_485_760);
    exchange.event(&text).await;
    caller.frame("message", "", &quoted(&text)).await;
    let _ = exchange.try_send(format!("data: {text}x")).await;
    caller.error(TOO_LARGE.0, TOO_LARGE.1).await;
}
