//! Tasks that end badly (protocol page, `status`; `capsule-stream-details.md`, section 9).

use crate::support::{CLOSED, QUEUE, Served, TaskFrames, builder, scenario};
use std::time::Duration;
use tokio::time::sleep;

/// Plays these steps and expects that both the watcher and the submitter get these frames.
async fn expect(steps: &str, frames: impl FnOnce(&TaskFrames) -> Vec<String>) {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    served.play_by_default(scenario(steps));
    let mut watcher = served.watch().await;
    let names = TaskFrames::nth(0);
    let all = frames(&names).concat();
    served.submit("hello").await.expect_all(&all).await;
    served.get(&names.task, &names.result("failed")).await;
    // The capsule goes on.
    let again = frames_of_another(&served).await;
    served.close().await;
    watcher.expect_all(format!("{all}{again}{CLOSED}")).await;
}

/// Runs another task, of a driver that does not stream.
async fn frames_of_another(served: &Served) -> String {
    let mut submitter = served.submit("whole-reply").await;
    let all = submitter.rest().await;
    assert!(all.contains(r#""state":"completed""#), "{all}");
    all
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_traps_after_chunks_leaves_the_tasks_counter_behind() {
    let steps = "[[step]]\nturn = { emit = [{ text = \"I am cut\" }] }\n\
                 [[step]]\nend = \"driver_trapped\"\n";
    expect(steps, |names| {
        vec![
            names.working(0, 1),
            names.text(1, "I "),
            names.text(2, "am "),
            names.text(3, "cut"),
            names.failed(1, "session ended"),
        ]
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_driver_whose_response_failed_did_return() {
    let steps = "[[step]]\nturn = { emit = [{ text = \"I end\" }] }\n\
                 [[step]]\nend = \"response_failed\"\n";
    expect(steps, |names| vec![names.turn(0, 1, "I end"), names.failed(4, "session ended")]).await;
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_could_not_be_called_is_told_with_the_error() {
    let steps = "[[step]]\nturn = { after = \"1s\" }\n\
                 [[step]]\nend = { driver_unavailable = \"no \\\"driver\\\"\" }\n";
    expect(steps, |names| {
        let failed = r#"driver invocation failed: no \"driver\""#;
        vec![names.working(0, 1), names.failed(1, failed)]
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_spend_refusal_comes_after_the_working_of_its_turn() {
    let steps = "[[step]]\nturn = { emit = [{ text = \"Dear.\" }] }\n[[step]]\nturn = {}\n\
                 [[step]]\nend = { spend_refused = \"spend ceiling reached\" }\n";
    expect(steps, |names| {
        vec![
            names.turn(0, 1, "Dear."),
            names.working(3, 2),
            names.failed(4, "spend ceiling reached"),
        ]
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_used_all_its_turns_says_how_many() {
    let steps = "[[step]]\nturn = {}\n[[step]]\nturn = {}\n[[step]]\nend = \"max_turns\"\n";
    expect(steps, |names| {
        let failed = "max_turns exceeded: the task used all 2 inference turns";
        vec![names.working(0, 1), names.working(1, 2), names.failed(2, failed)]
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_compaction_that_fails_may_come_before_the_first_turn() {
    let steps = "[[step]]\nend = \"compaction_failed\"\n";
    expect(steps, |names| vec![names.failed(0, "session ended")]).await;
    let steps = "[[step]]\nturn = {}\n[[step]]\nend = \"compaction_failed\"\n";
    expect(steps, |names| vec![names.working(0, 1), names.failed(1, "session ended")]).await;
}

#[tokio::test(start_paused = true)]
async fn after_an_ending_that_nobody_reports_a_submitter_is_open_until_another_tasks_final() {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    served.play();
    let [names, other] = [0, 1].map(TaskFrames::nth);
    let mut submitter = served.submit("unreported").await;
    submitter.expect(names.turn(0, 1, "README.md describes the")).await;
    sleep(Duration::from_secs(600)).await;
    assert_eq!(served.stats().await.unwrap().connections, 1);
    served.get(&names.task, &names.result("failed")).await;
    let mut second = served.submit("whole-reply").await;
    let all = second.rest().await;
    assert!(all.starts_with(&other.working(0, 1)), "{all}");
    assert!(all.ends_with("\"final\":true}\n\n"), "{all}");
    submitter.expect_all(all).await;
}
