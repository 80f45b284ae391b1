//! The status line of a terminal, byte for byte and as a screen shows it.

use super::server::HEAD;
use super::*;
use crate::watch::{View, watch_on};
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::sleep;

/// Away with the status line, while the text is at the beginning of a line.
const AWAY: &str = "\r\u{1b}[2K";
/// The same while the text is in the middle of the line above, which is then written again.
const AWAY_AND_UP: &str = "\r\u{1b}[2K\u{1b}[A\r";

/// What was written and not looked at yet.
#[derive(Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a watch writes to a terminal of that width at each step: so many seconds after it began,
/// this came.
fn steps(style: Style, columns: fn() -> usize, steps: &[(u64, &str)]) -> Vec<String> {
    let written = Written::default();
    let view = View::with_status_line(style, columns);
    let mut watch = Watch::new("the label", view, written.clone(), io::sink());
    let steps = steps.iter().map(|&(seconds, stream)| {
        watch.clock(Duration::from_secs(seconds)).unwrap();
        let (mut reader, mut input) = (Reader::new(), stream.as_bytes());
        while let Some(item) = reader.read(&mut input).unwrap() {
            let Item::Event(event) = item else { continue };
            assert_eq!(watch.event(&event).unwrap(), ControlFlow::Continue(()));
        }
        String::from_utf8(written.0.take()).unwrap()
    });
    steps.collect()
}

fn wide() -> usize {
    80
}

fn narrow() -> usize {
    24
}

#[test]
fn the_status_line_is_rewritten_in_place_and_goes_before_each_line() {
    let tool = artifact(r#"{"tool_name":"t","content":"c"}"#);
    let written = steps(
        Style::Terminal,
        wide,
        &[(0, ""), (2, &working(1)), (2, ""), (3, ""), (65, &tool), (4000, &completed("ok"))],
    );
    assert_eq!(
        written,
        [
            "no task yet 0 s | 0 frames".to_owned(),
            format!(
                "{AWAY}no task yet 2 s | 0 frames\
                 {AWAY}[working]  inference turn 1\nworking 0 s | 1 frame | last id 3"
            ),
            String::new(),
            format!("{AWAY}working 1 s | 1 frame | last id 3"),
            format!(
                "{AWAY}working 1 min 03 s | 1 frame | last id 3\
                 {AWAY}[artifact] tool: t [ok] | c\nworking 1 min 03 s | 2 frames | last id 3"
            ),
            format!(
                "{AWAY}working 1 h 06 min | 2 frames | last id 3\
                 {AWAY}[completed]\n  ok\n\ncompleted 0 s | 3 frames | last id 3"
            ),
        ]
    );
}

#[test]
fn text_goes_on_in_the_line_above_the_status_line() {
    let written = steps(
        Style::Terminal,
        wide,
        &[
            (0, &text("Hello")),
            (0, &text(", wor")),
            (1, ""),
            (1, &text("ld\nand ")),
            (1, &working(2)),
        ],
    );
    assert_eq!(
        written,
        [
            format!("no task yet 0 s | 0 frames{AWAY}Hello\nno task yet 0 s | 1 frame | last id 3"),
            format!("{AWAY_AND_UP}Hello, wor\nno task yet 0 s | 2 frames | last id 3"),
            format!("{AWAY_AND_UP}Hello, wor\nno task yet 1 s | 2 frames | last id 3"),
            format!("{AWAY_AND_UP}Hello, world\nand \nno task yet 1 s | 3 frames | last id 3"),
            format!(
                "{AWAY_AND_UP}and \n[working]  inference turn 2\nworking 0 s | 4 frames | last id 3"
            ),
        ]
    );
}

#[test]
fn thinking_is_dim_and_stands_on_lines_of_its_own() {
    let thinking = |text: &str| frame("thinking", &format!(r#"{{"text":"{text}"}}"#));
    let stream = [thinking("Let "), thinking(r"me\nsee"), thinking(""), text("Yes")].concat();
    let dim = |text: &str| format!("\u{1b}[2m{text}\u{1b}[0m");
    let status = |frames: &str| dim(&format!("no task yet 0 s | {frames} | last id 3"));
    assert_eq!(
        steps(Style::Coloured, wide, &[(0, &stream)]),
        [[
            dim("no task yet 0 s | 0 frames"),
            format!("{AWAY}{}{}\n{}", dim("[thinking] "), dim("Let "), status("1 frame")),
            format!("{AWAY_AND_UP}{}", dim("[thinking] Let ")),
            format!("{}\n{}\n{}", dim("me"), dim("see"), status("2 frames")),
            format!("{AWAY_AND_UP}{}\n{}", dim("see"), status("3 frames")),
            format!("{AWAY_AND_UP}{}\nYes\n{}", dim("see"), status("4 frames")),
        ]
        .concat()]
    );
    // Without colours the layout stays, and its words tell the two apart.
    let plain = steps(Style::Terminal, wide, &[(0, &stream)]).concat();
    assert!(!plain.replace(AWAY, "").replace("\u{1b}[A", "").contains('\u{1b}'), "{plain:?}");
    assert_eq!(
        on_screen(&plain, 80),
        ["[thinking] Let me", "see", "Yes", "no task yet 0 s | 4 frames | last id 3"]
    );
}

#[test]
fn a_question_is_waited_for_in_the_colour_of_a_question() {
    let asks = status(r#"{"state":"input-required","message":"Which?"}"#, false);
    let written = steps(Style::Coloured, wide, &[(0, &asks)]).concat();
    let line = "\n\u{1b}[33minput-required 0 s | 1 frame | last id 3\u{1b}[0m";
    assert!(written.ends_with(line), "{written:?}");
}

#[test]
fn a_state_begins_once_and_again_with_another_task() {
    let stream = |task: &str| status_of(task, None, r#"{"state":"working"}"#, false);
    let (one, other) = (stream("tsk_1"), stream("tsk_2"));
    let written = steps(Style::Terminal, wide, &[(1, &one), (5, &one), (8, &other)]);
    assert!(written[1].ends_with("\nworking 4 s | 2 frames | last id 3"), "{written:?}");
    assert!(written[2].ends_with("\nworking 0 s | 3 frames | last id 3"), "{written:?}");
}

#[test]
fn a_narrow_terminal_cuts_the_status_line_and_breaks_the_text() {
    let reply = "The quick brown fox is a fox and jumps over 東京東京東京東京東京. \
                 Incomprehensibilities-and-more.";
    let words: Vec<_> = reply.split_inclusive(' ').map(text).collect();
    let mut stream: Vec<_> = words.iter().map(|word| (0, word.as_str())).collect();
    stream.push((9, ""));
    let written = steps(Style::Terminal, narrow, &stream).concat();
    assert_eq!(
        on_screen(&written, narrow()),
        [
            "The quick brown fox is ",
            // What fits to its last letter takes no space along.
            "a fox and jumps over ",
            "東京東京東京東京東京. ",
            // A word that has no room in any line begins one of its own and is cut.
            "Incomprehensibilities-a",
            "nd-more.",
            "no task yet 9 s | 12 fr"
        ]
    );
}

#[test]
fn nothing_from_the_network_gets_out_of_the_status_line() {
    let evil = r"a\nb\t\u001b[2J\r\u009b";
    let stream = status_of("t", None, &format!(r#"{{"state":"{evil}"}}"#), false)
        .replace("id: 3", "id: \u{1b}[A");
    let written = steps(Style::Terminal, wide, &[(0, &stream)]).concat();
    let line = "a b ␛[2J␍\u{fffd} 0 s | 1 frame | last id ␛[A";
    assert!(written.ends_with(&format!("\n{line}")), "{written:?}");
}

#[tokio::test(start_paused = true)]
async fn the_status_line_counts_the_seconds_and_is_gone_at_the_end() {
    let (client, mut server) = tokio::io::duplex(1 << 20);
    let serving = tokio::spawn(async move {
        server.write_all(format!("{HEAD}{}", working(1)).as_bytes()).await.unwrap();
        sleep(Duration::from_millis(2500)).await;
        server.write_all(text("a").as_bytes()).await.unwrap();
        sleep(Duration::from_millis(1000)).await;
    });
    let (address, mut out) = ("capsule:1".parse().unwrap(), Vec::new());
    let view = View::with_status_line(Style::Terminal, wide);
    watch_on(client, &address, view, &mut out, io::sink()).await;
    serving.await.unwrap();
    let status = |seconds: u64, frames: &str| format!("working {seconds} s | {frames} | last id 3");
    let expected = [
        format!("no task yet 0 s | 0 frames{AWAY}[working]  inference turn 1\n"),
        status(0, "1 frame"),
        format!("{AWAY}{}{AWAY}{}", status(1, "1 frame"), status(2, "1 frame")),
        format!("{AWAY}a\n{}", status(2, "2 frames")),
        format!("{AWAY_AND_UP}a\n{}", status(3, "2 frames")),
        // And the cursor is on a line of its own for the message, or the next prompt.
        format!("{AWAY_AND_UP}a\n"),
    ];
    assert_eq!(String::from_utf8(out).unwrap(), expected.concat());
}

#[test]
fn a_watch_that_is_dropped_takes_its_status_line_away() {
    let mut out = Vec::new();
    let view = View::with_status_line(Style::Terminal, wide);
    let mut watch = Watch::new("the label", view, &mut out, io::sink());
    watch.clock(Duration::ZERO).unwrap();
    drop(watch);
    assert_eq!(String::from_utf8(out).unwrap(), format!("no task yet 0 s | 0 frames{AWAY}"));
}

#[test]
fn the_exact_text_has_no_status_line() {
    let view = View::with_status_line(Style::Exact, wide);
    let (mut out, thinking) = (Vec::new(), frame("thinking", r#"{"text":"hm"}"#));
    let mut watch = Watch::new("the label", view, &mut out, io::sink());
    assert!(!watch.has_status_line());
    watch.clock(Duration::ZERO).unwrap();
    let (mut reader, stream) = (Reader::new(), working(1) + &thinking);
    let mut input = stream.as_bytes();
    while let Some(Item::Event(event)) = reader.read(&mut input).unwrap() {
        assert_eq!(watch.event(&event).unwrap(), ControlFlow::Continue(()));
    }
    drop(watch);
    assert_eq!(String::from_utf8(out).unwrap(), "[working]  inference turn 1\n");
}

/// The lines of a terminal of so many columns that got these bytes. It knows what this program
/// writes: line feeds, carriage returns, one up, and a line's erasure.
fn on_screen(bytes: &str, columns: usize) -> Vec<String> {
    let (mut lines, mut row, mut column) = (vec![String::new()], 0, 0);
    let mut rest = bytes;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("\u{1b}[2K") {
            lines[row].clear();
            rest = after;
            continue;
        }
        if let Some(after) = rest.strip_prefix("\u{1b}[A") {
            row -= 1;
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '\r' => column = 0,
            '\n' => {
                (row, column) = (row + 1, 0);
                if row == lines.len() {
                    lines.push(String::new());
                }
            }
            c => {
                let mut line: Vec<char> = lines[row].chars().collect();
                if column < line.len() {
                    line[column] = c
                } else {
                    line.push(c)
                }
                column += 1;
                let width: usize = line.iter().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
                assert!(width < columns, "the last column is written to: {line:?}");
                lines[row] = line.into_iter().collect();
            }
        }
    }
    lines
}
