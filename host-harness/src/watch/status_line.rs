//! What the status line says: how the task stands and since when, and how far the stream is.

use super::style::{Ink, Style, neutralise};
use std::time::Duration;

/// What is known of the stream, without a clock: the time is told.
#[derive(Debug, Default)]
pub(super) struct Status {
    now: Duration,
    task: String,
    state: String,
    since: Duration,
    frames: u64,
    last_id: Option<String>,
}

impl Status {
    pub(super) fn clock(&mut self, now: Duration) {
        self.now = now;
    }

    /// A frame came, with this id or without one.
    pub(super) fn frame(&mut self, id: Option<&str>) {
        self.frames += 1;
        if let Some(id) = id {
            self.last_id = Some(id.to_owned());
        }
    }

    /// A task is in this state. A state begins once, however often it is said.
    pub(super) fn task(&mut self, task: &str, state: &str) {
        if self.task != task || self.state != state {
            (self.task, self.state, self.since) = (task.to_owned(), state.to_owned(), self.now);
        }
    }

    /// The line, of at most so many columns.
    pub(super) fn line(&self, most: usize, style: Style) -> String {
        let state = if self.state.is_empty() { "no task yet" } else { &self.state };
        let time = elapsed(self.now.saturating_sub(self.since));
        let plural = if self.frames == 1 { "" } else { "s" };
        let mut text = format!("{state} {time} | {} frame{plural}", self.frames);
        if let Some(id) = &self.last_id {
            text += &format!(" | last id {id}");
        }
        let ink = if self.state == "input-required" { Ink::Wanted } else { Ink::Dim };
        let mut line = String::new();
        style.paint(ink, &cut(&neutralise(&text), most), &mut line);
        line
    }
}

/// As much as is read at a glance.
fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}

/// The beginning of `text` that surely has room in so many columns of one line.
fn cut(text: &str, most: usize) -> String {
    let mut used = 0;
    let line = text.chars().map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c });
    let fitting = line.take_while(|&c| {
        used += columns(c);
        used <= most
    });
    fitting.collect()
}

/// The most columns that a character takes. A terminal may show it in fewer; what is cut or broken
/// too early stays in its line, and what is cut too late does not.
pub(super) fn columns(c: char) -> usize {
    match c {
        '\t' => 8,
        // No script before this one has wide characters.
        '\0'..'\u{1100}' => 1,
        _ => 2,
    }
}
