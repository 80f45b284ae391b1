//! When a connection ends: the closing status, and the session's close ("Endpoints",
//! `capsule-closed`).

mod support;

use protocol::LastEventId::{Absent, Id};
use protocol::{Attempt, Session};
use support::{
    ACK, CLOSED, LAUNCH, SHORT_TASK, lines, open_stream, open_watch, read, session, short_task,
    take, task, text,
};

#[test]
fn a_message_stream_closes_on_the_first_live_final_status_of_any_task() {
    type End = fn(Attempt, &mut Session);
    let ends: [End; 4] = [
        |attempt, session| attempt.completed(session, ""),
        |attempt, session| attempt.failed(session, "session ended"),
        Attempt::canceled,
        |attempt, session| {
            attempt.wait_for_input(session, "?").timed_out(session);
        },
    ];
    for end in ends {
        let mut session = session();
        let mut stream = open_stream(&session);
        let attempt = Attempt::begin(&mut session, task("of_another_client"));
        end(attempt, &mut session);
        let before = session.frames_written();
        short_task(&mut session, "a");
        let lines = lines(&read(&mut session, &mut stream));
        assert_eq!(lines.len() as u64, before, "nothing comes after the final status");
        assert!(stream.is_finished());
    }
}

#[test]
fn a_queued_task_s_cancel_closes_a_message_stream() {
    let mut session = session();
    let mut stream = open_stream(&session);
    session.cancel_queued(&task("q"));
    short_task(&mut session, "a");
    assert_eq!(
        lines(&read(&mut session, &mut stream)),
        ["2305843009213693951 status task canceled before it started"]
    );
    assert!(stream.is_finished());
}

#[test]
fn a_final_text_closes_nothing() {
    let mut session = session();
    let mut stream = open_stream(&session);
    let mut attempt = Attempt::begin(&mut session, task("a"));
    let call = attempt.begin_turn(&mut session);
    session.emit_chunk(&text("x"));
    attempt.inference_returned(&mut session, call);
    assert!(lines(&read(&mut session, &mut stream)).ends_with(&["2 text \"\" final".to_owned()]));
    assert!(!stream.is_finished());
    attempt.completed(&mut session, "x");
    assert_eq!(lines(&read(&mut session, &mut stream)), ["3 status session ended"]);
    assert!(stream.is_finished());
}

#[test]
fn a_replayed_final_does_not_close() {
    let mut session = session();
    short_task(&mut session, "a");
    let mut stream = session.open_stream(LAUNCH, Id(0));
    assert_eq!(lines(&read(&mut session, &mut stream)), SHORT_TASK[1..]);
    assert!(!stream.is_finished());
    short_task(&mut session, "b");
    assert_eq!(lines(&read(&mut session, &mut stream)), SHORT_TASK);
    assert!(stream.is_finished());
}

#[test]
fn a_final_that_is_written_during_the_replay_is_live_and_closes_after_it() {
    let mut session = session();
    short_task(&mut session, "a");
    let mut stream = session.open_stream(LAUNCH, Id(1));
    session.cancel_queued(&task("q"));
    short_task(&mut session, "b");
    assert_eq!(
        lines(&read(&mut session, &mut stream)),
        ["2 status session ended", "2305843009213693951 status task canceled before it started"]
    );
    assert!(stream.is_finished());
}

#[test]
fn a_finished_message_stream_gives_nothing_any_more() {
    let mut session = session();
    let mut stream = open_stream(&session);
    short_task(&mut session, "a");
    read(&mut session, &mut stream);
    short_task(&mut session, "b");
    session.close();
    assert!(stream.is_finished());
    assert!(!stream.wants_write(&session, support::seconds(60)));
    assert_eq!(support::read_at(&mut session, &mut stream, support::seconds(60)), "");
}

#[test]
fn a_watch_survives_every_final_status() {
    let mut session = session();
    let mut watch = open_watch(&mut session);
    short_task(&mut session, "a");
    session.cancel_queued(&task("q"));
    Attempt::begin(&mut session, task("b")).failed(&mut session, "x");
    assert_eq!(lines(&read(&mut session, &mut watch)).len(), 5);
    assert!(!watch.is_finished());
    short_task(&mut session, "c");
    assert_eq!(lines(&read(&mut session, &mut watch)), SHORT_TASK);
}

#[test]
fn a_close_writes_capsule_closed_after_what_a_watch_lacks() {
    let mut session = session();
    let mut watch = session.open_watch(LAUNCH, Absent);
    short_task(&mut session, "a");
    session.close();
    let all = read(&mut session, &mut watch);
    let live = all.strip_prefix(ACK).and_then(|rest| rest.strip_suffix(CLOSED));
    assert_eq!(live.map(lines), Some(SHORT_TASK.map(str::to_owned).to_vec()));
    assert!(watch.is_finished());
    assert_eq!(read(&mut session, &mut watch), "");
}

#[test]
fn a_close_ends_a_message_stream_without_capsule_closed() {
    let mut session = session();
    let mut stream = open_stream(&session);
    let mut attempt = Attempt::begin(&mut session, task("a"));
    let _call = attempt.begin_turn(&mut session);
    session.close();
    assert!(!stream.is_finished());
    assert_eq!(lines(&read(&mut session, &mut stream)), ["0 status inference turn 1"]);
    assert!(stream.is_finished());
}

#[test]
fn a_watch_opened_after_the_close_gets_its_replay_and_capsule_closed() {
    let mut session = session();
    short_task(&mut session, "a");
    session.close();
    let mut watch = session.open_watch(LAUNCH, Absent);
    let all = read(&mut session, &mut watch);
    let replay = all.strip_prefix(ACK).and_then(|rest| rest.strip_suffix(CLOSED));
    assert_eq!(replay.map(lines), Some(SHORT_TASK[1..].iter().map(|s| s.to_string()).collect()));
    assert!(watch.is_finished());
}

#[test]
fn a_closing_frame_that_is_written_in_part_does_not_finish_yet() {
    let mut session = session();
    let mut stream = open_stream(&session);
    session.cancel_queued(&task("q"));
    take(&mut session, &mut stream, 10);
    assert!(!stream.is_finished());
    assert!(stream.wants_write(&session, LAUNCH));
    assert_eq!(stream.next_heartbeat(), None);
    read(&mut session, &mut stream);
    assert!(stream.is_finished());
}

/// What the end of a message/stream looks like to a writer: it wants to write, gives nothing, ends.
#[test]
fn an_idle_message_stream_finishes_when_it_is_asked_after_the_close() {
    let mut session = session();
    let mut stream = open_stream(&session);
    session.close();
    assert!(stream.wants_write(&session, LAUNCH));
    assert_eq!(take(&mut session, &mut stream, 1), "");
    assert!(stream.is_finished());
    assert!(!stream.wants_write(&session, LAUNCH));
}
