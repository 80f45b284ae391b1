//! What each endpoint writes, in order, and when it ends ("What … writes, in order").

mod support;

use protocol::LastEventId::{Absent, Id};
use protocol::{Attempt, Connection, Session};
use support::{
    ACK, CLOSED, LAUNCH, lines, open_stream, open_watch, read, session, short_task, take, task,
    text, tool_result,
};

/// The three frames of [`short_task`], named `a`.
const SHORT_TASK: [&str; 3] =
    ["0 status inference turn 1", "1 text \"ok\" final", "2 status session ended"];

/// Everything, `permit` bytes at a time.
fn read_by(session: &mut Session, connection: &mut Connection, permit: usize) -> String {
    let mut all = String::new();
    loop {
        let piece = take(session, connection, permit);
        assert!(piece.len() <= permit);
        if piece.is_empty() {
            return all;
        }
        all.push_str(&piece);
    }
}

#[test]
fn a_watch_writes_its_acknowledgement_then_the_replay_then_live_frames() {
    let mut session = session();
    session.cancel_queued(&task("q"));
    let mut watch = session.open_watch(LAUNCH, Absent);
    short_task(&mut session, "a");
    let all = read(&mut session, &mut watch);
    let expected = [
        "- gap {\"first_available_id\":2305843009213693951}",
        "2305843009213693951 status task canceled before it started",
    ];
    assert_eq!(lines(all.strip_prefix(ACK).expect("first")), [&expected[..], &SHORT_TASK].concat());
    assert!(!watch.is_finished());
}

#[test]
fn a_message_stream_writes_the_replay_then_live_frames_and_never_an_acknowledgement() {
    let mut session = session();
    session.cancel_queued(&task("q"));
    let mut stream = session.open_stream(LAUNCH, Id(0));
    short_task(&mut session, "a");
    let all = read(&mut session, &mut stream);
    let expected = [
        "- gap {\"first_available_id\":2305843009213693951}",
        "2305843009213693951 status task canceled before it started",
    ];
    assert_eq!(lines(&all), [&expected[..], &SHORT_TASK].concat());
    assert!(stream.is_finished());
}

#[test]
fn a_frame_written_while_a_connection_is_replayed_comes_once_and_after_the_replay() {
    let mut session = session();
    let mut attempt = Attempt::begin(&mut session, task("a"));
    for content in ["0", "1", "2"] {
        attempt.artifact(&mut session, &tool_result(content));
    }
    let mut watch = session.open_watch(LAUNCH, Absent);
    let mut first_half = take(&mut session, &mut watch, ACK.len() + 100);
    attempt.artifact(&mut session, &tool_result("3"));
    first_half.push_str(&read(&mut session, &mut watch));
    assert_eq!(
        lines(first_half.strip_prefix(ACK).expect("first")),
        ["1 artifact \"1\"", "2 artifact \"2\"", "3 artifact \"3\""]
    );
}

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
        [
            "2 status session ended",
            "2305843009213693951 status task canceled before it started"
        ]
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
fn two_connections_at_the_same_position_get_equal_bytes() {
    let mut session = session();
    let mut watches = [open_watch(&mut session), open_watch(&mut session)];
    let mut stream = open_stream(&session);
    let mut slow = open_watch(&mut session);
    short_task(&mut session, "a");
    let of_first = read(&mut session, &mut watches[0]);
    assert_eq!(lines(&of_first), SHORT_TASK);
    assert_eq!(read_by(&mut session, &mut slow, 7), of_first);
    assert_eq!(read(&mut session, &mut watches[1]), of_first);
    assert_eq!(read(&mut session, &mut stream), of_first);
}

/// One reader takes a batch, another one a part of it, a third one that batch and more.
#[test]
fn connections_at_different_positions_do_not_disturb_each_other() {
    let mut session = session();
    let (mut a, mut b) = (open_watch(&mut session), open_watch(&mut session));
    let mut attempt = Attempt::begin(&mut session, task("a"));
    attempt.artifact(&mut session, &tool_result("0"));
    let first = read(&mut session, &mut a);
    attempt.artifact(&mut session, &tool_result("1"));
    let mut c = open_watch(&mut session);
    let second = read(&mut session, &mut a);
    attempt.artifact(&mut session, &tool_result("2"));
    let third = read(&mut session, &mut c);
    assert_eq!(read(&mut session, &mut b), [first, second, third.clone()].concat());
    assert_eq!(read(&mut session, &mut a), third);
}

#[test]
fn any_permit_cuts_frames_without_changing_a_byte() {
    for permit in [1, 2, 3, 10, 63, 64, 65, 100, 1_000] {
        let mut session = session();
        session.cancel_queued(&task("q"));
        let mut whole = session.open_watch(LAUNCH, Absent);
        let mut cut = session.open_watch(LAUNCH, Absent);
        let mut stream = session.open_stream(LAUNCH, Id(0));
        short_task(&mut session, "a");
        session.close();
        let all = read(&mut session, &mut whole);
        assert_eq!(read_by(&mut session, &mut cut, permit), all);
        assert!(cut.is_finished());
        let without = all.strip_prefix(ACK).and_then(|rest| rest.strip_suffix(CLOSED));
        assert_eq!(Some(read_by(&mut session, &mut stream, permit).as_str()), without);
        assert!(stream.is_finished());
    }
}

#[test]
fn a_permit_of_0_gives_nothing_and_loses_nothing() {
    let mut session = session();
    let mut watch = session.open_watch(LAUNCH, Absent);
    short_task(&mut session, "a");
    session.close();
    for _ in 0..3 {
        assert_eq!(take(&mut session, &mut watch, 0), "");
        assert!(!watch.is_finished());
    }
    take(&mut session, &mut watch, 5);
    assert_eq!(take(&mut session, &mut watch, 0), "");
    assert_eq!(lines(&read(&mut session, &mut watch)[ACK.len() - 5..]).len(), 4);
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

#[test]
fn an_idle_connection_does_not_want_to_write() {
    let mut session = session();
    let mut watch = session.open_watch(LAUNCH, Absent);
    let stream = open_stream(&session);
    assert!(watch.wants_write(&session, LAUNCH), "the acknowledgement");
    assert!(!stream.wants_write(&session, LAUNCH));
    read(&mut session, &mut watch);
    assert!(!watch.wants_write(&session, LAUNCH));
    session.cancel_queued(&task("q"));
    assert!(watch.wants_write(&session, LAUNCH));
    read(&mut session, &mut watch);
    assert!(!watch.wants_write(&session, LAUNCH));
    session.close();
    assert!(watch.wants_write(&session, LAUNCH));
    read(&mut session, &mut watch);
    assert!(!watch.wants_write(&session, LAUNCH));
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
