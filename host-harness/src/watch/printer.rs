//! Standard output.

use super::style::{Ink, Style};
use std::io::{self, Write};

/// Gathers what one frame prints, and writes it at once.
pub(super) struct Printer<O> {
    out: O,
    style: Style,
    buffer: String,
    /// Text was written after the last line end.
    mid_line: bool,
}

impl<O: Write> Printer<O> {
    pub(super) fn new(out: O, style: Style) -> Self {
        Self { out, style, buffer: String::new(), mid_line: false }
    }

    /// Adds something that came from the network.
    pub(super) fn print(&mut self, ink: Ink, text: &str) {
        self.style.paint(ink, &self.style.neutralise(text), &mut self.buffer);
    }

    /// Adds a piece of the reply as it is. It may end anywhere, and so may the line.
    pub(super) fn text(&mut self, text: &str) {
        self.print(Ink::Plain, text);
        self.mid_line = !text.ends_with('\n');
    }

    pub(super) fn end_line(&mut self) {
        self.buffer.push('\n');
    }

    /// Begins what is not text. The bytes for a pipe are those of the table, which has no line end
    /// after text; on a terminal it would be hard to see where the text ends.
    pub(super) fn begin_line(&mut self) {
        if self.mid_line && self.style != Style::Exact {
            self.end_line();
        }
        self.mid_line = false;
    }

    /// Writes all of it, for whoever waits at the other end.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let written = self.out.write_all(self.buffer.as_bytes());
        self.buffer.clear();
        written?;
        self.out.flush()
    }
}
