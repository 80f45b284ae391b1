//! A connection reads live frames from a queue of 128 ("Frames a connection misses").

mod support;

use protocol::LastEventId::{Absent, Id};
use protocol::{Attempt, Connection, Session, Settings};
use support::{
    ACK, CLOSED, LAUNCH, artifacts, lines, open_stream, open_watch, read, session, take, task,
    tool_result,
};

/// A session with an attempt whose next artifact has id 0.
fn running() -> (Session, Attempt) {
    let mut session = session();
    let attempt = Attempt::begin(&mut session, task("a"));
    (session, attempt)
}

/// The ids of what a connection lacks: the first, the last, how many.
fn ids(session: &mut Session, connection: &mut Connection) -> (String, String, usize) {
    let ids: Vec<String> = lines(&read(session, connection))
        .iter()
        .map(|line| line.split(' ').next().unwrap_or_default().to_owned())
        .collect();
    (ids[0].clone(), ids[ids.len() - 1].clone(), ids.len())
}

#[test]
fn a_connection_may_be_128_frames_behind_and_loses_the_oldest_beyond() {
    for (behind, oldest, lost) in
        [(127, "0", 0), (128, "0", 0), (129, "1", 1), (130, "2", 2), (600, "472", 472)]
    {
        let (mut session, mut attempt) = running();
        let mut watch = open_watch(&mut session);
        let mut stream = open_stream(&session);
        artifacts(&mut session, &mut attempt, behind);
        let expected = (oldest.to_owned(), (behind - 1).to_string(), behind.min(128));
        assert_eq!(ids(&mut session, &mut watch), expected);
        assert_eq!(session.frames_dropped(), lost);
        assert_eq!(ids(&mut session, &mut stream), expected);
        assert_eq!(session.frames_dropped(), 2 * lost);
    }
}

#[test]
fn nothing_is_written_in_the_place_of_lost_frames() {
    let (mut session, mut attempt) = running();
    let mut watch = open_watch(&mut session);
    artifacts(&mut session, &mut attempt, 200);
    let all = read(&mut session, &mut watch);
    assert!(all.starts_with("id: 72\nevent: artifact\n"));
    assert!(!all.contains("gap") && !all.contains("\n:"));
}

#[test]
fn a_connection_that_caught_up_may_fall_behind_again() {
    let (mut session, mut attempt) = running();
    let mut watch = open_watch(&mut session);
    for round in 0..4 {
        artifacts(&mut session, &mut attempt, 128);
        let (first, _, count) = ids(&mut session, &mut watch);
        assert_eq!((first, count), ((round * 128).to_string(), 128));
    }
    assert_eq!(session.frames_dropped(), 0);
}

#[test]
fn the_rest_of_a_frame_is_never_dropped_and_does_not_count() {
    for cut in [1, 10, 100] {
        let (mut session, mut attempt) = running();
        let mut watch = open_watch(&mut session);
        let mut whole = open_watch(&mut session);
        attempt.artifact(&mut session, &tool_result("the first"));
        let first = read(&mut session, &mut whole);
        let start = take(&mut session, &mut watch, cut);
        artifacts(&mut session, &mut attempt, 128);
        let all = start + &read(&mut session, &mut watch);
        assert!(all.starts_with(&first));
        let after: Vec<_> = lines(&all[first.len()..]);
        assert_eq!((after[0].as_str(), after.len()), ("1 artifact \"\"", 128));
    }
}

#[test]
fn the_rest_of_a_frame_comes_before_what_is_left_of_the_live_frames() {
    let (mut session, mut attempt) = running();
    let mut watch = open_watch(&mut session);
    attempt.artifact(&mut session, &tool_result("the first"));
    let mut all = take(&mut session, &mut watch, 40);
    artifacts(&mut session, &mut attempt, 1_000);
    all.push_str(&read(&mut session, &mut watch));
    let lines = lines(&all);
    assert_eq!(lines[..2], ["0 artifact \"the first\"", "873 artifact \"\""]);
    assert_eq!(lines.len(), 1 + 128);
}

/// The queue fills while the replay waits to be read; the replay itself is no part of it.
#[test]
fn live_frames_are_lost_during_a_replay_but_the_replay_is_not() {
    let (mut session, mut attempt) = running();
    artifacts(&mut session, &mut attempt, 300);
    let mut watch = session.open_watch(LAUNCH, Id(9));
    artifacts(&mut session, &mut attempt, 200);
    let all = read(&mut session, &mut watch);
    let lines = lines(all.strip_prefix(ACK).expect("first"));
    assert_eq!(lines.len(), 290 + 128);
    assert_eq!(lines[0], "10 artifact \"\"");
    assert_eq!(lines[289], "299 artifact \"\"");
    assert_eq!(lines[290], "372 artifact \"\"");
}

#[test]
fn a_dropped_final_does_not_close() {
    let (mut session, attempt) = running();
    let mut stream = open_stream(&session);
    attempt.canceled(&mut session);
    let mut next = Attempt::begin(&mut session, task("b"));
    artifacts(&mut session, &mut next, 128);
    let (first, _, count) = ids(&mut session, &mut stream);
    assert_eq!((first.as_str(), count), ("0", 128));
    assert!(!stream.is_finished());
    next.failed(&mut session, "x");
    assert_eq!(lines(&read(&mut session, &mut stream)), ["128 status x"]);
    assert!(stream.is_finished());
}

#[test]
fn a_final_that_is_still_in_the_queue_closes() {
    let (mut session, attempt) = running();
    let mut stream = open_stream(&session);
    attempt.canceled(&mut session);
    let mut next = Attempt::begin(&mut session, task("b"));
    artifacts(&mut session, &mut next, 127);
    assert_eq!(lines(&read(&mut session, &mut stream)), ["0 status task canceled"]);
    assert!(stream.is_finished());
}

#[test]
fn a_connection_that_is_ending_loses_nothing_to_later_frames() {
    let (mut session, attempt) = running();
    let mut stream = open_stream(&session);
    attempt.canceled(&mut session);
    let mut all = take(&mut session, &mut stream, 10);
    let mut next = Attempt::begin(&mut session, task("b"));
    artifacts(&mut session, &mut next, 1_000);
    all.push_str(&read(&mut session, &mut stream));
    assert_eq!(lines(&all), ["0 status task canceled"]);
    assert_eq!(session.frames_dropped(), 0);
}

#[test]
fn capsule_closed_comes_after_the_128_that_are_left() {
    let (mut session, mut attempt) = running();
    let mut watch = open_watch(&mut session);
    artifacts(&mut session, &mut attempt, 500);
    session.close();
    let all = read(&mut session, &mut watch);
    assert_eq!(all.strip_suffix(CLOSED).map(|live| lines(live).len()), Some(128));
    assert!(watch.is_finished());
}

#[test]
fn a_lost_frame_can_be_replayed_by_another_connection() {
    let (mut session, mut attempt) = running();
    let mut watch = open_watch(&mut session);
    artifacts(&mut session, &mut attempt, 200);
    assert_eq!(ids(&mut session, &mut watch).0, "72");
    assert_eq!(support::watch_replay(&mut session, Absent).len(), 199);
}

/// The page knows no byte limit; ours bounds memory, so it takes frames as well from a connection
/// that could not take them when they were written.
#[test]
fn a_connection_that_stalls_loses_the_frames_that_the_byte_limit_evicts() {
    let mut session = Session::new(Settings { replay_buffer_bytes: 200, ..Settings::default() });
    let mut watch = open_watch(&mut session);
    let mut attempt = Attempt::begin(&mut session, task("a"));
    artifacts(&mut session, &mut attempt, 10);
    session.offered();
    assert_eq!(ids(&mut session, &mut watch), ("9".to_owned(), "9".to_owned(), 1));
    assert_eq!(session.frames_dropped(), 9);
}

#[test]
fn the_byte_limit_takes_nothing_that_connections_were_not_offered_yet() {
    let mut session = Session::new(Settings { replay_buffer_bytes: 200, ..Settings::default() });
    let mut watch = open_watch(&mut session);
    let mut attempt = Attempt::begin(&mut session, task("a"));
    artifacts(&mut session, &mut attempt, 10);
    assert_eq!(ids(&mut session, &mut watch), ("0".to_owned(), "9".to_owned(), 10));
    session.offered();
    artifacts(&mut session, &mut attempt, 2);
    assert_eq!(session.replay_buffer_size().0, 2);
    assert_eq!(ids(&mut session, &mut watch), ("10".to_owned(), "11".to_owned(), 2));
}
