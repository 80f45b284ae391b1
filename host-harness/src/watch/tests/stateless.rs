//! The bytes of each frame, where every task starts afresh.

use super::*;

#[test]
fn a_status_that_is_not_final_shows_its_state_and_message() {
    assert_eq!(exact(&working(2)), "[working]  inference turn 2\n");
    let prompt = status(r#"{"state":"input-required","message":"Which?\n1 or 2"}"#, false);
    assert_eq!(exact(&prompt), "[input-required]  Which?\n1 or 2\n");
    let empty = status(r#"{"state":"input-required","message":""}"#, false);
    assert_eq!(exact(&empty), "[input-required]  \n");
}

#[test]
fn a_final_status_shows_its_state_alone() {
    for (state, message) in [
        ("failed", "max_turns exceeded: the task used all 3 inference turns"),
        ("failed", "input-timeout"),
        ("canceled", "task canceled before it started"),
    ] {
        let body = format!(r#"{{"state":"{state}","message":"{message}"}}"#);
        assert_eq!(exact(&status(&body, true)), format!("[{state}]\n"));
    }
    // A response belongs to `completed` only.
    let failed = status(r#"{"state":"failed","message":"m","response":"r"}"#, true);
    assert_eq!(exact(&failed), "[failed]\n");
}

#[test]
fn a_completed_status_shows_the_lines_of_its_response_and_an_empty_one() {
    assert_eq!(exact(&completed("one")), "[completed]\n  one\n\n");
    assert_eq!(
        exact(&completed("one\n\ntwo\r\n three \n")),
        "[completed]\n  one\n  \n  two\n   three \n\n"
    );
    assert_eq!(exact(&completed("")), "[completed]\n\n");
    let without = status(r#"{"state":"completed","message":"session ended"}"#, true);
    assert_eq!(exact(&without), "[completed]\n");
}

#[test]
fn a_response_is_wrapped_at_78_before_it_is_indented() {
    let fits = "x".repeat(38) + " " + &"y".repeat(39);
    let response = format!("{fits}\n{fits}z\nend");
    let expected =
        format!("[completed]\n  {fits}\n  {}\n  {}z\n  end\n\n", "x".repeat(38), "y".repeat(39));
    assert_eq!(exact(&completed(&response)), expected);
}

#[test]
fn an_artifact_shows_its_tool_its_outcome_and_its_content() {
    for (body, shown) in [
        (
            r#"{"tool_name":"bash","content":"<untrusted-content source=tool:bash>\n$ echo hello\nStderr:\n\n</untrusted-content>","fence_source":"tool:bash","tool_call_id":"toolu_01","is_error":false,"duration_ms":12,"exit_code":0,"truncated":false}"#,
            "[artifact] tool: bash [ok, exit 0, 12ms] | <untrusted-content source=tool:bash>\n  \
             $ echo hello\n  Stderr:\n  \n  </untrusted-content>\n",
        ),
        (
            r#"{"tool_name":"no-such-tool","content":"tool 'no-such-tool' is not declared","fence_source":null,"tool_call_id":"toolu_03","is_error":true,"duration_ms":0,"exit_code":null,"truncated":false}"#,
            "[artifact] tool: no-such-tool [error, 0ms] | tool 'no-such-tool' is not declared\n",
        ),
        (
            r#"{"tool_name":"my-hook","content":"{\"reviewed\":true}","fence_source":null,"tool_call_id":null,"is_error":false,"duration_ms":null,"exit_code":null,"truncated":false}"#,
            "[artifact] tool: my-hook [ok] | {\"reviewed\":true}\n",
        ),
        (
            r#"{"tool_name":"b","content":"a\n","is_error":true,"duration_ms":5,"exit_code":-1,"truncated":true}"#,
            "[artifact] tool: b [error, exit -1, 5ms, truncated] | a\n",
        ),
        (
            r#"{"tool_name":"b","content":"","is_error":false,"duration_ms":null,"exit_code":null,"truncated":true}"#,
            "[artifact] tool: b [ok, truncated] | \n",
        ),
    ] {
        assert_eq!(exact(&artifact(body)), shown);
    }
}

#[test]
fn the_lines_of_an_artifact_are_not_wrapped() {
    let line = "word ".repeat(100);
    let shown = exact(&artifact(&format!(r#"{{"tool_name":"t","content":"{line}\n{line}"}}"#)));
    assert_eq!(shown, format!("[artifact] tool: t [ok] | {line}\n  {line}\n"));
}

#[test]
fn text_is_printed_as_it_is_and_what_follows_it_adds_no_line_end() {
    let stream = [
        &text("I'll "),
        &text("\u{1b}[31m\r\n\0 🦀"),
        &text(""),
        &working(2),
        &text("done\n"),
        &completed("I'll done"),
    ];
    assert_eq!(
        exact(&stream.map(String::as_str).concat()),
        "I'll \u{1b}[31m\r\n\0 🦀[working]  inference turn 2\ndone\n[completed]\n  I'll done\n\n"
    );
}

#[test]
fn a_final_text_is_shown_like_any_other() {
    let whole = frame("text", r#"{"id":"tsk_1","text":"The whole reply","final":true}"#);
    let end = frame("text", r#"{"id":"tsk_1","text":"","final":true}"#);
    assert_eq!(exact(&(whole + &end)), "The whole reply");
}

#[test]
fn thinking_and_heartbeats_are_not_shown() {
    let thinking = frame("thinking", r#"{"id":"tsk_1","text":"two targets","final":false}"#);
    assert_eq!(exact(&format!("{ACK}{thinking}:heartbeat\n\n")), "");
}

#[test]
fn a_gap_is_a_warning_that_names_the_first_id() {
    let gap = "event: gap\ndata: {\"first_available_id\":18446744073709551615}\n\n";
    let shown = show(Style::Exact, &format!("{gap}{}", working(1)));
    assert_eq!(shown.out, "[working]  inference turn 1\n");
    assert_eq!(
        shown.err,
        "[murmur] warning: buffer overflow — some earlier events were lost (first available id: \
         18446744073709551615)\n"
    );
}
