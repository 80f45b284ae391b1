//! `capsule serve --driver` and `capsule compose`, run as a user runs them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use host_harness::StreamComponent;
use host_harness::components::shipped::{ask_tool, scripted_driver, scripted_tool};
use std::path::Path;
use support::following::Following;
use support::{Program, capsule, file};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// `NAME=FILE`, as `--tool` takes it.
fn tool(name: &str, path: &Path) -> String {
    format!("{name}={}", text(path))
}

/// Submits a task of these steps and follows it to its end, which it says is `completed`.
fn completes(served: &Program, steps: &str) -> String {
    let ended = capsule(&["send", "--stream", steps, "--url", served.address()]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{}", ended.stdout);
    ended.stdout
}

/// Expects that it ends at once with this on stderr, one line, and nothing on stdout.
#[track_caller]
fn expect_refusal(arguments: &[&str], told: &str) {
    let ended = capsule(arguments);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{arguments:?}");
    assert_eq!(ended.stderr, format!("capsule: {told}\n"), "{arguments:?}");
}

#[test]
fn an_agent_of_components_runs_a_task_with_a_question_to_completed() {
    let ask = tool("ask", ask_tool());
    let served = Program::serve(&["--driver", text(scripted_driver()), "--tool", &ask]);
    let steps = "think Let me ask.\ncall ask {\"prompt\":\"Which branch?\"}\nturn\n\
                 say Released from there.\nend";
    let mut sent = Following::start(&["send", "--stream", steps, "--url", served.address()]);
    sent.until("[input-required]  Which branch?\n");
    let answered = capsule(&["answer", "main", "--url", served.address()]);
    assert_eq!((answered.code, answered.stderr.as_str()), (Some(0), ""));
    let ended = sent.end();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert!(ended.stdout.contains("[artifact] tool: ask [ok, "), "{}", ended.stdout);
    let last = "[working]  inference turn 2\nReleased from there.[completed]\n  \
                Released from there.\n\n";
    assert!(ended.stdout.ends_with(last), "{}", ended.stdout);
}

#[test]
fn a_composition_runs_a_task_to_completed() {
    let directory = tempfile::tempdir().unwrap();
    let agent = directory.path().join("agent.wasm");
    let agent = text(&agent);
    let work = tool("work", scripted_tool());
    let compose =
        ["compose", "--driver", text(scripted_driver()), "--tool", &work, "--output", agent];
    let ended = capsule(&compose);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let bytes = std::fs::metadata(agent).unwrap().len();
    assert_eq!(ended.stdout, format!("{agent}: {bytes} bytes\n"));

    let served = Program::serve(&["--component", agent]);
    let shown = completes(&served, "call work {\"do\":[\"return 3 files\"]}\nturn\nend done");
    assert!(shown.contains("[artifact] tool: work [ok, "), "{shown}");
    assert!(shown.ends_with("[completed]\n  done\n\n"), "{shown}");
}

#[test]
fn the_greeting_suggests_what_any_driver_can_do_something_with() {
    let driver = text(scripted_driver());
    let served = Program::serve(&["--driver", driver]);
    let greeting = served.greeting();
    let runs = format!("/ and runs {driver} for each task.\n");
    assert!(greeting.contains(&runs), "{greeting}");
    let example = "Hello, what can you do?";
    assert!(greeting.contains(&format!("[{{\"text\":\"{example}\"}}]")), "{greeting}");
    let shown = completes(&served, example);
    assert!(shown.ends_with(&format!("[completed]\n  {example}\n\n")), "{shown}");
}

#[test]
fn a_tool_that_asks_cannot_be_composed() {
    let directory = tempfile::tempdir().unwrap();
    let agent = directory.path().join("agent.wasm");
    let ask = tool("ask", ask_tool());
    let driver = text(scripted_driver());
    expect_refusal(
        &["compose", "--driver", driver, "--tool", &ask, "-o", text(&agent)],
        "`ask` asks for input (it imports murmur:task/task) and cannot be composed: in WASI 0.2 \
         its answer could not come in while it waits. Give it a store of its own beside the \
         composition: capsule serve --component FILE.wasm --tool ask=FILE.wasm",
    );
    assert!(!agent.exists());
}

#[test]
fn a_driver_that_asks_is_refused_before_it_serves() {
    let ask = text(ask_tool());
    expect_refusal(
        &["serve", "--listen", "127.0.0.1:0", "--driver", ask],
        &format!(
            "{ask} cannot be the driver: it asks for input (it imports murmur:task/task), which \
             only a tool may do; give it as --tool NAME=FILE, beside a driver of the world of \
             wit/driver.wit"
        ),
    );
    expect_refusal(
        &["compose", "--driver", ask, "-o", "/nowhere/agent.wasm"],
        "the driver asks for input (it imports murmur:task/task), which only a tool may do: if it \
         is a tool, give --driver a component of the world of wit/driver.wit, and this one a store \
         of its own beside the composition: capsule serve --component FILE.wasm --tool \
         NAME=FILE.wasm",
    );
}

#[test]
fn a_component_that_cannot_be_called_is_refused_before_it_serves() {
    let (_directory, stream) = file("stream.wasm", StreamComponent::built_in_bytes());
    let told = format!(
        "{stream} does not export murmur:tool/run@0.1.0, by which a driver or tool is called; its \
         world has to be that of wit/driver.wit or wit/tool.wit"
    );
    let serve = ["serve", "--listen", "127.0.0.1:0", "--driver"];
    expect_refusal(&[&serve[..], &[&stream]].concat(), &told);
    let tool = format!("t={stream}");
    let driver = text(scripted_driver());
    expect_refusal(&[&serve[..], &[driver, "--tool", &tool]].concat(), &told);
}
