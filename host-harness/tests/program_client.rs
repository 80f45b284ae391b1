//! `capsule watch`, `send`, `answer` and `cancel`, run as a user runs them beside `capsule serve`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use support::following::Following;
use support::{Ended, Program, capsule, post};

/// Runs a client of that capsule to its end.
fn client(served: &Program, arguments: &[&str]) -> Ended {
    capsule(&[arguments, &["--url", served.address()]].concat())
}

/// Runs a client that prints a task's id and state, and answers the id.
#[track_caller]
fn expect_task(served: &Program, arguments: &[&str], state: &str) -> String {
    let ended = client(served, arguments);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{}", ended.stdout);
    let printed = ended.stdout.strip_suffix('\n').expect("a line");
    let (id, printed_state) = printed.split_once(' ').expect("an id and a state");
    assert_eq!(printed_state, state);
    let digits = id.strip_prefix("tsk_").expect("a task's id");
    assert!(digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    id.to_owned()
}

/// Expects that a client fails with this on stderr and nothing on stdout.
#[track_caller]
fn expect_failure(ended: &Ended, stderr: &str) {
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (Some(1), "", stderr));
}

/// What `tasks/get` says of the task of that id, or of the last one.
fn get(served: &Program, id: Option<&str>) -> String {
    let params = id.map_or("{}".to_owned(), |id| format!(r#"{{"id":"{id}"}}"#));
    let answer = served
        .send(&post(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{params}}}"#
        )))
        .rest();
    answer.split_once("\r\n\r\n").expect("a head").1.to_owned()
}

/// The digits before this, which depend on the machine, become `N`.
fn without_time(text: &str) -> String {
    let (before, after) = text.split_once("ms]").expect("a duration");
    format!("{}Nms]{after}", before.trim_end_matches(|char: char| char.is_ascii_digit()))
}

const LOST: &str = " — the capsule may still be running; run mur watch again to reattach\n";

#[test]
fn a_person_plays_a_whole_session_with_a_question_from_other_terminals() {
    let served = Program::serve(&[]);
    let mut watch = Following::watch(served.address());
    let task = expect_task(&served, &["send", "ask-you"], "submitted");
    watch.until("[input-required]  Which branch should I release from?\n");
    // The stream shows the question once it can be answered.
    let answered = expect_task(&served, &["answer", "main"], "working");
    assert_eq!(answered, task);
    watch.until("[completed]\n  Thank you, that is all I need.\n\n");
    assert!(get(&served, Some(&task)).ends_with(r#""status":{"state":"completed"}}}"#));
    let address = served.address().to_owned();
    served.interrupt();
    let ended = watch.end();
    assert_eq!(
        without_time(&ended.stdout),
        "[working]  inference turn 1\n\
         I have a question first.[input-required]  Which branch should I release from?\n\
         [working]  resumed\n\
         [artifact] tool: ask-user [ok, Nms] | <untrusted-content source=tool:ask-user>\n  \
           main\n  \
           </untrusted-content>\n\
         [working]  inference turn 2\n\
         Thank you, that is all I need.[completed]\n  \
           Thank you, that is all I need.\n\n"
    );
    // Text stands as it was written, and no line is begun for what follows it. A process that exits
    // writes no capsule-closed.
    let watching = format!(
        "[murmur] watching {address} — Ctrl-C ends the watch, not the capsule; use `mur stop` to \
         end the capsule\n"
    );
    let lost = format!("error[E-IO-003]: connection to {address} lost after event id 17{LOST}");
    assert_eq!((ended.code, ended.stderr), (Some(1), watching + &lost));
}

#[test]
fn a_watch_of_a_threaded_capsule_counts_the_turns_of_a_context() {
    let served = Program::serve(&["--conversation", "threaded"]);
    let mut watch = Following::watch(served.address());
    let context = "ctx_0123456789abcdef0123456789abcdef";
    for turn in 1..=2 {
        let task =
            expect_task(&served, &["send", "whole-reply", "--context", context], "submitted");
        watch.until(&format!("[ctx_01234567... / turn {turn} / completed]\n"));
        assert!(get(&served, Some(&task)).contains(&format!(r#""contextId":"{context}""#)));
    }
}

#[test]
fn a_watch_that_loses_its_connection_before_any_event_says_so() {
    let served = Program::serve(&["--task-acceptance", "none"]);
    let watch = Following::watch(served.address());
    let address = served.address().to_owned();
    served.interrupt();
    let ended = watch.end();
    let lost = format!("error[E-IO-003]: connection to {address} lost before any event{LOST}");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    assert!(ended.stderr.ends_with(&lost), "{}", ended.stderr);
}

#[test]
fn send_with_stream_follows_the_task_and_ends_with_0_when_it_completed() {
    let served = Program::serve(&[]);
    let ended = client(&served, &["send", "ask", "--stream"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert!(ended.stdout.starts_with("[working]  inference turn 1\n[input-required]  "));
    let last = "[working]  inference turn 3\nReleased v1.2.0 from main.[completed]\n  \
                Released v1.2.0 from main.\n\n";
    assert!(ended.stdout.ends_with(last), "{}", ended.stdout);
}

#[test]
fn send_with_stream_ends_with_1_when_the_task_ended_otherwise() {
    let served = Program::serve(&[]);
    for (scenario, last) in [
        ("driver-trapped", "README.md describes the[failed]\n"),
        ("cancel-inference", "This reply is [canceled]\n"),
        // The last one: the task is not at its end, and would close the next one's stream.
        ("input-timeout", "[failed]\n"),
    ] {
        let ended = client(&served, &["send", scenario, "--stream"]);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(1), ""), "{scenario}");
        assert!(ended.stdout.ends_with(last), "{}", ended.stdout);
    }
}

#[test]
fn a_capsule_that_is_busy_rejects_and_both_kinds_of_send_end_with_1() {
    let served = Program::serve(&["--task-acceptance", "single"]);
    expect_task(&served, &["send", "long"], "submitted");
    let ended = client(&served, &["send", "hello"]);
    assert_eq!(ended.code, Some(1));
    let printed = ended.stdout.strip_prefix("tsk_").expect("a task's id");
    assert!(printed.ends_with(" rejected\n"), "{printed}");
    assert_eq!(ended.stderr, "capsule: the capsule is busy and rejected the task\n");
    let ended = client(&served, &["send", "hello", "--stream"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(1), ""));
    assert_eq!(ended.stdout, "[rejected]\n");
}

#[test]
fn a_task_that_cannot_be_handed_over_is_an_error_of_both_kinds_of_send() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("endless.scenario");
    let steps = "about = \"endless\"\n[[step]]\npause = \"60m\"\n[[step]]\nend = \"unreported\"\n";
    std::fs::write(&file, steps).unwrap();
    let scenario = ["--scenario", file.to_str().unwrap()];
    let served = Program::serve(&[&scenario[..], &["--queue-depth", "1"]].concat());
    expect_task(&served, &["send", "hello"], "submitted");
    let waiting = expect_task(&served, &["send", "hello"], "submitted");
    expect_task(&served, &["cancel", &waiting], "canceled");
    expect_failure(
        &client(&served, &["send", "hello", "--stream"]),
        "error[E-IO-003]: the task was not accepted: {\"error\":\"internal error: queue send \
         failed\"}\n",
    );
    expect_failure(
        &client(&served, &["send", "hello"]),
        "capsule: the capsule refused: internal error: queue send failed (-32603)\n",
    );
}

#[test]
fn a_capsule_that_accepts_no_tasks_refuses_both_kinds_of_send() {
    let served = Program::serve(&["--task-acceptance", "none"]);
    expect_failure(
        &client(&served, &["send", "hello"]),
        "capsule: the capsule refused: Method not found (-32601)\n",
    );
    expect_failure(
        &client(&served, &["send", "hello", "--stream"]),
        "error[E-IO-003]: the answer is application/json, not an event stream\n",
    );
}

#[test]
fn an_answer_that_nobody_waits_for_is_not_submitted() {
    let nothing_waits = "capsule: no task waits for input; `capsule send` submits a task\n";
    let served = Program::serve(&["--scenario", "whole-reply"]);
    expect_failure(&client(&served, &["answer", "main"]), nothing_waits);
    let unknown = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Task not found"}}"#;
    assert_eq!(get(&served, None), unknown);
    // One that runs, or has ended, does not wait.
    let task = expect_task(&served, &["send", "hello"], "submitted");
    expect_failure(&client(&served, &["answer", "main"]), nothing_waits);
    assert!(get(&served, None).contains(&task));
}

#[test]
fn cancel_ends_a_task_that_runs_and_leaves_a_finished_one() {
    let served = Program::serve(&[]);
    let mut watch = Following::watch(served.address());
    let task = expect_task(&served, &["send", "ask-you"], "submitted");
    watch.until("[input-required]");
    expect_task(&served, &["cancel", &task], "canceled");
    watch.until("[canceled]\n");
    expect_task(&served, &["cancel", &task], "canceled");
    let task = expect_task(&served, &["send", "whole-reply"], "submitted");
    watch.until("[completed]\n");
    assert_eq!(expect_task(&served, &["cancel", &task], "completed"), task);
}

#[test]
fn cancel_of_an_unknown_task_says_so() {
    let served = Program::serve(&[]);
    expect_failure(
        &client(&served, &["cancel", "tsk_nobodys"]),
        "capsule: the capsule refused: Task not found (-32001)\n",
    );
}

/// The address of a server that answers every request with this JSON.
fn answering(json: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        while let Ok((mut connection, _)) = listener.accept() {
            let length = json.len();
            // The request is small enough to come at once, and unread bytes would make a reset.
            let _ = connection.read(&mut [0; 4096]);
            let _ = write!(connection, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{json}");
        }
    });
    address
}

#[test]
fn a_result_that_is_no_task_is_an_error_of_all_that_expect_one() {
    for (result, json) in [
        ("5", r#"{"jsonrpc":"2.0","id":1,"result":5}"#),
        (r#"{"id":"tsk_a"}"#, r#"{"jsonrpc":"2.0","id":1,"result":{"id":"tsk_a"}}"#),
        ("null", r#"{"jsonrpc":"2.0","id":1,"result":null}"#),
    ] {
        let address = answering(json);
        for arguments in [["send", "hello"], ["answer", "main"], ["cancel", "tsk_a"]] {
            let ended = capsule(&[&arguments[..], &["--url", &address]].concat());
            expect_failure(
                &ended,
                &format!(
                    "capsule: the answer's result is not a task, which has an `id` and a `status` \
                     with a `state`, but {result}; is this a capsule's address?\n"
                ),
            );
        }
    }
}

#[test]
fn a_connection_that_is_refused_is_told_with_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let told = format!(
        "cannot connect to {address}: Connection refused (os error 111); is the \
                        capsule running, and is this its address?\n"
    );
    for (arguments, before) in [
        (["watch"].as_slice(), "error[E-IO-003]: "),
        (&["send", "hello", "--stream"], "error[E-IO-003]: "),
        (&["send", "hello"], "capsule: "),
        (&["answer", "main"], "capsule: "),
        (&["cancel", "tsk_a"], "capsule: "),
    ] {
        let ended = capsule(&[arguments, &["--url", &address]].concat());
        expect_failure(&ended, &format!("{before}{told}"));
    }
}

#[test]
fn an_address_that_is_none_is_a_usage_error() {
    for url in ["https://127.0.0.1:1", "127.0.0.1:0", "127.0.0.1:1/path", ""] {
        let ended = capsule(&["watch", "--url", url]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{url}");
        assert!(ended.stderr.contains("--url"), "{}", ended.stderr);
    }
}
