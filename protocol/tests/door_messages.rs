//! The params of `message/stream`, and what becomes of them ("Endpoints", section 3 of the details
//! page).
#![allow(clippy::expect_used)]

mod support;

use protocol::door::{Message, Submission, Submitted, Tasks, submit};
use protocol::{Answer, Connection, ParamsError, Session, Task, TaskId, TaskSnapshot};
use support::{answer, lines, open_stream, read, session, short_task};
use uuid::Uuid;

/// What `params` parse to; absent when `None`.
fn parse(params: Option<&str>) -> Result<Message, ParamsError> {
    let params = params.map_or(String::new(), |params| format!(r#","params":{params}"#));
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"message/stream"{params}}}"#);
    match answer(body.as_bytes(), true) {
        Answer::Stream(message) => message,
        other => panic!("{body}: {other:?}"),
    }
}

fn message(text: &str, context_id: Option<&str>) -> Message {
    Message {
        message_id: "msg-1".to_owned(),
        role: "user".to_owned(),
        text: text.to_owned(),
        context_id: context_id.map(str::to_owned),
    }
}

/// An agent loop that says always the same.
struct Loop {
    says: Submitted,
    got: Vec<Submission>,
}

impl Tasks for Loop {
    fn submit(&mut self, submission: Submission) -> Submitted {
        self.got.push(submission);
        self.says
    }

    fn answer(&mut self, _: &str) -> Option<TaskSnapshot> {
        None
    }

    fn get(&mut self, _: Option<&TaskId>) -> Option<TaskSnapshot> {
        None
    }

    fn cancel(&mut self, _: &TaskId) -> Option<TaskSnapshot> {
        None
    }
}

/// Submits `params` on `connection` to a loop that says `says`, and tells what the loop got.
fn submit_to(
    connection: &mut Connection,
    params: Result<Message, ParamsError>,
    says: Submitted,
) -> Vec<Submission> {
    let mut tasks = Loop { says, got: Vec::new() };
    let mut uuid = 0x0199_c4e2_f1b7_712a_9d3e_4f50_6172_8394;
    let mint = || {
        let minted = Uuid::from_u128(uuid);
        uuid += 1;
        minted
    };
    submit(connection, params, mint, &mut tasks);
    tasks.got
}

/// The whole body of a `message/stream` whose params do not parse.
fn error_frame(params: Option<&str>) -> String {
    let mut session = session();
    let mut stream = open_stream(&session);
    let error = parse(params).expect_err("no message");
    assert_eq!(submit_to(&mut stream, Err(error), Submitted::Accepted), []);
    let frame = read(&mut session, &mut stream);
    assert!(stream.is_finished());
    frame
}

#[test]
fn a_message_is_read_from_params_or_from_under_message() {
    let itself = r#"{"messageId":"msg-1","role":"user","parts":[{"text":"Summarise README.md"}]}"#;
    let expected = Ok(message("Summarise README.md", None));
    assert_eq!(parse(Some(itself)), expected);
    assert_eq!(parse(Some(&format!(r#"{{"message":{itself}}}"#))), expected);
    assert_eq!(parse(Some(&format!(r#"{{"x":[1],"m\u0065ssage":{itself},"role":5}}"#))), expected);
}

#[test]
fn of_two_messages_the_last_one_counts() {
    let params = r#"{"message":1,"message":{"messageId":"msg-1","role":"user","parts":[]}}"#;
    assert_eq!(parse(Some(params)), Ok(message("", None)));
}

#[test]
fn what_is_under_message_counts_even_if_params_are_a_message() {
    let params = r#"{"messageId":"msg-1","role":"user","parts":[],"message":null}"#;
    assert_eq!(
        parse(Some(params)).map_err(|error| error.to_string()),
        Err("invalid type: null, expected struct A2aMessage".to_owned())
    );
}

#[test]
fn the_texts_of_the_parts_are_joined_with_one_line_feed() {
    for (parts, text) in [
        (r#"[]"#, ""),
        (r#"[{"text":"a"}]"#, "a"),
        (r#"[{"text":"a"},{"text":"b\n"},{"text":"c"}]"#, "a\nb\n\nc"),
        (r#"[{"text":"a"},{"text":""},{"text":"c"}]"#, "a\n\nc"),
        (r#"[{"text":"a"},{"text":null},{},{"kind":"file","file":{}},{"text":"c"}]"#, "a\nc"),
        (r#"[{},{"text":null}]"#, ""),
        (r#"[{"text":"\u0000\ud83e\udd80\r"}]"#, "\0🦀\r"),
    ] {
        let params = format!(r#"{{"messageId":"msg-1","role":"user","parts":{parts}}}"#);
        assert_eq!(parse(Some(&params)), Ok(message(text, None)), "{parts}");
    }
}

#[test]
fn a_context_id_is_taken_verbatim_or_is_absent() {
    for (context_id, expected) in [
        ("", None),
        (r#","contextId":null"#, None),
        (r#","contextId":"""#, Some("")),
        (r#","contextId":" ctx_1\n""#, Some(" ctx_1\n")),
    ] {
        let params = format!(r#"{{"messageId":"msg-1","role":"user","parts":[]{context_id}}}"#);
        assert_eq!(parse(Some(&params)), Ok(message("", expected)));
    }
}

#[test]
fn unknown_keys_are_ignored_at_any_depth() {
    let params = r#"{"message":{"kind":"message","messageId":"msg-1","role":"user","context_id":1,
        "parts":[{"kind":"text","text":"a","metadata":{"text":1,"text":2}}],"metadata":[[{}]]}}"#;
    assert_eq!(parse(Some(params)), Ok(message("a", None)));
}

#[test]
fn an_empty_id_and_any_role_are_strings_like_others() {
    let params = r#"{"messageId":"","role":"","parts":[]}"#;
    let parsed = parse(Some(params)).expect("a message");
    assert_eq!((parsed.message_id.as_str(), parsed.role.as_str()), ("", ""));
}

#[test]
fn the_error_frame_is_the_page_s_example() {
    assert_eq!(
        error_frame(Some("{}")),
        "event: error\ndata: {\"error\":\"Invalid params: missing field `messageId`\"}\n\n"
    );
}

#[test]
fn a_parse_error_is_pasted_without_escaping() {
    assert_eq!(
        error_frame(Some(r#"{"message":{"messageId":"m","role":"user","parts":"x"}}"#)),
        "event: error\ndata: {\"error\":\"Invalid params: invalid type: string \"x\", expected a sequence\"}\n\n"
    );
}

#[test]
fn a_line_end_in_a_quoted_value_cannot_break_the_frame() {
    assert_eq!(
        error_frame(Some(r#"{"messageId":"m","role":"user","parts":"a\nb\r\nc\"d\\e\u0000"}"#)),
        "event: error\ndata: {\"error\":\"Invalid params: invalid type: string \
         \"a\\nb\\r\\nc\\\"d\\\\e\\0\", expected a sequence\"}\n\n"
    );
}

#[test]
fn parse_errors_are_in_serde_s_words_without_a_position() {
    let object = "expected struct A2aMessage";
    let part = "expected struct MessagePart";
    for (params, expected) in [
        (None, format!("invalid type: null, {object}")),
        (Some("null"), format!("invalid type: null, {object}")),
        (Some("\"x\""), format!("invalid type: string \"x\", {object}")),
        (Some("7"), format!("invalid type: integer `7`, {object}")),
        (Some("-7"), format!("invalid type: integer `-7`, {object}")),
        (Some("1.5"), format!("invalid type: floating point `1.5`, {object}")),
        (Some("true"), format!("invalid type: boolean `true`, {object}")),
        (Some("[]"), format!("invalid type: sequence, {object}")),
        (Some(r#"["m","user",[]]"#), format!("invalid type: sequence, {object}")),
        (Some("{}"), "missing field `messageId`".to_owned()),
        (Some(r#"{"message":{}}"#), "missing field `messageId`".to_owned()),
        (Some(r#"{"message":null}"#), format!("invalid type: null, {object}")),
        (Some(r#"{"message":"x"}"#), format!("invalid type: string \"x\", {object}")),
        (Some(r#"{"message":[]}"#), format!("invalid type: sequence, {object}")),
        (Some(r#"{"messageid":"m"}"#), "missing field `messageId`".to_owned()),
        (Some(r#"{"messageId":"m"}"#), "missing field `role`".to_owned()),
        (Some(r#"{"messageId":"m","role":"u"}"#), "missing field `parts`".to_owned()),
        (Some(r#"{"messageId":7}"#), "invalid type: integer `7`, expected a string".to_owned()),
        (Some(r#"{"messageId":null}"#), "invalid type: null, expected a string".to_owned()),
        (Some(r#"{"messageId":{}}"#), "invalid type: map, expected a string".to_owned()),
        (Some(r#"{"role":[]}"#), "invalid type: sequence, expected a string".to_owned()),
        (Some(r#"{"role":true}"#), "invalid type: boolean `true`, expected a string".to_owned()),
        (Some(r#"{"parts":null}"#), "invalid type: null, expected a sequence".to_owned()),
        (Some(r#"{"parts":{}}"#), "invalid type: map, expected a sequence".to_owned()),
        (Some(r#"{"parts":["x"]}"#), format!("invalid type: string \"x\", {part}")),
        (Some(r#"{"parts":[{},null]}"#), format!("invalid type: null, {part}")),
        (Some(r#"{"parts":[["x"]]}"#), format!("invalid type: sequence, {part}")),
        (
            Some(r#"{"parts":[{"text":7}]}"#),
            "invalid type: integer `7`, expected a string".to_owned(),
        ),
        (
            Some(r#"{"contextId":false}"#),
            "invalid type: boolean `false`, expected a string".to_owned(),
        ),
        (Some(r#"{"role":"a","role":"b"}"#), "duplicate field `role`".to_owned()),
        (Some(r#"{"parts":[{"text":"a","text":"b"}]}"#), "duplicate field `text`".to_owned()),
        // A position that the client wrote stays.
        (
            Some("\"x at line 1 column 2\""),
            format!("invalid type: string \"x at line 1 column 2\", {object}"),
        ),
    ] {
        let error = parse(params).expect_err("no message");
        assert_eq!(error.to_string(), expected, "{params:?}");
    }
}

#[test]
fn an_accepted_message_becomes_a_task_and_the_connection_waits_for_frames() {
    let mut session = session();
    let mut stream = open_stream(&session);
    let got = submit_to(&mut stream, Ok(message("Hello", None)), Submitted::Accepted);
    assert_eq!(
        got,
        [Submission {
            task: Task {
                id: TaskId::from("tsk_0199c4e2f1b7712a9d3e4f5061728394".to_owned()),
                context_id: "ctx_0199c4e2f1b7712a9d3e4f5061728395".to_owned().into(),
            },
            message_id: "msg-1".to_owned(),
            role: "user".to_owned(),
            text: "Hello".to_owned(),
        }]
    );
    assert_eq!(read(&mut session, &mut stream), "");
    assert!(!stream.is_finished());
    short_task(&mut session, "a");
    assert_eq!(lines(&read(&mut session, &mut stream)).len(), 3);
    assert!(stream.is_finished());
}

#[test]
fn a_message_s_context_id_is_the_task_s_even_if_it_is_empty() {
    for context_id in ["", "ctx_mine", "a\nb"] {
        let mut stream = open_stream(&session());
        let got = submit_to(&mut stream, Ok(message("", Some(context_id))), Submitted::Accepted);
        assert_eq!(got[0].task.context_id.as_str(), context_id);
        assert_eq!(got[0].task.id.as_str(), "tsk_0199c4e2f1b7712a9d3e4f5061728394");
    }
}

#[test]
fn a_busy_capsule_writes_rejected_with_id_0_and_closes() {
    for (context_id, expected) in [
        (None, "ctx_0199c4e2f1b7712a9d3e4f5061728395"),
        (Some("ctx_mine"), "ctx_mine"),
        (Some(""), ""),
        (Some("a\nb\"\r"), r#"a\nb\"\r"#),
    ] {
        let mut session = session();
        let mut stream = open_stream(&session);
        let mut watch = support::open_watch(&mut session);
        let got = submit_to(&mut stream, Ok(message("", context_id)), Submitted::Busy);
        assert_eq!(got.len(), 1);
        let frame = r#"id: 0
event: status
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","context_id":"CONTEXT","status":{"state":"rejected","message":"task rejected: capsule is busy"},"final":true}

"#;
        assert_eq!(read(&mut session, &mut stream), frame.replace("CONTEXT", expected));
        assert!(stream.is_finished());
        assert_eq!(session.frames_written(), 0, "it is never buffered");
        assert_eq!(read(&mut session, &mut watch), "", "nor sent to others");
    }
}

#[test]
fn a_task_that_cannot_be_queued_writes_an_error_and_closes() {
    let mut session = session();
    let mut stream = open_stream(&session);
    let got = submit_to(&mut stream, Ok(message("", None)), Submitted::QueueFailed);
    assert_eq!(got.len(), 1);
    assert_eq!(
        read(&mut session, &mut stream),
        "event: error\ndata: {\"error\":\"internal error: queue send failed\"}\n\n"
    );
    assert!(stream.is_finished());
    assert_eq!(session.frames_written(), 0);
}

#[test]
fn what_ends_a_connection_comes_after_its_replay_and_nothing_follows() {
    let last_frames: [fn(&mut Connection); 3] = [
        |stream| drop(submit_to(stream, parse(Some("{}")), Submitted::Accepted)),
        |stream| drop(submit_to(stream, Ok(message("", None)), Submitted::Busy)),
        |stream| drop(submit_to(stream, Ok(message("", None)), Submitted::QueueFailed)),
    ];
    let expected = ["- error ", "0 status task rejected: capsule is busy", "- error "];
    for (last_frame, expected) in last_frames.into_iter().zip(expected) {
        let mut session: Session = session();
        session.cancel_queued(&support::task("q"));
        short_task(&mut session, "a");
        let mut stream = session.open_stream(support::LAUNCH, protocol::LastEventId::Id(0));
        last_frame(&mut stream);
        assert_eq!(stream.next_heartbeat(), None);
        short_task(&mut session, "later");
        session.close();
        let all = support::read_at(&mut session, &mut stream, support::seconds(60));
        let lines = lines(&all);
        assert_eq!(lines.len(), 1 + 4 + 1, "{all}");
        assert_eq!(lines[0], "- gap {\"first_available_id\":2305843009213693951}");
        assert!(lines[5].starts_with(expected), "{all}");
        assert!(stream.is_finished());
    }
}
