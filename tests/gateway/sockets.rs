//! What only sockets show: callers who leave, agents who break off, and a real address.

use crate::shared::builder;
use crate::support::{
    Agent, Caller, ID, PATIENCE, STREAM, STREAM_HEAD, Setup, TestGateway, json_answer, names,
    payload, rpc, rpc_error, seconds,
};
use host_harness::gateway::Settings;
use std::io::ErrorKind;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// A gateway whose agent may have one request at a time.
async fn single() -> (TestGateway, Agent) {
    let mut setup = Setup::new(Settings { agent_max_concurrency: 1, ..Settings::default() });
    let agent = setup.agent_on_a_socket(ID).await;
    (setup.on_a_socket().await, agent)
}

/// A caller's own socket, on which the head was read.
async fn connect(
    gateway: &TestGateway,
    agent: &mut Agent,
) -> (TcpStream, crate::support::Exchange) {
    let mut socket = TcpStream::connect(gateway.address.unwrap()).await.unwrap();
    socket.write_all(rpc(STREAM).as_bytes()).await.unwrap();
    let exchange = agent.accept().await;
    let mut head = vec![0; STREAM_HEAD.len()];
    timeout(PATIENCE, socket.read_exact(&mut head)).await.unwrap().unwrap();
    assert_eq!(head, STREAM_HEAD.as_bytes());
    (socket, exchange)
}

/// Or two, where the machine is busy: in simulated time, `disconnects` knows no such excuse.
#[track_caller]
fn assert_within_a_second(begun: Instant) {
    assert!(begun.elapsed() < seconds(2), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_stream_is_relayed_event_by_event() {
    let (gateway, mut agent) = single().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    for payload in ["1", "2", "3"] {
        exchange.envelope("status_update", payload).await;
        caller.status(payload).await;
    }
    exchange.envelope("done", "4").await;
    caller.done("4").await;
    exchange.closed().await;
}

#[tokio::test]
async fn a_caller_who_closes_the_socket_is_seen_within_a_second_and_its_slot_is_free() {
    let (gateway, mut agent) = single().await;
    let (socket, mut exchange) = connect(&gateway, &mut agent).await;
    let left = Instant::now();
    // Nothing is unread, so this is a FIN.
    drop(socket);
    exchange.closed().await;
    assert_within_a_second(left);
    gateway.until_no_streams().await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test]
async fn a_caller_who_resets_the_socket_is_seen_within_a_second_and_its_slot_is_free() {
    let (gateway, mut agent) = single().await;
    let (socket, mut exchange) = connect(&gateway, &mut agent).await;
    socket.set_zero_linger().unwrap();
    let left = Instant::now();
    drop(socket);
    exchange.closed().await;
    assert_within_a_second(left);
    gateway.until_no_streams().await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test]
async fn a_caller_who_leaves_with_frames_unread_is_seen_too() {
    let (gateway, mut agent) = single().await;
    let (socket, mut exchange) = connect(&gateway, &mut agent).await;
    exchange.envelope("status_update", "1").await;
    socket.readable().await.unwrap();
    drop(socket);
    exchange.closed().await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test]
async fn an_agent_that_resets_its_connection_is_an_early_end() {
    let (gateway, mut agent) = single().await;
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    exchange.envelope("status_update", "1").await;
    caller.status("1").await;
    exchange.reset();
    caller.error(-32603, "internal error: agent stream ended before a terminal event").await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test]
async fn an_agent_that_ends_its_connection_is_an_early_end() {
    let (gateway, mut agent) = single().await;
    let (mut caller, exchange) = gateway.open(&mut agent).await;
    drop(exchange);
    caller.error(-32603, "internal error: agent stream ended before a terminal event").await;
    gateway.expect_a_free_slot(&mut agent).await;
}

#[tokio::test]
async fn an_agent_whose_port_is_closed_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut setup = Setup::new(Settings::default());
    setup.nobody(&format!("http://{address}/"));
    let gateway = setup.on_a_socket().await;
    let message = "internal error: agent unreachable: connection refused";
    let expected = json_answer(&rpc_error("1", -32603, message));
    gateway.send(rpc(STREAM)).await.expect_all(expected).await;
}

/// On a socket the gateway ends its side of the connection, and nobody's frames are lost by that.
#[tokio::test]
async fn a_shutdown_on_a_socket_ends_streams_with_their_error_and_the_listener() {
    let (gateway, mut agent) = single().await;
    let address = gateway.address.unwrap();
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    gateway.shutdown().await;
    caller.error(-32603, "internal error: gateway shutting down").await;
    exchange.closed().await;
    let refused = TcpStream::connect(address).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn a_capsule_on_a_socket_is_an_agent_like_any_other() {
    let mut capsule = builder().start().await.unwrap();
    let address = capsule.listen("127.0.0.1:0").await.unwrap();
    let mut setup = Setup::new(Settings::default());
    setup.capsule_at(ID, &format!("http://{address}/"));
    let gateway = setup.on_a_socket().await;
    let mut caller = gateway.stream().await;
    caller.head().await;
    let task = capsule.handle().next_task().await.unwrap();
    let mut attempt = task.begin_attempt().await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    caller.status(payload(&names(&task).working(0, 1))).await;
    // The caller's leaving reaches the task.
    drop(caller);
    timeout(PATIENCE, task.canceled()).await.expect("the task is cancelled");
}

/// Hundreds of callers come and go, and nothing is left of them.
#[tokio::test]
async fn many_streams_at_once_each_have_their_own_events() {
    let mut setup = Setup::new(Settings::default());
    let mut agent = setup.agent_on_a_socket(ID).await;
    let gateway = setup.on_a_socket().await;
    let mut open = Vec::new();
    for _ in 0..100 {
        let (caller, exchange) = gateway.open(&mut agent).await;
        open.push((caller, exchange));
    }
    for round in 0..3 {
        for (number, (caller, exchange)) in open.iter_mut().enumerate() {
            let payload = format!("[{round},{number}]");
            exchange.envelope("artifact", &payload).await;
            Caller::frame(caller, "task.artifact", "artifact", &payload).await;
        }
    }
    drop(open);
    gateway.until_no_streams().await;
}
