//! The checks of a JSON-RPC request, and the answers to what fails them (details page, section 2).
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use protocol::ContextId;
use protocol::a2a::{AgentId, Call, Settings};
use std::time::Duration;

const JSON: &[&str] = &["application/json"];

fn refusal(content_types: &[&str], body: &[u8]) -> String {
    let refused = Call::parse(content_types, body).unwrap_err();
    String::from_utf8(refused.json_rpc()).unwrap()
}

fn error(id: &str, code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}

#[test]
fn the_content_type_is_checked_first() {
    let message = "parse error: content type must be application/json";
    let table: [&[&str]; 4] =
        [&[], &["text/plain"], &["application/jsonp"], &["application/json", "text/plain"]];
    for content_types in table {
        assert_eq!(refusal(content_types, b"nonsense"), error("null", -32700, message));
    }
    let body = br#"{"jsonrpc":"2.0","method":"m"}"#;
    for content_type in
        ["application/json", "APPLICATION/JSON; charset=utf-8", "application/a+json"]
    {
        assert!(Call::parse(&[content_type], body).is_ok(), "{content_type}");
    }
}

#[test]
fn each_check_says_what_the_page_says() {
    let deep = format!("{}{}", "[".repeat(129), "]".repeat(129));
    let parse = "parse error: invalid JSON";
    let version = "invalid request: invalid jsonrpc version";
    let method = "invalid request: missing method field";
    let object = "invalid request: body must be an object";
    let table: &[(&[u8], &str, i32, &str)] = &[
        (b"", "null", -32700, parse),
        (b"{", "null", -32700, parse),
        (b"\xff", "null", -32700, parse),
        (b"\xef\xbb\xbf{}", "null", -32700, parse),
        (b"{} {}", "null", -32700, parse),
        (deep.as_bytes(), "null", -32700, parse),
        (b"[]", "null", -32600, object),
        (b" \"x\"", "null", -32600, object),
        (b"null", "null", -32600, object),
        (b"{}", "null", -32600, version),
        (br#"{"id":7,"jsonrpc":"1.0"}"#, "7", -32600, version),
        (br#"{"id":7,"jsonrpc":2.0,"method":"m"}"#, "7", -32600, version),
        (br#"{"id":"a","jsonrpc":"2.0"}"#, "\"a\"", -32600, method),
        (br#"{"id":"a","jsonrpc":"2.0","method":""}"#, "\"a\"", -32600, method),
        (br#"{"id":"a","jsonrpc":"2.0","method":1}"#, "\"a\"", -32600, method),
        (br#"{"id":{},"jsonrpc":"2.0"}"#, "null", -32600, method),
        (
            br#"{"id":{},"jsonrpc":"2.0","method":"m"}"#,
            "null",
            -32600,
            "invalid request: invalid id",
        ),
        (
            br#"{"id":[1],"jsonrpc":"2.0","method":"m"}"#,
            "null",
            -32600,
            "invalid request: invalid id",
        ),
        (
            br#"{"id":true,"jsonrpc":"2.0","method":"m"}"#,
            "null",
            -32600,
            "invalid request: invalid id",
        ),
        (
            br#"{"id":1,"jsonrpc":"2.0","method":"a","method":"b"}"#,
            "1",
            -32600,
            "invalid request: duplicate key",
        ),
        (
            br#"{"id":1,"id":2,"jsonrpc":"2.0","method":"a"}"#,
            "null",
            -32600,
            "invalid request: duplicate key",
        ),
    ];
    for (body, id, code, message) in table {
        let body_text = String::from_utf8_lossy(body);
        assert_eq!(refusal(JSON, body), error(id, *code, message), "{body_text}");
    }
}

#[test]
fn ids_are_echoed_verbatim() {
    for id in ["1.50", "-0", "12345678901234567890123", "1e2", r#""\u0061\"""#, "\"\"", "null"] {
        let body = format!(r#"{{"jsonrpc":"2.0","method":"m","id" : {id} }}"#);
        let call = Call::parse(JSON, body.as_bytes()).unwrap();
        assert_eq!(call.id.as_str(), id);
        assert_eq!(call.body, body);
    }
    let call = Call::parse(JSON, br#"{"jsonrpc":"2.0","method":"m"}"#).unwrap();
    assert_eq!(call.id.as_str(), "null");
}

#[test]
fn the_method_decides_whether_it_is_a_stream() {
    for (method, stream) in [("message/stream", true), ("message/send", false), ("x", false)] {
        let body = format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#);
        let call = Call::parse(JSON, body.as_bytes()).unwrap();
        assert_eq!((call.method.as_str(), call.is_stream()), (method, stream));
    }
    assert!(
        Call::parse(JSON, br#"{"jsonrpc":"2.0","method":"message\/stream"}"#).unwrap().is_stream()
    );
}

fn call(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{params}}}"#)
}

#[test]
fn params_are_checked_after_the_method() {
    for params in ["[]", "null", "1", "\"x\""] {
        let body = call(params);
        let refused = Call::parse(JSON, body.as_bytes()).unwrap().check_params().unwrap_err();
        let text = String::from_utf8(refused.json_rpc()).unwrap();
        assert_eq!(text, error("1", -32602, "invalid params"), "{params}");
    }
    assert!(Call::parse(JSON, call("{}").as_bytes()).unwrap().check_params().is_ok());
    let absent = br#"{"jsonrpc":"2.0","method":"m"}"#;
    assert!(Call::parse(JSON, absent).unwrap().check_params().is_ok());
}

#[test]
fn the_head_has_the_timeout_and_ten_seconds() {
    let table = [
        ("{}", 310.0),
        (r#"{"configuration":{"timeout":5}}"#, 15.0),
        (r#"{"configuration":{"timeout":0.5}}"#, 10.5),
        (r#"{"configuration":{"timeout":3600}}"#, 3610.0),
        (r#"{"configuration":{"timeout":1e300}}"#, 3610.0),
        (r#"{"configuration":{"timeout":1e999}}"#, 310.0),
        (r#"{"configuration":{"timeout":0}}"#, 310.0),
        (r#"{"configuration":{"timeout":-5}}"#, 310.0),
        (r#"{"configuration":{"timeout":"5"}}"#, 310.0),
        (r#"{"configuration":{"timeout":null}}"#, 310.0),
        (r#"{"configuration":[5]}"#, 310.0),
        ("[]", 310.0),
    ];
    for (params, seconds) in table {
        let body = call(params);
        let timeout = Call::parse(JSON, body.as_bytes()).unwrap().timeout;
        let expected = Duration::from_secs_f64(seconds);
        assert_eq!(Settings::default().head_timeout(timeout), expected, "{params}");
    }
    for nonsense in [f64::NAN, f64::NEG_INFINITY, -1.0] {
        let timeout = Settings::default().head_timeout(Some(nonsense));
        assert_eq!(timeout, Duration::from_secs(310));
    }
}

#[test]
fn the_context_of_the_message_is_known() {
    let table = [
        ("{}", None),
        (r#"{"message":{"contextId":"c"},"contextId":"d"}"#, Some("c")),
        (r#"{"contextId":"d"}"#, Some("d")),
        (r#"{"message":{"contextId":""}}"#, Some("")),
        (r#"{"message":{"contextId":null}}"#, None),
        (r#"{"message":{"contextId":1}}"#, None),
        (r#"{"message":null,"contextId":"d"}"#, None),
        ("[]", None),
    ];
    for (params, expected) in table {
        let body = call(params);
        let context_id = Call::parse(JSON, body.as_bytes()).unwrap().context_id;
        assert_eq!(context_id, expected.map(|id| ContextId::from(id.to_owned())), "{params}");
    }
}

#[test]
fn agent_ids_are_short_and_plain() {
    let long = "a".repeat(128);
    for id in ["ab", "-0", "stream-agent-01", long.as_str()] {
        assert_eq!(AgentId::parse(id).unwrap().as_str(), id);
    }
    let too_long = "a".repeat(129);
    for id in ["", "a", "Ab", "a_b", "a b", "äb", "a/b", too_long.as_str()] {
        assert_eq!(AgentId::parse(id), None, "{id}");
    }
}

proptest! {
    #[test]
    fn any_body_is_a_call_or_a_refusal(body in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(refused) = Call::parse(JSON, &body) {
            serde_json::from_slice::<serde_json::Value>(&refused.json_rpc()).unwrap();
        }
    }

    #[test]
    fn any_string_is_an_id(id in any::<String>()) {
        let id = serde_json::to_string(&id).unwrap();
        let body = format!(r#"{{"id":{id},"jsonrpc":"2.0"}}"#);
        let expected = error(&id, -32600, "invalid request: missing method field");
        prop_assert_eq!(refusal(JSON, body.as_bytes()), expected);
    }
}
