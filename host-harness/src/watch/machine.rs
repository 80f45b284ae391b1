//! The watch without any I/O of its own: events in, text out.

use super::frames;
use super::printer::Printer;
use super::style::neutralise;
use super::turns::Turns;
use super::view::View;
use protocol::ConversationMode;
use protocol::sse::Event;
use serde_json::Value;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::Duration;

/// How a watch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The capsule wrote `capsule-closed`.
    CapsuleClosed,
    /// The connection ended without it.
    ConnectionLost,
    /// There was no stream, or not one that can be read on, or nothing to write it to. Or the task
    /// that was to be followed never became one.
    Failed,
    /// The task that was followed ended, and its final status was `completed` or was not.
    Task {
        /// Whether it was.
        completed: bool,
    },
}

impl Ended {
    /// What the program exits with.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::CapsuleClosed | Self::Task { completed: true } => 0,
            Self::ConnectionLost | Self::Failed | Self::Task { completed: false } => 1,
        }
    }
}

/// A watch of one capsule. It starts in [`ConversationMode::Stateless`], which the first frame may
/// change.
///
/// Every method writes out all that it has to say. One that fails could not write to `out`; a
/// failure of `err` is ignored, as there is nowhere to report it.
pub struct Watch<O: Write, E> {
    label: String,
    printer: Printer<O>,
    err: E,
    mode: ConversationMode,
    turns: Turns,
    last_id: Option<String>,
    follows: Follows,
}

/// Which stream is followed, and so what its end says.
#[derive(Clone, Copy)]
enum Follows {
    /// That of `stream/watch`.
    Capsule,
    /// That of `message/stream`, which ends after a final status: whether that said `completed`.
    Task(Option<bool>),
}

impl<O: Write, E: Write> Watch<O, E> {
    /// A watch that has not begun, of the capsule that messages call `label`.
    pub fn new(label: impl Into<String>, view: impl Into<View>, out: O, err: E) -> Self {
        Self {
            label: label.into(),
            printer: Printer::new(out, view.into()),
            err,
            mode: ConversationMode::Stateless,
            turns: Turns::default(),
            last_id: None,
            follows: Follows::Capsule,
        }
    }

    /// The same of a task that was submitted with `message/stream`.
    pub fn of_task(label: impl Into<String>, view: impl Into<View>, out: O, err: E) -> Self {
        Self { follows: Follows::Task(None), ..Self::new(label, view, out, err) }
    }

    /// Whether there is a status line, which wants to be told the time.
    pub fn has_status_line(&self) -> bool {
        self.printer.has_status_line()
    }

    /// The head of the stream came.
    pub fn attached(&mut self) {
        if let Follows::Task(_) = self.follows {
            return;
        }
        self.say(&format!(
            "[murmur] watching {} — Ctrl-C ends the watch, not the capsule; use `mur stop` to end \
             the capsule",
            self.label
        ));
    }

    /// It is so long since the watch began. Where there is a status line, it says so.
    ///
    /// # Errors
    ///
    /// `out` could not be written to.
    pub fn clock(&mut self, now: Duration) -> io::Result<()> {
        match self.printer.status() {
            Some(status) => status.clock(now),
            None => return Ok(()),
        }
        self.printer.flush()
    }

    /// Takes an event. `Break` says that it was the last one, even if more should come.
    ///
    /// # Errors
    ///
    /// `out` could not be written to.
    pub fn event(&mut self, event: &Event) -> io::Result<ControlFlow<Ended>> {
        if let Some(id) = event.id.as_ref().filter(|id| !id.is_empty()) {
            self.last_id = Some(id.clone());
        }
        if let Some(status) = self.printer.status() {
            status.frame(event.id.as_deref().filter(|id| !id.is_empty()));
        }
        if let (Follows::Task(_), Some("error")) = (self.follows, event.event_type.as_deref()) {
            // Its data need not be valid JSON.
            let reason = format!("the task was not accepted: {}", event.data);
            return self.failed(&reason).map(ControlFlow::Break);
        }
        // What is not known, or is not what it should be, is ignored.
        let Ok(data @ Value::Object(_)) = serde_json::from_str(&event.data) else {
            return Ok(ControlFlow::Continue(()));
        };
        match event.event_type.as_deref() {
            Some("status") => self.status(&data),
            Some("artifact") => frames::artifact(&mut self.printer, &data),
            Some("text") => frames::text(&mut self.printer, &data),
            Some("thinking") => frames::thinking(&mut self.printer, &data),
            Some("connection-ack") => self.connection_ack(&data),
            Some("gap") => self.gap(&data)?,
            Some("capsule-closed") => {
                self.finish()?;
                self.say("[murmur] capsule closed");
                return Ok(ControlFlow::Break(Ended::CapsuleClosed));
            }
            _ => {}
        }
        self.printer.flush()?;
        Ok(ControlFlow::Continue(()))
    }

    /// The stream ended, and no `capsule-closed` had come.
    ///
    /// # Errors
    ///
    /// `out` could not be written to.
    pub fn lost(&mut self) -> io::Result<Ended> {
        self.finish()?;
        if let Follows::Task(Some(completed)) = self.follows {
            return Ok(Ended::Task { completed });
        }
        let place = match &self.last_id {
            Some(id) => format!("after event id {id}"),
            None => "before any event".to_owned(),
        };
        self.error(&format!(
            "connection to {} lost {place} — the capsule may still be running; run mur watch \
             again to reattach",
            self.label
        ));
        Ok(Ended::ConnectionLost)
    }

    /// The answer's status was not 200. `status_line` is that of the answer.
    ///
    /// # Errors
    ///
    /// `out` could not be written to.
    pub fn refused(&mut self, status_line: &str) -> io::Result<Ended> {
        self.failed(&format!("capsule returned non-200 response: {status_line}"))
    }

    /// There is no stream, or not one that can be read on, for this reason.
    ///
    /// # Errors
    ///
    /// `out` could not be written to.
    pub fn failed(&mut self, reason: &str) -> io::Result<Ended> {
        self.finish()?;
        self.error(reason);
        Ok(Ended::Failed)
    }

    /// `out` could not be written to, for this reason.
    pub fn unwritable(&mut self, reason: &io::Error) -> Ended {
        self.say(&format!("error: the output could not be written: {reason}"));
        Ended::Failed
    }

    fn status(&mut self, data: &Value) {
        if let (Follows::Task(outcome), true) = (&mut self.follows, frames::is_final(data)) {
            *outcome = Some(data["status"]["state"] == "completed");
        }
        let turn = match self.mode {
            ConversationMode::Stateless => None,
            ConversationMode::Threaded => self.turns.label(data, frames::is_final(data)),
        };
        frames::status(&mut self.printer, data, turn.as_deref());
        if let (Some(status), Some(state)) =
            (self.printer.status(), data["status"]["state"].as_str())
        {
            status.task(data["id"].as_str().unwrap_or_default(), state);
        }
    }

    fn connection_ack(&mut self, data: &Value) {
        self.mode = match data["conversation_mode"].as_str() {
            Some("threaded") => ConversationMode::Threaded,
            _ => ConversationMode::Stateless,
        };
    }

    fn gap(&mut self, data: &Value) -> io::Result<()> {
        self.finish()?;
        let first = match &data["first_available_id"] {
            Value::Number(id) => id.to_string(),
            _ => "unknown".to_owned(),
        };
        self.say(&format!(
            "[murmur] warning: buffer overflow — some earlier events were lost (first available \
             id: {first})"
        ));
        Ok(())
    }

    /// Before something is said on `err`, which may be the same terminal.
    fn finish(&mut self) -> io::Result<()> {
        self.printer.begin_line();
        self.printer.flush_and_leave()
    }

    fn error(&mut self, message: &str) {
        self.say(&format!("error[E-IO-003]: {message}"));
    }

    /// Ids and status lines come from the network, and `err` is most often a terminal.
    fn say(&mut self, message: &str) {
        let _ = writeln!(self.err, "{}", neutralise(message)).and_then(|()| self.err.flush());
    }
}
