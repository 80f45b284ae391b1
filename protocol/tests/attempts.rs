//! Reopened attempts, input waits, and frames that nothing may write any more ("Event ids",
//! sections 6 and 9 of the details page).

mod support;

use protocol::Attempt;
use support::{
    hook_artifact, open_watch, read, session, short_task, task, text, thinking, tool_result,
    written_lines,
};

#[test]
fn a_reopened_attempt_starts_at_0_and_at_turn_1() {
    let lines = written_lines(|session| {
        short_task(session, "a");
        let mut again = Attempt::begin(session, task("a"));
        let call = again.begin_turn(session);
        session.emit_chunk(&text("more"));
        again.inference_returned(session, call);
        again.completed(session, "more");
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "1 text \"ok\" final",
            "2 status session ended",
            "0 status inference turn 1",
            "1 text \"more\"",
            "2 text \"\" final",
            "3 status session ended",
        ]
    );
}

#[test]
fn both_of_two_input_waits_count_from_the_start_and_leave_the_other_counters_alone() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        attempt.inference_returned(session, call);
        attempt.wait_for_input(session, "Deploy?").resumed(session);
        attempt.artifact(session, &tool_result("yes"));
        attempt.wait_for_input(session, "Sure?").resumed(session);
        session.emit_chunk(&text("x"));
        let _call = attempt.begin_turn(session);
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "9223372036854775807 status Deploy?",
            "9223372036854775808 status resumed",
            "1 artifact \"yes\"",
            "9223372036854775807 status Sure?",
            "9223372036854775808 status resumed",
            "1 text \"x\"",
            "2 status inference turn 2",
        ]
    );
}

#[test]
fn a_task_goes_on_after_an_input_timeout() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        attempt.inference_returned(session, call);
        attempt.wait_for_input(session, "Deploy?").timed_out(session);
        session.emit_chunk(&text("still there"));
        attempt.artifact(session, &tool_result("no answer"));
        let call = attempt.begin_turn(session);
        attempt.inference_returned(session, call);
        attempt.completed(session, "Gave up.");
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "9223372036854775807 status Deploy?",
            "9223372036854775808 status input-timeout",
            "1 text \"still there\"",
            "1 artifact \"no answer\"",
            "2 status inference turn 2",
            "3 text \"Gave up.\" final",
            "4 status session ended",
        ]
    );
}

#[test]
fn a_cancel_during_an_input_wait_writes_no_resume() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        attempt.inference_returned(session, call);
        drop(attempt.wait_for_input(session, "Deploy?"));
        attempt.artifact(session, &tool_result("canceled"));
        attempt.canceled(session);
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "9223372036854775807 status Deploy?",
            "1 artifact \"canceled\"",
            "2 status task canceled",
        ]
    );
}

#[test]
fn a_wait_that_outlives_its_attempt_writes_nothing() {
    for end in [Attempt::canceled as fn(Attempt, &mut protocol::Session), Attempt::abandon] {
        let mut session = session();
        let attempt = Attempt::begin(&mut session, task("a"));
        let answered = attempt.wait_for_input(&mut session, "1");
        let late = attempt.wait_for_input(&mut session, "2");
        end(attempt, &mut session);
        let written = session.frames_written();
        answered.resumed(&mut session);
        late.timed_out(&mut session);
        assert_eq!(session.frames_written(), written);
    }
}

#[test]
fn an_overtaken_attempt_writes_nothing() {
    let overtaken: [fn(Attempt, &mut protocol::Session); 7] = [
        |mut old, session| {
            let call = old.begin_turn(session);
            old.inference_returned(session, call);
        },
        |mut old, session| old.artifact(session, &tool_result("")),
        |mut old, session| old.hook_artifact(session, &hook_artifact("")),
        |old, session| old.wait_for_input(session, "?").timed_out(session),
        |old, session| old.completed(session, "reply"),
        |old, session| old.failed(session, "x"),
        Attempt::canceled,
    ];
    for write in overtaken {
        let mut session = session();
        let old = Attempt::begin(&mut session, task("a"));
        let mut new = Attempt::begin(&mut session, task("a"));
        write(old, &mut session);
        assert_eq!(session.frames_written(), 0);
        // Nor does it take the session away from the attempt that runs.
        let mut watch = open_watch(&mut session);
        session.emit_chunk(&text("x"));
        new.artifact(&mut session, &tool_result("1"));
        assert_eq!(
            support::lines(&read(&mut session, &mut watch)),
            ["4611686018427387903 text \"x\"", "0 artifact \"1\""]
        );
    }
}

#[test]
fn an_overtaken_attempt_leaves_the_running_one_s_chunk_counter_alone() {
    let mut session = session();
    let mut old = Attempt::begin(&mut session, task("a"));
    let old_call = old.begin_turn(&mut session);
    session.emit_chunk(&text("old"));
    let mut new = Attempt::begin(&mut session, task("b"));
    let new_call = new.begin_turn(&mut session);
    session.emit_chunk(&text("new"));
    old.inference_returned(&mut session, old_call);
    let _old_call = old.begin_turn(&mut session);
    let mut watch = open_watch(&mut session);
    session.emit_chunk(&text("new"));
    new.inference_returned(&mut session, new_call);
    new.completed(&mut session, "newnew");
    assert_eq!(
        support::lines(&read(&mut session, &mut watch)),
        ["2 text \"new\"", "3 text \"\" final", "4 status session ended"]
    );
}

#[test]
fn an_abandoned_attempt_writes_no_final_status() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let _call = attempt.begin_turn(session);
        attempt.abandon(session);
    });
    assert_eq!(lines, ["0 status inference turn 1"]);
}

#[test]
fn nothing_is_written_after_close() {
    let mut session = session();
    let mut attempt = Attempt::begin(&mut session, task("a"));
    let call = attempt.begin_turn(&mut session);
    let wait = attempt.wait_for_input(&mut session, "?");
    session.emit_chunk(&text("x"));
    assert_eq!(session.frames_written(), 3);
    session.close();
    session.emit_chunk(&text("late"));
    session.emit_chunk(&thinking("late"));
    wait.resumed(&mut session);
    attempt.inference_returned(&mut session, call);
    attempt.artifact(&mut session, &tool_result("late"));
    attempt.hook_artifact(&mut session, &hook_artifact("late"));
    attempt.wait_for_input(&mut session, "late").timed_out(&mut session);
    let _call = attempt.begin_turn(&mut session);
    attempt.completed(&mut session, "late");
    session.cancel_queued(&task("b"));
    short_task(&mut session, "c");
    let _running = Attempt::begin(&mut session, task("d"));
    session.emit_chunk(&text("late"));
    assert_eq!(session.frames_written(), 3);
    assert!(session.is_closed());
}
