//! When a cancel takes effect (`capsule-stream-details.md`, section 9), and what `tasks/cancel`
//! answers.

use crate::support::{
    CLOSED, Client, QUEUE, Served, TASK_NOT_FOUND, TaskFrames, builder, scenario, submission,
};
use std::time::Duration;
use tokio::time::sleep;

const QUEUED_CANCEL: u64 = 2_305_843_009_213_693_951;

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A capsule that plays these steps for its tasks, a watcher, and the submitter of its first task.
async fn playing(steps: &str) -> (Served, Client, Client, TaskFrames) {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    served.play_by_default(scenario(steps));
    let watcher = served.watch().await;
    let submitter = served.submit("hello").await;
    (served, watcher, submitter, TaskFrames::nth(0))
}

/// Expects these frames and no others, up to the end of the stream.
async fn expect_to_the_end(served: Served, mut watcher: Client, all: &str) {
    sleep(Duration::from_secs(60)).await;
    served.close().await;
    watcher.expect_all(format!("{all}{CLOSED}")).await;
}

/// As observed on a real capsule: ids repeat inside the task, and no empty `text` ends the turn.
#[tokio::test(start_paused = true)]
async fn a_cancel_in_inference_drops_the_call() {
    let steps = "pace = \"100ms\"\n[[step]]\nturn = { emit = [{ text = \"a b c d e\" }] }\n\
                 [[step]]\nend = { completed = \"a b c d e\" }\n";
    let (served, watcher, mut submitter, names) = playing(steps).await;
    sleep(millis(350)).await;
    served.cancel_over_http(&names.task, &names.result("canceled")).await;
    let all = [
        names.working(0, 1),
        names.text(1, "a "),
        names.text(2, "b "),
        names.text(3, "c "),
        names.canceled(1),
    ]
    .concat();
    submitter.expect_all(&all).await;
    expect_to_the_end(served, watcher, &all).await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_in_inference_takes_effect_at_once() {
    let steps = "[[step]]\nturn = { after = \"50m\" }\n[[step]]\nend = { completed = \"\" }\n";
    let (served, _watcher, mut submitter, names) = playing(steps).await;
    sleep(millis(10)).await;
    let canceled = tokio::time::Instant::now();
    served.cancel_over_http(&names.task, &names.result("canceled")).await;
    submitter.expect_all([names.working(0, 1), names.canceled(1)].concat()).await;
    assert_eq!(canceled.elapsed(), Duration::ZERO);
}

/// The artifact of a tool of the turn, in the order of its keys.
fn artifact(names: &TaskFrames, id: u64, tool: &str, call: &str, millis: u64) -> String {
    names.artifact(
        id,
        &format!(
            r#"{{"tool_name":"{tool}","content":"<untrusted-content source=tool:{tool}>\nok\n</untrusted-content>","fence_source":"tool:{tool}","tool_call_id":"{call}","is_error":false,"duration_ms":{millis},"exit_code":null,"truncated":false}}"#
        ),
    )
}

#[tokio::test(start_paused = true)]
async fn a_cancel_in_a_tool_lets_it_and_the_turns_later_calls_end() {
    let steps = "[[step]]\nturn = {}\n\
        [[step]]\n[step.tool]\nname = \"build\"\ncontent = \"ok\"\ntool_call_id = \"1\"\n\
        duration_ms = 400\nemit = [{ pause = \"300ms\" }, { chunk = \"built\" }]\n\
        [[step]]\n[step.tool]\nname = \"test\"\ncontent = \"ok\"\ntool_call_id = \"2\"\n\
        duration_ms = 50\n\
        [[step]]\nturn = {}\n[[step]]\nend = { completed = \"\" }\n";
    let (served, watcher, mut submitter, names) = playing(steps).await;
    sleep(millis(150)).await;
    served.cancel_over_http(&names.task, &names.result("canceled")).await;
    let all = [
        names.working(0, 1),
        // Chunks of a tool are numbered from where its artifact is.
        names.text(1, "built"),
        artifact(&names, 1, "build", "1", 400),
        artifact(&names, 2, "test", "2", 50),
        names.canceled(3),
    ]
    .concat();
    submitter.expect_all(&all).await;
    expect_to_the_end(served, watcher, &all).await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_after_the_last_call_ends_the_task_in_place_of_its_own_end() {
    let steps = "[[step]]\nturn = {}\n[[step]]\npause = \"1s\"\n\
                 [[step]]\nend = { completed = \"Done.\" }\n";
    let (served, _watcher, mut submitter, names) = playing(steps).await;
    sleep(millis(500)).await;
    served.cancel_over_http(&names.task, &names.result("canceled")).await;
    submitter.expect_all([names.working(0, 1), names.canceled(1)].concat()).await;
}

#[tokio::test(start_paused = true)]
async fn a_queued_task_that_is_cancelled_writes_nothing_until_the_queue_reaches_it() {
    let steps = "[[step]]\nturn = { after = \"1s\" }\n[[step]]\nend = { completed = \"\" }\n";
    let (served, watcher, mut first, a) = playing(steps).await;
    let [b, c, d] = [1, 2, 3].map(TaskFrames::nth);
    let mut submitters = Vec::new();
    for _ in 0..3 {
        submitters.push(served.submit("hello").await);
    }
    // The later one first.
    for canceled in [&d, &b] {
        served.cancel_over_http(&canceled.task, &canceled.result("canceled")).await;
        served.get(&canceled.task, &canceled.result("canceled")).await;
    }
    let run = |names: &TaskFrames| [names.working(0, 1), names.completed(1, "")].concat();
    // Nothing of it yet: every submitter sees the task that runs, and closes on its final.
    first.expect_all(run(&a)).await;
    for submitter in &mut submitters {
        submitter.expect_all(a.completed(1, "")).await;
    }
    let all = [
        run(&a),
        b.canceled_before_start(QUEUED_CANCEL),
        run(&c),
        d.canceled_before_start(QUEUED_CANCEL + 1),
    ];
    expect_to_the_end(served, watcher, &all.concat()).await;
}

#[tokio::test(start_paused = true)]
async fn the_final_of_a_queued_task_that_was_cancelled_closes_a_submitter() {
    let steps = "[[step]]\nturn = { after = \"1s\" }\n[[step]]\nend = \"unreported\"\n";
    let (served, _watcher, mut first, a) = playing(steps).await;
    let mut second = served.submit("hello").await;
    let b = TaskFrames::nth(1);
    served.cancel_over_http(&b.task, &b.result("canceled")).await;
    let canceled = b.canceled_before_start(QUEUED_CANCEL);
    first.expect_all(a.working(0, 1) + &canceled).await;
    second.expect_all(canceled).await;
}

#[tokio::test(start_paused = true)]
async fn a_finished_task_is_not_cancelled_any_more() {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    served.play();
    for (number, (name, state)) in
        [("whole-reply", "completed"), ("driver-trapped", "failed"), ("unreported", "failed")]
            .into_iter()
            .enumerate()
    {
        let names = TaskFrames::nth(number);
        let _submitter = served.send(submission(name)).await;
        sleep(Duration::from_secs(10)).await;
        served.cancel_over_http(&names.task, &names.result(state)).await;
        served.get(&names.task, &names.result(state)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_may_be_cancelled_twice() {
    let steps = "[[step]]\nturn = { after = \"1s\" }\n[[step]]\nend = { completed = \"\" }\n";
    let (served, watcher, _submitter, names) = playing(steps).await;
    for _ in 0..2 {
        served.cancel_over_http(&names.task, &names.result("canceled")).await;
    }
    let all = [names.working(0, 1), names.canceled(1)].concat();
    expect_to_the_end(served, watcher, &all).await;
}

#[tokio::test]
async fn a_cancel_of_a_task_that_nobody_knows_says_so() {
    let served = Served::on_a_socket(builder()).await;
    served.cancel_over_http("tsk_nobodys", TASK_NOT_FOUND).await;
    served.get("tsk_nobodys", TASK_NOT_FOUND).await;
    served.call("tasks/get", "{}", TASK_NOT_FOUND).await;
    let required = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: tasks/cancel requires an id"}}"#;
    served.call("tasks/cancel", "{}", required).await;
    // A rejected task is one that nobody knows.
    let _first = served.submit("first").await;
    let rejected = TaskFrames::nth(1);
    served.say("second", &rejected.result("rejected")).await;
    served.get(&rejected.task, TASK_NOT_FOUND).await;
    served.cancel_over_http(&rejected.task, TASK_NOT_FOUND).await;
}

#[tokio::test]
async fn a_task_that_cannot_be_handed_over_is_an_error_of_message_send() {
    let depth_2 = host_harness::TaskAcceptance::Queue { depth: 2 };
    let served = Served::on_a_socket(builder().task_acceptance(depth_2)).await;
    let _a = served.submit("a").await;
    let _running = served.next_task().await;
    let b = TaskFrames::nth(1);
    served.say("b", &b.result("submitted")).await;
    served.say("c", &TaskFrames::nth(2).result("submitted")).await;
    served.say("d", &TaskFrames::nth(3).result("rejected")).await;
    served.cancel_over_http(&b.task, &b.result("canceled")).await;
    // Its place is free, and its entry still there.
    let failed = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error: queue send failed"}}"#;
    served.say("e", failed).await;
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_never_looks_ends_its_cancelled_task_as_canceled_whatever_it_says() {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    for (number, completes) in [true, false].into_iter().enumerate() {
        let names = TaskFrames::nth(number);
        let mut submitter = served.submit("hello").await;
        let task = served.next_task().await;
        let mut attempt = task.begin_attempt().await.unwrap();
        attempt.begin_turn().await.unwrap().returned().await.unwrap();
        served.cancel_over_http(&names.task, &names.result("canceled")).await;
        match completes {
            true => attempt.completed("done").await.unwrap(),
            false => attempt.failed("broken").await.unwrap(),
        }
        submitter.expect_all([names.working(0, 1), names.canceled(1)].concat()).await;
        served.get(&names.task, &names.result("canceled")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_its_loop_ends_as_canceled_stands_so() {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    let names = TaskFrames::nth(0);
    let _submitter = served.submit("hello").await;
    let task = served.next_task().await;
    task.begin_attempt().await.unwrap().canceled().await.unwrap();
    drop(task);
    served.get(&names.task, &names.result("canceled")).await;
}
