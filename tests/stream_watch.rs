//! What a watcher gets, in order, and how its stream ends (protocol page, "What `stream/watch`
//! writes, in order" and `capsule-closed`).

use crate::support::{
    ACK, CLOSED, QUEUE, STREAM_HEAD, Served, TaskFrames, WATCH, builder, frames, post, submission,
    watch_with,
};
use host_harness::ConversationMode;

#[tokio::test]
async fn connection_ack_is_the_first_frame_and_names_the_conversation_mode() {
    for (mode, ack) in [
        (
            ConversationMode::Stateless,
            "event: connection-ack\n\
             data: {\"role\":\"observer\",\"conversation_mode\":\"stateless\"}\n\n",
        ),
        (
            ConversationMode::Threaded,
            "event: connection-ack\n\
             data: {\"role\":\"observer\",\"conversation_mode\":\"threaded\"}\n\n",
        ),
    ] {
        let served = Served::on_a_socket(builder().conversation_mode(mode)).await;
        let mut submitter = served.submit("hello").await;
        served.run_task("hi").await;
        let run = TaskFrames::nth(0).run("hi");
        submitter.expect_all(&run).await;
        let mut watcher = served.send(post(WATCH)).await;
        let replay = frames(&run)[1..].concat();
        watcher.expect(format!("{STREAM_HEAD}{ack}{replay}")).await;
    }
}

#[tokio::test]
async fn a_watcher_of_an_idle_capsule_gets_only_its_ack() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.watch().await;
    served.stop().await;
    watcher.expect_end().await;
}

#[tokio::test]
async fn the_replay_from_0_skips_the_first_frame_of_every_task() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let mut replay = String::new();
    for number in 0..3 {
        let mut submitter = served.submit("hello").await;
        served.run_task("hi").await;
        let run = TaskFrames::nth(number).run("hi");
        submitter.expect_all(&run).await;
        assert!(frames(&run)[0].starts_with("id: 0\n"));
        replay.push_str(&frames(&run)[1..].concat());
    }
    served.watch().await.expect(&replay).await;
    let mut explicit = served.send(watch_with("Last-Event-ID: 0\r\n")).await;
    explicit.expect(format!("{STREAM_HEAD}{ACK}{replay}")).await;
}

#[tokio::test]
async fn live_frames_follow_the_replay_and_no_final_status_ends_them() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let mut submitter = served.submit("hello").await;
    served.run_task("before").await;
    let before = TaskFrames::nth(0).run("before");
    submitter.expect_all(&before).await;
    let mut watcher = served.watch().await;
    watcher.expect(frames(&before)[1..].concat()).await;
    for number in 1..4 {
        let mut submitter = served.submit("hello").await;
        served.run_task("live").await;
        let run = TaskFrames::nth(number).run("live");
        watcher.expect(&run).await;
        submitter.expect_all(&run).await;
    }
    served.close().await;
    watcher.expect_all(CLOSED).await;
}

#[tokio::test]
async fn capsule_closed_is_the_last_frame_when_the_capsule_closes_its_stream() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.watch().await;
    let _submitter = served.send(submission("hello")).await;
    served.run_task("hi").await;
    // Closed before the watcher has read what it lacks.
    served.close().await;
    let run = TaskFrames::nth(0).run("hi");
    watcher.expect_all(format!("{run}event: capsule-closed\ndata: {{}}\n\n")).await;
}

#[tokio::test]
async fn a_capsule_that_exits_writes_no_capsule_closed() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.watch().await;
    let _submitter = served.send(submission("hello")).await;
    served.run_task("hi").await;
    // Stopped before the watcher has read what it lacks.
    served.stop().await;
    watcher.expect_all(TaskFrames::nth(0).run("hi")).await;
}

#[tokio::test]
async fn a_capsule_that_is_killed_writes_no_capsule_closed() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.watch().await;
    let mut submitter = served.submit("hello").await;
    served.run_task("hi").await;
    let run = TaskFrames::nth(0).run("hi");
    watcher.expect(&run).await;
    submitter.expect_all(&run).await;
    drop(served);
    // A reset is an end as good as any of a process that was killed.
    assert_eq!(watcher.rest_until_broken().await, "");
}

#[tokio::test]
async fn a_watch_that_begins_after_the_stream_was_closed_gets_the_replay_and_capsule_closed() {
    let served = Served::on_a_socket(builder()).await;
    let mut submitter = served.submit("hello").await;
    served.run_task("hi").await;
    let run = TaskFrames::nth(0).run("hi");
    submitter.expect_all(&run).await;
    served.feed().close().await.unwrap();
    let replay = frames(&run)[1..].concat();
    for _ in 0..2 {
        served
            .send(post(WATCH))
            .await
            .expect_all(format!("{STREAM_HEAD}{ACK}{replay}{CLOSED}"))
            .await;
    }
}

#[tokio::test]
async fn nothing_is_written_after_the_stream_was_closed() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.watch().await;
    let mut submitter = served.submit("hello").await;
    let names = TaskFrames::nth(0);
    let task = served.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    let inference = attempt.begin_turn().await.unwrap();
    served.feed().close().await.unwrap();
    attempt.text("lost").await.unwrap();
    inference.returned().await.unwrap();
    attempt.completed("lost").await.unwrap();
    served.feed().close().await.unwrap();
    watcher.expect_all(format!("{}{CLOSED}", names.working(0, 1))).await;
    submitter.expect_all(names.working(0, 1)).await;
    let stats = served.until(|stats| stats.connections == 0).await;
    assert_eq!(stats.frames_written, 1);
}

#[tokio::test]
async fn a_client_that_leaves_does_not_end_its_task() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.watch().await;
    let submitter = served.submit("hello").await;
    drop(submitter);
    served.run_task("hi").await;
    watcher.expect(TaskFrames::nth(0).run("hi")).await;
}
