//! Work that holds the capsule's thread, and work that only waits (protocol page, "Heartbeat";
//! `capsule-stream-details.md`, section 7).

use crate::support::{
    ACK, BEAT, QUEUE, STREAM_HEAD, Served, TaskFrames, WATCH, builder_with_heartbeats, post,
    scenario,
};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A capsule whose tasks do this for 40 s between two turns, 5 s after they began.
async fn served(step: &str) -> Served {
    let served = Served::simulated(builder_with_heartbeats().task_acceptance(QUEUE)).await;
    served.play_by_default(scenario(&format!(
        "[[step]]\nturn = {{}}\n[[step]]\npause = \"5s\"\n[[step]]\n{step} = \"40s\"\n\
         [[step]]\nturn = {{}}\n[[step]]\npause = \"20s\"\n[[step]]\nend = {{ completed = \"\" }}\n"
    )));
    served
}

#[tokio::test(start_paused = true)]
async fn heartbeats_that_came_due_are_written_when_the_thread_is_free_and_keep_their_phase() {
    let served = served("hold").await;
    let opened = Instant::now();
    let mut watcher = served.watch().await;
    let mut submitter = served.submit("hello").await;
    let names = TaskFrames::nth(0);
    for client in [&mut watcher, &mut submitter] {
        client.expect(names.working(0, 1)).await;
    }
    // Due at 15, 30 and 45 s, held from 5 to 45 s.
    for client in [&mut watcher, &mut submitter] {
        client.expect([&BEAT.repeat(3), &names.working(1, 2)].map(String::as_str).concat()).await;
        assert_eq!(opened.elapsed(), seconds(45));
    }
    for client in [&mut watcher, &mut submitter] {
        client.expect(BEAT).await;
        assert_eq!(opened.elapsed(), seconds(60));
    }
    submitter.expect_all(names.completed(2, "")).await;
    assert_eq!(opened.elapsed(), seconds(65));
}

#[tokio::test(start_paused = true)]
async fn a_connection_of_another_phase_keeps_its_own() {
    let served = served("hold").await;
    let launch = Instant::now();
    let _submitter = served.submit("hello").await;
    sleep(seconds(3)).await;
    let mut watcher = served.watch().await;
    // Due at 18 and 33 s, not yet at 48 s.
    watcher
        .expect([&BEAT.repeat(2), &TaskFrames::nth(0).working(1, 2)].map(String::as_str).concat())
        .await;
    assert_eq!(launch.elapsed(), seconds(45));
    watcher.expect(BEAT).await;
    assert_eq!(launch.elapsed(), seconds(48));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_comes_meanwhile_waits_until_the_thread_is_free() {
    let served = served("hold").await;
    let launch = Instant::now();
    let _submitter = served.submit("hello").await;
    sleep(seconds(10)).await;
    let names = TaskFrames::nth(0);
    let mut late = served.send(post(WATCH)).await;
    // Nothing at all comes, not even the head.
    let answered = timeout(seconds(34), late.expect("H")).await;
    assert!(answered.is_err());
    served.get(&names.task, &names.result("working")).await;
    assert_eq!(launch.elapsed(), seconds(45));
    late.expect(format!("{STREAM_HEAD}{ACK}")).await;
    // Its connection was opened when it was served: the first heartbeat comes 15 s after that.
    late.expect(names.working(1, 2)).await;
    late.expect(BEAT).await;
    assert_eq!(launch.elapsed(), seconds(60));
}

#[tokio::test(start_paused = true)]
async fn what_was_written_before_the_work_began_is_not_held() {
    let served = served("hold").await;
    let launch = Instant::now();
    let mut watcher = served.watch().await;
    let _submitter = served.submit("hold").await;
    let names = TaskFrames::nth(0);
    watcher.expect(names.turn(0, 1, "I'll compute something long now.")).await;
    assert!(launch.elapsed() < seconds(1));
    watcher.expect([&BEAT.repeat(2), &names.working(7, 2)].map(String::as_str).concat()).await;
    assert_eq!(launch.elapsed(), Duration::from_millis(40_250));
}

#[tokio::test(start_paused = true)]
async fn work_that_waits_without_holding_the_thread_delays_no_heartbeat() {
    let served = served("pause").await;
    let opened = Instant::now();
    let mut watcher = served.watch().await;
    let _submitter = served.submit("hello").await;
    let names = TaskFrames::nth(0);
    watcher.expect(names.working(0, 1)).await;
    for number in 1..=3 {
        watcher.expect(BEAT).await;
        assert_eq!(opened.elapsed(), seconds(15) * number);
        // And requests are answered at once.
        served.get(&names.task, &names.result("working")).await;
        assert_eq!(opened.elapsed(), seconds(15) * number);
    }
    watcher.expect(names.working(1, 2)).await;
    assert_eq!(opened.elapsed(), seconds(45));
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_work_that_holds_the_thread() {
    let served = served("hold").await;
    let _submitter = served.submit("hello").await;
    sleep(seconds(10)).await;
    let stopping = Instant::now();
    served.stop().await;
    assert!(stopping.elapsed() < seconds(1));
}

#[tokio::test(start_paused = true)]
async fn a_close_does_not_wait_for_work_that_holds_the_thread() {
    let served = served("hold").await;
    let mut watcher = served.watch().await;
    let _submitter = served.submit("hello").await;
    sleep(seconds(10)).await;
    let closing = Instant::now();
    served.close().await;
    assert!(closing.elapsed() < seconds(1));
    watcher.expect_all(TaskFrames::nth(0).working(0, 1)).await;
}
