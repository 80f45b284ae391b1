//! Which id each frame takes ("Event ids", and section 6 of the details page).

mod support;

use protocol::{Attempt, LastEventId};

use support::{
    artifacts, hook_artifact, session, short_task, task, text, thinking, tool_result, written_lines,
};

#[test]
fn the_starts_are_the_page_s_numbers() {
    assert_eq!(protocol::counters::TASK_START, 0);
    assert_eq!(protocol::counters::CHUNK_START, 4_611_686_018_427_387_903);
    assert_eq!(protocol::counters::INPUT_WAIT_START, 9_223_372_036_854_775_807);
    assert_eq!(protocol::counters::QUEUED_CANCEL_START, 2_305_843_009_213_693_951);
    assert_eq!(protocol::counters::REJECTED_ID, protocol::FrameId(0));
}

#[test]
fn two_tasks_read_0_1_2_0_1_2() {
    let lines = written_lines(|session| {
        short_task(session, "a");
        short_task(session, "b");
    });
    let ids: Vec<_> = lines.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(ids, ["0", "1", "2", "0", "1", "2"]);
}

#[test]
fn a_task_s_chunks_and_its_other_frames_share_one_run_of_numbers() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        session.emit_chunk(&thinking("hm"));
        session.emit_chunk(&text("let me"));
        session.emit_chunk(&text(" look"));
        attempt.inference_returned(session, call);
        attempt.artifact(session, &tool_result("1"));
        attempt.artifact(session, &tool_result("2"));
        let call = attempt.begin_turn(session);
        session.emit_chunk(&text("Done."));
        attempt.inference_returned(session, call);
        attempt.completed(session, "Done.");
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "1 thinking \"hm\"",
            "2 text \"let me\"",
            "3 text \" look\"",
            "4 text \"\" final",
            "5 artifact \"1\"",
            "6 artifact \"2\"",
            "7 status inference turn 2",
            "8 text \"Done.\"",
            "9 text \"\" final",
            "10 status session ended",
        ]
    );
}

#[test]
fn a_reply_without_chunks_is_one_text_frame_and_an_empty_one_is_none() {
    let completed = |reply: &'static str| {
        written_lines(move |session| {
            let mut attempt = Attempt::begin(session, task("a"));
            let call = attempt.begin_turn(session);
            attempt.inference_returned(session, call);
            attempt.completed(session, reply);
        })
    };
    assert_eq!(
        completed("Hi."),
        ["0 status inference turn 1", "1 text \"Hi.\" final", "2 status session ended"]
    );
    assert_eq!(completed(""), ["0 status inference turn 1", "1 status session ended"]);
}

#[test]
fn the_whole_reply_collides_with_the_hook_artifacts_before_it() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        attempt.inference_returned(session, call);
        attempt.hook_artifact(session, &hook_artifact("1"));
        attempt.hook_artifact(session, &hook_artifact("2"));
        attempt.completed(session, "Done.");
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "1 artifact \"1\"",
            "2 artifact \"2\"",
            "1 text \"Done.\" final",
            "2 status session ended",
        ]
    );
}

#[test]
fn hook_artifacts_after_chunks_push_completed_on() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        session.emit_chunk(&text("x"));
        attempt.inference_returned(session, call);
        attempt.hook_artifact(session, &hook_artifact("1"));
        attempt.completed(session, "x");
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "1 text \"x\"",
            "2 text \"\" final",
            "3 artifact \"1\"",
            "4 status session ended",
        ]
    );
}

#[test]
fn a_cancel_during_inference_repeats_ids_and_writes_no_final_text() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        session.emit_chunk(&text("x"));
        session.emit_chunk(&text("y"));
        session.emit_chunk(&text("z"));
        drop(call);
        attempt.canceled(session);
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "1 text \"x\"",
            "2 text \"y\"",
            "3 text \"z\"",
            "1 status task canceled",
        ]
    );
}

#[test]
fn a_driver_that_traps_leaves_the_task_s_counter_behind() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        session.emit_chunk(&text("x"));
        session.emit_chunk(&text("y"));
        drop(call);
        attempt.failed(session, "driver invocation failed: trap");
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "1 text \"x\"",
            "2 text \"y\"",
            "1 status driver invocation failed: trap",
        ]
    );
}

#[test]
fn a_spend_refusal_takes_the_task_s_counter_after_working() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let call = attempt.begin_turn(session);
        attempt.inference_returned(session, call);
        attempt.artifact(session, &tool_result("1"));
        let _call = attempt.begin_turn(session);
        attempt.failed(session, "spend ceiling reached");
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "1 artifact \"1\"",
            "2 status inference turn 2",
            "3 status spend ceiling reached",
        ]
    );
}

#[test]
fn a_return_of_an_earlier_turn_s_call_changes_nothing() {
    let lines = written_lines(|session| {
        let mut attempt = Attempt::begin(session, task("a"));
        let first = attempt.begin_turn(session);
        let _second = attempt.begin_turn(session);
        session.emit_chunk(&text("x"));
        attempt.inference_returned(session, first);
        attempt.artifact(session, &tool_result("1"));
    });
    assert_eq!(
        lines,
        [
            "0 status inference turn 1",
            "1 status inference turn 2",
            "2 text \"x\"",
            "2 artifact \"1\"",
        ]
    );
}

#[test]
fn queued_cancels_count_on_through_the_session() {
    let lines = written_lines(|session| {
        session.cancel_queued(&task("b"));
        short_task(session, "a");
        session.cancel_queued(&task("c"));
    });
    assert_eq!(lines[0], "2305843009213693951 status task canceled before it started");
    assert_eq!(lines[4], "2305843009213693952 status task canceled before it started");
}

#[test]
fn max_turns_is_counted_from_1_again_for_every_task() {
    let lines = written_lines(|session| {
        for name in ["a", "b"] {
            let mut attempt = Attempt::begin(session, task(name));
            for _ in 0..2 {
                let call = attempt.begin_turn(session);
                attempt.inference_returned(session, call);
            }
            attempt.failed(session, "max_turns exceeded: the task used all 2 inference turns");
        }
    });
    let of_one_task = [
        "0 status inference turn 1",
        "1 status inference turn 2",
        "2 status max_turns exceeded: the task used all 2 inference turns",
    ];
    assert_eq!(lines, [of_one_task, of_one_task].concat());
}

/// 600 frames on one counter: ids run on past what the buffer keeps.
#[test]
fn the_task_s_counter_goes_on_past_the_buffer() {
    let mut session = session();
    let mut attempt = Attempt::begin(&mut session, task("a"));
    artifacts(&mut session, &mut attempt, 600);
    let lines = support::stream_replay(&mut session, LastEventId::Id(598));
    assert_eq!(lines, ["599 artifact \"\""]);
}
