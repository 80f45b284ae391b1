//! The comment that tells an idle capsule from a closed connection ("Heartbeat").

mod support;

use protocol::LastEventId::{self, Absent, Id};
use protocol::{Attempt, Instant, Session, Settings};
use std::time::Duration;
use support::{
    ACK, BEAT, CLOSED, LAUNCH, artifacts, lines, ms, open_stream, open_watch, read_at, seconds,
    session, short_task, take, task,
};

#[test]
fn a_heartbeat_is_a_comment_that_stands_alone() {
    assert_eq!(protocol::heartbeat::HEARTBEAT, b":heartbeat\n\n");
    assert_eq!(protocol::heartbeat::INTERVAL, Duration::from_secs(15));
}

#[test]
fn the_first_comes_15_seconds_after_the_opening_and_the_next_15_seconds_later() {
    for opened in [0, 7_300, 100_000] {
        let mut session = session();
        let mut stream = session.open_stream(ms(opened), Absent);
        let mut watch = session.open_watch(ms(opened), Absent);
        assert_eq!(read_at(&mut session, &mut watch, ms(opened)), ACK);
        for connection in [&mut stream, &mut watch] {
            for beat in 1..4 {
                let due = ms(opened + beat * 15_000);
                assert_eq!(connection.next_heartbeat(), Some(due));
                let before = Instant(due.0 - 1);
                assert!(!connection.wants_write(&session, before));
                assert_eq!(read_at(&mut session, connection, before), "");
                assert!(connection.wants_write(&session, due));
                assert_eq!(read_at(&mut session, connection, due), ":heartbeat\n\n");
                assert_eq!(read_at(&mut session, connection, due), "");
            }
        }
    }
}

#[test]
fn frames_do_not_reset_the_interval() {
    let mut session = session();
    let mut watch = open_watch(&mut session);
    for second in [1, 7, 14] {
        session.cancel_queued(&task("q"));
        let live = lines(&read_at(&mut session, &mut watch, seconds(second)));
        assert_eq!(live.len(), 1);
    }
    assert_eq!(read_at(&mut session, &mut watch, seconds(15)), BEAT);
}

#[test]
fn one_that_is_due_comes_before_pending_frames() {
    let mut session = session();
    let (mut stream, mut watch) = (open_stream(&session), open_watch(&mut session));
    short_task(&mut session, "a");
    for connection in [&mut stream, &mut watch] {
        assert_eq!(
            lines(&read_at(&mut session, connection, seconds(15))),
            [
                ":heartbeat",
                "0 status inference turn 1",
                "1 text \"ok\" final",
                "2 status session ended",
            ]
        );
    }
    assert!(stream.is_finished());
}

#[test]
fn all_that_came_due_come_back_to_back_and_the_phase_is_kept() {
    let mut session = session();
    let mut watch = open_watch(&mut session);
    session.cancel_queued(&task("q"));
    let all = read_at(&mut session, &mut watch, ms(50_000));
    assert!(all.starts_with(&format!("{BEAT}{BEAT}{BEAT}id: ")), "{all}");
    assert_eq!(watch.next_heartbeat(), Some(seconds(60)));
    assert_eq!(read_at(&mut session, &mut watch, ms(59_999)), "");
    assert_eq!(read_at(&mut session, &mut watch, ms(60_000)), BEAT);
}

#[test]
fn next_heartbeat_names_the_oldest_that_still_waits_to_be_written() {
    let mut session = session();
    let mut watch = open_watch(&mut session);
    assert_eq!(watch.next_heartbeat(), Some(seconds(15)));
    session.take(&mut watch, seconds(50), BEAT.len());
    assert_eq!(watch.next_heartbeat(), Some(seconds(30)));
}

#[test]
fn one_that_is_due_waits_for_the_acknowledgement_and_the_replay() {
    let mut session = session();
    short_task(&mut session, "a");
    let mut watch = session.open_watch(LAUNCH, Absent);
    session.cancel_queued(&task("q"));
    let all = read_at(&mut session, &mut watch, seconds(31));
    assert_eq!(
        lines(all.strip_prefix(ACK).expect("first")),
        [
            "1 text \"ok\" final",
            "2 status session ended",
            ":heartbeat",
            ":heartbeat",
            "2305843009213693951 status task canceled before it started",
        ]
    );
}

#[test]
fn one_does_not_stand_inside_a_frame() {
    let mut session = session();
    let mut watch = open_watch(&mut session);
    let mut attempt = Attempt::begin(&mut session, task("a"));
    artifacts(&mut session, &mut attempt, 2);
    let mut all = take(&mut session, &mut watch, 30);
    all.push_str(&read_at(&mut session, &mut watch, seconds(15)));
    assert_eq!(lines(&all), ["0 artifact \"\"", ":heartbeat", "1 artifact \"\""]);
}

#[test]
fn one_that_is_cut_is_written_to_its_end_and_counts_once() {
    let mut session = session();
    let mut watch = open_watch(&mut session);
    let mut all = String::new();
    for _ in 0..BEAT.len() {
        let byte = session.take(&mut watch, seconds(15), 1).to_vec();
        all.push_str(&String::from_utf8(byte).expect("ASCII"));
    }
    assert_eq!(all, BEAT);
    assert_eq!(read_at(&mut session, &mut watch, seconds(29)), "");
}

#[test]
fn none_is_replayed() {
    let mut session = session();
    let mut watch = open_watch(&mut session);
    short_task(&mut session, "a");
    read_at(&mut session, &mut watch, seconds(100));
    for last in [Absent, Id(0), Id(1), LastEventId::NotANumber] {
        let mut later = session.open_watch(seconds(100), last);
        assert!(!read_at(&mut session, &mut later, seconds(100)).contains("heartbeat"));
    }
    assert_eq!(session.frames_written(), 3);
}

#[test]
fn none_is_written_on_a_connection_that_is_ending() {
    let mut session = session();
    let (mut stream, mut watch) = (open_stream(&session), open_watch(&mut session));
    short_task(&mut session, "a");
    session.close();
    // A heartbeat comes due when one byte of the last frame is left.
    let all = lines(&(take_to_last_byte(&mut session, &mut stream) + "\n"));
    assert_eq!(all.last().map(String::as_str), Some("2 status session ended"));
    assert_eq!(stream.next_heartbeat(), None);
    assert_eq!(read_at(&mut session, &mut stream, seconds(40)), "\n");
    assert!(stream.is_finished());

    let closed = take_to_last_byte(&mut session, &mut watch) + "\n";
    assert!(closed.ends_with(CLOSED));
    assert_eq!(watch.next_heartbeat(), None);
    assert_eq!(read_at(&mut session, &mut watch, seconds(40)), "\n");
    assert!(watch.is_finished());
    assert_eq!(read_at(&mut session, &mut watch, seconds(100)), "");
}

/// Takes byte by byte, at launch, until only the last line feed of the last frame is left.
fn take_to_last_byte(session: &mut Session, connection: &mut protocol::Connection) -> String {
    let mut all = String::new();
    while connection.next_heartbeat().is_some() || !all.ends_with("}\n") {
        let byte = take(session, connection, 1);
        assert_eq!(byte.len(), 1);
        all.push_str(&byte);
    }
    all
}

#[test]
fn one_that_is_due_comes_before_capsule_closed() {
    let mut session = session();
    let mut watch = open_watch(&mut session);
    session.close();
    assert_eq!(read_at(&mut session, &mut watch, seconds(15)), format!("{BEAT}{CLOSED}"));
    assert!(watch.is_finished());
}

#[test]
fn each_connection_keeps_its_own_phase() {
    let mut session = session();
    let mut early = session.open_stream(seconds(0), Absent);
    let mut late = session.open_stream(seconds(10), Absent);
    assert_eq!(read_at(&mut session, &mut early, seconds(15)), BEAT);
    assert_eq!(read_at(&mut session, &mut late, seconds(15)), "");
    assert_eq!(read_at(&mut session, &mut early, seconds(25)), "");
    assert_eq!(read_at(&mut session, &mut late, seconds(25)), BEAT);
}

#[test]
fn the_interval_can_be_set() {
    let heartbeat_interval = Duration::from_millis(20);
    let mut session = Session::new(Settings { heartbeat_interval, ..Settings::default() });
    let mut stream = open_stream(&session);
    assert_eq!(read_at(&mut session, &mut stream, ms(19)), "");
    assert_eq!(read_at(&mut session, &mut stream, ms(20)), BEAT);
    assert_eq!(read_at(&mut session, &mut stream, ms(79)), format!("{BEAT}{BEAT}"));
}

#[test]
fn the_longest_interval_and_the_end_of_time_overflow_nothing() {
    let heartbeat_interval = Duration::MAX;
    let mut session = Session::new(Settings { heartbeat_interval, ..Settings::default() });
    let mut stream = session.open_stream(Instant(u64::MAX - 1), Absent);
    assert_eq!(read_at(&mut session, &mut stream, Instant(u64::MAX - 1)), "");
    assert_eq!(stream.next_heartbeat(), Some(Instant(u64::MAX)));
}
