//! Callers who read slowly, or not at all: the agent is held back, and nothing is lost (details
//! page, section 4).

use crate::support::{
    Agent, Caller, Exchange, ID, STREAM, Setup, TestGateway, assert_seconds_since, rpc, seconds,
    within_a_second,
};
use host_harness::gateway::Settings;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What a connection of these tests holds that nobody has read, on either side.
const BUFFER: usize = 4096;

/// A gateway, its agent, and a stream whose caller reads nothing for now.
async fn stalled(settings: Settings) -> (TestGateway, Agent, Caller, Exchange) {
    let mut setup = Setup::new(settings);
    let mut agent = setup.agent_with_buffer(ID, BUFFER);
    let gateway = setup.simulated().await;
    let mut client = gateway.connect_with(BUFFER, DAY);
    client.send(rpc(STREAM)).await;
    let exchange = agent.accept().await;
    (gateway, agent, Caller::new(client), exchange)
}

fn settings() -> Settings {
    Settings { max_sse_idle: seconds(300), agent_max_concurrency: 2, ..Settings::default() }
}

/// The data of the `number`th event: so many bytes, and different from the others.
fn data(number: usize, bytes: usize) -> String {
    let number = number.to_string();
    format!("\"{}{number}\"", "0".repeat(bytes - 2 - number.len()))
}

/// Has the agent send so many events as fast as it can, and a `done`. What is sent back is the
/// exchange.
fn send_all(
    mut exchange: Exchange,
    sent: Sent,
    count: usize,
    bytes: usize,
) -> JoinHandle<Exchange> {
    tokio::spawn(async move {
        for number in 0..count {
            exchange.event(&data(number, bytes)).await;
            sent.fetch_add(1, Ordering::Relaxed);
        }
        exchange.envelope("done", "null").await;
        exchange
    })
}

type Sent = Arc<AtomicUsize>;

/// Reads them all, in order.
async fn read_all(caller: &mut Caller, from: usize, count: usize, bytes: usize) {
    for number in from..count {
        caller.frame("message", "", &data(number, bytes)).await;
    }
    caller.done("null").await;
}

#[tokio::test(start_paused = true)]
async fn the_agent_is_held_back_at_about_64_events_while_another_stream_goes_on() {
    let (gateway, mut agent, mut caller, exchange) = stalled(settings()).await;
    const BYTES: usize = 16 * 1024;
    let sent = Sent::default();
    let sending = send_all(exchange, sent.clone(), 1000, BYTES);
    sleep(seconds(60)).await;
    let held = sent.load(Ordering::Relaxed);
    // Those in the channel, and those in the buffers on the way, which have half a megabyte.
    assert!((8..64 + 32).contains(&held), "{held} events were sent");

    let (mut other, mut other_exchange) = gateway.open(&mut agent).await;
    for number in 0..200 {
        other_exchange.event(&data(number, BYTES)).await;
        other.frame("message", "", &data(number, BYTES)).await;
    }
    other_exchange.envelope("done", "null").await;
    other.done("null").await;
    assert_eq!(sent.load(Ordering::Relaxed), held);

    caller.head().await;
    read_all(&mut caller, 0, 1000, BYTES).await;
    sending.await.unwrap().closed().await;
    gateway.until_no_streams().await;
}

#[tokio::test(start_paused = true)]
async fn large_events_hold_the_agent_back_by_their_bytes() {
    const BYTES: usize = 100 * 1024;
    let settings = Settings { agent_max_response_bytes: BYTES, ..settings() };
    let (_gateway, _agent, mut caller, exchange) = stalled(settings).await;
    let sent = Sent::default();
    let sending = send_all(exchange, sent.clone(), 200, BYTES);
    sleep(seconds(60)).await;
    let held = sent.load(Ordering::Relaxed);
    // Two in the channel, and what the buffers on the way hold.
    assert!((2..20).contains(&held), "{held} events were sent");
    caller.head().await;
    read_all(&mut caller, 0, 200, BYTES).await;
    sending.await.unwrap().closed().await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_reads_byte_by_byte_gets_everything() {
    let mut setup = Setup::new(settings());
    let mut agent = setup.agent(ID);
    let gateway = setup.simulated().await;
    let mut client = gateway.connect_with(1, DAY);
    client.send(rpc(STREAM)).await;
    let mut caller = Caller::new(client);
    let exchange = agent.accept().await;
    let sending = send_all(exchange, Sent::default(), 300, 100);
    caller.head().await;
    read_all(&mut caller, 0, 300, 100).await;
    sending.await.unwrap().closed().await;
}

/// It is not the agent that is idle.
#[tokio::test(start_paused = true)]
async fn a_caller_who_pauses_for_less_than_the_idle_timeout_loses_nothing() {
    let (gateway, _agent, mut caller, exchange) = stalled(settings()).await;
    let sending = send_all(exchange, Sent::default(), 600, 2048);
    caller.head().await;
    caller.frame("message", "", &data(0, 2048)).await;
    sleep(seconds(290)).await;
    read_all(&mut caller, 1, 600, 2048).await;
    sending.await.unwrap().closed().await;
    gateway.until_no_streams().await;
}

/// However long it takes.
#[tokio::test(start_paused = true)]
async fn a_caller_who_reads_slowly_but_never_stops_is_there() {
    const BYTES: usize = 1024 * 1024;
    let (gateway, _agent, mut caller, exchange) = stalled(settings()).await;
    let sending = send_all(exchange, Sent::default(), 4, BYTES);
    caller.head().await;
    caller.client.expect("event: message\ndata: {\"stream_id\":\"").await;
    caller.client.read_until("\"").await;
    caller.client.expect(",\"type\":\"\",\"payload\":").await;
    // 64 KiB a minute.
    for piece in data(0, BYTES).as_bytes().chunks(64 * 1024) {
        sleep(seconds(60)).await;
        caller.client.expect(str::from_utf8(piece).unwrap()).await;
    }
    caller.client.expect("}\n\n").await;
    read_all(&mut caller, 1, 4, BYTES).await;
    sending.await.unwrap().closed().await;
    gateway.until_no_streams().await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_does_not_read_for_as_long_as_an_agent_may_be_idle_is_gone() {
    let (gateway, mut agent, caller, mut exchange) = stalled(settings()).await;
    let begun = Instant::now();
    let event = format!("data: {}\n\n", data(0, 2048));
    let held_back = async { while exchange.try_send(&event).await.is_ok() {} };
    timeout(seconds(310), held_back).await.expect("the agent's connection is closed");
    assert_seconds_since(begun, 300);
    gateway.until_no_streams().await;
    let (mut other, mut exchange) = gateway.open(&mut agent).await;
    exchange.envelope("done", "1").await;
    other.done("1").await;
    drop(caller);
}

/// Keepalives that are not read do not keep an idle agent.
#[tokio::test(start_paused = true)]
async fn an_idle_agent_is_cancelled_even_where_the_caller_does_not_read() {
    let mut setup = Setup::new(settings());
    let mut agent = setup.agent(ID);
    let gateway = setup.simulated().await;
    let mut client = gateway.connect_with(1, DAY);
    client.send(rpc(STREAM)).await;
    let mut exchange = agent.accept().await;
    let begun = Instant::now();
    timeout(seconds(302), exchange.closed()).await.expect("the agent's connection is closed");
    assert!(begun.elapsed() >= seconds(300));
    gateway.until_no_streams().await;
    drop(client);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_does_not_wait_for_a_caller_who_does_not_read() {
    let (gateway, _agent, caller, mut exchange) = stalled(settings()).await;
    let event = format!("data: {}\n\n", data(0, 2048));
    while timeout(seconds(5), exchange.send(&event)).await.is_ok() {}
    let begun = Instant::now();
    gateway.shutdown().await;
    assert!(begun.elapsed() < seconds(3), "{:?}", begun.elapsed());
    let closed = async { while exchange.try_send(&event).await.is_ok() {} };
    within_a_second("the agent's connection is closed", closed).await;
    drop(caller);
}
