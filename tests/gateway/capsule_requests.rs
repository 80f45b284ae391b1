//! What a capsule is asked for, by a scripted one (details page, section 5).

use crate::shared::TaskFrames;
use crate::support::{
    Agent, EVENT_STREAM, Exchange, ID, STREAM, Setup, TestGateway, assert_seconds_since, payload,
    rpc, seconds, simulated, stream_of, within_a_second,
};
use host_harness::gateway::Settings;
use tokio::time::{Instant, sleep};

const ACK: &str =
    "event: connection-ack\ndata: {\"role\":\"observer\",\"conversation_mode\":\"stateless\"}\n\n";

/// A gateway whose agent is stated to be a capsule.
async fn stated() -> (TestGateway, Agent) {
    let mut setup = Setup::new(Settings::default());
    let agent = setup.agent(ID);
    setup.they_are_capsules();
    (setup.simulated().await, agent)
}

/// Expects a watch that has nothing replayed, and acknowledges it.
async fn expect_watch(agent: &mut Agent) -> Exchange {
    let mut watch = agent.request().await;
    assert!(watch.body.contains(r#""method":"stream/watch","params":{}"#), "{}", watch.body);
    assert_eq!(watch.header("last-event-id"), [u64::MAX.to_string()]);
    assert_eq!(watch.header("accept"), ["text/event-stream"]);
    agent.expect_no_request();
    watch.send(format!("{EVENT_STREAM}{ACK}")).await;
    watch
}

/// The task of a request that went to the agent, by its context.
fn task_of(submit: &Exchange, task: &str) -> TaskFrames {
    let (_, context) = submit.body.split_once(r#""contextId":""#).expect("a context");
    let context = context.split('"').next().unwrap().to_owned();
    TaskFrames { task: task.to_owned(), context }
}

#[tokio::test(start_paused = true)]
async fn a_stated_capsule_is_watched_before_the_request_is_sent_and_gets_what_it_needs() {
    let (gateway, mut agent) = stated().await;
    let mut caller = gateway.stream().await;
    let mut watch = agent.request().await;
    watch.send(EVENT_STREAM).await;
    // What came before the acknowledgement, and who else works, is not the caller's.
    let others = TaskFrames { task: "tsk_0".into(), context: "ctx_0".into() };
    watch.send(others.working(5, 2)).await;
    caller.client.expect_silence(seconds(5)).await;
    agent.expect_no_request();
    watch.send(ACK).await;
    let mut submit = agent.request().await;
    // The head is that of this request.
    caller.client.expect_silence(seconds(5)).await;
    submit.send(EVENT_STREAM).await;
    caller.head().await;

    let names = task_of(&submit, "tsk_1");
    let message_id = submit.body.split(r#""messageId":""#).nth(1).unwrap();
    let message_id = message_id.split('"').next().unwrap();
    assert!(names.context.len() > 30 && message_id.len() > 30, "{}", submit.body);
    let context = &names.context;
    let message = format!(
        r#"{{"contextId":"{context}","messageId":"{message_id}","role":"user","parts":[{{"text":"Stream me some updates"}}]}}"#
    );
    assert_eq!(submit.body, stream_of(&format!(r#"{{"message":{message}}}"#)));

    // The watch's frames are relayed, and the others not once more.
    for exchange in [&mut watch, &mut submit] {
        exchange.send(names.working(0, 1) + &others.completed(6, "")).await;
    }
    caller.status(payload(&names.working(0, 1))).await;
    watch.send(names.completed(1, "hi")).await;
    caller.done(payload(&names.completed(1, "hi"))).await;
    within_a_second("both are closed", async {
        watch.closed().await;
        submit.closed().await;
    })
    .await;
    // No cancel after a terminal event.
    sleep(seconds(20)).await;
    agent.expect_no_request();
}

#[tokio::test(start_paused = true)]
async fn what_a_caller_names_itself_stays() {
    let (gateway, mut agent) = stated().await;
    let message = r#"{"role":"user","messageId":"m-1","contextId":"ctx_own","parts":[]}"#;
    let body = stream_of(&format!(r#"{{"message":{message}}}"#));
    let mut caller = crate::support::Caller::new(gateway.send(rpc(&body)).await);
    let mut watch = expect_watch(&mut agent).await;
    let submit = agent.accept().await;
    assert_eq!(submit.body, body);
    caller.head().await;
    let names = TaskFrames { task: "tsk_1".into(), context: "ctx_own".into() };
    watch.send(names.completed(0, "")).await;
    caller.done(payload(&names.completed(0, ""))).await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_leaves_has_its_task_cancelled_by_name() {
    let (gateway, mut agent) = stated().await;
    let mut caller = gateway.stream().await;
    let mut watch = expect_watch(&mut agent).await;
    let mut submit = agent.accept().await;
    caller.head().await;
    let names = task_of(&submit, "tsk_1");
    watch.send(names.working(0, 1)).await;
    caller.status(payload(&names.working(0, 1))).await;
    drop(caller);
    let mut cancel = within_a_second("a cancel comes", agent.request()).await;
    let method = r#""method":"tasks/cancel","params":{"id":"tsk_1"}}"#;
    assert!(cancel.body.ends_with(method), "{}", cancel.body);
    cancel.answer_json("{}").await;
    within_a_second("all are closed", async {
        watch.closed().await;
        submit.closed().await;
        cancel.closed().await;
    })
    .await;
    agent.expect_no_request();
}

#[tokio::test(start_paused = true)]
async fn a_cancel_that_is_not_answered_is_given_up_after_ten_seconds() {
    let (gateway, mut agent) = stated().await;
    let mut caller = gateway.stream().await;
    let mut watch = expect_watch(&mut agent).await;
    let submit = agent.accept().await;
    caller.head().await;
    watch.send(task_of(&submit, "tsk_1").working(0, 1)).await;
    drop((caller, submit));
    let mut cancel = agent.request().await;
    let asked = Instant::now();
    gateway.until_no_streams().await;
    cancel.closed().await;
    assert_seconds_since(asked, 10);
}

/// It is not idle: the caller's task waits for another one.
#[tokio::test(start_paused = true)]
async fn another_tasks_frames_hold_off_the_idle_timeout() {
    let (gateway, mut agent) = stated().await;
    let mut caller = gateway.stream().await;
    let mut watch = expect_watch(&mut agent).await;
    let submit = agent.accept().await;
    caller.head().await;
    let others = TaskFrames { task: "tsk_0".into(), context: "ctx_0".into() };
    let mut last = Instant::now();
    for turn in 0..8 {
        sleep(seconds(100)).await;
        watch.send(others.working(turn, turn)).await;
        last = Instant::now();
        caller.keepalive().await;
    }
    let body = caller.client.rest().await;
    assert!(body.contains(r#""message":"stream idle timeout""#), "{body}");
    assert_seconds_since(last, 300);
    drop(submit);
}

#[tokio::test(start_paused = true)]
async fn a_capsule_that_refuses_the_watch_is_refused_to_the_caller() {
    let (gateway, mut agent) = stated().await;
    let mut caller = gateway.stream().await;
    agent.request().await.answer("503 No", "text/plain", "").await;
    let answer = caller.client.rest().await;
    assert!(answer.ends_with(r#""message":"agent unavailable: HTTP 503"}}"#), "{answer}");
    agent.expect_no_request();
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_showed_that_it_is_a_capsule_is_treated_as_one_from_then_on() {
    let (gateway, mut agent) = simulated().await;
    let names = TaskFrames { task: "tsk_1".into(), context: "ctx_1".into() };
    let (mut caller, mut exchange) = gateway.open(&mut agent).await;
    assert_eq!(exchange.body, STREAM);
    exchange.send(names.working(0, 1) + &names.completed(1, "")).await;
    caller.status(payload(&names.working(0, 1))).await;
    caller.done(payload(&names.completed(1, ""))).await;

    let _caller = gateway.stream().await;
    expect_watch(&mut agent).await;
}

/// What looks like a capsule's frame by its name alone does not make an agent one.
#[tokio::test(start_paused = true)]
async fn an_agent_that_only_names_its_events_so_is_none() {
    let (gateway, mut agent) = simulated().await;
    for first in [
        "event: status\ndata: {\"a\":1}\n\n",
        "event: text\ndata: {\"type\":\"x\",\"payload\":{\"a\":1},\"id\":\"t\",\"text\":\"\"}\n\n",
    ] {
        let (mut caller, mut exchange) = gateway.open(&mut agent).await;
        exchange.send(first).await;
        let envelope_type = if first.contains("type") { "x" } else { "" };
        caller.frame("message", envelope_type, r#"{"a":1}"#).await;
        exchange.envelope("done", "1").await;
        caller.done("1").await;
    }
    let (_caller, exchange) = gateway.open(&mut agent).await;
    assert_eq!(exchange.body, STREAM);
}
