//! What each endpoint writes, in order, and when it ends ("What … writes, in order").

mod support;

use protocol::LastEventId::{Absent, Id};

use protocol::{Attempt, Connection, Session};

use support::{
    ACK, CLOSED, LAUNCH, SHORT_TASK, lines, open_stream, open_watch, read, session, short_task,
    take, task, tool_result,
};

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

/// Bytes that one connection was given are not mistaken for what another one lacks: each takes
/// once, as a writer does, with the same end or the same start as the one before it.
#[test]
fn connections_at_different_positions_do_not_disturb_each_other() {
    const ALL: usize = usize::MAX;
    let mut session = session();
    let mut attempt = Attempt::begin(&mut session, task("a"));
    let mut from_0 = [open_stream(&session), open_stream(&session), open_stream(&session)];
    attempt.artifact(&mut session, &tool_result("0"));
    let mut from_1 = [open_stream(&session), open_stream(&session)];
    attempt.artifact(&mut session, &tool_result("1"));
    let both = ["0 artifact \"0\"", "1 artifact \"1\""];
    assert_eq!(lines(&take(&mut session, &mut from_0[0], ALL)), both);
    assert_eq!(lines(&take(&mut session, &mut from_1[0], ALL)), both[1..]);
    assert_eq!(lines(&take(&mut session, &mut from_0[1], ALL)), both);
    attempt.artifact(&mut session, &tool_result("2"));
    let three = ["0 artifact \"0\"", "1 artifact \"1\"", "2 artifact \"2\""];
    assert_eq!(lines(&take(&mut session, &mut from_0[2], ALL)), three);
    assert_eq!(lines(&take(&mut session, &mut from_1[1], ALL)), three[1..]);
    assert_eq!(lines(&take(&mut session, &mut from_0[0], ALL)), three[2..]);
    // Another one's cut frame comes between two that lack the same.
    let start = take(&mut session, &mut from_1[0], 10);
    assert_eq!(lines(&take(&mut session, &mut from_0[1], ALL)), three[2..]);
    assert_eq!(lines(&(start + &take(&mut session, &mut from_1[0], ALL))), three[2..]);
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

/// A host may say that it takes any number of bytes.
#[test]
fn the_largest_permit_overflows_nothing_behind_a_cut_frame() {
    for permit in [usize::MAX, usize::MAX - 1] {
        let mut session = session();
        let mut whole = session.open_watch(LAUNCH, Absent);
        let mut cut = session.open_watch(LAUNCH, Absent);
        short_task(&mut session, "a");
        let all = read(&mut session, &mut whole);
        let start = take(&mut session, &mut cut, 10);
        assert_eq!(start + &take(&mut session, &mut cut, permit), all);
    }
}
