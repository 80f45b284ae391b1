//! `Last-Event-ID`, `gap`, and what the buffer keeps (protocol page, "Replay").

use crate::support::{
    ACK, CLOSED, QUEUE, STREAM_HEAD, Served, TaskFrames, builder, frames, gap, post_with,
    stream_body, watch_with,
};
use host_harness::CapsuleBuilder;

/// A capsule that has run one task, which it wrote as [`TaskFrames::run`] does, on a closed stream:
/// a watch ends after its replay.
async fn after_a_task(builder: CapsuleBuilder) -> (Served, String) {
    let served = Served::on_a_socket(builder.task_acceptance(QUEUE)).await;
    drop(served.submit("hello").await);
    served.run_task("hi").await;
    served.feed().close().await.unwrap();
    (served, TaskFrames::nth(0).run("hi"))
}

/// Expects that a watch with these headers gets this replay.
async fn expect_replay(served: &Served, headers: &str, replay: &str) {
    let mut client = served.send(watch_with(headers)).await;
    let received = client.rest().await;
    assert_eq!(received, format!("{STREAM_HEAD}{ACK}{replay}{CLOSED}"), "{headers}");
}

/// Expects that a `message/stream` with these headers gets this replay. Its stream is closed, so
/// the connection ends without a frame of its own.
async fn expect_submitter_replay(served: &Served, headers: &str, replay: &str) {
    let mut client = served.send(post_with(headers, &stream_body("again"))).await;
    assert_eq!(client.rest().await, format!("{STREAM_HEAD}{replay}"), "{headers}");
}

#[tokio::test]
async fn a_replay_writes_the_frames_with_a_higher_id() {
    let (served, run) = after_a_task(builder()).await;
    for last in 0..5 {
        let replay = frames(&run)[4.min(last + 1)..].concat();
        let headers = format!("Last-Event-ID: {last}\r\n");
        expect_replay(&served, &headers, &replay).await;
        expect_submitter_replay(&served, &headers, &replay).await;
    }
}

#[tokio::test]
async fn a_replay_compares_ids_and_not_positions() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let mut replay = String::new();
    for number in 0..2 {
        let mut submitter = served.submit("hello").await;
        served.run_task("hi").await;
        let run = TaskFrames::nth(number).run("hi");
        submitter.expect_all(&run).await;
        replay.push_str(&frames(&run)[3..].concat());
    }
    served.feed().close().await.unwrap();
    expect_replay(&served, "Last-Event-ID: 2\r\n", &replay).await;
}

#[tokio::test]
async fn the_header_may_be_written_in_any_case_and_with_white_space() {
    let (served, run) = after_a_task(builder()).await;
    let replay = frames(&run)[3..].concat();
    for headers in [
        "Last-Event-ID: 2\r\n",
        "last-event-id: 2\r\n",
        "LAST-EVENT-ID: 2\r\n",
        "lAsT-eVeNt-Id:2\r\n",
        "Last-Event-ID: \t 2 \t \r\n",
        "Last-Event-ID: +2\r\n",
        "Last-Event-ID: 0002\r\n",
    ] {
        expect_replay(&served, headers, &replay).await;
        expect_submitter_replay(&served, headers, &replay).await;
    }
}

#[tokio::test]
async fn what_is_not_a_number_is_no_replay_for_a_submitter_and_0_for_a_watcher() {
    let (served, run) = after_a_task(builder()).await;
    let from_0 = frames(&run)[1..].concat();
    for value in ["", "x", "-1", "1e3", "2.0", "0x2", "2 3", "18446744073709551616", "\u{e9}"] {
        let headers = format!("Last-Event-ID: {value}\r\n");
        expect_replay(&served, &headers, &from_0).await;
        expect_submitter_replay(&served, &headers, "").await;
    }
}

#[tokio::test]
async fn a_submitter_without_the_header_gets_no_replay() {
    let (served, _) = after_a_task(builder()).await;
    expect_submitter_replay(&served, "", "").await;
}

#[tokio::test]
async fn of_two_headers_the_last_one_counts() {
    let (served, run) = after_a_task(builder()).await;
    let from = |id: usize| frames(&run)[id + 1..].concat();
    for (headers, watcher, submitter) in [
        ("Last-Event-ID: 0\r\nLast-Event-ID: 2\r\n", from(2), from(2)),
        ("Last-Event-ID: 2\r\nlast-event-id: 1\r\n", from(1), from(1)),
        ("Last-Event-ID: 2\r\nLast-Event-ID: x\r\n", from(0), String::new()),
        ("Last-Event-ID: x\r\nLast-Event-ID: 2\r\n", from(2), from(2)),
    ] {
        expect_replay(&served, headers, &watcher).await;
        expect_submitter_replay(&served, headers, &submitter).await;
    }
}

#[tokio::test]
async fn the_highest_id_replays_nothing() {
    let (served, _) = after_a_task(builder()).await;
    let headers = "Last-Event-ID: 18446744073709551615\r\n";
    expect_replay(&served, headers, "").await;
    expect_submitter_replay(&served, headers, "").await;
}

#[tokio::test]
async fn an_empty_buffer_replays_nothing() {
    let served = Served::on_a_socket(builder()).await;
    served.feed().close().await.unwrap();
    for headers in ["", "Last-Event-ID: 0\r\n", "Last-Event-ID: 37\r\n"] {
        expect_replay(&served, headers, "").await;
    }
    expect_submitter_replay(&served, "Last-Event-ID: 37\r\n", "").await;
}

#[tokio::test]
async fn a_gap_comes_before_the_whole_buffer_when_its_oldest_id_is_too_high() {
    let run = TaskFrames::nth(0).run("hi");
    let kept = frames(&run)[2..].concat();
    // Room for the last two of the four frames.
    let (served, _) = after_a_task(builder().replay_buffer_bytes(kept.len() as u64)).await;
    let whole = format!("event: gap\ndata: {{\"first_available_id\":2}}\n\n{kept}");
    expect_replay(&served, "", &whole).await;
    expect_replay(&served, "Last-Event-ID: 0\r\n", &whole).await;
    expect_submitter_replay(&served, "Last-Event-ID: 0\r\n", &whole).await;
    // One below the oldest id, nothing is missing.
    expect_replay(&served, "Last-Event-ID: 1\r\n", &kept).await;
    expect_submitter_replay(&served, "Last-Event-ID: 1\r\n", &kept).await;
    expect_submitter_replay(&served, "", "").await;
    let stats = served.until(|stats| stats.connections == 0).await;
    assert_eq!((stats.replay_buffer_frames, stats.replay_buffer_bytes), (2, kept.len() as u64));
}

#[tokio::test]
async fn a_buffer_of_too_few_bytes_keeps_the_newest_frame() {
    let run = TaskFrames::nth(0).run("hi");
    let kept = frames(&run)[3];
    for bytes in [0, 1, kept.len() as u64, (kept.len() + 1) as u64] {
        let (served, _) = after_a_task(builder().replay_buffer_bytes(bytes)).await;
        expect_replay(&served, "", &format!("{}{kept}", gap(3))).await;
    }
}

#[tokio::test]
async fn the_buffer_keeps_512_frames() {
    let served = Served::on_a_socket(builder()).await;
    let _submitter = served.submit("hello").await;
    let names = TaskFrames::nth(0);
    let task = served.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    let inference = attempt.begin_turn().await.unwrap();
    for id in 1..600 {
        attempt.text(format!("chunk {id}")).await.unwrap();
    }
    inference.returned().await.unwrap();
    attempt.completed("done").await.unwrap();
    served.feed().close().await.unwrap();
    // Of ids 0 to 601, the last 512 are left.
    let chunks = (90..600).map(|id| names.text(id, &format!("chunk {id}")));
    let end = [names.final_text(600, ""), names.completed(601, "done")];
    let kept: String = chunks.chain(end).collect();
    assert_eq!(frames(&kept).len(), 512);
    expect_replay(&served, "", &format!("{}{kept}", gap(90))).await;
    expect_replay(&served, "Last-Event-ID: 88\r\n", &format!("{}{kept}", gap(90))).await;
    expect_replay(&served, "Last-Event-ID: 89\r\n", &kept).await;
    expect_replay(&served, "Last-Event-ID: 600\r\n", frames(&kept)[511]).await;
    let stats = served.until(|stats| stats.connections == 0).await;
    assert_eq!((stats.replay_buffer_frames, stats.frames_written), (512, 602));
}

#[tokio::test]
async fn a_high_id_makes_a_gap_although_nothing_was_evicted() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let _a = served.submit("a").await;
    let running = served.next_task().await;
    let _b = served.submit("b").await;
    let _c = served.submit("c").await;
    let names = TaskFrames::nth(1);
    served.cancel(&names.task);
    drop(running);
    served.next_task().await;
    served.feed().close().await.unwrap();
    let canceled = names.canceled_before_start(2_305_843_009_213_693_951);
    let whole = format!("{}{canceled}", gap(2_305_843_009_213_693_951));
    expect_replay(&served, "", &whole).await;
}

/// The page gives each connection a queue of 128 frames; the byte limit is one of the replay alone.
#[tokio::test]
async fn the_byte_limit_of_the_buffer_takes_no_live_frame_from_a_client_that_keeps_up() {
    let served = Served::on_a_socket(builder().replay_buffer_bytes(1)).await;
    let mut submitter = served.submit("hello").await;
    served.run_task("hi").await;
    submitter.expect_all(TaskFrames::nth(0).run("hi")).await;
}
