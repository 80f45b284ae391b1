//! Which frames close a `message/stream`: the first live final `status`, of any task, and nothing
//! else (protocol page, "Endpoints").

use crate::support::{
    CLOSED, QUEUE, STREAM_HEAD, Served, TaskFrames, builder, frames, post_with, stream_body,
};

#[tokio::test]
async fn the_final_status_of_any_task_closes_every_submitter() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let mut watcher = served.watch().await;
    let mut first = served.submit("first").await;
    let mut second = served.submit("second").await;
    let [run_1, run_2] = [0, 1].map(|number| TaskFrames::nth(number).run("hi"));
    served.run_task("hi").await;
    first.expect_all(&run_1).await;
    second.expect_all(&run_1).await;
    // The second task runs all the same.
    served.run_task("hi").await;
    watcher.expect([run_1, run_2].concat()).await;
}

#[tokio::test]
async fn failed_and_canceled_close_it_too() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let mut first = served.submit("first").await;
    let task = served.next_task().await;
    task.begin_attempt().await.unwrap().failed("session ended").await.unwrap();
    drop(task);
    first.expect_all(TaskFrames::nth(0).failed(0, "session ended")).await;

    let mut second = served.submit("second").await;
    let task = served.next_task().await;
    task.begin_attempt().await.unwrap().canceled().await.unwrap();
    drop(task);
    second.expect_all(TaskFrames::nth(1).canceled(0)).await;
}

#[tokio::test]
async fn the_final_status_of_a_queued_cancel_closes_it_too() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let _first = served.submit("first").await;
    let running = served.next_task().await;
    let _second = served.submit("second").await;
    let mut third = served.submit("third").await;
    let second = TaskFrames::nth(1);
    served.cancel(&second.task);
    drop(running);
    let _third_task = served.next_task().await;
    third.expect_all(second.canceled_before_start(2_305_843_009_213_693_951)).await;
}

#[tokio::test]
async fn a_replayed_final_does_not_close_it() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let mut first = served.submit("first").await;
    served.run_task("one").await;
    let run_1 = TaskFrames::nth(0).run("one");
    first.expect_all(&run_1).await;
    let request = post_with("Last-Event-ID: 0\r\n", &stream_body("second"));
    let mut second = served.send(request).await;
    second.expect(format!("{STREAM_HEAD}{}", frames(&run_1)[1..].concat())).await;
    served.run_task("two").await;
    second.expect_all(TaskFrames::nth(1).run("two")).await;
}

#[tokio::test]
async fn a_final_text_does_not_close_it() {
    let served = Served::on_a_socket(builder()).await;
    let mut submitter = served.submit("hello").await;
    let names = TaskFrames::nth(0);
    let task = served.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    let inference = attempt.begin_turn().await.unwrap();
    attempt.text("hi").await.unwrap();
    inference.returned().await.unwrap();
    submitter.expect(names.working(0, 1)).await;
    submitter.expect(names.text(1, "hi")).await;
    submitter.expect(names.final_text(2, "")).await;
    // The client has it and is still connected when the next frame is written.
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    submitter.expect(names.working(3, 2)).await;
    attempt.completed("hi again").await.unwrap();
    submitter.expect(names.final_text(4, "hi again")).await;
    submitter.expect_all(names.completed(5, "hi again")).await;
}

#[tokio::test]
async fn a_status_that_is_not_final_does_not_close_it() {
    let served = Served::on_a_socket(builder()).await;
    let mut submitter = served.submit("hello").await;
    let names = TaskFrames::nth(0);
    let task = served.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    for turn in 1..4 {
        attempt.begin_turn().await.unwrap().returned().await.unwrap();
        submitter.expect(names.working(turn - 1, turn)).await;
    }
    attempt.completed("").await.unwrap();
    submitter.expect_all(names.completed(3, "")).await;
}

#[tokio::test]
async fn two_clients_at_once_see_each_others_frames() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let [names_1, names_2] = [0, 1].map(TaskFrames::nth);
    let mut first = served.submit("first").await;
    let task = served.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    first.expect(names_1.working(0, 1)).await;
    // The second client asks for no replay, so it gets what is written from now on.
    let mut second = served.submit("second").await;
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    first.expect(names_1.working(1, 2)).await;
    second.expect(names_1.working(1, 2)).await;
    // The first task ends without a final status, so both clients see the second task as well.
    drop((attempt, task));
    served.run_task("hi").await;
    let run_2 = names_2.run("hi");
    first.expect_all(&run_2).await;
    second.expect_all(&run_2).await;
}

#[tokio::test]
async fn a_submitter_of_a_capsule_that_closes_its_stream_gets_the_end_without_a_frame() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.watch().await;
    let mut submitter = served.submit("hello").await;
    served.feed().close().await.unwrap();
    submitter.expect_end().await;
    watcher.expect_all(CLOSED).await;
}
