//! How a connection ends, and what a client does while it is answered.

use std::time::Duration;

use http::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::support::*;
use crate::front::Limits;

const GET: &[u8] = b"GET / HTTP/1.1\r\n\r\n";

/// A client that has asked for an event stream and read its head.
async fn streaming(buffer: usize) -> (DuplexStream, Frames, JoinHandle<()>, oneshot::Sender<()>) {
    let (frames, response) = event_stream();
    let (mut client, server) = tokio::io::duplex(buffer);
    let (wire, reset) = Wire::new(server);
    let task = spawn(wire, Limits::default(), Script::once(response));
    client.write_all(GET).await.unwrap();
    expect(&mut client, EVENT_STREAM).await;
    (client, frames, task, reset)
}

#[tokio::test(start_paused = true)]
async fn a_half_closed_client_still_gets_the_stream() {
    let (mut client, frames, task, _reset) = streaming(4096).await;
    client.shutdown().await.unwrap();
    settle().await;
    frames.send(data("one")).await.unwrap();
    expect(&mut client, "one").await;
    frames.send(data("two")).await.unwrap();
    drop(frames);
    assert_eq!(read_all(&mut client).await, "two");
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_a_client_sends_during_the_answer_is_discarded() {
    let (mut client, frames, _task, _reset) = streaming(64).await;
    client.write_all(&[b'x'; 100_000]).await.unwrap();
    frames.send(data("one")).await.unwrap();
    expect(&mut client, "one").await;
}

#[tokio::test(start_paused = true)]
async fn a_reset_client_drops_the_body_at_once() {
    let start = Instant::now();
    let (_client, frames, task, reset) = streaming(4096).await;
    drop(reset);
    frames.closed().await;
    task.await.unwrap();
    // Nor is there anything to linger for.
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_fails_drops_the_body_at_once() {
    let start = Instant::now();
    let (client, frames, task, _reset) = streaming(4096).await;
    drop(client);
    settle().await;
    assert!(!frames.is_closed(), "it could be a half-close");
    frames.send(data("one")).await.unwrap();
    frames.closed().await;
    task.await.unwrap();
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_reset_while_a_body_is_counted_drops_it() {
    let (frames, body) = scripted_body();
    let (mut client, server) = tokio::io::duplex(4096);
    let (wire, reset) = Wire::new(server);
    let task = spawn(wire, Limits::default(), Script::once(Response::new(body)));
    client.write_all(GET).await.unwrap();
    settle().await;
    drop(reset);
    frames.closed().await;
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stalled_client_holds_up_its_own_body_and_nothing_else() {
    let (mut client, frames, task, _reset) = streaming(128).await;
    let long: &'static str = "y".repeat(1000).leak();
    // One is being written, one waits in the channel, and the third waits for its place.
    frames.send(data(long)).await.unwrap();
    settle().await;
    frames.send(data(long)).await.unwrap();
    let day = Duration::from_secs(86_400);
    let third = timeout(day, frames.send(data("end"))).await;
    assert!(third.is_err(), "the body is not asked while a write waits");
    assert!(!task.is_finished());
    let mut read = vec![0; 2000];
    client.read_exact(&mut read).await.unwrap();
    frames.send(data("end")).await.unwrap();
    expect(&mut client, "end").await;
}

#[tokio::test(start_paused = true)]
async fn a_reset_of_a_stalled_client_drops_the_body() {
    let (_client, frames, task, reset) = streaming(128).await;
    let long: &'static str = "y".repeat(1000).leak();
    frames.send(data(long)).await.unwrap();
    settle().await;
    drop(reset);
    frames.closed().await;
    task.await.unwrap();
}

/// Answered, with the client's side still open.
async fn answered(limits: Limits) -> (DuplexStream, JoinHandle<()>) {
    let (mut client, task) = connect(limits, Script::ok());
    client.write_all(GET).await.unwrap();
    assert_eq!(read_all(&mut client).await, OK);
    (client, task)
}

#[tokio::test(start_paused = true)]
async fn the_answer_ends_before_the_lingering() {
    let start = Instant::now();
    let (_client, task) = answered(Limits::default()).await;
    assert_eq!(start.elapsed(), Duration::ZERO);
    settle().await;
    assert!(!task.is_finished());
}

#[tokio::test(start_paused = true)]
async fn the_front_lingers_until_the_client_ends() {
    let start = Instant::now();
    let (mut client, task) = answered(Limits::default()).await;
    client.write_all(b"unread").await.unwrap();
    client.shutdown().await.unwrap();
    task.await.unwrap();
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn the_front_lingers_for_a_second_at_most() {
    let start = Instant::now();
    let (_client, task) = answered(Limits::default()).await;
    task.await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn the_front_lingers_for_a_mebibyte_at_most() {
    const MEBIBYTE: usize = 1024 * 1024;
    let start = Instant::now();
    let (mut client, task) = answered(Limits::default()).await;
    client.write_all(&vec![b'x'; MEBIBYTE - 1]).await.unwrap();
    for _ in 0..1000 {
        settle().await;
    }
    assert!(!task.is_finished());
    client.write_all(b"x").await.unwrap();
    task.await.unwrap();
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_refused_body_is_discarded_so_that_the_refusal_can_be_read() {
    let limits = Limits { body_bytes: 8, ..Limits::default() };
    let (mut client, server) = tokio::io::duplex(64);
    let task = spawn(server, limits, Script::ok());
    let request = [&b"POST / HTTP/1.1\r\ncontent-length: 100000\r\n\r\n"[..], &[b'x'; 100_000]];
    let (mut from_server, mut to_server) = tokio::io::split(&mut client);
    let request = request.concat();
    let (sent, answer) = tokio::join!(to_server.write_all(&request), read_all(&mut from_server));
    sent.unwrap();
    assert_eq!(answer, refusal("413 Payload Too Large"));
    drop(client);
    task.await.unwrap();
}

fn leaving() -> Limits {
    Limits { half_close: false, ..Limits::default() }
}

#[tokio::test(start_paused = true)]
async fn where_a_half_close_is_leaving_the_stream_ends_half_a_second_later() {
    let start = Instant::now();
    let (frames, response) = event_stream();
    let (mut client, task) = connect(leaving(), Script::once(response));
    client.write_all(GET).await.unwrap();
    expect(&mut client, EVENT_STREAM).await;
    client.shutdown().await.unwrap();
    frames.closed().await;
    task.await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_millis(500));
}

#[tokio::test(start_paused = true)]
async fn where_a_half_close_is_leaving_an_answer_at_once_still_comes() {
    let (mut client, _task) = connect(leaving(), Script::ok());
    client.write_all(GET).await.unwrap();
    client.shutdown().await.unwrap();
    assert_eq!(read_all(&mut client).await, OK);
}
