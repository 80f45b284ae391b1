//! What a Murmur capsule needs in a message (streaming protocol page, "Endpoints").

use protocol::ContextId;
use protocol::a2a::message::complete;

fn context(id: &str) -> ContextId {
    ContextId::from(id.to_owned())
}

fn body(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0", "id":1e2,"method":"message/stream","params": {params} }}"#)
}

#[test]
fn a_message_gets_what_it_lacks_and_keeps_the_rest() {
    let table = [
        // The page's own request.
        (
            r#"{"message": {"parts": [{"text": "é\u00e9"}]}}"#,
            r#"{"message": {"contextId":"ctx","messageId":"msg","role":"user","parts": [{"text": "é\u00e9"}]}}"#,
            "ctx",
        ),
        (
            r#"{"message":{"role":"agent","parts":[],"n":1.50}}"#,
            r#"{"message":{"contextId":"ctx","messageId":"msg","role":"agent","parts":[],"n":1.50}}"#,
            "ctx",
        ),
        (
            r#"{"message":{"contextId":"mine","messageId":"m","role":"user"}}"#,
            r#"{"message":{"contextId":"mine","messageId":"m","role":"user"}}"#,
            "mine",
        ),
        (
            r#"{"message":{"contextId" : null , "messageId":"m"},"x":null}"#,
            r#"{"message":{"role":"user","contextId" : "ctx" , "messageId":"m"},"x":null}"#,
            "ctx",
        ),
        (
            r#"{"message":{"contextId":""}}"#,
            r#"{"message":{"messageId":"msg","role":"user","contextId":""}}"#,
            "",
        ),
        (
            r#"{"message":{}}"#,
            r#"{"message":{"contextId":"ctx","messageId":"msg","role":"user"}}"#,
            "ctx",
        ),
        // The params themselves are the message.
        ("{}", r#"{"contextId":"ctx","messageId":"msg","role":"user"}"#, "ctx"),
        (
            r#"{ "parts":[]}"#,
            r#"{"contextId":"ctx","messageId":"msg","role":"user", "parts":[]}"#,
            "ctx",
        ),
    ];
    for (params, expected, context_id) in table {
        let completed = complete(&body(params), &context("ctx"), "msg");
        assert_eq!(completed.body, body(expected), "{params}");
        assert_eq!(completed.context_id, context(context_id), "{params}");
    }
}

#[test]
fn what_is_no_message_stays_for_the_capsule_to_refuse() {
    for params in [r#"{"message":null}"#, r#"{"message":"x"}"#, "[]", "null"] {
        let completed = complete(&body(params), &context("ctx"), "msg");
        assert_eq!(completed.body, body(params));
        assert_eq!(completed.context_id, context("ctx"));
    }
    let absent = r#"{"jsonrpc":"2.0","method":"message/stream"}"#;
    assert_eq!(complete(absent, &context("ctx"), "msg").body, absent);
    assert_eq!(complete("nonsense", &context("ctx"), "msg").body, "nonsense");
}

#[test]
fn what_is_added_is_escaped() {
    let completed = complete(&body("{}"), &context("c\"\n"), "m\\");
    assert!(completed.body.contains(r#"{"contextId":"c\"\n","messageId":"m\\","role":"user"}"#));
}
