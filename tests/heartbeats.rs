//! When heartbeats come (protocol page, "Heartbeat").

use crate::support::{
    ACK, BEAT, QUEUE, STREAM_HEAD, Served, TaskFrames, WATCH, builder_with_heartbeats, json_answer,
    post,
};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test(start_paused = true)]
async fn the_first_heartbeat_comes_15_s_after_connecting_and_then_one_every_15_s() {
    let served = Served::simulated(builder_with_heartbeats()).await;
    // Not at launch, to tell the one from the other.
    sleep(seconds(4)).await;
    let connected = Instant::now();
    let mut watcher = served.watch().await;
    for number in 1..=20 {
        watcher.expect(":heartbeat\n\n").await;
        assert_eq!(connected.elapsed(), seconds(15) * number);
    }
}

#[tokio::test(start_paused = true)]
async fn a_submitter_gets_heartbeats_as_well() {
    let served = Served::simulated(builder_with_heartbeats()).await;
    let connected = Instant::now();
    let mut submitter = served.submit("hello").await;
    for number in 1..=3 {
        submitter.expect(BEAT).await;
        assert_eq!(connected.elapsed(), seconds(15) * number);
    }
    served.run_task("hi").await;
    submitter.expect_all(TaskFrames::nth(0).run("hi")).await;
    assert_eq!(connected.elapsed(), seconds(45));
}

#[tokio::test(start_paused = true)]
async fn each_connection_has_the_phase_of_its_opening() {
    let served = Served::simulated(builder_with_heartbeats()).await;
    let launch = Instant::now();
    let mut first = served.watch().await;
    sleep(seconds(4)).await;
    let mut second = served.watch().await;
    for round in 1..=3 {
        first.expect(BEAT).await;
        assert_eq!(launch.elapsed(), seconds(15) * round);
        second.expect(BEAT).await;
        assert_eq!(launch.elapsed(), seconds(15) * round + seconds(4));
    }
}

#[tokio::test(start_paused = true)]
async fn frames_do_not_put_a_heartbeat_off() {
    let served = Served::simulated(builder_with_heartbeats()).await;
    let connected = Instant::now();
    let mut watcher = served.watch().await;
    let _submitter = served.submit("hello").await;
    let names = TaskFrames::nth(0);
    let task = served.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    // A frame every 7 s: at 0, 7, 14, 21 and 28 s.
    for turn in 1..=5 {
        attempt.begin_turn().await.unwrap().returned().await.unwrap();
        if turn < 5 {
            sleep(seconds(7)).await;
        }
    }
    for id in 0..3 {
        watcher.expect(names.working(id, id + 1)).await;
    }
    watcher.expect(BEAT).await;
    watcher.expect([names.working(3, 4), names.working(4, 5)].concat()).await;
    assert_eq!(connected.elapsed(), seconds(28));
    watcher.expect(BEAT).await;
    assert_eq!(connected.elapsed(), seconds(30));
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_that_is_due_comes_before_a_frame_of_the_same_moment() {
    let served = Served::simulated(builder_with_heartbeats()).await;
    let mut watcher = served.watch().await;
    let _submitter = served.submit("hello").await;
    let task = served.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    sleep(seconds(15)).await;
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    watcher.expect([BEAT, &TaskFrames::nth(0).working(0, 1)].concat()).await;
}

#[tokio::test(start_paused = true)]
async fn no_replay_has_a_heartbeat() {
    let served = Served::simulated(builder_with_heartbeats()).await;
    let mut first = served.watch().await;
    let mut submitter = served.submit("hello").await;
    submitter.expect(BEAT).await;
    served.run_task("hi").await;
    let run = TaskFrames::nth(0).run("hi");
    submitter.expect_all(&run).await;
    first.expect([BEAT, &run].concat()).await;
    let mut late = served.watch().await;
    late.expect(&run[run.find("id: 1").unwrap()..]).await;
    served.close().await;
    late.expect_all("event: capsule-closed\ndata: {}\n\n").await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_did_not_read_gets_every_heartbeat_that_came_due() {
    let served = Served::simulated(builder_with_heartbeats()).await;
    let connected = Instant::now();
    // Holds no more than a few bytes of the answer.
    let mut watcher = served.connect_with_buffer(16);
    watcher.send(post(WATCH)).await;
    sleep(seconds(1000)).await;
    watcher.expect(format!("{}{ACK}", STREAM_HEAD)).await;
    // Of the 66 all at once, the 67th in its own time.
    watcher.expect(BEAT.repeat(66)).await;
    assert_eq!(connected.elapsed(), seconds(1000));
    watcher.expect(BEAT).await;
    assert_eq!(connected.elapsed(), seconds(1005));
}

#[tokio::test(start_paused = true)]
async fn a_json_answer_has_no_heartbeat() {
    let served = Served::simulated(builder_with_heartbeats()).await;
    let mut client = served.connect().await;
    client.send(post("[]")).await;
    sleep(seconds(60)).await;
    client
        .expect_all(json_answer(
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#,
        ))
        .await;
}

#[tokio::test]
async fn heartbeats_come_over_a_socket_in_real_time() {
    let interval = Duration::from_millis(200);
    let builder = builder_with_heartbeats().heartbeat_interval(interval).task_acceptance(QUEUE);
    let served = Served::on_a_socket(builder).await;
    // Before the capsule has seen the client, so that no heartbeat may be earlier than this says.
    let connected = Instant::now();
    let mut watcher = served.watch().await;
    for number in 1..=3 {
        watcher.expect(BEAT).await;
        assert!(connected.elapsed() >= interval * number, "{:?}", connected.elapsed());
    }
    // Others come between the frames, however slow the machine is.
    let mut submitter = served.submit("hello").await;
    submitter.expect(BEAT).await;
    served.run_task("hi").await;
    let without_heartbeats = submitter.rest().await.replace(BEAT, "");
    assert_eq!(without_heartbeats, TaskFrames::nth(0).run("hi"));
}
