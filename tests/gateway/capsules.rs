//! A Murmur capsule as the agent: a caller gets the frames of its own task, all of them and no
//! others (details page, section 5).

use crate::shared::{Served, TaskFrames, message, submission};
use crate::support::{
    Caller, ID, STREAM, Setup, TestGateway, payload, queueing_capsule, rpc, run_next, stream_of,
};
use host_harness::HookArtifact;
use host_harness::gateway::{AgentKind, Settings};

const INPUT_WAIT: u64 = 9_223_372_036_854_775_807;

async fn serve(kind: AgentKind) -> (TestGateway, Served) {
    let mut setup = Setup::new(Settings::default());
    let capsule = queueing_capsule(&mut setup, ID, kind).await;
    (setup.simulated().await, capsule)
}

/// A message that a capsule takes as it is, in this context.
fn message_in(context: &str) -> String {
    let message = message("hello").replacen('{', &format!(r#"{{"contextId":"{context}","#), 1);
    rpc(&stream_of(&format!(r#"{{"message":{message}}}"#)))
}

async fn open(gateway: &TestGateway, request: impl AsRef<[u8]>) -> Caller {
    let mut caller = Caller::new(gateway.send(request).await);
    caller.head().await;
    caller
}

#[tokio::test(start_paused = true)]
async fn the_pages_own_request_becomes_a_task_whose_response_is_in_done() {
    let (gateway, capsule) = serve(AgentKind::MurmurCapsule).await;
    let mut caller = open(&gateway, rpc(STREAM)).await;
    let names = run_next(&capsule, "Here you are.").await;
    caller.status(payload(&names.working(0, 1))).await;
    caller.frame("message", "text", payload(&names.text(1, "Here you are."))).await;
    caller.frame("message", "text", payload(&names.final_text(2, ""))).await;
    let (task, context) = (&names.task, &names.context);
    let done = format!(
        r#"{{"id":"{task}","context_id":"{context}","status":{{"state":"completed","message":"session ended","response":"Here you are."}},"final":true}}"#
    );
    caller.done(&done).await;
}

#[tokio::test(start_paused = true)]
async fn a_get_becomes_a_task_too() {
    let (gateway, capsule) = serve(AgentKind::MurmurCapsule).await;
    let request = crate::support::get(&format!("/a2a/{ID}/stream?text=hello&text=you"));
    let mut caller = open(&gateway, request).await;
    let task = capsule.next_task().await;
    assert_eq!(task.text(), "hello\nyou");
    let names = crate::support::names(&task);
    let mut attempt = task.begin_attempt().await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    attempt.completed("hi").await.unwrap();
    caller.status(payload(&names.working(0, 1))).await;
    caller.frame("message", "text", payload(&names.final_text(1, "hi"))).await;
    caller.done(payload(&names.completed(2, "hi"))).await;
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_frame_has_its_type() {
    let (gateway, capsule) = serve(AgentKind::MurmurCapsule).await;
    let mut caller = open(&gateway, rpc(STREAM)).await;
    let task = capsule.next_task().await;
    let names = crate::support::names(&task);
    let mut attempt = task.begin_attempt().await.unwrap();
    let inference = attempt.begin_turn().await.unwrap();
    attempt.thinking("hm").await.unwrap();
    attempt.text("hi").await.unwrap();
    inference.returned().await.unwrap();
    let hook = HookArtifact { hook_name: "my-hook".into(), content: "{}".into() };
    attempt.hook_artifact(hook).await.unwrap();
    attempt.completed("hi").await.unwrap();
    caller.status(payload(&names.working(0, 1))).await;
    caller.frame("message", "thinking", payload(&names.thinking(1, "hm"))).await;
    caller.frame("message", "text", payload(&names.text(2, "hi"))).await;
    caller.frame("message", "text", payload(&names.final_text(3, ""))).await;
    let artifact = r#"{"tool_name":"my-hook","content":"{}","fence_source":null,"tool_call_id":null,"is_error":false,"duration_ms":null,"exit_code":null,"truncated":false}"#;
    caller.frame("task.artifact", "artifact", payload(&names.artifact(4, artifact))).await;
    caller.done(payload(&names.completed(5, "hi"))).await;
}

#[tokio::test(start_paused = true)]
async fn two_callers_at_once_each_get_their_own_task_from_its_first_frame() {
    let (gateway, capsule) = serve(AgentKind::MurmurCapsule).await;
    let mut first = open(&gateway, rpc(STREAM)).await;
    let mut second = open(&gateway, rpc(STREAM)).await;
    // The first task's final closes the connection on which the second was submitted.
    let first_names = run_next(&capsule, "one").await;
    let second_names = run_next(&capsule, "two").await;
    assert_ne!(first_names.context, second_names.context);
    second.run(&second_names, "two").await;
    first.run(&first_names, "one").await;
}

#[tokio::test(start_paused = true)]
async fn the_tasks_of_a_context_are_told_apart() {
    let (gateway, capsule) = serve(AgentKind::MurmurCapsule).await;
    for reply in ["one", "two"] {
        // What went before in this context is not the caller's.
        let mut caller = open(&gateway, message_in("ctx_shared")).await;
        let names = run_next(&capsule, reply).await;
        assert_eq!(names.context, "ctx_shared");
        caller.run(&names, reply).await;
    }
}

#[tokio::test(start_paused = true)]
async fn tasks_that_others_gave_the_capsule_are_not_seen() {
    let (gateway, capsule) = serve(AgentKind::MurmurCapsule).await;
    let mut before = capsule.send(submission("somebody's")).await;
    before.expect(crate::support::STREAM_HEAD).await;
    let mut caller = open(&gateway, rpc(STREAM)).await;
    let _after = capsule.send(submission("somebody else's")).await;
    let somebodys = run_next(&capsule, "theirs").await;
    let own = run_next(&capsule, "own").await;
    before.expect_all(somebodys.run("theirs")).await;
    caller.run(&own, "own").await;
}

#[tokio::test(start_paused = true)]
async fn a_capsule_that_is_not_stated_is_recognised_by_its_frames() {
    let (gateway, capsule) = serve(AgentKind::Unstated).await;
    let mut caller = open(&gateway, message_in("ctx_a")).await;
    let names = run_next(&capsule, "hi").await;
    caller.run(&names, "hi").await;
    // From now on it is known: the page's own request does.
    let mut caller = open(&gateway, rpc(STREAM)).await;
    let names = run_next(&capsule, "hi again").await;
    caller.run(&names, "hi again").await;
}

#[tokio::test(start_paused = true)]
async fn a_recognised_capsules_caller_is_followed_past_another_tasks_final() {
    let (gateway, capsule) = serve(AgentKind::Unstated).await;
    let mut first = open(&gateway, message_in("ctx_a")).await;
    let mut second = open(&gateway, message_in("ctx_b")).await;
    let first_names = run_next(&capsule, "one").await;
    first.run(&first_names, "one").await;
    // Both connections have closed, and the second caller's stream goes on with a watch.
    capsule.until(|stats| stats.connections == 1).await;
    second.client.expect_silence(crate::support::seconds(1)).await;
    let second_names = run_next(&capsule, "two").await;
    assert_eq!(second_names.context, "ctx_b");
    second.run(&second_names, "two").await;
}

#[tokio::test(start_paused = true)]
async fn a_question_is_relayed_and_answered_through_the_gateways_message_send() {
    let (gateway, capsule) = serve(AgentKind::MurmurCapsule).await;
    capsule.play();
    let params = stream_of(r#"{"message":{"parts":[{"text":"ask-you"}]}}"#);
    let mut caller = open(&gateway, rpc(&params)).await;
    // Its task's id is in every frame: everything up to the question is read as text.
    let asked = caller.client.read_until(r#""state":"input-required""#).await;
    let (_, data) = asked.rsplit_once("data: ").unwrap();
    let (_, task) = data.split_once(r#""payload":{"id":""#).unwrap();
    let task = task.split('"').next().unwrap().to_owned();
    let (_, context) = asked.split_once(r#""context_id":""#).unwrap();
    let context = context.split('"').next().unwrap().to_owned();
    let names = TaskFrames { task, context };
    assert!(asked.contains("event: task.status\ndata: "), "{asked}");
    let rest = caller.client.read_until("\n\n").await;
    assert!(rest.contains("Which branch should I release from?"), "{rest}");

    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{{"message":{}}}}}"#,
        message("main")
    );
    let answered = crate::support::json_answer(&names.result("working"));
    gateway.send(rpc(&body)).await.expect_all(answered).await;
    let resumed = names.input_wait(INPUT_WAIT + 1, "working", "resumed", false);
    let mut caller = Caller::new(caller.client);
    caller.status(payload(&resumed)).await;
    let end = caller.client.rest().await;
    let reply = "Thank you, that is all I need.";
    let completed = names.completed(17, reply);
    assert!(end.contains("main"), "{end}");
    let done = format!("\"type\":\"done\",\"payload\":{}}}\n\n", payload(&completed));
    assert!(end.ends_with(&done), "{end}");
}
