//! Attempts, inference calls and input waits as an agent loop holds them: how they end, and what
//! that does to the counters (protocol page, "Event ids"; `capsule-stream-details.md`, section 6).

use crate::support::{CLOSED, Client, QUEUE, Served, TaskFrames, builder};
use host_harness::{AcceptedTask, Artifact, Attempt, Chunk, Error};

const INPUT_WAIT: u64 = 9_223_372_036_854_775_807;
const DONE: &str = r#"{"tool_name":"t","content":"done","fence_source":null,"tool_call_id":null,"is_error":true,"duration_ms":0,"exit_code":null,"truncated":false}"#;

/// The artifact of a tool that failed, whose JSON is [`DONE`].
fn done() -> Artifact {
    Artifact {
        tool_name: "t".into(),
        content: "done".into(),
        fence_source: None,
        // As good as none.
        tool_call_id: Some(String::new()),
        is_error: true,
        duration_ms: 0,
        exit_code: None,
        truncated: false,
    }
}

/// A capsule, a watcher of it, and the first attempt at its first task, whose submitter is gone.
async fn begun() -> (Served, Client, AcceptedTask, Attempt) {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let watcher = served.watch().await;
    drop(served.submit("hello").await);
    let task = served.next_task().await;
    let attempt = task.begin_attempt().await.unwrap();
    (served, watcher, task, attempt)
}

/// Expects these frames and no others, up to the end of the stream.
async fn expect_to_the_end<const N: usize>(served: Served, mut watcher: Client, all: [String; N]) {
    served.close().await;
    watcher.expect_all(format!("{}{CLOSED}", all.concat())).await;
}

#[tokio::test]
async fn an_abandoned_attempt_writes_no_final_status_and_leaves_its_submitter_open() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let mut submitter = served.submit("hello").await;
    let [names_1, names_2] = [0, 1].map(TaskFrames::nth);
    let task = served.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    let inference = attempt.begin_turn().await.unwrap();
    attempt.text("hi").await.unwrap();
    drop((inference, attempt, task));
    submitter.expect([names_1.working(0, 1), names_1.text(1, "hi")].concat()).await;
    // It is open until a task's final status, whoever's that is.
    let mut second = served.submit("again").await;
    served.run_task("hi").await;
    submitter.expect_all(names_2.run("hi")).await;
    second.expect_all(names_2.run("hi")).await;
}

#[tokio::test]
async fn a_submitter_of_an_abandoned_task_is_open_until_the_capsule_exits() {
    let served = Served::on_a_socket(builder()).await;
    let mut submitter = served.submit("hello").await;
    let task = served.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    drop((attempt, task));
    submitter.expect(TaskFrames::nth(0).working(0, 1)).await;
    assert_eq!(served.stats().await.unwrap().connections, 1);
    served.stop().await;
    submitter.expect_end().await;
}

/// As observed on a real capsule: ids repeat inside the task, and no empty `text` ends the turn.
#[tokio::test]
async fn an_inference_call_that_does_not_return_leaves_the_tasks_counter_behind() {
    let (served, watcher, _task, mut attempt) = begun().await;
    let names = TaskFrames::nth(0);
    let inference = attempt.begin_turn().await.unwrap();
    for text in ["a", "b", "c"] {
        attempt.text(text).await.unwrap();
    }
    drop(inference);
    attempt.canceled().await.unwrap();
    let all = [
        names.working(0, 1),
        names.text(1, "a"),
        names.text(2, "b"),
        names.text(3, "c"),
        names.canceled(1),
    ];
    expect_to_the_end(served, watcher, all).await;
}

#[tokio::test]
async fn only_a_text_chunk_makes_the_return_write_an_empty_final_text() {
    let (served, watcher, _task, mut attempt) = begun().await;
    let names = TaskFrames::nth(0);
    let inference = attempt.begin_turn().await.unwrap();
    attempt.thinking("hm").await.unwrap();
    inference.returned().await.unwrap();
    let inference = attempt.begin_turn().await.unwrap();
    attempt.text("").await.unwrap();
    inference.returned().await.unwrap();
    attempt.completed("not written as text").await.unwrap();
    let all = [
        names.working(0, 1),
        names.thinking(1, "hm"),
        names.working(2, 2),
        names.text(3, ""),
        names.final_text(4, ""),
        names.completed(5, "not written as text"),
    ];
    expect_to_the_end(served, watcher, all).await;
}

#[tokio::test]
async fn a_chunk_without_a_task_writes_nothing() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let mut watcher = served.watch().await;
    let feed = served.feed();
    feed.emit(Chunk::Text("before".into())).await.unwrap();
    feed.emit(Chunk::Thinking("before".into())).await.unwrap();
    let mut submitter = served.submit("hello").await;
    // Accepted, but its attempt has not begun.
    feed.emit(Chunk::Text("between".into())).await.unwrap();
    served.run_task("hi").await;
    feed.emit(Chunk::Text("after".into())).await.unwrap();
    let run = TaskFrames::nth(0).run("hi");
    submitter.expect_all(&run).await;
    served.close().await;
    watcher.expect_all(format!("{run}{CLOSED}")).await;
}

#[tokio::test]
async fn the_chunks_of_a_tool_have_the_ids_of_the_artifacts_after_them() {
    let (served, watcher, _task, mut attempt) = begun().await;
    let names = TaskFrames::nth(0);
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    attempt.thinking("compiling").await.unwrap();
    attempt.text("1 of 2").await.unwrap();
    attempt.artifact(done()).await.unwrap();
    attempt.text("2 of 2").await.unwrap();
    attempt.artifact(done()).await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    attempt.completed("").await.unwrap();
    let all = [
        names.working(0, 1),
        names.thinking(1, "compiling"),
        names.text(2, "1 of 2"),
        names.artifact(1, DONE),
        names.text(3, "2 of 2"),
        names.artifact(2, DONE),
        names.working(3, 2),
        names.completed(4, ""),
    ];
    expect_to_the_end(served, watcher, all).await;
}

#[tokio::test]
async fn an_input_wait_has_a_counter_of_its_own() {
    let (served, watcher, _task, mut attempt) = begun().await;
    let names = TaskFrames::nth(0);
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    for prompt in ["Which one?", "Sure?"] {
        let wait = attempt.wait_for_input(prompt).await.unwrap();
        wait.resumed().await.unwrap();
    }
    attempt.artifact(done()).await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    attempt.completed("").await.unwrap();
    let all = [
        names.working(0, 1),
        names.input_wait(INPUT_WAIT, "input-required", "Which one?", false),
        names.input_wait(INPUT_WAIT + 1, "working", "resumed", false),
        names.input_wait(INPUT_WAIT, "input-required", "Sure?", false),
        names.input_wait(INPUT_WAIT + 1, "working", "resumed", false),
        names.artifact(1, DONE),
        names.working(2, 2),
        names.completed(3, ""),
    ];
    expect_to_the_end(served, watcher, all).await;
}

#[tokio::test]
async fn a_wait_that_timed_out_closes_its_submitter_and_its_task_goes_on() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.watch().await;
    let mut submitter = served.submit("hello").await;
    let names = TaskFrames::nth(0);
    let task = served.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    attempt.wait_for_input("Sure?").await.unwrap().timed_out().await.unwrap();
    let until_timeout = [
        names.working(0, 1),
        names.input_wait(INPUT_WAIT, "input-required", "Sure?", false),
        names.input_wait(INPUT_WAIT + 1, "failed", "input-timeout", true),
    ]
    .concat();
    submitter.expect_all(&until_timeout).await;
    attempt.artifact(done()).await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    attempt.completed("").await.unwrap();
    watcher.expect(&until_timeout).await;
    watcher.expect(names.artifact(1, DONE)).await;
    watcher.expect([names.working(2, 2), names.completed(3, "")].concat()).await;
}

#[tokio::test]
async fn a_wait_that_is_dropped_writes_nothing() {
    let (served, watcher, _task, mut attempt) = begun().await;
    let names = TaskFrames::nth(0);
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    drop(attempt.wait_for_input("Sure?").await.unwrap());
    attempt.artifact(done()).await.unwrap();
    attempt.canceled().await.unwrap();
    let all = [
        names.working(0, 1),
        names.input_wait(INPUT_WAIT, "input-required", "Sure?", false),
        names.artifact(1, DONE),
        names.canceled(2),
    ];
    expect_to_the_end(served, watcher, all).await;
}

#[tokio::test]
async fn a_reopened_task_counts_from_0_again() {
    let (served, watcher, task, mut attempt) = begun().await;
    let names = TaskFrames::nth(0);
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    attempt.completed("not yet").await.unwrap();
    let mut attempt = task.begin_attempt().await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    attempt.completed("").await.unwrap();
    let all = [
        names.working(0, 1),
        names.final_text(1, "not yet"),
        names.completed(2, "not yet"),
        names.working(0, 1),
        names.completed(1, ""),
    ];
    expect_to_the_end(served, watcher, all).await;
}

#[tokio::test]
async fn an_attempt_that_was_overtaken_writes_nothing() {
    let (served, watcher, task, mut old) = begun().await;
    let names = TaskFrames::nth(0);
    let old_inference = old.begin_turn().await.unwrap();
    let mut new = task.begin_attempt().await.unwrap();
    let inference = new.begin_turn().await.unwrap();
    old.artifact(done()).await.unwrap();
    old_inference.returned().await.unwrap();
    // A chunk belongs to the attempt that runs.
    old.text("hi").await.unwrap();
    old.completed("lost").await.unwrap();
    inference.returned().await.unwrap();
    new.completed("").await.unwrap();
    let all = [
        names.working(0, 1),
        names.working(0, 1),
        names.text(1, "hi"),
        names.final_text(2, ""),
        names.completed(3, ""),
    ];
    expect_to_the_end(served, watcher, all).await;
}

#[tokio::test]
async fn the_feed_of_a_capsule_that_ended_says_so() {
    let (served, _watcher, task, mut attempt) = begun().await;
    let handle = served.handle();
    served.stop().await;
    assert!(matches!(attempt.begin_turn().await, Err(Error::Stopped)));
    assert!(matches!(attempt.text("hi").await, Err(Error::Stopped)));
    assert!(matches!(handle.stats().await, Err(Error::Stopped)));
    drop(task);
    assert!(handle.next_task().await.is_none());
}
