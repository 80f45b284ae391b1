//! The `artifact` frames of the page, byte for byte.

mod support;

use protocol::{Artifact, Attempt, HookArtifact, Session};
use support::{task_of_the_page, written};

/// The frame that `script` writes first in an attempt at the page's task: its id is 0.
fn written_by(script: impl FnOnce(&mut Session, Attempt)) -> String {
    written(|session| {
        let attempt = Attempt::begin(session, task_of_the_page());
        script(session, attempt);
    })
}

#[test]
fn a_successful_tool_call_is_the_page_s_example() {
    let artifact = Artifact {
        tool_name: "bash".to_owned(),
        content: protocol::fence("bash", "$ echo hello\nExit code: 0\nStdout:\nhello\n\nStderr:\n"),
        fence_source: Some("tool:bash".to_owned()),
        tool_call_id: Some("toolu_01".to_owned()),
        is_error: false,
        duration_ms: 12,
        exit_code: Some(0),
        truncated: false,
    };
    assert_eq!(
        written_by(|session, mut attempt| attempt.artifact(session, &artifact)),
        r#"id: 0
event: artifact
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","artifact":{"tool_name":"bash","content":"<untrusted-content source=tool:bash>\n$ echo hello\nExit code: 0\nStdout:\nhello\n\nStderr:\n\n</untrusted-content>","fence_source":"tool:bash","tool_call_id":"toolu_01","is_error":false,"duration_ms":12,"exit_code":0,"truncated":false}}

"#
    );
}

#[test]
fn a_failed_tool_call_is_the_page_s_example() {
    let artifact = Artifact {
        tool_name: "jsonl-line-count".to_owned(),
        content: protocol::fence(
            "jsonl-line-count",
            "failed to read '{\"data\":\"missing.jsonl\"}': No such file or directory (os error 44)",
        ),
        fence_source: Some("tool:jsonl-line-count".to_owned()),
        tool_call_id: Some("toolu_02".to_owned()),
        is_error: true,
        duration_ms: 5,
        exit_code: None,
        truncated: false,
    };
    assert_eq!(
        written_by(|session, mut attempt| attempt.artifact(session, &artifact)),
        r#"id: 0
event: artifact
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","artifact":{"tool_name":"jsonl-line-count","content":"<untrusted-content source=tool:jsonl-line-count>\nfailed to read '{\"data\":\"missing.jsonl\"}': No such file or directory (os error 44)\n</untrusted-content>","fence_source":"tool:jsonl-line-count","tool_call_id":"toolu_02","is_error":true,"duration_ms":5,"exit_code":null,"truncated":false}}

"#
    );
}

/// What the agent loop reports of a call that never reached a tool.
fn unreached(tool_call_id: Option<&str>) -> Artifact {
    Artifact {
        tool_name: "no-such-tool".to_owned(),
        content: "tool 'no-such-tool' is not declared in manifest allowlist".to_owned(),
        fence_source: None,
        tool_call_id: tool_call_id.map(str::to_owned),
        is_error: true,
        duration_ms: 0,
        exit_code: None,
        truncated: false,
    }
}

#[test]
fn a_call_that_never_reached_a_tool_is_the_page_s_example() {
    assert_eq!(
        written_by(|session, mut attempt| {
            attempt.artifact(session, &unreached(Some("toolu_03")));
        }),
        r#"id: 0
event: artifact
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","artifact":{"tool_name":"no-such-tool","content":"tool 'no-such-tool' is not declared in manifest allowlist","fence_source":null,"tool_call_id":"toolu_03","is_error":true,"duration_ms":0,"exit_code":null,"truncated":false}}

"#
    );
}

#[test]
fn a_call_with_no_id_or_an_empty_one_has_a_null_tool_call_id() {
    for id in [None, Some("")] {
        let frame = written_by(|session, mut attempt| attempt.artifact(session, &unreached(id)));
        assert!(frame.contains(r#""fence_source":null,"tool_call_id":null,"is_error":true"#));
    }
}

#[test]
fn a_truncated_result_with_an_exit_status_says_both() {
    let artifact = Artifact { exit_code: Some(-3), truncated: true, ..unreached(None) };
    let frame = written_by(|session, mut attempt| attempt.artifact(session, &artifact));
    assert!(frame.ends_with("\"duration_ms\":0,\"exit_code\":-3,\"truncated\":true}}\n\n"));
}

#[test]
fn a_hook_artifact_is_the_page_s_example_and_has_every_null() {
    let artifact =
        HookArtifact { hook_name: "my-hook".to_owned(), content: "{\"reviewed\":true}".to_owned() };
    assert_eq!(
        written_by(|session, mut attempt| attempt.hook_artifact(session, &artifact)),
        r#"id: 0
event: artifact
data: {"id":"tsk_0199c4e2f1b7712a9d3e4f5061728394","artifact":{"tool_name":"my-hook","content":"{\"reviewed\":true}","fence_source":null,"tool_call_id":null,"is_error":false,"duration_ms":null,"exit_code":null,"truncated":false}}

"#
    );
}
