//! The bottom of a terminal: the text that is being written, and the status line below it.
//!
//! The status line goes before anything is printed and comes back after it. It stands on a line of
//! its own, also while the reply is in the middle of one; to go on there, that line is written
//! again from its beginning. So that it is one line of the terminal and no more, the text is broken
//! before the word that would reach the last column.

use super::status_line::{Status, columns};
use super::style::{Ink, Style};

/// To the line's beginning, and all of it away.
const ERASE_LINE: &str = "\r\x1b[2K";
const UP: &str = "\x1b[A";
/// No terminal is taken to be narrower.
const FEWEST_COLUMNS: usize = 20;

/// What is being written word by word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Reply,
    Thinking,
}

pub(super) struct Screen {
    style: Style,
    columns: fn() -> usize,
    pub(super) status: Status,
    flow: Option<Flow>,
    /// The line that the text is in the middle of, and how many columns it takes at most.
    line: String,
    used: usize,
    shown: Option<Shown>,
}

/// The status line as it stands, and the unfinished line above it, both in their colours.
struct Shown {
    status: String,
    above: String,
}

impl Screen {
    pub(super) fn new(style: Style, columns: fn() -> usize) -> Self {
        let (line, status) = (String::new(), Status::default());
        Self { style, columns, status, flow: None, line, used: 0, shown: None }
    }

    /// Adds a piece of text, which may end anywhere. Thinking is told from the reply by where it
    /// begins, and by its colour.
    pub(super) fn flow(&mut self, flow: Flow, text: &str, buffer: &mut String) {
        if self.flow != Some(flow) {
            self.begin_line(buffer);
            self.flow = Some(flow);
            if flow == Flow::Thinking {
                self.add("[thinking] ", buffer);
            }
        }
        self.add(text, buffer);
    }

    fn add(&mut self, text: &str, buffer: &mut String) {
        let most = self.width();
        // A line's colour ends with it, so that it can be written again by itself.
        let mut piece = String::new();
        for word in text.split_inclusive([' ', '\n']) {
            let width: usize = word.trim_end().chars().map(columns).sum();
            if self.used > 0 && self.used + width > most {
                self.break_line(&mut piece, buffer);
            }
            for c in word.chars() {
                let is_full = self.used + columns(c) > most;
                if c == '\n' || is_full {
                    self.break_line(&mut piece, buffer);
                }
                if c == '\n' || (is_full && c == ' ') {
                    continue;
                }
                piece.push(c);
                self.line.push(c);
                self.used += columns(c);
            }
        }
        self.style.paint(self.ink(), &piece, buffer);
    }

    fn break_line(&mut self, piece: &mut String, buffer: &mut String) {
        self.style.paint(self.ink(), piece, buffer);
        buffer.push('\n');
        piece.clear();
        self.line.clear();
        self.used = 0;
    }

    /// Ends the line that the text is in the middle of, and the text.
    pub(super) fn begin_line(&mut self, buffer: &mut String) {
        self.flow = None;
        if !self.line.is_empty() {
            self.break_line(&mut String::new(), buffer);
        }
    }

    /// Puts around `printed` what takes the status line away and brings it back. Nothing, where
    /// that would change nothing.
    pub(super) fn redraw(&mut self, printed: &str) -> String {
        let status = self.status.line(self.width(), self.style);
        if printed.is_empty() && self.shown.as_ref().is_some_and(|shown| shown.status == status) {
            return String::new();
        }
        let mut bytes = self.erase();
        bytes.push_str(printed);
        let mut above = String::new();
        self.style.paint(self.ink(), &self.line, &mut above);
        if !above.is_empty() {
            bytes.push('\n');
        }
        bytes.push_str(&status);
        self.shown = Some(Shown { status, above });
        bytes
    }

    /// What takes the status line away, and goes back to where the text goes on.
    pub(super) fn erase(&mut self) -> String {
        match self.shown.take() {
            None => String::new(),
            Some(Shown { above, .. }) if above.is_empty() => ERASE_LINE.to_owned(),
            Some(Shown { above, .. }) => format!("{ERASE_LINE}{UP}\r{above}"),
        }
    }

    fn ink(&self) -> Ink {
        if self.flow == Some(Flow::Thinking) { Ink::Dim } else { Ink::Plain }
    }

    /// Columns that are written to. The last is not: some terminals go to the next line then.
    fn width(&self) -> usize {
        (self.columns)().max(FEWEST_COLUMNS) - 1
    }
}
