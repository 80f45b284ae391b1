//! Keepalives and the idle timeout, in simulated time (page, "Keepalive and idle timeout"; details
//! page, section 6).

use crate::support::{
    Agent, Caller, Exchange, TestGateway, assert_seconds_since, seconds, simulated, simulated_with,
    within_a_second,
};
use host_harness::gateway::Settings;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const IDLE: (i32, &str) = (-32001, "stream idle timeout");

async fn open_with(max_sse_idle: Duration) -> (TestGateway, Agent, Caller, Exchange, Instant) {
    let settings = Settings { max_sse_idle, agent_max_concurrency: 1, ..Settings::default() };
    let (gateway, mut agent) = simulated_with(settings).await;
    let (caller, exchange) = gateway.open(&mut agent).await;
    (gateway, agent, caller, exchange, Instant::now())
}

#[tokio::test(start_paused = true)]
async fn a_keepalive_comes_after_30_seconds_without_a_byte() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    let head = Instant::now();
    for count in 1..=3 {
        caller.client.expect(": keepalive\n\n").await;
        assert_seconds_since(head, 30 * count);
    }
    sleep(seconds(20)).await;
    exchange.envelope("status_update", "1").await;
    caller.status("1").await;
    let wrote = Instant::now();
    caller.client.expect(": keepalive\n\n").await;
    assert_seconds_since(wrote, 30);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_never_quiet_has_no_keepalive() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    for number in 0..20 {
        sleep(seconds(29)).await;
        exchange.envelope("status_update", &number.to_string()).await;
        caller.status(&number.to_string()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_sends_no_event_for_300_seconds_is_idle_whatever_keepalives_came() {
    let (gateway, mut agent) = simulated().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    let head = Instant::now();
    for _ in 0..9 {
        caller.keepalive().await;
    }
    caller.client.expect("event: task.error\ndata: {\"stream_id\":\"").await;
    assert_seconds_since(head, 300);
    caller.client.read_until("\"").await;
    caller
        .client
        .expect_all(
            ",\"type\":\"error\",\"payload\":{\"code\":-32001,\"message\":\"stream idle timeout\"}}\n\n",
        )
        .await;
    within_a_second("the agent's connection is closed", exchange.closed()).await;
    gateway.until_no_streams().await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_stream_gives_back_its_slot() {
    let (gateway, mut agent, mut caller, mut exchange, head) = open_with(seconds(7)).await;
    caller.error(IDLE.0, IDLE.1).await;
    assert_seconds_since(head, 7);
    within_a_second("the agent's connection is closed", exchange.closed()).await;
    gateway.until_no_streams().await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test(start_paused = true)]
async fn every_event_begins_the_idle_timeout_anew() {
    let (_gateway, _agent, mut caller, mut exchange, _head) = open_with(seconds(20)).await;
    for number in 0..10 {
        sleep(seconds(19)).await;
        exchange.event(&number.to_string()).await;
        caller.frame("message", "", &number.to_string()).await;
    }
    let last = Instant::now();
    caller.error(IDLE.0, IDLE.1).await;
    assert_seconds_since(last, 20);
}

#[tokio::test(start_paused = true)]
async fn an_agents_comments_do_not_hold_off_the_idle_timeout() {
    let (_gateway, _agent, mut caller, mut exchange, head) = open_with(seconds(100)).await;
    let comments = tokio::spawn(async move {
        while exchange.try_send(": still here\n\nretry: 1000\n\n").await.is_ok() {
            sleep(seconds(8)).await;
        }
    });
    for _ in 0..3 {
        caller.keepalive().await;
    }
    caller.error(IDLE.0, IDLE.1).await;
    assert_seconds_since(head, 100);
    comments.await.unwrap();
}

/// Only an event that is whole is one.
#[tokio::test(start_paused = true)]
async fn an_event_that_does_not_end_does_not_hold_off_the_idle_timeout() {
    let (_gateway, _agent, mut caller, mut exchange, head) = open_with(seconds(10)).await;
    sleep(seconds(5)).await;
    exchange.send("data: 1\n").await;
    caller.error(IDLE.0, IDLE.1).await;
    assert_seconds_since(head, 10);
}

#[tokio::test(start_paused = true)]
async fn the_shortest_idle_timeout_is_a_second() {
    let (_gateway, _agent, mut caller, _exchange, head) = open_with(Duration::ZERO).await;
    caller.error(IDLE.0, IDLE.1).await;
    assert_seconds_since(head, 1);
}

#[tokio::test(start_paused = true)]
async fn the_idle_timeout_is_that_of_a_get_too() {
    let settings = Settings { max_sse_idle: seconds(40), ..Settings::default() };
    let (gateway, mut agent) = simulated_with(settings).await;
    let mut caller = gateway.get_stream().await;
    let _exchange = agent.accept().await;
    caller.head().await;
    let head = Instant::now();
    caller.keepalive().await;
    assert_seconds_since(head, 30);
    caller.error(IDLE.0, IDLE.1).await;
    assert_seconds_since(head, 40);
}
