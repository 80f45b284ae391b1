//! What a submitter gets whose task the capsule cannot take (protocol page, "What
//! `message/stream` writes, in order", steps 4 and 5; `capsule-stream-details.md`, section 5).

use crate::support::{
    QUEUE, STREAM_HEAD, Served, TaskFrames, builder, frames, message, minted, post, post_with,
    stream_body, stream_body_of, submission,
};
use host_harness::TaskAcceptance;

const QUEUE_FAILED: &str =
    "event: error\ndata: {\"error\":\"internal error: queue send failed\"}\n\n";

#[tokio::test]
async fn rejected_is_a_final_status_with_id_0_and_fresh_ids() {
    let served = Served::on_a_socket(builder()).await;
    let _first = served.submit("first").await;
    served
        .send(submission("second"))
        .await
        .expect_all(concat!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n",
            "cache-control: no-cache\r\nconnection: keep-alive\r\n\r\n",
            "id: 0\nevent: status\ndata: {\"id\":\"tsk_019b76daa8007415961718191a1b1c1d\",",
            "\"context_id\":\"ctx_019b76daa8007e1fa021222324252627\",\"status\":",
            "{\"state\":\"rejected\",\"message\":\"task rejected: capsule is busy\"},",
            "\"final\":true}\n\n",
        ))
        .await;
}

#[tokio::test]
async fn a_single_capsule_accepts_nothing_after_its_one_task() {
    let served = Served::on_a_socket(builder()).await;
    let mut first = served.submit("first").await;
    served.submit("while it waits").await.expect_all(TaskFrames::nth(1).rejected()).await;
    let task = served.next_task().await;
    served.submit("while it runs").await.expect_all(TaskFrames::nth(2).rejected()).await;
    task.begin_attempt().await.unwrap().completed("").await.unwrap();
    drop(task);
    first.expect_all(TaskFrames::nth(0).completed(0, "")).await;
    served.submit("after it").await.expect_all(TaskFrames::nth(3).rejected()).await;
}

#[tokio::test]
async fn a_rejected_task_keeps_the_context_that_its_message_names() {
    let served = Served::on_a_socket(builder()).await;
    let _first = served.submit("first").await;
    let params = message("second").replacen('{', r#"{"contextId":"ctx_mine","#, 1);
    let names = TaskFrames { task: format!("tsk_{}", minted(2)), context: "ctx_mine".into() };
    let mut second = served.send(post(&stream_body_of(&params))).await;
    second.expect_all(format!("{STREAM_HEAD}{}", names.rejected())).await;
}

#[tokio::test]
async fn nobody_else_sees_rejected_and_no_replay_has_it() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.watch().await;
    let mut first = served.submit("first").await;
    served.submit("second").await.expect_all(TaskFrames::nth(1).rejected()).await;
    served.run_task("hi").await;
    let run = TaskFrames::nth(0).run("hi");
    watcher.expect(&run).await;
    first.expect_all(&run).await;
    let mut late = served.watch().await;
    late.expect(frames(&run)[1..].concat()).await;
    served.close().await;
    late.expect_all("event: capsule-closed\ndata: {}\n\n").await;
    watcher.expect_all("event: capsule-closed\ndata: {}\n\n").await;
}

#[tokio::test]
async fn a_queue_takes_its_depth_beside_the_task_that_runs() {
    let depth_2 = TaskAcceptance::Queue { depth: 2 };
    let served = Served::on_a_socket(builder().task_acceptance(depth_2)).await;
    let _a = served.submit("a").await;
    let running = served.next_task().await;
    let _b = served.submit("b").await;
    let _c = served.submit("c").await;
    served.submit("d").await.expect_all(TaskFrames::nth(3).rejected()).await;
    drop(running);
    // The queue has a place again as soon as a task leaves it.
    let running = served.next_task().await;
    assert_eq!(running.text(), "b");
    let _e = served.submit("e").await;
    served.submit("f").await.expect_all(TaskFrames::nth(5).rejected()).await;
    drop(running);
    assert_eq!(served.next_task().await.text(), "c");
    assert_eq!(served.next_task().await.text(), "e");
}

#[tokio::test]
async fn rejected_comes_after_the_replay_that_was_asked_for() {
    let served = Served::on_a_socket(builder()).await;
    let mut first = served.submit("first").await;
    served.run_task("hi").await;
    let run = TaskFrames::nth(0).run("hi");
    first.expect_all(&run).await;
    let request = post_with("Last-Event-ID: 1\r\n", &stream_body("second"));
    let replay = frames(&run)[2..].concat();
    let rejected = TaskFrames::nth(1).rejected();
    served.send(request).await.expect_all(format!("{STREAM_HEAD}{replay}{rejected}")).await;
}

/// Runs A, queues B and C at depth 2, cancels B and submits E, whose place is free but whose
/// hand-over finds the channel full.
#[tokio::test]
async fn a_task_that_cannot_be_handed_over_gets_an_error_frame() {
    let depth_2 = TaskAcceptance::Queue { depth: 2 };
    let served = Served::on_a_socket(builder().task_acceptance(depth_2)).await;
    let [a, b, c] = [0, 1, 2].map(TaskFrames::nth);
    let mut watcher = served.watch().await;
    let mut client_a = served.submit("a").await;
    let running = served.next_task().await;
    let mut attempt = running.begin_attempt().await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    client_a.expect(a.working(0, 1)).await;
    let mut client_b = served.submit("b").await;
    let mut client_c = served.submit("c").await;

    served.cancel(&b.task);

    served.submit("e").await.expect_all(QUEUE_FAILED).await;
    // The error comes after a replay, and is kept in no buffer.
    let request = post_with("Last-Event-ID: 0\r\n", &stream_body("f"));
    served.send(request).await.expect_all(format!("{STREAM_HEAD}{QUEUE_FAILED}")).await;

    attempt.completed("").await.unwrap();
    drop(running);
    let end_of_a = a.completed(1, "");
    client_a.expect_all(&end_of_a).await;
    // A's final status closes those who wait as well, before the queue reaches B.
    client_b.expect_all(&end_of_a).await;
    client_c.expect_all(&end_of_a).await;

    // The queue reaches B, which writes its only frame, and goes on with C.
    served.run_task("hi").await;
    let canceled = b.canceled_before_start(2_305_843_009_213_693_951);
    assert_eq!(
        canceled,
        concat!(
            "id: 2305843009213693951\nevent: status\ndata: ",
            "{\"id\":\"tsk_019b76daa8007415961718191a1b1c1d\",",
            "\"context_id\":\"ctx_019b76daa8007e1fa021222324252627\",\"status\":",
            "{\"state\":\"canceled\",\"message\":\"task canceled before it started\"},",
            "\"final\":true}\n\n",
        )
    );
    watcher.expect([a.working(0, 1), end_of_a, canceled, c.run("hi")].concat()).await;
}

#[tokio::test]
async fn each_queued_cancel_of_a_session_has_the_next_id() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let mut watcher = served.watch().await;
    let _a = served.submit("a").await;
    let running = served.next_task().await;
    let mut waiting = Vec::new();
    for _ in 0..3 {
        waiting.push(served.submit("waits").await);
    }
    let [b, c, d] = [1, 2, 3].map(TaskFrames::nth);
    for task in [&d, &b] {
        served.cancel(&task.task);
    }
    drop(running);
    served.run_task("hi").await;
    // In the order of the queue, not in that of the cancels.
    watcher.expect(b.canceled_before_start(2_305_843_009_213_693_951)).await;
    watcher.expect(c.run("hi")).await;
    let _e = served.submit("e").await;
    served.run_task("hi").await;
    watcher.expect(d.canceled_before_start(2_305_843_009_213_693_952)).await;
    watcher.expect(TaskFrames::nth(4).run("hi")).await;
}
