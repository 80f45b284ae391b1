//! The replay buffer and what is replayed from it ("Replay").

mod support;

use protocol::LastEventId::{self, Absent, Id, NotANumber};
use protocol::{Attempt, Session, Settings};
use support::{
    ACK, LAUNCH, artifacts, lines, open_stream, read, session, short_task, stream_replay, task,
    text, tool_result, watch_replay,
};

/// What both endpoints replay from `last`; they agree on every number.
fn replay(session: &mut Session, last: u64) -> Vec<String> {
    let of_watch = watch_replay(session, Id(last));
    assert_eq!(of_watch, stream_replay(session, Id(last)));
    of_watch
}

/// A session whose oldest frame has id `first`: an attempt with that many evicted.
fn session_from(first: usize) -> Session {
    let mut session = session();
    let mut attempt = Attempt::begin(&mut session, task("a"));
    artifacts(&mut session, &mut attempt, first + 512);
    session
}

#[test]
fn an_empty_buffer_writes_nothing() {
    for last in [0, 1, 37, u64::MAX] {
        assert_eq!(replay(&mut session(), last), [""; 0]);
    }
    assert_eq!(watch_replay(&mut session(), Absent), [""; 0]);
}

#[test]
fn a_replay_writes_the_frames_with_greater_ids_in_buffer_order() {
    let mut session = session();
    short_task(&mut session, "a");
    assert_eq!(replay(&mut session, 0), ["1 text \"ok\" final", "2 status session ended"]);
    assert_eq!(replay(&mut session, 1), ["2 status session ended"]);
    assert_eq!(replay(&mut session, 2), [""; 0]);
    assert_eq!(replay(&mut session, 3), [""; 0]);
}

#[test]
fn a_gap_comes_when_the_oldest_id_is_more_than_one_above() {
    let mut session = session_from(37);
    for last in [0, 1, 34, 35] {
        let lines = replay(&mut session, last);
        assert_eq!(lines[0], "- gap {\"first_available_id\":37}");
        assert_eq!(lines[1], "37 artifact \"\"");
        assert_eq!(lines.len(), 1 + 512);
    }
    let lines = replay(&mut session, 36);
    assert_eq!(lines[0], "37 artifact \"\"");
    assert_eq!(lines.len(), 512);
    assert_eq!(replay(&mut session, 37)[0], "38 artifact \"\"");
    assert_eq!(replay(&mut session, 547), ["548 artifact \"\""]);
    assert_eq!(replay(&mut session, 548), [""; 0]);
}

#[test]
fn an_oldest_id_of_0_or_1_never_makes_a_gap() {
    let mut from_0 = session_from(0);
    assert_eq!(replay(&mut from_0, 0).len(), 511);
    let mut from_1 = session_from(1);
    assert_eq!(replay(&mut from_1, 0).len(), 512);
    assert_eq!(replay(&mut from_1, 0)[0], "1 artifact \"\"");
    let mut from_2 = session_from(2);
    assert_eq!(replay(&mut from_2, 0)[0], "- gap {\"first_available_id\":2}");
}

#[test]
fn the_largest_number_replays_nothing_and_overflows_nothing() {
    for mut session in [session_from(0), session_from(37)] {
        assert_eq!(replay(&mut session, u64::MAX), [""; 0]);
        assert_eq!(replay(&mut session, u64::MAX - 1), [""; 0]);
    }
}

#[test]
fn a_message_stream_replays_only_from_a_number() {
    let mut session = session();
    short_task(&mut session, "a");
    assert_eq!(stream_replay(&mut session, Absent), [""; 0]);
    assert_eq!(stream_replay(&mut session, NotANumber), [""; 0]);
    assert_eq!(stream_replay(&mut session, Id(1)), ["2 status session ended"]);
}

#[test]
fn a_watch_replays_from_0_without_a_number() {
    let mut session = session_from(37);
    let from_0 = watch_replay(&mut session, Id(0));
    assert_eq!(from_0.len(), 1 + 512);
    assert_eq!(watch_replay(&mut session, Absent), from_0);
    assert_eq!(watch_replay(&mut session, NotANumber), from_0);
}

/// First consequence in the page's list.
#[test]
fn ids_are_compared_across_tasks_by_value() {
    let mut session = session();
    let mut long = Attempt::begin(&mut session, task("a"));
    artifacts(&mut session, &mut long, 4);
    long.completed(&mut session, "");
    short_task(&mut session, "b");
    assert_eq!(
        replay(&mut session, 1),
        ["2 artifact \"\"", "3 artifact \"\"", "4 status session ended", "2 status session ended",]
    );
    assert_eq!(replay(&mut session, 2), ["3 artifact \"\"", "4 status session ended"]);
}

/// Second consequence.
#[test]
fn a_replay_from_0_skips_the_first_working_of_every_task_unless_a_gap_fires() {
    let mut session = session();
    short_task(&mut session, "a");
    short_task(&mut session, "b");
    let without_gap = watch_replay(&mut session, Absent);
    assert_eq!(without_gap.len(), 4);
    assert!(without_gap.iter().all(|line| !line.starts_with("0 ")));

    let mut session = support::session();
    session.cancel_queued(&task("q"));
    short_task(&mut session, "a");
    assert_eq!(
        watch_replay(&mut session, Absent),
        [
            "- gap {\"first_available_id\":2305843009213693951}",
            "2305843009213693951 status task canceled before it started",
            "0 status inference turn 1",
            "1 text \"ok\" final",
            "2 status session ended",
        ]
    );
}

/// Third consequence, first half.
#[test]
fn an_eviction_that_leaves_a_low_id_makes_no_gap() {
    let mut session = session();
    for _ in 0..200 {
        short_task(&mut session, "a");
    }
    // 600 frames, 88 evicted: the oldest is the second of the 30th task.
    let lines = watch_replay(&mut session, Absent);
    assert_eq!(lines[0], "1 text \"ok\" final");
    assert_eq!(lines.len(), 512 - 170);
}

/// Third consequence, second half.
#[test]
fn a_high_id_makes_a_gap_without_an_eviction() {
    let mut session = session();
    session.cancel_queued(&task("q"));
    assert_eq!(
        replay(&mut session, 2),
        [
            "- gap {\"first_available_id\":2305843009213693951}",
            "2305843009213693951 status task canceled before it started",
        ]
    );
}

#[test]
fn an_id_of_an_input_wait_replays_nothing_of_an_ordinary_task() {
    let mut session = session();
    let mut attempt = Attempt::begin(&mut session, task("a"));
    let call = attempt.begin_turn(&mut session);
    attempt.inference_returned(&mut session, call);
    attempt.wait_for_input(&mut session, "?").resumed(&mut session);
    attempt.artifact(&mut session, &tool_result(""));
    assert_eq!(
        replay(&mut session, 9_223_372_036_854_775_807),
        ["9223372036854775808 status resumed"]
    );
}

#[test]
fn the_buffer_keeps_512_frames_and_evicts_the_oldest() {
    let mut session = session();
    let mut attempt = Attempt::begin(&mut session, task("a"));
    artifacts(&mut session, &mut attempt, 511);
    assert_eq!(session.replay_buffer_size().0, 511);
    artifacts(&mut session, &mut attempt, 1);
    assert_eq!(session.replay_buffer_size().0, 512);
    assert_eq!(replay(&mut session, 0)[0], "1 artifact \"\"");
    artifacts(&mut session, &mut attempt, 1);
    assert_eq!(session.replay_buffer_size().0, 512);
    assert_eq!(session.frames_written(), 513);
    let lines = replay(&mut session, 0);
    assert_eq!((lines.len(), lines[0].as_str()), (512, "1 artifact \"\""));
}

/// Each chunk's frame: 60 bytes around the text with an id of one digit.
fn session_of(max_bytes: u64, texts: &[usize]) -> Session {
    let mut session =
        Session::new(Settings { replay_buffer_bytes: max_bytes, ..Settings::default() });
    let mut attempt = Attempt::begin(&mut session, task("a"));
    let _call = attempt.begin_turn(&mut session);
    for &length in texts {
        session.emit_chunk(&text(&"x".repeat(length)));
        session.offered();
    }
    session
}

#[test]
fn the_buffer_keeps_a_limit_of_bytes_beside_its_512_frames() {
    let frame = "id: 1\nevent: text\ndata: {\"id\":\"tsk_a\",\"text\":\"\",\"final\":false}\n\n";
    let frame_len = frame.len() as u64;
    assert_eq!(session_of(2 * (frame_len + 10), &[10, 10]).replay_buffer_size().0, 2);
    assert_eq!(session_of(2 * (frame_len + 10) - 1, &[10, 10]).replay_buffer_size().0, 1);
    let session = session_of(3 * frame_len, &[0, 0, 0, 0, 0]);
    assert_eq!(session.replay_buffer_size(), (3, 3 * frame_len));
    assert_eq!(session.frames_written(), 6);
}

#[test]
fn the_newest_frame_stays_whatever_its_size() {
    for limit in [0, 1, 100] {
        let mut session = session_of(limit, &[1_000, 5_000]);
        assert_eq!(session.replay_buffer_size().0, 1);
        let lines = replay(&mut session, 1);
        assert_eq!(lines, [format!("2 text {:?}", "x".repeat(5_000))]);
    }
}

#[test]
fn frames_without_an_id_and_heartbeats_never_enter_the_buffer() {
    let mut session = session_from(37);
    let before = (session.frames_written(), session.replay_buffer_size());
    // acknowledgement, gap, heartbeats, and with the close `capsule-closed`
    let mut watch = session.open_watch(LAUNCH, Id(0));
    support::read_at(&mut session, &mut watch, support::seconds(60));
    session.close();
    assert!(support::read_at(&mut session, &mut watch, support::seconds(90)).ends_with("{}\n\n"));
    assert_eq!((session.frames_written(), session.replay_buffer_size()), before);
    let mut later = session.open_watch(LAUNCH, Id(547));
    assert_eq!(
        read(&mut session, &mut later).strip_prefix(ACK).map(lines),
        Some(vec!["548 artifact \"\"".to_owned(), "- capsule-closed {}".to_owned()])
    );
}

#[test]
fn both_endpoints_replay_the_same_bytes() {
    let mut session = session_from(37);
    session.cancel_queued(&task("q"));
    for last in [0, 36, 37, 100, 548, u64::MAX] {
        let mut watch = session.open_watch(LAUNCH, Id(last));
        let mut stream = session.open_stream(LAUNCH, Id(last));
        let of_watch = read(&mut session, &mut watch);
        assert_eq!(of_watch, format!("{ACK}{}", read(&mut session, &mut stream)));
    }
}

#[test]
fn the_header_is_read_by_its_last_value() {
    let from = |values: &[&str]| LastEventId::from_header_values(values);
    assert_eq!(from(&[]), Absent);
    assert_eq!(from(&[" +37 "]), Id(37));
    assert_eq!(from(&["007"]), Id(7));
    assert_eq!(from(&["18446744073709551615"]), Id(u64::MAX));
    assert_eq!(from(&["5", "6"]), Id(6));
    for bad in ["", "-1", "1e3", "18446744073709551616", "++1", "1,2", "0x10", "1 2", "-0"] {
        assert_eq!(from(&["5", bad]), NotANumber, "{bad:?}");
    }
}

#[test]
fn a_replay_is_what_stood_in_the_buffer_when_the_connection_opened() {
    let mut session = session();
    short_task(&mut session, "a");
    let mut stream = session.open_stream(LAUNCH, Id(0));
    // Evicts all of it before a byte was read.
    let mut attempt = Attempt::begin(&mut session, task("b"));
    artifacts(&mut session, &mut attempt, 600);
    let lines = lines(&read(&mut session, &mut stream));
    assert_eq!(lines[..2], ["1 text \"ok\" final", "2 status session ended"]);
    assert_eq!(lines[2], "472 artifact \"\"");
    assert_eq!(lines.len(), 2 + 128);
    let mut without = open_stream(&session);
    assert_eq!(read(&mut session, &mut without), "");
}
