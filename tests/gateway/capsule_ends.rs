//! How a capsule's task ends, and who hears of it (details page, sections 5 and 7).

use crate::shared::{QUEUE, Served, builder, message};
use crate::support::{
    Caller, ID, Setup, TestGateway, names, payload, queueing_capsule, rpc, run_next, seconds,
    stream_of, within_a_second,
};
use host_harness::gateway::{AgentKind, Settings};
use host_harness::{Attempt, TaskAcceptance};
use tokio::time::sleep;

const TASK_FAILED: i32 = -32603;

async fn serve_with(acceptance: TaskAcceptance) -> (TestGateway, Served) {
    let mut setup = Setup::new(Settings::default());
    let capsule = Served::simulated(builder().task_acceptance(acceptance)).await;
    setup.capsule(ID, AgentKind::MurmurCapsule, capsule.handle());
    (setup.simulated().await, capsule)
}

async fn serve() -> (TestGateway, Served) {
    serve_with(QUEUE).await
}

async fn open(gateway: &TestGateway) -> Caller {
    let mut caller = gateway.stream().await;
    caller.head().await;
    caller
}

/// A caller and its task, which has written its first frame.
async fn working(
    gateway: &TestGateway,
    capsule: &Served,
) -> (Caller, host_harness::AcceptedTask, Attempt) {
    let mut caller = open(gateway).await;
    let task = capsule.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    caller.status(payload(&names(&task).working(0, 1))).await;
    (caller, task, attempt)
}

#[tokio::test(start_paused = true)]
async fn a_task_that_fails_or_is_cancelled_is_an_error_with_its_message() {
    let (gateway, capsule) = serve().await;
    let (mut caller, task, attempt) = working(&gateway, &capsule).await;
    attempt.failed("out of \"luck\"").await.unwrap();
    drop(task);
    caller.error(TASK_FAILED, r#"out of \"luck\""#).await;

    let (mut caller, _task, attempt) = working(&gateway, &capsule).await;
    attempt.canceled().await.unwrap();
    caller.error(TASK_FAILED, "task canceled").await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_a_busy_capsule_rejects_is_an_error() {
    let (gateway, capsule) = serve_with(TaskAcceptance::Single).await;
    let mut first = open(&gateway).await;
    let mut second = open(&gateway).await;
    second.error(TASK_FAILED, "task rejected: capsule is busy").await;
    // The first is none the worse for it.
    let names = run_next(&capsule, "hi").await;
    first.run(&names, "hi").await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_a_capsule_cannot_read_is_an_error() {
    let (gateway, _capsule) = serve().await;
    for (params, message) in [
        (
            r#"{"message":{"parts":1}}"#,
            "Invalid params: invalid type: integer `1`, expected a sequence",
        ),
        (
            r#"{"message":{"parts":"a\"b\\c"}}"#,
            r#"Invalid params: invalid type: string \"a\"b\\c\", expected a sequence"#,
        ),
        ("{}", "Invalid params: missing field `parts`"),
    ] {
        let mut caller = Caller::new(gateway.send(rpc(&stream_of(params))).await);
        caller.head().await;
        let payload = caller_error(&mut caller).await;
        assert!(payload.starts_with(r#"{"code":-32603,"message":"Invalid params: "#), "{payload}");
        if !message.contains('\\') {
            assert_eq!(payload, format!(r#"{{"code":-32603,"message":"{message}"}}"#));
        }
    }
}

/// The payload of an error, which is all that there is.
async fn caller_error(caller: &mut Caller) -> String {
    caller.client.expect("event: task.error\ndata: {\"stream_id\":\"").await;
    caller.client.read_until("\",\"type\":\"error\",\"payload\":").await;
    let payload = caller.client.rest().await;
    payload.strip_suffix("}\n\n").unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_leaves_has_its_task_cancelled() {
    let (gateway, capsule) = serve().await;
    let (caller, task, _attempt) = working(&gateway, &capsule).await;
    let names = names(&task);
    capsule.get(&names.task, &names.result("working")).await;
    drop(caller);
    within_a_second("the task is cancelled", task.canceled()).await;
    capsule.get(&names.task, &names.result("canceled")).await;
    gateway.until_no_streams().await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_of_a_recognised_capsule_who_leaves_has_its_task_cancelled_too() {
    let mut setup = Setup::new(Settings::default());
    let capsule = queueing_capsule(&mut setup, ID, AgentKind::Unstated).await;
    let gateway = setup.simulated().await;
    let params = format!(r#"{{"message":{}}}"#, message("hello"));
    let mut caller = Caller::new(gateway.send(rpc(&stream_of(&params))).await);
    caller.head().await;
    let task = capsule.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    let names = names(&task);
    caller.status(payload(&names.working(0, 1))).await;
    drop(caller);
    within_a_second("the task is cancelled", task.canceled()).await;
    capsule.get(&names.task, &names.result("canceled")).await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_leaves_has_nobody_elses_task_cancelled() {
    let (gateway, capsule) = serve().await;
    let (mut first, task, attempt) = working(&gateway, &capsule).await;
    let second = open(&gateway).await;
    // Its own is not known yet: it waits, and has written nothing.
    drop(second);
    sleep(seconds(5)).await;
    assert!(!task.is_canceled());
    let first_names = names(&task);
    attempt.completed("").await.unwrap();
    drop(task);
    first.done(payload(&first_names.completed(1, ""))).await;

    // Now it is.
    let task = capsule.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    within_a_second("the task is cancelled", task.canceled()).await;
    let names = names(&task);
    capsule.get(&names.task, &names.result("canceled")).await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_tasks_stream_ends_and_the_task_is_cancelled() {
    let (gateway, capsule) = serve().await;
    let (mut caller, task, _attempt) = working(&gateway, &capsule).await;
    for _ in 0..9 {
        caller.keepalive().await;
    }
    caller.error(-32001, "stream idle timeout").await;
    within_a_second("the task is cancelled", task.canceled()).await;
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_cancels_the_tasks_of_its_streams() {
    let (gateway, capsule) = serve().await;
    let (mut caller, task, _attempt) = working(&gateway, &capsule).await;
    gateway.shutdown().await;
    caller.error(TASK_FAILED, "internal error: gateway shutting down").await;
    within_a_second("the task is cancelled", task.canceled()).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_done_is_not_cancelled() {
    let (gateway, capsule) = serve().await;
    let (mut caller, task, attempt) = working(&gateway, &capsule).await;
    let names = names(&task);
    attempt.completed("").await.unwrap();
    caller.done(payload(&names.completed(1, ""))).await;
    drop(caller);
    sleep(seconds(20)).await;
    assert!(!task.is_canceled());
    drop(task);
    capsule.get(&names.task, &names.result("completed")).await;
}

#[tokio::test(start_paused = true)]
async fn a_capsule_that_closes_its_stream_is_an_early_end() {
    let (gateway, capsule) = serve().await;
    let (mut caller, _task, _attempt) = working(&gateway, &capsule).await;
    capsule.feed().close().await.unwrap();
    caller.error(TASK_FAILED, "internal error: agent stream ended before a terminal event").await;
}

/// It is final on the wire, but the task goes on to its own end.
#[tokio::test(start_paused = true)]
async fn a_wait_for_input_that_times_out_is_not_the_end() {
    let (gateway, capsule) = serve().await;
    capsule.play();
    let params = stream_of(r#"{"message":{"parts":[{"text":"input-timeout"}]}}"#);
    let mut caller = Caller::new(gateway.send(rpc(&params)).await);
    caller.head().await;
    let body = caller.client.rest().await;
    let timed_out = body.find(r#""message":"input-timeout""#).expect("it is relayed");
    assert_eq!(body.matches("event: task.error\n").count(), 0, "{body}");
    assert_eq!(body.matches("event: task.done\n").count(), 1, "{body}");
    let done = body.find("event: task.done\n").unwrap();
    assert!(timed_out < done);
    assert!(body[done..].contains("Nobody answered, so I released nothing."), "{body}");
}
