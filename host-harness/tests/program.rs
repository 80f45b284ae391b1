//! The program `capsule`, run as a user runs it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use host_harness::ConversationMode;
use host_harness::frames::frames;
use host_harness::scenario::Scenario;
use std::net::TcpListener;
use std::time::{Duration, Instant};
use support::{Program, capsule, file, watch_request};

const STREAM_HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
    cache-control: no-cache\r\nconnection: keep-alive\r\n\r\n";
const ACK: &str = "event: connection-ack\n\
    data: {\"role\":\"observer\",\"conversation_mode\":\"stateless\"}\n\n";

#[test]
fn serve_prints_its_address_and_two_curl_lines_that_work() {
    let served = Program::serve(&["--scenario", "whole-reply"]);
    let greeting = served.greeting().to_owned();
    let address = served.address().to_owned();
    assert_eq!(
        greeting,
        format!(
            "The capsule serves its stream on http://{address}/ and plays `whole-reply` for each \
             task.\nCtrl-C ends it.\n\nWatch everything it writes:\n  curl -N -X POST \
             http://{address}/ -H 'Content-Type: application/json' -d \
             '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stream/watch\",\"params\":{{}}}}'\n\n\
             Give it a task and follow that:\n  curl -N -X POST http://{address}/ -H \
             'Content-Type: application/json' -d \
             '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/stream\",\"params\":\
             {{\"message\":{{\"messageId\":\"msg-1\",\"role\":\"user\",\"parts\":\
             [{{\"text\":\"Summarise README.md\"}}]}}}}}}'\n"
        )
    );
    let curls: Vec<&str> = greeting.lines().filter(|line| line.contains("curl ")).collect();
    let [watch, stream] = curls[..] else { panic!("two curl lines: {greeting}") };
    let mut watcher = served.send(&curl_request(watch));
    watcher.expect(&format!("{STREAM_HEAD}{ACK}"));
    let submitted = served.send(&curl_request(stream)).rest();
    let submitted = submitted.strip_prefix(STREAM_HEAD).expect("the exact head");
    assert!(submitted.starts_with("id: 0\nevent: status\n"), "{submitted}");
    assert!(
        submitted.contains("\"status\":{\"state\":\"completed\",\"message\":\"session ended\",")
    );
    watcher.expect(submitted);
}

/// The request that a printed curl line sends.
fn curl_request(line: &str) -> String {
    let body = line.rsplit_once("-d '").unwrap().1.strip_suffix('\'').unwrap();
    support::post(body)
}

#[test]
fn sigint_ends_it_within_a_second_and_its_watchers_get_no_capsule_closed() {
    let served = Program::serve(&[]);
    let mut watcher = served.send(&watch_request());
    watcher.expect(&format!("{STREAM_HEAD}{ACK}"));
    let interrupted = Instant::now();
    served.interrupt();
    assert_eq!(watcher.rest(), "");
    drop(watcher);
    let ended = served.end();
    assert!(interrupted.elapsed() < Duration::from_secs(1), "{:?}", interrupted.elapsed());
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_port_in_use_is_told_and_so_is_the_way_out() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ended = capsule(&["serve", "--listen", &address]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    let told = format!("capsule: cannot listen on {address}: ");
    assert!(ended.stderr.starts_with(&told), "{}", ended.stderr);
    assert!(ended.stderr.ends_with("; --listen chooses another address\n"), "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 1);
}

#[test]
fn after_task_exit_ends_it_after_one_task_whose_submitter_gets_everything() {
    let served = Program::serve(&["--scenario", "tools", "--after-task", "exit"]);
    let mut watcher = served.send(&watch_request());
    watcher.expect(&format!("{STREAM_HEAD}{ACK}"));
    let submitted = served.send(&support::submission("hello")).rest();
    let body = submitted.strip_prefix(STREAM_HEAD).expect("the exact head");
    let last = body.trim_end().rsplit("\n\n").next().unwrap();
    assert!(last.starts_with("id: 27\nevent: status\n"), "{last}");
    assert!(
        last.contains("\"state\":\"completed\"") && last.ends_with("\"final\":true}"),
        "{last}"
    );
    // The watcher has the same, and no capsule-closed: the process exits.
    assert_eq!(watcher.rest(), body);
    drop(watcher);
    let ended = served.end();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_task_that_names_a_scenario_plays_it() {
    let served = Program::serve(&["--scenario", "long", "--conversation", "threaded"]);
    let mut watcher = served.send(&watch_request());
    watcher.expect(&format!("{STREAM_HEAD}{}", ACK.replace("stateless", "threaded")));
    let submitted = served.send(&support::submission("driver-unavailable")).rest();
    let failed = "\"message\":\"driver invocation failed: component 'anthropic-driver' is not \
                  available\"},\"final\":true}\n\n";
    assert!(submitted.ends_with(failed), "{submitted}");
}

#[test]
fn task_acceptance_is_what_the_option_says() {
    let none = Program::serve(&["--task-acceptance", "none"]);
    let answer = none.send(&support::submission("hello")).rest();
    let not_found =
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#;
    assert!(answer.ends_with(not_found), "{answer}");

    let single = Program::serve(&["--task-acceptance", "single", "--scenario", "whole-reply"]);
    let mut first = single.send(&support::submission("hello"));
    let mut rejected = 0;
    for _ in 0..2 {
        let second = single.send(&support::submission("hello")).rest();
        rejected += usize::from(second.contains("\"state\":\"rejected\""));
    }
    // Which of the three came first is the capsule's to say; the others were rejected.
    assert_eq!(rejected + usize::from(first.rest().contains("\"state\":\"rejected\"")), 2);
}

#[test]
fn an_unknown_scenario_is_told_with_the_known_ones() {
    for arguments in [["serve", "--scenario", "nonsense"].as_slice(), &["frames", "nonsense"]] {
        let ended = capsule(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
        let told = "capsule: there is no scenario and no file `nonsense`; the scenarios that ship \
                    with the program are story, ";
        assert!(ended.stderr.starts_with(told), "{}", ended.stderr);
        for (name, _) in Scenario::shipped() {
            assert!(ended.stderr.contains(name), "{name}: {}", ended.stderr);
        }
    }
    let ended = capsule(&["scenario", "show", "nonsense"]);
    assert_eq!(ended.code, Some(1));
    assert_eq!(
        ended.stderr,
        "capsule: no scenario `nonsense` ships with the program; `capsule scenario list` lists \
         them\n"
    );
}

#[test]
fn the_component_that_was_built_can_be_given_as_a_file() {
    let bytes = host_harness::StreamComponent::built_in_bytes();
    let (_directory, path) = file("capsule_stream.wasm", bytes);
    let served = Program::serve(&["--component", &path]);
    served.send(&watch_request()).expect(&format!("{STREAM_HEAD}{ACK}"));
}

#[test]
fn scenario_check_says_of_each_file_what_is_wrong_and_where() {
    let (_directory, good) = file("good.scenario", Scenario::shipped()[0].1.as_bytes());
    let ended = capsule(&["scenario", "check", &good]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let about = Scenario::shipped_named("story").unwrap();
    assert_eq!(ended.stdout, format!("{good}: good: {}\n", about.about()));

    let order = "about = \"x\"\n\n[[step]]\nend = { completed = \"\" }\n\n[[step]]\nturn = {}\n";
    let (_directory_2, order) = file("order.scenario", order.as_bytes());
    let (_directory_3, toml) = file("toml.scenario", b"about = \"x\"\npace =\n");
    let ended = capsule(&["scenario", "check", &order, &good, &toml, "/nowhere.scenario"]);
    assert_eq!(ended.code, Some(1));
    assert_eq!(ended.stdout, format!("{good}: good: {}\n", about.about()));
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert!(lines[0].starts_with(&format!("{order}:3: step 1 (end): ")), "{}", ended.stderr);
    assert!(lines.iter().any(|line| line.starts_with(&format!("{toml}:2: "))), "{}", ended.stderr);
    let missing = "/nowhere.scenario: cannot be read: ";
    assert!(lines.iter().any(|line| line.starts_with(missing)), "{}", ended.stderr);
    let last = "capsule: 3 scenarios have problems; `capsule scenario format` is the manual";
    assert_eq!(lines.last(), Some(&last));
}

#[test]
fn a_scenario_file_with_problems_is_not_served() {
    let (_directory, bad) = file("bad.scenario", b"about = \"x\"\nnonsense = 1\n");
    for arguments in [["serve", "--scenario", &bad].as_slice(), &["frames", &bad]] {
        let ended = capsule(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
        assert!(ended.stderr.starts_with(&format!("capsule: {bad}:2: ")), "{}", ended.stderr);
    }
}

#[test]
fn scenario_list_and_show_give_the_shipped_ones() {
    let ended = capsule(&["scenario", "list"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let names: Vec<_> = ended.stdout.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let shipped: Vec<_> = Scenario::shipped().iter().map(|(name, _)| *name).collect();
    assert_eq!(names, shipped);
    for (name, source) in Scenario::shipped() {
        let ended = capsule(&["scenario", "show", name]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), *source));
    }
}

#[test]
fn frames_prints_what_the_library_works_out() {
    for (name, mode, option) in [
        ("story", ConversationMode::Stateless, "stateless"),
        ("awkward", ConversationMode::Threaded, "threaded"),
    ] {
        let ended = capsule(&["frames", name, "--conversation", option]);
        let expected = frames(&Scenario::shipped_named(name).unwrap(), mode);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        assert!(ended.stdout.as_bytes() == expected, "{name} differs");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut program = Program::start(&["frames", "long"]);
    // More is printed than a pipe holds, so the program is still writing when its reader leaves.
    program.read_and_leave(64);
    let ended = program.end();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}

#[test]
fn help_has_examples() {
    for command in [[].as_slice(), &["serve"], &["frames"]] {
        let help = capsule(&[command, &["--help"]].concat());
        assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
        let examples = help.stdout.split_once("\nExamples:\n").expect("examples").1;
        assert!(examples.lines().all(|line| line.len() <= 100), "{examples}");
        let first = ["  capsule", command.first().unwrap_or(&"serve")].join(" ");
        assert!(examples.starts_with(&first), "{examples}");
    }
    // The manual of the format stands where its commands are.
    let help = capsule(&["scenario", "--help"]);
    assert!(help.stdout.contains(host_harness::scenario::FORMAT.lines().next().unwrap()));
    let format = capsule(&["scenario", "format"]);
    assert_eq!(format.stdout, host_harness::scenario::FORMAT);
}

#[test]
fn an_unknown_option_is_a_usage_error() {
    let ended = capsule(&["serve", "--nonsense"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(ended.stderr.contains("--nonsense") && ended.stderr.contains("Usage:"));
}
