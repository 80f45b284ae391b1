//! What clients that do not read may have the capsule hold for them: an id has to be echoed whatever
//! its size, and a context is named in every frame.

use crate::support::{
    CLOSED, Client, QUEUE, STREAM_HEAD, Served, TASK_NOT_FOUND, builder, post, stream_body_of,
    watch_with,
};
use host_harness::front::Limits;

const MIB: usize = 1024 * 1024;
const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\n\
    connection: close\r\n\r\n";

/// A capsule that lets 2.5 MiB wait for its clients.
async fn served() -> Served {
    let limits = Limits { waiting_bytes: 5 * MIB / 2, ..Limits::default() };
    Served::simulated(builder().limits(limits).task_acceptance(QUEUE)).await
}

/// A request whose id has a mebibyte, of a client that reads nothing for now.
async fn ask_and_do_not_read(served: &Served) -> Client {
    let mut client = served.connect_with_buffer(4096);
    let id = "x".repeat(MIB);
    client.send(post(&format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"none"}}"#))).await;
    client
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_not_read_share_their_memory_and_one_more_is_refused() {
    let served = served().await;
    let mut unread = Vec::new();
    for count in 1..=2 {
        unread.push(ask_and_do_not_read(&served).await);
        served.until(|stats| stats.connections == count).await;
    }
    let mut third = ask_and_do_not_read(&served).await;
    assert_eq!(third.rest().await, BUSY);
    // Small requests are answered all the same.
    served.get("tsk_none", TASK_NOT_FOUND).await;
    for client in &mut unread {
        assert!(client.rest().await.contains(r#""message":"Method not found""#));
    }
    served.until(|stats| stats.connections == 0).await;
    let mut fourth = ask_and_do_not_read(&served).await;
    assert!(fourth.rest().await.starts_with("HTTP/1.1 200 OK"));
}

#[tokio::test(start_paused = true)]
async fn error_frames_that_are_not_read_count_too() {
    let served = served().await;
    // What the error says of it quotes it.
    let parts = "x".repeat(MIB);
    let body = stream_body_of(&format!(r#"{{"messageId":"m","role":"u","parts":"{parts}"}}"#));
    let mut unread = Vec::new();
    for count in 1..=2 {
        let mut client = served.connect_with_buffer(4096);
        client.send(post(&body)).await;
        served.until(|stats| stats.connections == count).await;
        unread.push(client);
    }
    assert_eq!(served.send(post(&body)).await.rest().await, BUSY);
    for client in &mut unread {
        assert!(client.rest().await.ends_with(", expected a sequence\"}\n\n"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_capsule_outlives_hundreds_of_long_ids_that_nobody_reads() {
    let served = served().await;
    let mut clients = Vec::new();
    for _ in 0..300 {
        clients.push(ask_and_do_not_read(&served).await);
    }
    served.get("tsk_none", TASK_NOT_FOUND).await;
}

#[tokio::test(start_paused = true)]
async fn a_replay_that_is_never_read_is_closed_before_it_holds_too_much() {
    let builder = builder().replay_buffer_bytes(MIB as u64).task_acceptance(QUEUE);
    let served = Served::simulated(builder).await;
    drop(served.submit("hello").await);
    let task = served.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    let chunk = "x".repeat(MIB / 4);
    let mut stalled = Vec::new();
    for _ in 0..40 {
        attempt.text(&chunk).await.unwrap();
        let mut client = served.connect_with_buffer(4096);
        client.send(watch_with("Last-Event-ID: 0\r\n")).await;
        stalled.push(client);
        served.stats().await.unwrap();
    }
    // Each holds the three newest frames of its time: 40 of them in all, of which three may be held
    // beside the three in the buffer.
    let stats = served.until(|stats| stats.connections < 12).await;
    assert!(stats.connections >= 4, "{stats:?}");
    // What they were given before ends without a word. The newest still get all.
    let given_up = stalled[0].rest().await;
    assert!(given_up.starts_with(STREAM_HEAD));
    let mut newest = stalled.pop().unwrap();
    let reading = tokio::spawn(async move { newest.rest().await });
    attempt.completed("").await.unwrap();
    served.close().await;
    let received = reading.await.unwrap();
    assert_eq!(received.matches("event: text").count(), 3);
    assert!(received.ends_with(CLOSED));
}
