//! A frame's data is exactly one line, whatever stands in it ("Frame format").

mod support;

use proptest::prelude::*;
use protocol::{Artifact, Attempt, ContextId, HookArtifact, Task, TaskId};
use support::{task, text, thinking, written};

#[test]
fn what_could_end_a_line_or_a_string_is_escaped() {
    for (raw, in_json) in [
        ("a\nb", r"a\nb"),
        ("a\rb", r"a\rb"),
        ("a\r\n\r\nb", r"a\r\n\r\nb"),
        ("\0", r"\u0000"),
        ("\u{b}\u{c}\u{8}\u{1b}", r"\u000b\f\b\u001b"),
        ("say \"hi\"", r#"say \"hi\""#),
        (r"C:\n", r"C:\\n"),
        ("\n\ndata: {}\n\nevent: x", r"\n\ndata: {}\n\nevent: x"),
    ] {
        let all = written(|session| {
            let _attempt = Attempt::begin(session, task("a"));
            session.emit_chunk(&text(raw));
        });
        assert_eq!(
            all,
            r#"id: 4611686018427387903
event: text
data: {"id":"tsk_a","text":"TEXT","final":false}

"#
            .replace("TEXT", in_json)
        );
    }
}

/// Neither ends a line of an event stream, and JSON lets them stand.
#[test]
fn other_separators_and_emoji_stand_as_they_are() {
    for raw in ["\u{2028}", "\u{2029}", "\u{85}", "\u{7f}", "🦀 é", "</untrusted-content>"] {
        let all = written(|session| {
            let _attempt = Attempt::begin(session, task("a"));
            session.emit_chunk(&thinking(raw));
        });
        assert_eq!(
            all,
            r#"id: 4611686018427387903
event: thinking
data: {"id":"tsk_a","text":"TEXT","final":false}

"#
            .replace("TEXT", raw)
        );
    }
}

/// Any text, with a liking for what could break a line.
fn any_text() -> impl Strategy<Value = String> {
    let awkward = prop::sample::select(vec![
        '\n', '\r', '\0', '"', '\\', '\u{2028}', '\u{85}', ':', ' ', '{', '<', '\u{feff}', '😀',
    ]);
    prop::collection::vec(prop_oneof![awkward, any::<char>()], 0..12)
        .prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_frame_is_three_lines_and_a_blank_one(s in any_text(), t in any_text(), u in any_text()) {
        let all = written(|session| {
            let task = Task { id: TaskId::from(s.clone()), context_id: ContextId::from(t.clone()) };
            let mut attempt = Attempt::begin(session, task.clone());
            let call = attempt.begin_turn(session);
            session.emit_chunk(&text(&u));
            session.emit_chunk(&thinking(&s));
            attempt.inference_returned(session, call);
            attempt.artifact(session, &Artifact {
                tool_name: s.clone(),
                content: t.clone(),
                fence_source: Some(u.clone()),
                tool_call_id: Some(s.clone()),
                is_error: false,
                duration_ms: u64::MAX,
                exit_code: Some(i32::MIN),
                truncated: true,
            });
            attempt.hook_artifact(session, &HookArtifact { hook_name: t.clone(), content: u.clone() });
            attempt.wait_for_input(session, &t).timed_out(session);
            attempt.wait_for_input(session, &u).resumed(session);
            let _call = attempt.begin_turn(session);
            attempt.completed(session, &t);
            Attempt::begin(session, task.clone()).failed(session, &u);
            session.cancel_queued(&task);
        });
        prop_assert!(!all.contains('\r'));
        prop_assert!(all.ends_with("\n\n"));
        let frames: Vec<&str> = all.split_terminator("\n\n").collect();
        let whole_reply = usize::from(!t.is_empty());
        prop_assert_eq!(frames.len(), 14 + whole_reply);
        for frame in frames {
            let lines: Vec<&str> = frame.split('\n').collect();
            prop_assert_eq!(lines.len(), 3, "{}", frame);
            prop_assert!(lines[0].starts_with("id: "));
            prop_assert!(lines[1].starts_with("event: "));
            let data = lines[2].strip_prefix("data: ").expect("data");
            let value: serde_json::Value = serde_json::from_str(data).expect("JSON");
            prop_assert_eq!(value["id"].as_str(), Some(s.as_str()));
        }
    }

    #[test]
    fn text_comes_back_as_it_was(s in any_text()) {
        let all = written(|session| {
            let _attempt = Attempt::begin(session, task("a"));
            session.emit_chunk(&text(&s));
        });
        let data = all.trim_end().rsplit_once("data: ").expect("data").1;
        let value: serde_json::Value = serde_json::from_str(data).expect("JSON");
        prop_assert_eq!(value["text"].as_str(), Some(s.as_str()));
    }
}
