//! Clients that do not read, or are gone (protocol page, "Frames a connection misses").

use crate::support::{
    ACK, CLOSED, Client, QUEUE, STREAM_HEAD, Served, TaskFrames, WATCH, builder,
    builder_with_heartbeats, frames, post,
};
use host_harness::{AcceptedTask, Attempt, Inference};
use std::time::Duration;

/// A task in its first turn, which emits as long as the test wants it to.
struct Emitter {
    names: TaskFrames,
    task: AcceptedTask,
    attempt: Attempt,
    inference: Inference,
    next_id: u64,
}

impl Emitter {
    /// Writes the `working` frame, id 0.
    async fn begin(served: &Served) -> Self {
        drop(served.submit("hello").await);
        let task = served.next_task().await;
        let mut attempt = task.begin_attempt().await.unwrap();
        let inference = attempt.begin_turn().await.unwrap();
        Self { names: TaskFrames::nth(0), task, attempt, inference, next_id: 1 }
    }

    /// Writes a chunk, and has `reader` read it: a client that keeps up.
    async fn emit(&mut self, text: &str, reader: &mut Client) {
        self.attempt.text(text).await.unwrap();
        reader.expect(self.names.text(self.next_id, text)).await;
        self.next_id += 1;
    }
}

/// The frames of a stalled watcher as runs of consecutive ids; every frame is one of `names`' with
/// `text`.
fn runs(body: &str, names: &TaskFrames, text: &str) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for frame in frames(body) {
        let id = frame.strip_prefix("id: ").and_then(|rest| rest.split('\n').next());
        let id = id.unwrap_or_else(|| panic!("no id: {frame:?}")).parse().unwrap();
        let whole = if id == 0 { names.working(0, 1) } else { names.text(id, text) };
        assert_eq!(frame, whole);
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == id => *last = id,
            _ => runs.push((id, id)),
        }
    }
    runs
}

/// Writes `count` frames that a good client reads and a stalled one does not; answers what the
/// stalled one reads afterwards, whose frames are all of that `text`.
async fn stall(served: Served, mut stalled: Client, text: &str, count: u64) {
    stalled.send(post(WATCH)).await;
    served.until(|stats| stats.connections == 1).await;
    let mut good = served.watch().await;
    let mut emitter = Emitter::begin(&served).await;
    good.expect(emitter.names.working(0, 1)).await;
    for _ in 0..count {
        emitter.emit(text, &mut good).await;
    }
    served.feed().close().await.unwrap();
    good.expect_all(CLOSED).await;

    let received = stalled.rest().await;
    let body = received.strip_prefix(&format!("{STREAM_HEAD}{ACK}")).expect("head and ack");
    let body = body.strip_suffix(CLOSED).expect("capsule-closed after what it lacked");
    // No gap frame and no comment stands where frames are missing: `runs` would not take it.
    let runs = runs(body, &emitter.names, text);
    let [(0, last_before), (first_after, last)] = runs[..] else {
        panic!("not one hole: {runs:?}");
    };
    assert_eq!(last, count, "the newest are there");
    assert_eq!(last - first_after + 1, 128, "of those that it was behind, as many as are kept");
    let lost = first_after - last_before - 1;
    let stats = served.until(|stats| stats.connections == 0).await;
    assert_eq!(stats.frames_dropped, lost);
    drop((emitter.inference, emitter.task));
}

#[tokio::test(start_paused = true)]
async fn a_stalled_client_loses_the_oldest_frames_and_nothing_stands_in_their_place() {
    let served = Served::simulated(builder()).await;
    let stalled = served.connect_with_buffer(100);
    stall(served, stalled, "x", 1000).await;
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_was_written_in_part_comes_whole() {
    // Several writes are needed for one frame: the stream takes at most 256 KiB in each.
    let served = Served::simulated(builder()).await;
    let stalled = served.connect_with_buffer(1000);
    stall(served, stalled, &"x".repeat(300_000), 150).await;
}

#[tokio::test]
async fn a_client_that_stalls_on_a_socket_loses_frames_and_holds_nobody_up() {
    let served = Served::on_a_socket(builder()).await;
    let stalled = served.connect().await;
    // More than the sockets of the two sides hold.
    stall(served, stalled, &"x".repeat(256 * 1024), 300).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_128_frames_behind_loses_none() {
    let served = Served::simulated(builder()).await;
    let mut stalled = served.connect_with_buffer(1);
    stalled.send(post(WATCH)).await;
    served.until(|stats| stats.connections == 1).await;
    let mut good = served.watch().await;
    let mut emitter = Emitter::begin(&served).await;
    good.expect(emitter.names.working(0, 1)).await;
    let mut all = emitter.names.working(0, 1);
    for id in 1..128 {
        emitter.emit("x", &mut good).await;
        all.push_str(&emitter.names.text(id, "x"));
    }
    assert_eq!(frames(&all).len(), 128);
    stalled.expect(format!("{STREAM_HEAD}{ACK}{all}")).await;
    let stats = served.stats().await.unwrap();
    assert_eq!((stats.frames_written, stats.frames_dropped), (128, 0));
}

#[tokio::test]
async fn a_client_that_is_gone_is_freed_when_frames_cannot_be_written_to_it() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let mut good = served.watch().await;
    let mut emitter = Emitter::begin(&served).await;
    good.expect(emitter.names.working(0, 1)).await;
    let gone = [served.watch().await, served.watch().await, served.watch().await];
    // The submitter of the emitter's task is gone already.
    assert!(served.stats().await.unwrap().connections >= 4);
    drop(gone);
    while served.stats().await.unwrap().connections > 1 {
        emitter.emit("x", &mut good).await;
    }
    // The one that is left still gets everything.
    emitter.emit("y", &mut good).await;
}

/// The first heartbeat finds out that the client is gone; the component learns it with the next.
#[tokio::test(start_paused = true)]
async fn a_client_that_is_gone_is_freed_when_a_heartbeat_cannot_be_written_to_it() {
    let served = Served::simulated(builder_with_heartbeats()).await;
    let watcher = served.watch().await;
    assert_eq!(served.stats().await.unwrap().connections, 1);
    drop(watcher);
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(served.stats().await.unwrap().connections, 0);
}
