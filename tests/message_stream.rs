//! What a submitter gets, in order (protocol page, "What `message/stream` writes, in order").

use crate::support::{
    NOT_FOUND, QUEUE, STREAM_HEAD, Served, TaskFrames, builder, frames, message, minted, post,
    post_with, stream_body, stream_body_of, submission,
};
use host_harness::{Artifact, HookArtifact};

/// The `error` frame with that text.
fn error(text: &str) -> String {
    format!("event: error\ndata: {{\"error\":\"{text}\"}}\n\n")
}

/// Sends params that are no message, and expects the head, this `error` frame and the end.
async fn expect_error(served: &Served, params: &str, text: &str) {
    let mut client = served.send(post(&stream_body_of(params))).await;
    assert_eq!(client.rest().await, format!("{STREAM_HEAD}{}", error(text)), "{params}");
}

#[tokio::test]
async fn a_submitter_gets_every_frame_of_its_task_and_the_end() {
    let served = Served::on_a_socket(builder()).await;
    let mut submitter = served.send(submission("Summarise README.md")).await;
    let task = served.next_task().await;
    assert_eq!(task.text(), "Summarise README.md");
    let mut attempt = task.begin_attempt().await.unwrap();
    let inference = attempt.begin_turn().await.unwrap();
    attempt.thinking("Hm.").await.unwrap();
    attempt.text("I'll look.").await.unwrap();
    inference.returned().await.unwrap();
    let artifact = Artifact {
        tool_name: "bash".into(),
        content: "<untrusted-content source=tool:bash>\nhi\n</untrusted-content>".into(),
        fence_source: Some("tool:bash".into()),
        tool_call_id: Some("toolu_01".into()),
        is_error: false,
        duration_ms: 12,
        exit_code: Some(3),
        truncated: true,
    };
    attempt.artifact(artifact).await.unwrap();
    attempt.begin_turn().await.unwrap().returned().await.unwrap();
    let hook = HookArtifact { hook_name: "my-hook".into(), content: "{}".into() };
    attempt.hook_artifact(hook).await.unwrap();
    attempt.completed("Done.").await.unwrap();
    drop(task);
    // Written out once in full; elsewhere the support module writes such frames.
    submitter
        .expect_all(concat!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n",
            "cache-control: no-cache\r\nconnection: keep-alive\r\n\r\n",
            "id: 0\nevent: status\ndata: {\"id\":\"tsk_019b76daa80070018203040506070809\",",
            "\"context_id\":\"ctx_019b76daa8007a0b8c0d0e0f10111213\",\"status\":",
            "{\"state\":\"working\",\"message\":\"inference turn 1\"},\"final\":false}\n\n",
            "id: 1\nevent: thinking\ndata: {\"id\":\"tsk_019b76daa80070018203040506070809\",",
            "\"text\":\"Hm.\",\"final\":false}\n\n",
            "id: 2\nevent: text\ndata: {\"id\":\"tsk_019b76daa80070018203040506070809\",",
            "\"text\":\"I'll look.\",\"final\":false}\n\n",
            "id: 3\nevent: text\ndata: {\"id\":\"tsk_019b76daa80070018203040506070809\",",
            "\"text\":\"\",\"final\":true}\n\n",
            "id: 4\nevent: artifact\ndata: {\"id\":\"tsk_019b76daa80070018203040506070809\",",
            "\"artifact\":{\"tool_name\":\"bash\",\"content\":\"<untrusted-content ",
            "source=tool:bash>\\nhi\\n</untrusted-content>\",\"fence_source\":\"tool:bash\",",
            "\"tool_call_id\":\"toolu_01\",\"is_error\":false,\"duration_ms\":12,",
            "\"exit_code\":3,\"truncated\":true}}\n\n",
            "id: 5\nevent: status\ndata: {\"id\":\"tsk_019b76daa80070018203040506070809\",",
            "\"context_id\":\"ctx_019b76daa8007a0b8c0d0e0f10111213\",\"status\":",
            "{\"state\":\"working\",\"message\":\"inference turn 2\"},\"final\":false}\n\n",
            "id: 6\nevent: artifact\ndata: {\"id\":\"tsk_019b76daa80070018203040506070809\",",
            "\"artifact\":{\"tool_name\":\"my-hook\",\"content\":\"{}\",\"fence_source\":null,",
            "\"tool_call_id\":null,\"is_error\":false,\"duration_ms\":null,\"exit_code\":null,",
            "\"truncated\":false}}\n\n",
            "id: 6\nevent: text\ndata: {\"id\":\"tsk_019b76daa80070018203040506070809\",",
            "\"text\":\"Done.\",\"final\":true}\n\n",
            "id: 7\nevent: status\ndata: {\"id\":\"tsk_019b76daa80070018203040506070809\",",
            "\"context_id\":\"ctx_019b76daa8007a0b8c0d0e0f10111213\",\"status\":",
            "{\"state\":\"completed\",\"message\":\"session ended\",\"response\":\"Done.\"},",
            "\"final\":true}\n\n",
        ))
        .await;
}

#[tokio::test]
async fn ids_are_minted_for_each_task_in_turn() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    for number in 0..3 {
        let mut submitter = served.submit("hello").await;
        served.run_task("hi").await;
        submitter.expect_all(TaskFrames::nth(number).run("hi")).await;
    }
}

#[tokio::test]
async fn a_context_that_the_message_names_is_used_verbatim() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    for (number, context) in ["ctx_mine", "", r#"a \"b\" \\ é"#].into_iter().enumerate() {
        let params = message("hello").replacen('{', &format!(r#"{{"contextId":"{context}","#), 1);
        let mut submitter = served.send(post(&stream_body_of(&params))).await;
        submitter.expect(STREAM_HEAD).await;
        served.run_task("hi").await;
        // No context id was minted, so each task took one UUID.
        let task = format!("tsk_{}", minted(number));
        submitter.expect_all(TaskFrames { task, context: context.into() }.run("hi")).await;
    }
}

#[tokio::test]
async fn a_message_may_be_the_params_themselves() {
    let served = Served::on_a_socket(builder()).await;
    let mut submitter = served.send(post(&stream_body_of(&message("bare")))).await;
    let task = served.next_task().await;
    assert_eq!(task.text(), "bare");
    assert_eq!(task.submission().message_id, "msg-1");
    assert_eq!(task.submission().role, "user");
    task.begin_attempt().await.unwrap().failed("session ended").await.unwrap();
    let expected = TaskFrames::nth(0).failed(0, "session ended");
    submitter.expect_all(format!("{STREAM_HEAD}{expected}")).await;
}

#[tokio::test]
async fn the_texts_of_the_parts_are_joined_with_line_feeds() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    for (parts, text) in [
        (r#"[{"text":"a"},{"text":"b\nc"}]"#, "a\nb\nc"),
        (r#"[{"text":"a"},{"file":{}},{"text":null},{"text":"d"}]"#, "a\nd"),
        (r#"[{"text":""},{"text":""}]"#, "\n"),
        ("[]", ""),
    ] {
        let params = format!(r#"{{"messageId":"m","role":"user","parts":{parts}}}"#);
        let _submitter = served.send(post(&stream_body_of(&params))).await;
        assert_eq!(served.next_task().await.text(), text, "{parts}");
    }
}

#[tokio::test]
async fn params_that_are_no_message_get_an_error_frame_and_the_end() {
    let served = Served::on_a_socket(builder()).await;
    for (params, text) in [
        ("{}", "missing field `messageId`"),
        (r#"{"message":{"role":"user","parts":[]}}"#, "missing field `messageId`"),
        (r#"{"message":{"messageId":"m","parts":[]}}"#, "missing field `role`"),
        (r#"{"message":{"messageId":"m","role":"user"}}"#, "missing field `parts`"),
        (r#"{"message":null}"#, "invalid type: null, expected struct A2aMessage"),
        ("null", "invalid type: null, expected struct A2aMessage"),
        ("[]", "invalid type: sequence, expected struct A2aMessage"),
        (
            r#"{"messageId":1,"role":"user","parts":[]}"#,
            "invalid type: integer `1`, expected a string",
        ),
        (
            r#"{"messageId":"m","role":"user","parts":[1]}"#,
            "invalid type: integer `1`, expected struct MessagePart",
        ),
    ] {
        expect_error(&served, params, &format!("Invalid params: {text}")).await;
    }
    let absent = r#"{"jsonrpc":"2.0","id":1,"method":"message/stream"}"#;
    let text = "Invalid params: invalid type: null, expected struct A2aMessage";
    served.send(post(absent)).await.expect_all(format!("{STREAM_HEAD}{}", error(text))).await;
    // None of them was the one task that this capsule accepts.
    let _submitter = served.submit("hello").await;
    served.next_task().await;
}

#[tokio::test]
async fn a_quoted_value_is_pasted_without_escaping() {
    let served = Served::on_a_socket(builder()).await;
    let params = r#"{"message":{"messageId":"m","role":"user","parts":"x"}}"#;
    let text = r#"Invalid params: invalid type: string "x", expected a sequence"#;
    expect_error(&served, params, text).await;
}

#[tokio::test]
async fn nothing_that_a_client_sends_breaks_its_error_frame() {
    let served = Served::on_a_socket(builder()).await;
    let evil = [
        r"\n\nevent: status\ndata: {}\n\n",
        r"\r\n\r\n",
        r"\r",
        r#"\"}\n\nid: 0\n"#,
        r"\u000a\u000d\u0085\u2028\u2029\u0000",
    ];
    for evil in evil {
        for params in [
            format!(r#""{evil}""#),
            format!(r#"{{"message":"{evil}"}}"#),
            format!(r#"{{"messageId":"m","role":"user","parts":"{evil}"}}"#),
            format!(r#"{{"messageId":"m","role":"user","parts":["{evil}"]}}"#),
            format!(r#"{{"messageId":["{evil}"],"role":"user","parts":[]}}"#),
            format!(r#"{{"{evil}":"{evil}","message":{{"{evil}":1}}}}"#),
        ] {
            let mut client = served.send(post(&stream_body_of(&params))).await;
            let answer = client.rest().await;
            let body = answer.strip_prefix(STREAM_HEAD).unwrap();
            assert!(
                body.starts_with("event: error\ndata: {\"error\":\"Invalid params: "),
                "{body}"
            );
            assert!(body.ends_with("\"}\n\n"), "{body}");
            assert_eq!(body.matches('\n').count(), 3, "{body}");
            assert!(!body.contains('\r'), "{body}");
        }
    }
}

#[tokio::test]
async fn an_error_comes_after_the_replay_that_was_asked_for() {
    let served = Served::on_a_socket(builder()).await;
    let mut submitter = served.submit("hello").await;
    served.run_task("hi").await;
    let run = TaskFrames::nth(0).run("hi");
    submitter.expect_all(&run).await;
    let request = post_with("Last-Event-ID: 0\r\n", &stream_body_of("{}"));
    let replay = frames(&run)[1..].concat();
    let error = error("Invalid params: missing field `messageId`");
    served.send(request).await.expect_all(format!("{STREAM_HEAD}{replay}{error}")).await;
}

#[tokio::test]
async fn a_submission_without_a_json_content_type_is_not_taken() {
    let served = Served::on_a_socket(builder()).await;
    let request = post(&stream_body("hello")).replace("application/json", "text/plain");
    served.send(request).await.expect_all(NOT_FOUND).await;
    // It was not the one task that this capsule accepts.
    let _submitter = served.submit("hello").await;
    served.next_task().await;
}
