//! Agents made of the components that are built with the host.

use super::post;
use host_harness::CapsuleHandle;
use host_harness::components::{ComponentRuntime, ComponentSettings, RunComponent, shipped};
use host_harness::turn_loop::{AgentSettings, ComponentAgent};
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use tokio::runtime::Runtime;

/// The scripted driver with two tools: `work`, which does what it is told, and `ask`.
pub(crate) fn agent(settings: AgentSettings) -> ComponentAgent {
    agent_with(ComponentSettings::default(), settings)
}

/// The same with limits, hosts and variables for its components.
pub(crate) fn agent_with(components: ComponentSettings, settings: AgentSettings) -> ComponentAgent {
    let runtime = ComponentRuntime::new(components).unwrap();
    ComponentAgent::new(load(&runtime, shipped::scripted_driver()), settings)
        .tool("work", load(&runtime, shipped::scripted_tool()))
        .tool("ask", load(&runtime, shipped::ask_tool()))
}

/// Loads a component on a runtime of its own: those of the tests may have paused their time.
pub(crate) fn load(runtime: &ComponentRuntime, file: &Path) -> RunComponent {
    let bytes = std::fs::read(file).unwrap();
    load_bytes(runtime, bytes)
}

/// The same from bytes.
pub(crate) fn load_bytes(runtime: &ComponentRuntime, bytes: Vec<u8>) -> RunComponent {
    // One after another: the first to load a component compiles it, the others find it compiled.
    static LOADING: Mutex<()> = Mutex::new(());
    let _loading = LOADING.lock();
    let runtime = runtime.clone();
    let load = move || Runtime::new().unwrap().block_on(runtime.load_bytes("test".as_ref(), bytes));
    thread::spawn(load).join().unwrap().unwrap()
}

/// Has the agent run the capsule's tasks, for as long as the capsule lives.
pub(crate) fn run(agent: ComponentAgent, capsule: CapsuleHandle) {
    tokio::spawn(async move { agent.run(&capsule).await });
}

/// A script for the driver, as a message carries it in its JSON.
pub(crate) fn script(steps: &[&str]) -> String {
    escaped(&steps.join("\n"))
}

/// A string as it stands in JSON.
pub(crate) fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

/// A `message/send` with a message of that text.
pub(crate) fn answer(text: &str) -> String {
    let message = super::message(text);
    post(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{{"message":{message}}}}}"#
    ))
}

/// What is under `artifact` for a result of the tool `name`.
pub(crate) fn fenced(name: &str, content: &str, call: &str, is_error: bool, millis: u64) -> String {
    let content = escaped(&format!(
        "<untrusted-content source=tool:{name}>\n{content}\n</untrusted-content>"
    ));
    format!(
        r#"{{"tool_name":"{name}","content":"{content}","fence_source":"tool:{name}","tool_call_id":"{call}","is_error":{is_error},"duration_ms":{millis},"exit_code":null,"truncated":false}}"#
    )
}

/// What is under `artifact` for a call without a result.
pub(crate) fn unfenced(name: &str, content: &str, call: &str, millis: u64) -> String {
    let content = escaped(content);
    format!(
        r#"{{"tool_name":"{name}","content":"{content}","fence_source":null,"tool_call_id":"{call}","is_error":true,"duration_ms":{millis},"exit_code":null,"truncated":false}}"#
    )
}
