//! An agent whose driver is a component: what reaches the stream, and how it fails
//! (`capsule-stream-details.md`, sections 6 and 9).

use crate::support::agent::{agent, agent_with, escaped, run, script, unfenced};
use crate::support::{QUEUE, Served, TaskFrames, builder, frames, post, stream_body_of};
use host_harness::components::ComponentSettings;
use host_harness::turn_loop::AgentSettings;
use host_harness::{ConversationMode, TaskState};
use std::time::Duration;
use tokio::time::Instant;

/// A capsule in simulated time, whose tasks this agent runs.
async fn served(settings: AgentSettings) -> Served {
    let served = Served::simulated(builder().task_acceptance(QUEUE)).await;
    run(agent(settings), served.handle());
    served
}

/// Submits this script as the capsule's first task and expects these frames, then the end.
async fn expect(steps: &[&str], frames: impl FnOnce(&TaskFrames) -> Vec<String>) -> Served {
    let served = served(AgentSettings::default()).await;
    let mut submitter = served.submit(&script(steps)).await;
    submitter.expect_all(frames(&TaskFrames::nth(0)).concat()).await;
    served
}

/// The capsule goes on: its second task is run as any other.
async fn expect_another_task(served: Served) {
    let mut submitter = served.submit("say hi").await;
    submitter.expect_all(TaskFrames::nth(1).run("hi")).await;
}

#[tokio::test(start_paused = true)]
async fn chunks_reach_a_client_as_they_are_emitted() {
    let served = served(AgentSettings::default()).await;
    let began = Instant::now();
    let mut submitter = served.submit(&script(&["think Hm", "say a", "wait 5000", "say b"])).await;
    let names = TaskFrames::nth(0);
    submitter
        .expect([names.working(0, 1), names.thinking(1, "Hm"), names.text(2, "a")].concat())
        .await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    submitter.expect(names.text(3, "b")).await;
    assert_eq!(began.elapsed(), Duration::from_secs(5));
    submitter.expect_all([names.final_text(4, ""), names.completed(5, "ab")].concat()).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_no_script_is_answered_with_itself() {
    expect(&["Good morning"], |names| {
        vec![
            names.working(0, 1),
            names.text(1, "Good "),
            names.text(2, "morning"),
            names.final_text(3, ""),
            names.completed(4, "Good morning"),
        ]
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_emits_nothing_has_its_whole_reply_written() {
    expect(&["end done"], |names| {
        vec![names.working(0, 1), names.final_text(1, "done"), names.completed(2, "done")]
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_traps_did_not_return_and_the_capsule_goes_on() {
    let served = expect(&["say a", "say b", "trap"], |names| {
        vec![
            names.working(0, 1),
            names.text(1, "a"),
            names.text(2, "b"),
            names.failed(1, "session ended"),
        ]
    })
    .await;
    expect_another_task(served).await;
}

#[tokio::test(start_paused = true)]
async fn a_response_that_failed_ends_the_task_after_the_call_returned() {
    for last in ["error overloaded", "max-tokens", "failed out of tokens", "not-json {}"] {
        let served = expect(&["say a", last], |names| {
            vec![
                names.working(0, 1),
                names.text(1, "a"),
                names.final_text(2, ""),
                names.failed(3, "session ended"),
            ]
        })
        .await;
        expect_another_task(served).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_that_is_not_json_is_reported_by_no_status() {
    for last in ["not-json HTTP 500", "no-data"] {
        let served = served(AgentSettings::default()).await;
        let mut submitter = served.submit(&script(&["say a", last])).await;
        let (names, next) = (TaskFrames::nth(0), TaskFrames::nth(1));
        submitter
            .expect([names.working(0, 1), names.text(1, "a"), names.final_text(2, "")].concat())
            .await;
        // The first one's connection stays open until another task's final status.
        let mut second = served.submit("say hi").await;
        second.expect_all(next.run("hi")).await;
        submitter.expect_all(next.run("hi")).await;
        // A task that has ended stays what it was.
        let first = served.cancel_task(&names.task.clone().into()).unwrap();
        assert_eq!(first.state, TaskState::Failed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_cannot_be_instantiated_could_not_be_called() {
    let served = Served::simulated(builder()).await;
    let components = ComponentSettings { memory_bytes: 65_536, ..Default::default() };
    run(agent_with(components, AgentSettings::default()), served.handle());
    let mut submitter = served.submit("hello").await;
    let names = TaskFrames::nth(0);
    let message = "driver invocation failed: it takes more than 65536 bytes of memory";
    submitter.expect_all([names.working(0, 1), names.failed(1, message)].concat()).await;
}

#[tokio::test(start_paused = true)]
async fn the_turn_limit_ends_a_task_after_its_last_turns_calls() {
    let settings = AgentSettings { max_turns: 2, ..Default::default() };
    let served = served(settings).await;
    let mut submitter =
        served.submit(&script(&["call none", "turn", "say a", "call none", "turn", "end b"])).await;
    let names = TaskFrames::nth(0);
    let missing = "tool 'none' is not declared in manifest allowlist";
    submitter
        .expect_all(
            [
                names.working(0, 1),
                names.artifact(1, &unfenced("none", missing, "call_10", 0)),
                names.working(2, 2),
                names.text(3, "a"),
                names.final_text(4, ""),
                names.artifact(5, &unfenced("none", missing, "call_20", 0)),
                names.failed(6, "max_turns exceeded: the task used all 2 inference turns"),
            ]
            .concat(),
        )
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_drops_the_drivers_call() {
    let served = served(AgentSettings::default()).await;
    let names = TaskFrames::nth(0);
    let mut submitter = served.submit(&script(&["say a", "say b", "wait 1800000", "say c"])).await;
    submitter.expect([names.working(0, 1), names.text(1, "a"), names.text(2, "b")].concat()).await;
    served.cancel(&names.task);
    submitter.expect_all(names.canceled(1)).await;
    expect_another_task(served).await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_drops_a_driver_that_computes() {
    let served = served(AgentSettings::default()).await;
    let names = TaskFrames::nth(0);
    let mut submitter = served.submit(&script(&["say a", "spin"])).await;
    submitter.expect([names.working(0, 1), names.text(1, "a")].concat()).await;
    served.cancel(&names.task);
    submitter.expect_all(names.canceled(1)).await;
    expect_another_task(served).await;
}

#[tokio::test(start_paused = true)]
async fn two_tasks_run_one_after_the_other() {
    let served = served(AgentSettings::default()).await;
    let mut watcher = served.watch().await;
    let mut first = served.submit(&script(&["wait 1000", "say hi"])).await;
    first.expect(TaskFrames::nth(0).working(0, 1)).await;
    let mut second = served.submit("say hi").await;
    let (one, two) = (TaskFrames::nth(0).run("hi"), TaskFrames::nth(1).run("hi"));
    watcher.expect([&*one, &*two].concat()).await;
    // The second one's connection closes on the first one's final status.
    let rest = frames(&one)[1..].concat();
    first.expect_all(&rest).await;
    second.expect_all(&rest).await;
}

/// The roles and contents of the messages that the driver of the second task in a context is given,
/// as its `show messages` emits them.
async fn second_conversation(mode: ConversationMode) -> String {
    let builder = builder().task_acceptance(QUEUE).conversation_mode(mode);
    let served = Served::simulated(builder).await;
    run(agent(AgentSettings::default()), served.handle());
    for (number, text) in ["say hi", "failed", "show messages"].iter().enumerate() {
        let message = format!(
            r#"{{"messageId":"m","role":"user","contextId":"c","parts":[{{"text":"{text}"}}]}}"#
        );
        let mut submitter = served.send(post(&stream_body_of(&message))).await;
        let frames = submitter.rest().await;
        if number == 2 {
            return frames;
        }
    }
    unreachable!()
}

#[tokio::test(start_paused = true)]
async fn a_threaded_context_goes_on_where_its_last_completed_task_ended() {
    let frames = second_conversation(ConversationMode::Threaded).await;
    let messages = r#"[{"content":[{"text":"say hi","type":"text"}],"role":"user"},{"content":[{"text":"hi","type":"text"}],"role":"assistant"},{"content":[{"text":"show messages","type":"text"}],"role":"user"}]"#;
    assert!(frames.contains(&format!(r#""text":"{}""#, escaped(messages))), "{frames}");
}

#[tokio::test(start_paused = true)]
async fn a_stateless_context_starts_afresh() {
    let frames = second_conversation(ConversationMode::Stateless).await;
    let messages = r#"[{"content":[{"text":"show messages","type":"text"}],"role":"user"}]"#;
    assert!(frames.contains(&format!(r#""text":"{}""#, escaped(messages))), "{frames}");
}
