//! Callers who leave (page, "Client disconnect"; details page, section 7), in simulated time.
//! `sockets` has them on sockets.

use crate::support::{
    Agent, EVENT_STREAM, ID, Setup, TestGateway, call_body, rpc, seconds, simulated_with,
    within_a_second,
};
use host_harness::gateway::Settings;
use tokio::time::sleep;

const CLOSED: &str = "the agent's connection is closed";

fn one_at_a_time() -> Settings {
    Settings { agent_max_concurrency: 1, ..Settings::default() }
}

/// A gateway whose agent may have one request at a time.
async fn single() -> (TestGateway, Agent) {
    simulated_with(one_at_a_time()).await
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_leaves_is_seen_within_a_second_and_its_slot_is_free() {
    let (gateway, mut agent) = single().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    exchange.envelope("status_update", "1").await;
    caller.status("1").await;
    // Nothing is on its way to the caller: only the socket tells.
    sleep(seconds(10)).await;
    drop(caller);
    within_a_second(CLOSED, exchange.closed()).await;
    gateway.until_no_streams().await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_leaves_before_the_first_event_is_seen_too() {
    let (gateway, mut agent) = single().await;
    let (caller, mut exchange) = gateway.open(&mut agent).await;
    drop(caller);
    within_a_second(CLOSED, exchange.closed()).await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_leaves_before_the_agent_has_accepted_is_seen_too() {
    let (gateway, mut agent) = single().await;
    let caller = gateway.stream().await;
    let mut exchange = agent.request().await;
    drop(caller);
    within_a_second(CLOSED, exchange.closed()).await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_of_a_get_who_leaves_is_seen_too() {
    let (gateway, mut agent) = single().await;
    let mut caller = gateway.get_stream().await;
    let mut exchange = agent.accept().await;
    caller.head().await;
    drop(caller);
    within_a_second(CLOSED, exchange.closed()).await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_leaves_with_frames_unread_is_seen_too() {
    let mut setup = Setup::new(one_at_a_time());
    let mut agent = setup.agent_with_buffer(ID, 1024);
    let gateway = setup.simulated().await;
    let mut client = gateway.connect_with(1024, seconds(60));
    client.send(rpc(crate::support::STREAM)).await;
    let mut exchange = agent.accept().await;
    let event = format!("data: \"{}\"\n\n", "x".repeat(4096));
    // Until the agent is held back.
    while tokio::time::timeout(seconds(5), exchange.send(&event)).await.is_ok() {}
    drop(client);
    within_a_second(CLOSED, async { while exchange.try_send(&event).await.is_ok() {} }).await;
    gateway.until_no_streams().await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test(start_paused = true)]
async fn one_caller_who_leaves_takes_nobody_with_it() {
    let (gateway, mut agent) = simulated_with(Settings::default()).await;
    let (first, mut first_exchange) = gateway.open(&mut agent).await;
    let (mut second, mut second_exchange) = gateway.open(&mut agent).await;
    drop(first);
    within_a_second(CLOSED, first_exchange.closed()).await;
    assert_eq!(gateway.active_streams(), Some(1));
    second_exchange.envelope("done", "1").await;
    second.done("1").await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_leaves_a_synchronous_request_frees_its_slot() {
    let (gateway, mut agent) = single().await;
    let caller = gateway.send(rpc(&call_body("message/send"))).await;
    let mut exchange = agent.request().await;
    drop(caller);
    within_a_second(CLOSED, exchange.closed()).await;
    gateway.expect_a_free_slot(&mut agent).await;
}

/// What else the agent says goes nowhere, and breaks nothing.
#[tokio::test(start_paused = true)]
async fn an_agent_may_go_on_after_the_caller_has_left() {
    let (gateway, mut agent) = single().await;
    let caller = gateway.stream().await;
    let mut exchange = agent.request().await;
    drop(caller);
    let answer = format!("{EVENT_STREAM}data: {{\"type\":\"done\"}}\n\n");
    let _ = exchange.try_send(answer).await;
    sleep(seconds(1)).await;
    drop(exchange);
    gateway.expect_a_free_slot(&mut agent).await;
}
