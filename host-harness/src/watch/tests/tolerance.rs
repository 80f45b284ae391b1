//! Frames and keys that are not known, not there, or not what they should be.

use super::*;

#[test]
fn event_types_that_are_not_known_are_ignored() {
    for stream in [
        frame("usage", r#"{"text":"no"}"#),
        frame("Status", r#"{"status":{"state":"no"}}"#),
        frame("error", r#"{"error":"no"}"#),
        frame("message", r#"{"text":"no"}"#),
        "data: {\"text\":\"no\"}\n\n".into(),
    ] {
        assert_eq!(exact(&stream), "", "{stream}");
    }
}

#[test]
fn keys_that_are_not_known_are_ignored_at_any_depth() {
    let stream = [
        frame(
            "status",
            r#"{"x":{"state":"no"},"status":{"y":[1],"state":"working","message":"m"},"final":false}"#,
        ),
        artifact(r#"{"z":null,"tool_name":"t","summary":"no","content":"c"}"#),
        frame("text", r#"{"id":"tsk_1","delta":"no","text":"a","final":false}"#),
    ];
    assert_eq!(exact(&stream.concat()), "[working]  m\n[artifact] tool: t [ok] | c\na");
}

#[test]
fn a_frame_whose_data_is_no_json_object_is_ignored() {
    let deep = "[".repeat(100_000);
    for event in ["status", "artifact", "text", "gap", "connection-ack", "capsule-closed"] {
        for data in ["", "{", "x", "{}x", "null", "[]", "\"text\"", "{\"text\":\"\\ud800\"}", &deep]
        {
            let shown = show(Style::Exact, &frame(event, data));
            assert_eq!(shown, Shown { out: String::new(), err: String::new(), ended: None });
        }
    }
}

#[test]
fn keys_that_are_missing_or_of_another_type_are_left_out() {
    for (stream, shown) in [
        (frame("status", "{}"), ""),
        (frame("status", r#"{"status":"working"}"#), ""),
        (frame("status", r#"{"status":{}}"#), "[unknown]\n"),
        (frame("status", r#"{"status":{"state":7,"message":8},"final":"yes"}"#), "[unknown]\n"),
        (frame("status", r#"{"status":{"state":"working"}}"#), "[working]\n"),
        (frame("status", r#"{"status":{"message":"m"}}"#), "[unknown]  m\n"),
        (
            frame("status", r#"{"status":{"state":"completed","response":[]},"final":true}"#),
            "[completed]\n",
        ),
        (frame("artifact", "{}"), ""),
        (artifact("[]"), ""),
        (artifact("{}"), "[artifact] tool: unknown [ok]\n"),
        (
            artifact(
                r#"{"tool_name":1,"content":2,"is_error":"yes","duration_ms":"5","exit_code":[],"truncated":1}"#,
            ),
            "[artifact] tool: unknown [ok]\n",
        ),
        (frame("text", "{}"), ""),
        (frame("text", r#"{"text":null}"#), ""),
    ] {
        assert_eq!(exact(&stream), shown, "{stream}");
        // The label of a threaded capsule needs keys of its own.
        assert_eq!(exact(&format!("{THREADED}{stream}")), shown, "{stream}");
    }
    let shown = show(Style::Exact, "event: gap\ndata: {}\n\n");
    assert!(shown.err.ends_with("(first available id: unknown)\n"), "{}", shown.err);
}

#[test]
fn comments_may_stand_anywhere_and_lines_may_end_in_any_way() {
    let stream = format!("\u{feff}:a\r\n{ACK}:heartbeat\n\n{}{}", working(1), text("x"))
        .replace("event: text\n", "event: text\n:b\nretry: 5\n");
    for end in ["\n", "\r", "\r\n"] {
        let stream = stream.replace("\r\n", "\n").replace('\n', end);
        assert_eq!(exact(&stream), "[working]  inference turn 1\nx");
    }
}
