//! Labels, where tasks of a context go on where the last one ended.

use super::*;

const WORKING: &str = r#"{"state":"working","message":"inference turn 1"}"#;
const PROMPT: &str = r#"{"state":"input-required","message":"Which?"}"#;
const RESUMED: &str = r#"{"state":"working","message":"resumed"}"#;
const TIMEOUT: &str = r#"{"state":"failed","message":"input-timeout"}"#;
const DONE: &str = r#"{"state":"completed","message":"session ended","response":"ok"}"#;

fn threaded(frames: &[String]) -> String {
    exact(&format!("{THREADED}{}", frames.concat()))
}

#[test]
fn a_final_status_ends_the_turn_of_its_context() {
    let shown = threaded(&[
        status_of("tsk_1", Some(CONTEXT), WORKING, false),
        status_of("tsk_1", Some(CONTEXT), DONE, true),
        status_of("tsk_2", Some(CONTEXT), WORKING, false),
        status_of("tsk_3", Some("ctx_fedcba9876543210"), WORKING, false),
        status_of("tsk_2", Some(CONTEXT), r#"{"state":"canceled","message":"m"}"#, true),
        status_of("tsk_4", Some(CONTEXT), DONE, true),
    ]);
    assert_eq!(
        shown,
        "[ctx_0199c4e2... / turn 1 / working]  inference turn 1\n\
         [ctx_0199c4e2... / turn 1 / completed]\n  ok\n\n\
         [ctx_0199c4e2... / turn 2 / working]  inference turn 1\n\
         [ctx_fedcba98... / turn 1 / working]  inference turn 1\n\
         [ctx_0199c4e2... / turn 2 / canceled]\n\
         [ctx_0199c4e2... / turn 3 / completed]\n  ok\n\n"
    );
}

#[test]
fn a_frame_that_names_no_context_is_of_the_one_that_its_task_named() {
    let shown = threaded(&[
        status_of("tsk_1", Some("ctx_aaaaaaaaaaaa"), WORKING, false),
        status_of("tsk_2", Some("ctx_bbbbbbbbbbbb"), WORKING, false),
        status_of("tsk_1", None, PROMPT, false),
        status_of("tsk_1", None, RESUMED, false),
        status_of("tsk_2", None, TIMEOUT, true),
        status_of("tsk_2", Some("ctx_bbbbbbbbbbbb"), WORKING, false),
    ]);
    assert_eq!(
        shown,
        "[ctx_aaaaaaaa... / turn 1 / working]  inference turn 1\n\
         [ctx_bbbbbbbb... / turn 1 / working]  inference turn 1\n\
         [ctx_aaaaaaaa... / turn 1 / input-required]  Which?\n\
         [ctx_aaaaaaaa... / turn 1 / working]  resumed\n\
         [ctx_bbbbbbbb... / turn 1 / failed]\n\
         [ctx_bbbbbbbb... / turn 2 / working]  inference turn 1\n"
    );
}

#[test]
fn a_frame_whose_context_was_never_named_is_labelled_with_its_state_alone() {
    let shown = threaded(&[
        status_of("tsk_1", None, PROMPT, false),
        status_of("tsk_1", None, TIMEOUT, true),
    ]);
    assert_eq!(shown, "[input-required]  Which?\n[failed]\n");
}

#[test]
fn a_context_id_of_a_client_is_shortened_to_as_many_characters() {
    for (context, label) in [
        ("", ""),
        ("chat", "chat"),
        ("ctx_01234567", "ctx_01234567"),
        ("ctx_012345678", "ctx_01234567..."),
        ("ééééééééééééé", "éééééééééééé..."),
    ] {
        let shown = threaded(&[status_of("tsk_1", Some(context), WORKING, false)]);
        assert_eq!(shown, format!("[{label} / turn 1 / working]  inference turn 1\n"));
    }
}

#[test]
fn artifacts_and_text_are_as_in_stateless_mode() {
    let frames = [text("a\n"), artifact(r#"{"tool_name":"t","content":"c"}"#)];
    assert_eq!(threaded(&frames), exact(&frames.concat()));
}

#[test]
fn a_mode_that_is_not_known_is_stateless() {
    for ack in ["{\"conversation_mode\":\"other\"}", "{\"conversation_mode\":1}", "{}", "x"] {
        let ack = format!("event: connection-ack\ndata: {ack}\n\n");
        assert_eq!(exact(&format!("{ack}{}", working(1))), "[working]  inference turn 1\n");
    }
}
