//! Standard output.

use super::screen::{Flow, Screen};
use super::status_line::Status;
use super::style::{Ink, Style};
use super::view::View;
use std::io::{self, Write};

/// Gathers what one frame prints, and writes it at once.
pub(super) struct Printer<O: Write> {
    out: O,
    style: Style,
    buffer: String,
    /// Text was written after the last line end.
    mid_line: bool,
    /// Where there is a status line.
    screen: Option<Screen>,
}

impl<O: Write> Printer<O> {
    pub(super) fn new(out: O, View { style, columns }: View) -> Self {
        let screen = columns.map(|columns| Screen::new(style, columns));
        Self { out, style, buffer: String::new(), mid_line: false, screen }
    }

    pub(super) fn has_status_line(&self) -> bool {
        self.screen.is_some()
    }

    /// What the status line says, where there is one.
    pub(super) fn status(&mut self) -> Option<&mut Status> {
        self.screen.as_mut().map(|screen| &mut screen.status)
    }

    /// Adds something that came from the network.
    pub(super) fn print(&mut self, ink: Ink, text: &str) {
        self.style.paint(ink, &self.style.neutralise(text), &mut self.buffer);
    }

    /// Adds a piece of the reply as it is. It may end anywhere, and so may the line.
    pub(super) fn text(&mut self, text: &str) {
        if let Some(screen) = &mut self.screen {
            screen.flow(Flow::Reply, &self.style.neutralise(text), &mut self.buffer);
            return;
        }
        self.print(Ink::Plain, text);
        self.mid_line = !text.ends_with('\n');
    }

    /// Adds a piece of the reasoning, which is for the eyes of who sits there: only what has a
    /// status line shows it.
    pub(super) fn thinking(&mut self, text: &str) {
        if let Some(screen) = &mut self.screen {
            screen.flow(Flow::Thinking, &self.style.neutralise(text), &mut self.buffer);
        }
    }

    pub(super) fn end_line(&mut self) {
        self.buffer.push('\n');
    }

    /// Begins what is not text. The bytes for a pipe are those of the table, which has no line end
    /// after text; on a terminal it would be hard to see where the text ends.
    pub(super) fn begin_line(&mut self) {
        if let Some(screen) = &mut self.screen {
            screen.begin_line(&mut self.buffer);
        }
        if self.mid_line && self.style != Style::Exact {
            self.end_line();
        }
        self.mid_line = false;
    }

    /// Writes all of it, for whoever waits at the other end.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if let Some(screen) = &mut self.screen {
            self.buffer = screen.redraw(&self.buffer);
        }
        self.write_buffer()
    }

    /// The same, and takes the status line away until the next time.
    pub(super) fn flush_and_leave(&mut self) -> io::Result<()> {
        if let Some(screen) = &mut self.screen {
            self.buffer.insert_str(0, &screen.erase());
        }
        self.write_buffer()
    }

    fn write_buffer(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let written = self.out.write_all(self.buffer.as_bytes());
        self.buffer.clear();
        written?;
        self.out.flush()
    }
}

impl<O: Write> Drop for Printer<O> {
    /// However the watch ends, the next prompt does not stand behind a status line.
    fn drop(&mut self) {
        if self.screen.is_some() {
            self.begin_line();
            let _ = self.flush_and_leave();
        }
    }
}
