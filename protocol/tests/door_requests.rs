//! What the JSON-RPC route answers (sections 1 and 2 of the details page).
#![allow(clippy::expect_used)]

mod support;

use protocol::Answer;
use support::answer;

const PARSE_ERROR: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
const INVALID: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#;

/// The JSON-RPC answer to `body`, on a capsule that accepts tasks.
fn json(body: &[u8]) -> String {
    match answer(body, true) {
        Answer::Json(bytes) => String::from_utf8(bytes).expect("UTF-8"),
        other => panic!("{:?}: {other:?}", String::from_utf8_lossy(body)),
    }
}

fn is_watch(body: &str) -> bool {
    matches!(answer(body.as_bytes(), true), Answer::Watch)
}

#[test]
fn an_empty_body_is_not_found() {
    assert!(matches!(answer(b"", true), Answer::NotFound));
    assert!(matches!(answer(b"", false), Answer::NotFound));
    assert_eq!(json(b" "), PARSE_ERROR, "white space is a body");
}

#[test]
fn what_is_not_json_in_utf_8_is_a_parse_error() {
    for body in [
        "{",
        "}",
        "{]",
        "x",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stream/watch\"",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stream/watch\"}x",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stream/watch\"}{}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stream/watch\",}",
        "{'jsonrpc':'2.0'}",
        "{\"id\":01}",
        "{\"id\":\"a\nb\"}",
        "{\"id\":\"\\x\"}",
        "NaN",
        "nul",
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stream/watch\"}",
        "\0",
    ] {
        assert_eq!(json(body.as_bytes()), PARSE_ERROR, "{body:?}");
    }
    for body in [
        b"\xff".as_slice(),
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"stream/watch\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\xed\xa0\x80\",\"method\":\"stream/watch\"}",
        b"\xff\xfe{\0}\0",
    ] {
        assert_eq!(json(body), PARSE_ERROR);
    }
}

#[test]
fn json_that_is_no_object_is_an_invalid_request() {
    let watch = r#"{"jsonrpc":"2.0","id":1,"method":"stream/watch"}"#;
    let batch = format!("[{watch}]");
    for body in ["[]", "1", "-1.5e3", "\"x\"", "true", "false", "null", " [ ] ", batch.as_str()] {
        assert_eq!(json(body.as_bytes()), INVALID, "{body}");
    }
}

#[test]
fn an_envelope_that_lacks_something_is_an_invalid_request() {
    for (body, id) in [
        ("{}", "null"),
        (r#"{"id":7}"#, "7"),
        (r#"{"id":7,"method":"stream/watch"}"#, "7"),
        (r#"{"jsonrpc":"1.0","id":7,"method":"stream/watch"}"#, "7"),
        (r#"{"jsonrpc":2.0,"id":7,"method":"stream/watch"}"#, "7"),
        (r#"{"jsonrpc":"2.0 ","id":7,"method":"stream/watch"}"#, "7"),
        (r#"{"jsonrpc":null,"id":"a","method":"stream/watch"}"#, "\"a\""),
        (r#"{"JSONRPC":"2.0","id":7,"method":"stream/watch"}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":7}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":7,"method":null}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":7,"method":["stream/watch"]}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":7,"method":1}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":null,"method":1}"#, "null"),
        (r#"{"jsonrpc":"2.0","method":"stream/watch"}"#, "null"),
        (r#"{"jsonrpc":"2.0","ID":7,"method":"stream/watch"}"#, "null"),
        (r#"{"jsonrpc":"2.0","id":{},"method":"stream/watch"}"#, "null"),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"stream/watch"}"#, "null"),
        (r#"{"jsonrpc":"2.0","id":true,"method":"stream/watch"}"#, "null"),
        (r#"{"jsonrpc":"2.0","id":false,"method":"stream/watch"}"#, "null"),
    ] {
        assert_eq!(json(body.as_bytes()), INVALID.replace("null", id), "{body}");
    }
}

#[test]
fn duplicate_keys_in_the_envelope_are_an_invalid_request() {
    for (body, id) in [
        (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":7,"method":"stream/watch"}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"stream/watch","method":"stream/watch"}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"stream/watch","params":1,"params":1}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":7,"x":1,"method":"stream/watch","x":2}"#, "7"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"stream/watch","m\u0065thod":"x"}"#, "7"),
        // Which of two ids could be meant cannot be told.
        (r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"stream/watch"}"#, "null"),
        (r#"{"jsonrpc":"2.0","id":7,"id":7,"method":"stream/watch"}"#, "null"),
        (r#"{"jsonrpc":"2.0","id":7,"i\u0064":7,"method":"stream/watch"}"#, "null"),
    ] {
        assert_eq!(json(body.as_bytes()), INVALID.replace("null", id), "{body}");
    }
    assert!(is_watch(r#"{"jsonrpc":"2.0","id":7,"method":"stream/watch","params":{"a":1,"a":1}}"#));
}

#[test]
fn an_unknown_method_is_not_found_and_its_id_echoed() {
    for method in [
        "",
        "Stream/watch",
        "stream/Watch",
        "message/Stream",
        "stream/watch ",
        "message/send/",
        "tasks",
        "initialize",
        "stream\\/watch2",
        "\\ud800",
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}"}}"#);
        if method == "\\ud800" {
            // Not a string that Unicode has.
            assert_eq!(json(body.as_bytes()), INVALID.replace("null", "7"));
            continue;
        }
        assert_eq!(
            json(body.as_bytes()),
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}"#,
            "{method}"
        );
    }
}

#[test]
fn an_id_is_echoed_verbatim() {
    let long = format!("\"{}\"", "x".repeat(100_000));
    for id in [
        "0",
        "-0",
        "1.50",
        "1e2",
        "1E+400",
        "-12345678901234567890123",
        "12345678901234567890123",
        "0.1000000000000000055511151231257827021181583404541015625",
        "null",
        "\"\"",
        "\"7\"",
        r#""a\u0041\/\n\"""#,
        r#""\ud83e\udd80""#,
        "\"🦀\u{2028}\"",
        long.as_str(),
    ] {
        let body = format!("{{\"jsonrpc\":\"2.0\", \"id\" : \t{id}\n , \"method\":\"x\"}}");
        let expected = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
        );
        assert_eq!(json(body.as_bytes()), expected);
    }
}

#[test]
fn stream_watch_is_served_whatever_its_params() {
    for params in
        ["", r#","params":{}"#, r#","params":null"#, r#","params":[1]"#, r#","params":"x""#]
    {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"stream/watch"{params}}}"#);
        for accepts_tasks in [true, false] {
            assert!(matches!(answer(body.as_bytes(), accepts_tasks), Answer::Watch), "{body}");
        }
    }
}

#[test]
fn keys_in_any_order_with_unknown_ones_and_escapes_are_served() {
    for body in [
        r#"{"method":"stream/watch","id":1,"jsonrpc":"2.0"}"#,
        r#"{"a":{"id":2,"id":3},"method":"stream\/watch","id":null,"\u006asonrpc":"2\u002e0"}"#,
        " \t\r\n{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"stream/watch\"}\r\n ",
    ] {
        assert!(is_watch(body), "{body}");
    }
}

#[test]
fn message_stream_is_not_found_when_no_task_is_accepted_before_params_are_looked_at() {
    for params in ["", r#","params":{}"#, r#","params":"x""#] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1.0,"method":"message/stream"{params}}}"#);
        assert!(matches!(answer(body.as_bytes(), true), Answer::Stream(_)));
        let Answer::Json(bytes) = answer(body.as_bytes(), false) else { panic!("{body}") };
        assert_eq!(
            String::from_utf8_lossy(&bytes),
            r#"{"jsonrpc":"2.0","id":1.0,"error":{"code":-32601,"message":"Method not found"}}"#
        );
    }
}

/// A watch request whose deepest bracket is `depth` deep, the envelope's own included.
fn nested(depth: usize, open: &str, close: &str) -> String {
    let (open, close) = (open.repeat(depth - 1), close.repeat(depth - 1));
    let params = if open.ends_with(':') { format!("{open}0{close}") } else { open + &close };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"stream/watch","params":{params}}}"#)
}

#[test]
fn nesting_is_allowed_to_a_depth_of_128() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        assert!(is_watch(&nested(127, open, close)));
        assert!(is_watch(&nested(128, open, close)));
        assert_eq!(json(nested(129, open, close).as_bytes()), PARSE_ERROR);
    }
    let list = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(json(list(128).as_bytes()), INVALID);
    assert_eq!(json(list(129).as_bytes()), PARSE_ERROR);
}

#[test]
fn params_of_a_message_may_be_as_deep() {
    let body = |depth: usize| {
        let list = "[".repeat(depth - 3) + &"]".repeat(depth - 3);
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{{"message":{{"messageId":"m","role":"user","parts":[],"x":{list}}}}}}}"#
        )
    };
    assert!(matches!(answer(body(128).as_bytes(), true), Answer::Stream(Ok(_))));
    assert_eq!(json(body(129).as_bytes()), PARSE_ERROR);
}

#[test]
fn any_number_of_brackets_overflows_no_stack() {
    for count in [10_000, 1_000_000] {
        for bracket in ["[", "{\"a\":", "{", "]", "}", "[{\"a\":"] {
            assert_eq!(json(bracket.repeat(count).as_bytes()), PARSE_ERROR);
        }
        assert_eq!(json(nested(count, "[", "]").as_bytes()), PARSE_ERROR);
        assert_eq!(json(nested(count, "{\"a\":", "}").as_bytes()), PARSE_ERROR);
    }
}

#[test]
fn brackets_inside_strings_do_not_count() {
    for text in ["[".repeat(10_000), "{".repeat(129), format!("\\\"{}\\\\", "[".repeat(200))] {
        let params = format!(r#"["{text}","{text}"]"#);
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"stream/watch","params":{params}}}"#);
        assert!(is_watch(&body));
    }
    // Closed ones do not add up.
    let flat = "[],".repeat(10_000);
    assert!(is_watch(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"stream/watch","params":[{flat}0]}}"#
    )));
}
