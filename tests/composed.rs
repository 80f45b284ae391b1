//! One component made of the stream, a driver and tools: what it emits reaches clients without the
//! host, and what shares its thread waits.

use crate::support::agent::{answer, escaped, fenced, load, run, script, unfenced};
use crate::support::{
    BEAT, CLOSED, QUEUE, Served, TaskFrames, WATCH, builder, builder_with_heartbeats, post,
    submission,
};
use host_harness::components::{ComponentRuntime, ComponentSettings, shipped};
use host_harness::compose::{ComposeError, ComposedParts, compose, composed_parts, imports};
use host_harness::turn_loop::{AgentSettings, ComponentAgent};
use host_harness::{Capsule, CapsuleBuilder, Error, FixedIds, StreamComponent};
use http_body_util::BodyExt;
use serde_json::json;
use std::fs;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep};

const CHUNKS: &str = "murmur:text/chunks@0.1.0";

fn driver() -> Vec<u8> {
    fs::read(shipped::scripted_driver()).unwrap()
}

/// A tool that emits and does not ask.
fn tool() -> Vec<u8> {
    fs::read(shipped::scripted_tool()).unwrap()
}

fn composition() -> Vec<u8> {
    let tools = [("work".to_owned(), tool())];
    compose(StreamComponent::built_in_bytes(), &driver(), &tools).unwrap()
}

/// The composition, compiled once on a runtime of its own.
fn component() -> StreamComponent {
    static COMPONENT: OnceLock<StreamComponent> = OnceLock::new();
    let compile = || {
        let load = || Runtime::new().unwrap().block_on(StreamComponent::from_bytes(composition()));
        thread::spawn(load).join().unwrap().unwrap()
    };
    COMPONENT.get_or_init(compile).clone()
}

fn agent() -> ComponentAgent {
    ComponentAgent::composed(component().composed_parts().unwrap(), AgentSettings::default())
}

/// A capsule in simulated time, whose component is the composition.
async fn served(builder: CapsuleBuilder) -> Served {
    let builder = builder.component(component()).task_acceptance(QUEUE);
    let served = Served::simulated(builder).await;
    run(agent(), served.handle());
    served
}

#[test]
fn a_composition_says_what_it_is_made_of_and_imports_no_chunks() {
    let parts = ComposedParts { tools: vec!["work".into()] };
    assert_eq!(composed_parts(&composition()), Some(parts));
    assert_eq!(composed_parts(StreamComponent::built_in_bytes()), None);
    assert_eq!(composed_parts(&driver()), None);
    assert!(imports(&driver()).unwrap().contains(&CHUNKS.to_owned()));
    let imports = imports(&composition()).unwrap();
    assert!(!imports.iter().any(|import| import.starts_with("murmur:text/")), "{imports:?}");
}

#[tokio::test(start_paused = true)]
async fn a_chunk_of_the_composed_driver_reaches_a_client_without_a_chunk_function_of_the_host() {
    // The linker of a capsule has none: a driver that is not bound to the stream finds nothing.
    let alone = thread::spawn(|| {
        Runtime::new().unwrap().block_on(async {
            let alone = StreamComponent::from_bytes(driver()).await.unwrap();
            Capsule::builder().component(alone).start().await
        })
    });
    let Err(Error::LoadComponent(error)) = alone.join().unwrap() else { panic!() };
    assert!(format!("{error:#}").contains(CHUNKS), "{error:#}");

    let served = served(builder()).await;
    let began = Instant::now();
    let mut submitter = served.submit(&script(&["think Hm", "say a", "wait 5000", "say b"])).await;
    let names = TaskFrames::nth(0);
    let before = [names.working(0, 1), names.thinking(1, "Hm"), names.text(2, "a")].concat();
    submitter.expect(before).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    submitter.expect(names.text(3, "b")).await;
    assert_eq!(began.elapsed(), Duration::from_secs(5));
    submitter.expect_all([names.final_text(4, ""), names.completed(5, "ab")].concat()).await;
}

#[tokio::test(start_paused = true)]
async fn what_came_before_a_silent_driver_is_written_before_it_runs() {
    let served = served(builder()).await;
    let began = Instant::now();
    let mut submitter = served.submit(&script(&["wait 5000", "end done"])).await;
    let names = TaskFrames::nth(0);
    submitter.expect(names.working(0, 1)).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    submitter.expect_all([names.final_text(1, "done"), names.completed(2, "done")].concat()).await;
    assert_eq!(began.elapsed(), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn composed_tools_are_called_by_their_names() {
    let served = served(builder()).await;
    let call = format!("call work {}", json!({"do": ["say Counting", "wait 1500", "return 3"]}));
    let mut submitter = served.submit(&script(&[&call, "call ask {}", "turn"])).await;
    let names = TaskFrames::nth(0);
    let missing = "tool 'ask' is not declared in manifest allowlist";
    submitter
        .expect_all(
            [
                names.working(0, 1),
                names.text(1, "Counting"),
                names.artifact(1, &fenced("work", "3", "call_10", false, 1500)),
                names.artifact(2, &unfenced("ask", missing, "call_11", 0)),
                names.working(3, 2),
                names.completed(4, ""),
            ]
            .concat(),
        )
        .await;
}

#[tokio::test(start_paused = true)]
async fn heartbeats_that_came_due_while_a_composed_driver_ran_are_written_when_it_ended() {
    let served = served(builder_with_heartbeats()).await;
    let opened = Instant::now();
    let mut watcher = served.watch().await;
    sleep(Duration::from_secs(4)).await;
    let _submitter = served.submit(&script(&["wait 40000", "end done"])).await;
    let names = TaskFrames::nth(0);
    watcher.expect(names.working(0, 1)).await;
    // Those of 15 and 30 s, at 44 s, before what the driver left; then the next at its time.
    watcher.expect(BEAT.repeat(2)).await;
    assert_eq!(opened.elapsed(), Duration::from_secs(44));
    watcher.expect([names.final_text(1, "done"), names.completed(2, "done")].concat()).await;
    watcher.expect(BEAT).await;
    assert_eq!(opened.elapsed(), Duration::from_secs(45));
}

#[tokio::test]
async fn a_composed_driver_that_computes_holds_heartbeats_and_not_its_own_chunks() {
    let interval = Duration::from_millis(100);
    let builder = builder().component(component()).heartbeat_interval(interval);
    let served = Served::on_a_socket(builder).await;
    run(agent(), served.handle());
    let mut submitter = served.submit(&script(&["compute 900", "say a"])).await;
    let frames = submitter.rest().await;
    let names = TaskFrames::nth(0);
    assert_eq!(frames.replace(BEAT, ""), names.run("a"));
    // While it computed none was written; those that came due follow its last chunk.
    let chunk = names.text(1, "a");
    let (_, after) = frames.split_once(&chunk).unwrap();
    assert!(after.starts_with(&BEAT.repeat(8)), "{frames}");
}

#[tokio::test(start_paused = true)]
async fn requests_wait_while_a_composed_driver_runs() {
    let served = served(builder()).await;
    let began = Instant::now();
    let mut submitter = served.submit(&script(&["wait 7000", "end done"])).await;
    submitter.expect(TaskFrames::nth(0).working(0, 1)).await;
    let _watcher = served.watch().await;
    assert_eq!(began.elapsed(), Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn a_cancel_takes_effect_when_a_composed_driver_returns() {
    let served = served(builder()).await;
    let mut submitter = served.submit(&script(&["say a", "wait 7000", "say b"])).await;
    let names = TaskFrames::nth(0);
    submitter.expect([names.working(0, 1), names.text(1, "a")].concat()).await;
    served.cancel(&names.task);
    submitter.expect_all([names.text(2, "b"), names.canceled(1)].concat()).await;
    let mut next = served.submit("say hi").await;
    next.expect_all(TaskFrames::nth(1).run("hi")).await;
}

/// The reason for which a capsule ends whose composed driver does this.
async fn end_of(step: &str) -> String {
    let mut capsule = Capsule::builder()
        .component(component())
        .fixed_ids(FixedIds::default())
        .replay_buffer_bytes(1024 * 1024)
        .component_settings(ComponentSettings {
            compute: Duration::from_millis(300),
            memory_bytes: 16 * 1024 * 1024,
            ..Default::default()
        })
        .start()
        .await
        .unwrap();
    run(agent(), capsule.handle());
    let request = http::Request::post("/").header("content-type", "application/json");
    let body = crate::support::stream_body(step);
    let body = http_body_util::Full::from(body).map_err(|never| match never {});
    let response = capsule.handle().request(request.body(body).unwrap()).await.unwrap();
    let ended = capsule.ended().await.unwrap_err();
    drop(response);
    ended.to_string()
}

#[tokio::test(start_paused = true)]
async fn a_composed_driver_that_traps_computes_or_grows_without_end_ends_the_capsule() {
    for (step, reason) in [
        ("trap", "`unreachable` instruction executed"),
        ("spin", "it computed for longer than 300ms"),
        ("grow", "it takes more than 82 MiB of memory"),
    ] {
        let ended = end_of(step).await;
        assert!(ended.contains(reason), "{ended}");
    }
}

#[test]
fn a_tool_that_asks_for_input_is_refused_with_the_reason_and_the_way_out() {
    let ask = fs::read(shipped::ask_tool()).unwrap();
    let refused = compose(StreamComponent::built_in_bytes(), &driver(), &[("ask".into(), ask)]);
    let error = refused.unwrap_err();
    assert!(matches!(&error, ComposeError::AsksForInput(part) if part == "ask"));
    let error = error.to_string();
    assert!(error.contains("its answer could not come in while it waits"), "{error}");
    assert!(error.contains("--tool ask=FILE.wasm"), "{error}");
}

#[test]
fn parts_that_do_not_fit_are_refused_by_name() {
    let stream = StreamComponent::built_in_bytes();
    let compose = |driver: &[u8], name: &str, tool: &[u8]| {
        compose(stream, driver, &[(name.to_owned(), tool.to_vec())]).unwrap_err().to_string()
    };
    assert!(compose(b"no wasm", "t", &tool()).starts_with("`driver` is no component: "));
    assert!(compose(stream, "t", &tool()).starts_with("`driver` does not export murmur:tool/run"));
    assert!(compose(&driver(), "t", b"no wasm").starts_with("`t` is no component: "));
    assert!(compose(&driver(), "Web_Search", &tool()).contains("called `Web_Search`"));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_asks_has_a_store_of_its_own_beside_the_composition() {
    let builder = builder().component(component());
    let served = Served::simulated(builder).await;
    let runtime = ComponentRuntime::new(ComponentSettings::default()).unwrap();
    run(agent().tool("ask", load(&runtime, shipped::ask_tool())), served.handle());
    let call = format!("call ask {}", json!({"prompt": "Which one?"}));
    let mut submitter = served.submit(&script(&[&call, "turn", "show messages"])).await;
    let names = TaskFrames::nth(0);
    let wait = names.input_wait(9_223_372_036_854_775_807, "input-required", "Which one?", false);
    submitter.expect([names.working(0, 1), wait].concat()).await;
    let mut answerer = served.send(answer("that one")).await;
    assert!(answerer.rest().await.contains("working"));
    let rest = submitter.rest().await;
    let fenced = escaped("<untrusted-content source=tool:ask>\nthat one\n</untrusted-content>");
    assert!(rest.contains(&escaped(&fenced)), "{rest}");
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_a_composed_driver_that_waits() {
    let served = served(builder()).await;
    let mut submitter = served.submit(&script(&["say a", "wait 3600000"])).await;
    let names = TaskFrames::nth(0);
    submitter.expect([names.working(0, 1), names.text(1, "a")].concat()).await;
    let stopping = Instant::now();
    served.stop().await;
    assert!(stopping.elapsed() < Duration::from_secs(1));
    submitter.expect_end().await;
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_a_composed_driver_takes_nothing_from_clients_that_keep_up() {
    let served = served(builder()).await;
    let mut stalled = served.connect_with_buffer(10);
    stalled.send(post(WATCH)).await;
    served.until(|stats| stats.connections == 1).await;
    // It holds far less than the burst: its reader has to take part.
    let mut reader = served.connect_with_buffer(4096);
    reader.send(post(WATCH)).await;
    let reading = tokio::spawn(async move { reader.rest().await });
    served.until(|stats| stats.connections == 2).await;
    let chunk = format!("say {}", "x".repeat(3_000));
    let mut steps = vec![chunk.as_str(); 1000];
    steps.push("end done");
    served.send(submission(&script(&steps))).await.rest().await;
    served.close().await;
    let received = reading.await.unwrap();
    assert_eq!(received.matches("event: text").count(), 1001);
    assert!(received.ends_with(CLOSED));
}
