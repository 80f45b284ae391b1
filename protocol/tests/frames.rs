//! Every frame of the page, byte for byte ("Frame format" and the section of each event).
#![allow(clippy::expect_used)]

mod support;

use protocol::{Attempt, ConversationMode, LastEventId, Session, Settings};

use support::{LAUNCH, read, session, task, task_of_the_page, text, thinking, written};

/// The frame that `script` writes after the first `working` of the page's task.
fn after_working(script: impl FnOnce(&mut Session, Attempt)) -> String {
    let all = written(|session| {
        let mut attempt = Attempt::begin(session, task_of_the_page());
        let _in_inference = attempt.begin_turn(session);
        script(session, attempt);
    });
    let working = "id: 0\nevent: status\ndata: {\"id\":\"tsk_0199c4e2f1b7712a9d3e4f5061728394\",\
        \"context_id\":\"ctx_0199c4e2f1b7712a9d3e4f50617283a1\",\
        \"status\":{\"state\":\"working\",\"message\":\"inference turn 1\"},\"final\":false}\n\n";
    all.strip_prefix(working).expect("the first `working` frame").to_owned()
}

/// The page's frame format example.
#[test]
fn a_working_frame_is_the_page_s_example() {
    let all = written(|session| {
        let mut attempt = Attempt::begin(session, task_of_the_page());
        let call = attempt.begin_turn(session);
        session.emit_chunk(&text("x"));
        attempt.inference_returned(session, call);
        let _call = attempt.begin_turn(session);
    });
    let example = r#"id: 3
event: status
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","context_id":"ctx_0199c4e2f1b7712a9d3e4f50617283a1","status":{"state":"working","message":"inference turn 2"},"final":false}

"#;
    assert!(all.ends_with(&format!("\n\n{example}")), "{all}");
}

#[test]
fn completed_is_the_page_s_example() {
    let all = after_working(|session, attempt| {
        session.emit_chunk(&text("README.md describes the build."));
        attempt.completed(session, "README.md describes the build.");
    });
    let completed = r#"id: 1
event: status
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","context_id":"ctx_0199c4e2f1b7712a9d3e4f50617283a1","status":{"state":"completed","message":"session ended","response":"README.md describes the build."},"final":true}

"#;
    assert!(all.ends_with(&format!("\n\n{completed}")), "{all}");
}

#[test]
fn completed_with_an_empty_reply_still_has_its_response() {
    assert_eq!(
        after_working(|session, attempt| attempt.completed(session, "")),
        r#"id: 1
event: status
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","context_id":"ctx_0199c4e2f1b7712a9d3e4f50617283a1","status":{"state":"completed","message":"session ended","response":""},"final":true}

"#
    );
}

#[test]
fn failed_carries_its_message_and_no_response() {
    for message in [
        "session ended",
        "driver invocation failed: no such driver",
        "max_turns exceeded: the task used all 40 inference turns",
    ] {
        assert_eq!(
            after_working(|session, attempt| attempt.failed(session, message)),
            r#"id: 1
event: status
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","context_id":"ctx_0199c4e2f1b7712a9d3e4f50617283a1","status":{"state":"failed","message":"MESSAGE"},"final":true}

"#
            .replace("MESSAGE", message)
        );
    }
}

#[test]
fn canceled_says_that_the_task_was_canceled() {
    assert_eq!(
        after_working(|session, attempt| attempt.canceled(session)),
        r#"id: 1
event: status
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","context_id":"ctx_0199c4e2f1b7712a9d3e4f50617283a1","status":{"state":"canceled","message":"task canceled"},"final":true}

"#
    );
}

#[test]
fn a_queued_task_s_cancel_says_that_it_never_started() {
    assert_eq!(
        written(|session| session.cancel_queued(&task_of_the_page())),
        r#"id: 2305843009213693951
event: status
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","context_id":"ctx_0199c4e2f1b7712a9d3e4f50617283a1","status":{"state":"canceled","message":"task canceled before it started"},"final":true}

"#
    );
}

#[test]
fn the_frames_of_an_input_wait_have_no_context_id() {
    assert_eq!(
        after_working(|session, attempt| {
            attempt.wait_for_input(session, "Deploy?").resumed(session);
        }),
        r#"id: 9223372036854775807
event: status
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","status":{"state":"input-required","message":"Deploy?"},"final":false}

id: 9223372036854775808
event: status
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","status":{"state":"working","message":"resumed"},"final":false}

"#
    );
}

#[test]
fn an_input_timeout_is_a_final_failure_without_a_context_id() {
    let all = after_working(|session, attempt| {
        attempt.wait_for_input(session, "").timed_out(session);
    });
    let timeout = r#"id: 9223372036854775808
event: status
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","status":{"state":"failed","message":"input-timeout"},"final":true}

"#;
    assert!(all.ends_with(&format!("\n\n{timeout}")), "{all}");
}

#[test]
fn text_and_thinking_are_the_page_s_examples() {
    assert_eq!(
        after_working(|session, _attempt| {
            session.emit_chunk(&thinking("The file names two targets"));
            session.emit_chunk(&text("README.md describes"));
        }),
        r#"id: 1
event: thinking
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","text":"The file names two targets","final":false}

id: 2
event: text
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","text":"README.md describes","final":false}

"#
    );
}

#[test]
fn a_turn_s_end_and_the_whole_reply_are_final_text_frames() {
    let end_of_turn = written(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        session.emit_chunk(&text("x"));
        attempt.inference_returned(session, call);
    });
    let empty_final =
        "id: 2\nevent: text\ndata: {\"id\":\"tsk_a\",\"text\":\"\",\"final\":true}\n\n";
    assert!(end_of_turn.ends_with(&format!("\n\n{empty_final}")), "{end_of_turn}");

    let whole_reply = after_working(|session, attempt| attempt.completed(session, "Done."));
    let first = "id: 1\nevent: text\ndata: {\"id\":\"tsk_0199c4e2f1b7712a9d3e4f5061728394\",\
        \"text\":\"Done.\",\"final\":true}\n\n";
    assert!(whole_reply.starts_with(first), "{whole_reply}");
}

#[test]
fn connection_ack_names_the_role_and_the_conversation_mode() {
    for (conversation_mode, expected) in [
        (
            ConversationMode::Stateless,
            "event: connection-ack\ndata: {\"role\":\"observer\",\"conversation_mode\":\"stateless\"}\n\n",
        ),
        (
            ConversationMode::Threaded,
            "event: connection-ack\ndata: {\"role\":\"observer\",\"conversation_mode\":\"threaded\"}\n\n",
        ),
    ] {
        let mut session = Session::new(Settings { conversation_mode, ..Settings::default() });
        let mut watch = session.open_watch(LAUNCH, LastEventId::Absent);
        assert_eq!(read(&mut session, &mut watch), expected);
    }
}

#[test]
fn capsule_closed_has_an_empty_object() {
    let mut session = session();
    let mut watch = support::open_watch(&mut session);
    session.close();
    assert_eq!(read(&mut session, &mut watch), "event: capsule-closed\ndata: {}\n\n");
}

#[test]
fn a_gap_names_the_oldest_id_as_in_the_page_s_example() {
    let mut session = session();
    let mut attempt = Attempt::begin(&mut session, task("a"));
    support::artifacts(&mut session, &mut attempt, 37 + 512);
    let mut stream = session.open_stream(LAUNCH, LastEventId::Id(0));
    let all = read(&mut session, &mut stream);
    assert!(
        all.starts_with(
            "event: gap\ndata: {\"first_available_id\":37}\n\nid: 37\nevent: artifact\n"
        )
    );
}

#[test]
fn a_gap_writes_the_largest_ids_as_unsigned_numbers() {
    let mut session = session();
    let attempt = Attempt::begin(&mut session, task("a"));
    let _wait = attempt.wait_for_input(&mut session, "?");
    let mut watch = session.open_watch(LAUNCH, LastEventId::Absent);
    let all = read(&mut session, &mut watch);
    assert!(all.contains("event: gap\ndata: {\"first_available_id\":9223372036854775807}\n\n"));
}
