//! What clients may have the front hold for them.

use std::time::Duration;

use http::Response;
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;

use super::support::*;
use crate::front::{Front, Limits};

const KIB: usize = 1024;

fn post(length: usize) -> Vec<u8> {
    let mut request = format!("POST / HTTP/1.1\r\ncontent-length: {length}\r\n\r\n").into_bytes();
    request.resize(request.len() + length, b'x');
    request
}

/// Sends what it is given of a request, and leaves the rest out.
async fn begin(front: &Front, request: &[u8]) -> tokio::io::DuplexStream {
    let (mut client, server) = tokio::io::duplex(1024 * KIB);
    spawn_behind(front, server, Script::ok());
    client.write_all(request).await.unwrap();
    for _ in 0..100 {
        settle().await;
    }
    client
}

#[tokio::test(start_paused = true)]
async fn bodies_on_their_way_share_their_memory_and_one_more_is_refused() {
    let front = Front::new(Limits { bodies_bytes: 100 * KIB, ..Limits::default() });
    let body = post(100 * KIB);
    let mut first = begin(&front, &body[..body.len() - 1]).await;
    let mut second = begin(&front, &body).await;
    assert_eq!(read_all(&mut second).await, BUSY);
    // A small one has its own place.
    let mut small = begin(&front, &post(16 * KIB)).await;
    assert_eq!(read_all(&mut small).await, OK);
    // An answered one gives its place back.
    first.write_all(b"x").await.unwrap();
    assert_eq!(read_all(&mut first).await, OK);
    let mut third = begin(&front, &body).await;
    assert_eq!(read_all(&mut third).await, OK);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_its_answer_is_let_go() {
    let start = Instant::now();
    let (mut client, server) = tokio::io::duplex(64);
    let body = full("y".repeat(1000).leak());
    let task = spawn(server, Limits::default(), Script::once(Response::new(body)));
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    task.await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_breaks_off_before_its_answer_drops_its_request() {
    let (client, server) = tokio::io::duplex(1024);
    let (wire, reset) = Wire::new(server);
    let front = Front::new(Limits::default());
    let (handler, dropped) = Pending::new();
    let served = tokio::spawn(async move { front.serve_connection(wire, &handler).await });
    let mut client = client;
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    settle().await;
    assert!(!served.is_finished());
    drop(reset);
    served.await.unwrap();
    dropped.await.unwrap_err();
}
