//! What connections that do not read may hold beside the replay buffer: no more than its limit.

mod support;

use protocol::{Attempt, Connection, LastEventId, Session, Settings};
use support::{LAUNCH, artifacts, read, take, task, tool_result};

const KIB: usize = 1024;

/// A session whose buffer keeps 64 KiB, with an attempt that wrote 32 artifacts of 1 KiB.
fn begun() -> (Session, Attempt) {
    let mut session =
        Session::new(Settings { replay_buffer_bytes: 64 * KIB as u64, ..Settings::default() });
    let mut attempt = Attempt::begin(&mut session, task("a"));
    write(&mut session, &mut attempt, 32);
    (session, attempt)
}

/// Writes artifacts of about 1 KiB, which every connection has its chance to take.
fn write(session: &mut Session, attempt: &mut Attempt, count: usize) {
    for _ in 0..count {
        attempt.artifact(session, &tool_result(&"x".repeat(KIB)));
        session.offered();
    }
}

fn replaying(session: &mut Session) -> Connection {
    let mut connection = session.open_stream(LAUNCH, LastEventId::Id(0));
    // Begun and not gone on with: a part of its first frame is taken.
    assert_eq!(take(session, &mut connection, 10).len(), 10);
    connection
}

#[test]
fn a_replay_that_is_not_taken_is_given_up_once_as_much_was_evicted_as_the_buffer_keeps() {
    let (mut session, mut attempt) = begun();
    let stalled = replaying(&mut session);
    assert!(!stalled.is_overtaken(&session));
    // The frames that it holds, 32 KiB of them, are evicted: still less than the limit.
    write(&mut session, &mut attempt, 64);
    assert!(!stalled.is_overtaken(&session));
    // Others that stall hold the frames after those.
    let others: Vec<_> = (0..4)
        .map(|_| {
            let other = replaying(&mut session);
            write(&mut session, &mut attempt, 32);
            other
        })
        .collect();
    write(&mut session, &mut attempt, 64);
    assert!(stalled.is_overtaken(&session));
    assert!(!others[3].is_overtaken(&session));
}

#[test]
fn a_replay_that_is_taken_holds_nothing() {
    let (mut session, mut attempt) = begun();
    for _ in 0..20 {
        let mut connection = replaying(&mut session);
        write(&mut session, &mut attempt, 64);
        assert!(!connection.is_overtaken(&session));
        read(&mut session, &mut connection);
        assert!(!connection.is_overtaken(&session));
    }
}

#[test]
fn frames_of_which_a_part_was_taken_count_too() {
    let (mut session, mut attempt) = begun();
    let mut stalled = Vec::new();
    for _ in 0..100 {
        let mut connection = session.open_stream(LAUNCH, LastEventId::Absent);
        write(&mut session, &mut attempt, 1);
        assert_eq!(take(&mut session, &mut connection, 10).len(), 10);
        stalled.push(connection);
    }
    artifacts(&mut session, &mut attempt, 512);
    session.offered();
    let given_up = stalled.iter().filter(|connection| connection.is_overtaken(&session)).count();
    // 64 KiB hold fewer than 64 of those frames.
    assert!((37..50).contains(&given_up), "{given_up}");
    assert!(stalled[0].is_overtaken(&session) && !stalled[99].is_overtaken(&session));
}
