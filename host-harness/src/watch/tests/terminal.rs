//! What a terminal gets.

use super::*;
use std::ffi::OsStr;

#[test]
fn a_pipe_gets_the_exact_bytes_and_a_terminal_its_colours_unless_someone_minds() {
    let choose = |terminal, plain, no_color: Option<&str>, term: Option<&str>| {
        Style::choose(terminal, plain, no_color.map(OsStr::new), term.map(OsStr::new))
    };
    assert_eq!(choose(true, false, None, Some("xterm")), Style::Coloured);
    assert_eq!(choose(true, false, Some(""), None), Style::Coloured);
    assert_eq!(choose(true, true, None, Some("xterm")), Style::Exact);
    assert_eq!(choose(true, false, Some("1"), Some("xterm")), Style::Terminal);
    assert_eq!(choose(true, false, None, Some("dumb")), Style::Terminal);
    for plain in [true, false] {
        assert_eq!(choose(false, plain, None, Some("xterm")), Style::Exact);
    }
}

#[test]
fn on_a_terminal_what_is_not_text_begins_a_line() {
    let tool = artifact(r#"{"tool_name":"t","content":"c"}"#);
    let stream = [text("a"), text("b"), working(2), text("c\n"), tool, text("d"), completed("")];
    assert_eq!(
        show(Style::Terminal, &stream.concat()).out,
        "ab\n[working]  inference turn 2\nc\n[artifact] tool: t [ok] | c\nd\n[completed]\n\n"
    );
    let closed = show(Style::Terminal, &format!("{}{CLOSED}", text("a")));
    assert_eq!(closed.out, "a\n");
    let gap = frame("gap", r#"{"first_available_id":1}"#);
    assert_eq!(show(Style::Terminal, &format!("{}{gap}{}", text("a"), text("b"))).out, "a\nb");
}

#[test]
fn nothing_from_the_network_controls_the_terminal() {
    let evil = r"\u001b]0;x\u0007\b\r\u007f\u0000\u009b2J\u202e\u2066é🦀\t.";
    let harmless = "␛]0;x␇␈␍␡␀\u{fffd}2J\u{fffd}\u{fffd}é🦀\t.";
    let stream = [
        frame("text", &format!(r#"{{"text":"{evil}\r\n"}}"#)),
        artifact(&format!(r#"{{"tool_name":"{evil}","content":"{evil}\n{evil}"}}"#)),
        status(&format!(r#"{{"state":"{evil}","message":"{evil}"}}"#), false),
        status(&format!(r#"{{"state":"completed","response":"{evil}"}}"#), true),
        status_of("t", Some(evil), r#"{"state":"failed"}"#, true),
    ]
    .concat();
    assert_eq!(
        show(Style::Terminal, &format!("{ACK}{stream}")).out,
        format!(
            "{harmless}\n[artifact] tool: {harmless} [ok] | {harmless}\n  {harmless}\n\
             [{harmless}]  {harmless}\n[completed]\n  {harmless}\n\n[failed]\n"
        )
    );
    for ack in [ACK, THREADED] {
        let coloured = show(Style::Coloured, &format!("{ack}{stream}")).out;
        let left = uncoloured(&coloured);
        assert!(left.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')), "{left:?}");
        assert_eq!(left, show(Style::Terminal, &format!("{ack}{stream}")).out);
    }
}

/// Takes out the sequences that this program writes, and no others.
fn uncoloured(text: &str) -> String {
    ["0", "2", "31", "32", "33", "36"]
        .iter()
        .fold(text.to_owned(), |text, code| text.replace(&format!("\u{1b}[{code}m"), ""))
}

#[test]
fn colours_tell_states_apart_and_a_turn_that_begins_is_dim() {
    for (stream, shown) in [
        (working(1), "\u{1b}[2m[working]\u{1b}[0m\u{1b}[2m  inference turn 1\u{1b}[0m\n"),
        (
            status(r#"{"state":"input-required","message":"Which?"}"#, false),
            "\u{1b}[33m[input-required]\u{1b}[0m  Which?\n",
        ),
        (completed("ok"), "\u{1b}[32m[completed]\u{1b}[0m\n  ok\n\n"),
        (status(r#"{"state":"failed"}"#, true), "\u{1b}[31m[failed]\u{1b}[0m\n"),
        (status(r#"{"state":"canceled"}"#, true), "\u{1b}[33m[canceled]\u{1b}[0m\n"),
        (text("reply"), "reply"),
        (
            artifact(r#"{"tool_name":"t","content":"a\nb","is_error":true}"#),
            "\u{1b}[36m[artifact] tool: t\u{1b}[0m\u{1b}[31m [error]\u{1b}[0m | a\n\
             \u{1b}[2m  b\u{1b}[0m\n",
        ),
        (frame("thinking", r#"{"text":"hm"}"#), ""),
    ] {
        assert_eq!(show(Style::Coloured, &stream).out, shown);
    }
}
