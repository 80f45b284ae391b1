//! Whatever a client sends, the door answers, and no frame breaks (section 3 of the details page).
#![allow(clippy::expect_used)]

mod support;

use proptest::prelude::*;
use protocol::door::{Message, Submitted, submit};
use protocol::{Answer, ParamsError};
use support::{Says, answer, open_stream, read, session};
use uuid::Uuid;

/// The body of a `message/stream` whose params were these and whose task is not taken.
fn refusal(params: Result<Message, ParamsError>, says: Submitted) -> String {
    let mut session = session();
    let mut stream = open_stream(&session);
    submit(&mut stream, params, || Uuid::from_u128(1), &mut Says(says));
    let body = read(&mut session, &mut stream);
    assert!(stream.is_finished());
    body
}

/// The body is one frame with these first lines, one line of data, and a blank line.
fn assert_one_frame(body: &str, before_data: &str) {
    let data = body
        .strip_prefix(before_data)
        .and_then(|rest| rest.strip_suffix("}\n\n"))
        .unwrap_or_else(|| panic!("{body:?}"));
    assert!(!data.contains(['\n', '\r']), "{body:?}");
}

/// Answers `body` and checks what can be said of any answer.
fn check(body: &[u8]) {
    for accepts_tasks in [true, false] {
        match answer(body, accepts_tasks) {
            Answer::NotFound => assert!(body.is_empty()),
            Answer::Watch => {}
            Answer::Json(response) => {
                let text = std::str::from_utf8(&response).expect("UTF-8");
                assert!(!text.contains(['\n', '\r']), "{text:?}");
                assert!(text.starts_with(r#"{"jsonrpc":"2.0","id":"#), "{text}");
                assert!(
                    [
                        r#","error":{"code":-32700,"message":"Parse error"}}"#,
                        r#","error":{"code":-32600,"message":"Invalid Request"}}"#,
                        r#","error":{"code":-32601,"message":"Method not found"}}"#,
                    ]
                    .iter()
                    .any(|end| text.ends_with(end)),
                    "{text}"
                );
            }
            Answer::Stream(Err(error)) => {
                assert!(accepts_tasks);
                let body = refusal(Err(error), Submitted::Accepted);
                assert_one_frame(&body, "event: error\ndata: {\"error\":\"Invalid params: ");
            }
            Answer::Stream(Ok(message)) => {
                assert!(accepts_tasks);
                let body = refusal(Ok(message.clone()), Submitted::Busy);
                assert_one_frame(
                    &body,
                    "id: 0\nevent: status\ndata: {\"id\":\"tsk_00000000000000000000000000000001\",\"context_id\":",
                );
                assert_eq!(
                    refusal(Ok(message), Submitted::QueueFailed),
                    "event: error\ndata: {\"error\":\"internal error: queue send failed\"}\n\n"
                );
            }
        }
    }
}

/// Text with a liking for what could end a line or a string.
fn awkward_text() -> impl Strategy<Value = String> {
    let awkward = prop::sample::select(vec![
        '\n', '\r', '\0', '\t', '\u{b}', '\u{1b}', '\u{7f}', '\u{85}', '\u{2028}', '\u{2029}', '"',
        '\\', '`', '\'', '{', '}', '[', ':', '\u{feff}', '\u{301}', '🦀',
    ]);
    prop::collection::vec(prop_oneof![awkward, any::<char>()], 0..8)
        .prop_map(|chars| chars.into_iter().collect())
}

/// A string as some client might spell it in JSON, every character escaped or not.
fn json_string() -> impl Strategy<Value = String> {
    (awkward_text(), any::<bool>()).prop_map(|(text, escape_all)| {
        if escape_all {
            let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
            return format!("\"{}\"", units.collect::<String>());
        }
        serde_json::to_string(&text).expect("a string")
    })
}

/// Any JSON, with keys that the door knows and keys that it does not.
fn json() -> impl Strategy<Value = String> {
    let number = prop::sample::select(vec!["0", "-1", "1.5", "1e999", "18446744073709551616"]);
    let leaf = prop_oneof![
        4 => json_string(),
        1 => number.prop_map(str::to_owned),
        1 => prop::sample::select(vec!["null", "true", "false", "\"\\ud800\""]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let known = ["message", "messageId", "role", "parts", "text", "contextId"];
        let key = prop_oneof![
            4 => prop::sample::select(known.to_vec()).prop_map(|key| format!("\"{key}\"")),
            1 => json_string(),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((key, inner), 0..5).prop_map(|members| {
                let members: Vec<_> = members.iter().map(|(k, v)| format!("{k}:{v}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

fn message_stream(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{params}}}"#)
}

/// A request that would be served.
fn valid_request() -> impl Strategy<Value = Vec<u8>> {
    let message = r#"{"message":{"messageId":"m","role":"user","parts":[{"text":"a\n\ud83e\udd80"}],"contextId":"c"}}"#;
    prop::sample::select(vec![
        message_stream(message).into_bytes(),
        br#"{"jsonrpc":"2.0","id":"a\"b","method":"stream/watch","params":{}}"#.to_vec(),
    ])
}

#[derive(Debug, Clone)]
enum Mutation {
    Set(usize, u8),
    Insert(usize, u8),
    Remove(usize),
    Cut(usize),
    Repeat(usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let byte =
        || prop_oneof![prop::sample::select(b"\"\\{}[]:,\n\r\0\xff0-en ".to_vec()), any::<u8>()];
    prop_oneof![
        (any::<usize>(), byte()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        (any::<usize>(), byte()).prop_map(|(at, byte)| Mutation::Insert(at, byte)),
        any::<usize>().prop_map(Mutation::Remove),
        any::<usize>().prop_map(Mutation::Cut),
        (any::<usize>(), any::<usize>()).prop_map(|(from, to)| Mutation::Repeat(from, to)),
    ]
}

fn mutate(body: &mut Vec<u8>, mutation: &Mutation) {
    let len = body.len();
    match *mutation {
        _ if len == 0 => {}
        Mutation::Set(at, byte) => body[at % len] = byte,
        Mutation::Insert(at, byte) => body.insert(at % len, byte),
        Mutation::Remove(at) => drop(body.remove(at % len)),
        Mutation::Cut(at) => body.truncate(at % len),
        Mutation::Repeat(from, to) => {
            let (from, to) = ((from % len).min(to % len), (from % len).max(to % len));
            body.extend_from_within(from..to);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_answered(body in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&body);
    }

    #[test]
    fn a_damaged_request_is_answered(
        mut body in valid_request(),
        mutations in prop::collection::vec(mutation(), 0..6),
    ) {
        for mutation in &mutations {
            mutate(&mut body, mutation);
        }
        check(&body);
    }

    #[test]
    fn any_json_is_answered(body in json()) {
        check(body.as_bytes());
    }

    #[test]
    fn any_params_make_one_frame_at_most(params in json()) {
        let body = message_stream(&params);
        prop_assert!(matches!(answer(body.as_bytes(), true), Answer::Stream(_)));
        check(body.as_bytes());
    }

    #[test]
    fn no_field_of_a_message_can_break_a_frame(
        values in prop::collection::vec(prop_oneof![3 => json_string(), 1 => json()], 5),
        under_message in any::<bool>(),
    ) {
        let [id, role, parts, text, context] = values.as_slice() else { unreachable!() };
        // Each field in turn is of another type than it should be, or no field is.
        for params in [
            format!(r#"{{"messageId":{id},"role":"u","parts":[]}}"#),
            format!(r#"{{"messageId":"m","role":{role},"parts":[]}}"#),
            format!(r#"{{"messageId":"m","role":"u","parts":{parts}}}"#),
            format!(r#"{{"messageId":"m","role":"u","parts":[{text}]}}"#),
            format!(r#"{{"messageId":"m","role":"u","parts":[{{"text":{text}}}]}}"#),
            format!(r#"{{"messageId":"m","role":"u","parts":[],"contextId":{context}}}"#),
            format!(r#"{{{}:1,"messageId":"m"}}"#, serde_json::to_string(id).expect("a string")),
            id.clone(),
        ] {
            let params = if under_message { format!(r#"{{"message":{params}}}"#) } else { params };
            check(message_stream(&params).as_bytes());
        }
    }

    #[test]
    fn any_id_is_echoed_as_it_was_spelled(id in json_string()) {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#);
        let Answer::Json(response) = answer(body.as_bytes(), true) else { panic!("{body}") };
        let expected = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
        );
        prop_assert_eq!(String::from_utf8_lossy(&response), expected);
    }

    #[test]
    fn a_text_arrives_as_it_was_sent(text in awkward_text()) {
        let text_json = serde_json::to_string(&text).expect("a string");
        let body = message_stream(&format!(
            r#"{{"messageId":{text_json},"role":{text_json},"parts":[{{"text":{text_json}}}],"contextId":{text_json}}}"#
        ));
        let Answer::Stream(Ok(message)) = answer(body.as_bytes(), true) else { panic!("{body}") };
        prop_assert_eq!(message, Message {
            message_id: text.clone(),
            role: text.clone(),
            text: text.clone(),
            context_id: Some(text),
        });
    }
}
