//! The accept loop, on real sockets and therefore in real time; nothing sleeps.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use http::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::support::*;
use crate::front::{Limits, accept, accept_loop};

const GET: &[u8] = b"GET / HTTP/1.1\r\n\r\n";

async fn listen(handler: Script) -> (SocketAddr, JoinHandle<()>, oneshot::Sender<()>) {
    listen_within(Limits::default(), handler).await
}

async fn listen_within(
    limits: Limits,
    handler: Script,
) -> (SocketAddr, JoinHandle<()>, oneshot::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let task = tokio::spawn(async move {
        let shutdown = async { drop(stopped.await) };
        accept_loop(listener, limits, handler, shutdown).await;
    });
    (address, task, stop)
}

async fn ask(address: SocketAddr) -> String {
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(GET).await.unwrap();
    read_all(&mut client).await
}

#[tokio::test]
async fn connections_are_served_beside_each_other() {
    let (address, _task, _stop) = listen(Script::ok()).await;
    let idle = TcpStream::connect(address).await.unwrap();
    for _ in 0..10 {
        assert_eq!(ask(address).await, OK);
    }
    drop(idle);
}

#[tokio::test]
async fn a_connection_whose_task_panics_does_not_end_the_loop() {
    let first = std::sync::Mutex::new(true);
    let script = Script::new(move || {
        if std::mem::take(&mut *first.lock().unwrap()) {
            std::panic::resume_unwind(Box::new("panic"));
        }
        Ok(Response::new(full("ok")))
    });
    let (address, _task, _stop) = listen(script).await;
    assert_eq!(ask(address).await, "");
    assert!(ask(address).await.ends_with("ok"));
}

#[tokio::test]
async fn shutdown_ends_every_connection_and_the_listener() {
    let (frames, response) = event_stream();
    let (address, task, stop) = listen(Script::once(response)).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(GET).await.unwrap();
    expect(&mut client, EVENT_STREAM).await;
    let mut idle = TcpStream::connect(address).await.unwrap();
    drop(stop);
    task.await.unwrap();
    assert!(frames.is_closed(), "the body is gone when the loop is");
    assert_eq!(read_all(&mut client).await, "");
    // It may not have been accepted yet, and is then reset.
    assert!(!matches!(idle.read(&mut [0]).await, Ok(1)));
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_client_that_resets_its_socket_drops_the_body() {
    let (frames, response) = event_stream();
    let (address, _task, _stop) = listen(Script::once(response)).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(GET).await.unwrap();
    expect(&mut client, EVENT_STREAM).await;
    client.set_zero_linger().unwrap();
    drop(client);
    frames.closed().await;
}

#[tokio::test(start_paused = true)]
async fn an_accept_that_fails_is_tried_again_after_a_pause() {
    let start = Instant::now();
    let tries = Cell::new(0);
    let try_to = || async {
        tries.set(tries.get() + 1);
        match tries.get() {
            4 => Ok("stream"),
            _ => Err(io::Error::from_raw_os_error(24)),
        }
    };
    let mut failing = false;
    assert_eq!(accept::accept(try_to, &mut failing).await, "stream");
    assert_eq!(start.elapsed(), Duration::from_millis(300));
}

#[tokio::test]
async fn a_connection_over_the_limit_is_refused_until_another_ends() {
    let (frames, response) = event_stream();
    let limits = Limits { connections: 1, ..Limits::default() };
    let first = std::sync::Mutex::new(Some(response));
    let script = Script::new(move || match first.lock().unwrap().take() {
        Some(response) => Ok(response),
        None => Ok(Response::new(full("ok"))),
    });
    let (address, _task, _stop) = listen_within(limits, script).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(GET).await.unwrap();
    expect(&mut client, EVENT_STREAM).await;
    assert_eq!(ask(address).await, BUSY);
    client.set_zero_linger().unwrap();
    drop(client);
    frames.closed().await;
    // Its task ends a moment after its body.
    let mut answer = BUSY.to_owned();
    while answer == BUSY {
        answer = ask(address).await;
    }
    assert!(answer.ends_with("ok"));
}
