//! What chunks count, and what a turn or a task makes of them ("Event ids", section 6 of the
//! details page).

mod support;

use protocol::Attempt;
use support::{
    open_watch, read, session, short_task, task, text, thinking, tool_result, written_lines,
};

#[test]
fn a_turn_of_thinking_alone_has_no_final_text() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        session.emit_chunk(&thinking("hm"));
        attempt.inference_returned(session, call);
        attempt.completed(session, "Yes.");
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "1 thinking \"hm\"",
            "2 text \"Yes.\" final",
            "3 status session ended",
        ]
    );
}

#[test]
fn an_empty_chunk_is_written_and_counts_as_emitted() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        session.emit_chunk(&text(""));
        attempt.inference_returned(session, call);
        attempt.completed(session, "Yes.");
    });
    assert_eq!(
        lines,
        ["0 status inference turn 1", "1 text \"\"", "2 text \"\" final", "3 status session ended",]
    );
}

#[test]
fn only_the_last_turn_s_chunks_stand_in_for_the_whole_reply() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        session.emit_chunk(&text("x"));
        attempt.inference_returned(session, call);
        let call = attempt.begin_turn(session);
        attempt.inference_returned(session, call);
        attempt.completed(session, "whole");
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "1 text \"x\"",
            "2 text \"\" final",
            "3 status inference turn 2",
            "4 text \"whole\" final",
            "5 status session ended",
        ]
    );
}

#[test]
fn tool_chunks_collide_with_the_artifacts_after_them() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        attempt.inference_returned(session, call);
        session.emit_chunk(&text("building"));
        session.emit_chunk(&thinking("still"));
        attempt.artifact(session, &tool_result("1"));
        session.emit_chunk(&text("testing"));
        attempt.artifact(session, &tool_result("2"));
        let _call = attempt.begin_turn(session);
        session.emit_chunk(&text("x"));
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "1 text \"building\"",
            "2 thinking \"still\"",
            "1 artifact \"1\"",
            "3 text \"testing\"",
            "2 artifact \"2\"",
            "3 status inference turn 2",
            "4 text \"x\"",
        ]
    );
}

#[test]
fn a_chunk_before_the_first_turn_takes_the_launch_value() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        session.emit_chunk(&text("early"));
        session.emit_chunk(&thinking("early"));
        let _call = attempt.begin_turn(session);
        session.emit_chunk(&text("x"));
    });
    assert_eq!(
        lines,
        [
            "4611686018427387903 text \"early\"",
            "4611686018427387904 thinking \"early\"",
            "0 status inference turn 1",
            "1 text \"x\"",
        ]
    );
}

#[test]
fn a_chunk_before_a_later_task_s_first_turn_goes_on_from_the_last_task() {
    let lines = written_lines(|session| {
        short_task(session, "a");
        let _attempt = Attempt::begin(session, task("b"));
        session.emit_chunk(&text("early"));
    });
    assert_eq!(lines[3..], ["2 text \"early\""]);
}

#[test]
fn a_chunk_without_a_running_task_writes_nothing() {
    let mut session = session();
    let mut watch = open_watch(&mut session);
    session.emit_chunk(&text("before any"));
    short_task(&mut session, "a");
    session.emit_chunk(&text("after completed"));
    let failed = Attempt::begin(&mut session, task("b"));
    failed.failed(&mut session, "x");
    session.emit_chunk(&text("after failed"));
    let canceled = Attempt::begin(&mut session, task("c"));
    canceled.canceled(&mut session);
    session.emit_chunk(&thinking("after canceled"));
    let abandoned = Attempt::begin(&mut session, task("d"));
    abandoned.abandon(&mut session);
    session.emit_chunk(&text("after an error that is not reported"));
    assert_eq!(session.frames_written(), 5);
    let all = read(&mut session, &mut watch);
    assert!(!all.contains("before") && !all.contains("after"), "{all}");
}

#[test]
fn chunks_that_wrote_nothing_took_no_id() {
    let lines = written_lines(|session| {
        session.emit_chunk(&text("lost"));
        let _attempt = Attempt::begin(session, task("a"));
        session.emit_chunk(&text("x"));
    });
    assert_eq!(lines, ["4611686018427387903 text \"x\""]);
}
