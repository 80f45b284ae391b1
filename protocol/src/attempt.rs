//! One attempt at a task, and what it writes (protocol page, "Event ids").
//!
//! An attempt owns the task's counter, which starts at `0` again for a reopened one. The chunk
//! counter belongs to the [`Session`]; the two meet at the start of an inference call and, only if
//! it returned, at its end.

use crate::counters::{self, Counter};
use crate::frame::{Frame, Status};
use crate::{InputWait, Session, Task};

/// A tool call's result (section `artifact`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The tool or skill.
    pub tool_name: String,
    /// Exactly what the model received: fenced when `fence_source` is there (see [`crate::fence()`]).
    pub content: String,
    /// `tool:<name>` for an ordinary tool result, else none.
    pub fence_source: Option<String>,
    /// The provider's id for the call. An empty one is written as `null`.
    pub tool_call_id: Option<String>,
    /// Whether the tool returned a status other than `passed`, or was never reached.
    pub is_error: bool,
    /// The time that the dispatch took, in milliseconds.
    pub duration_ms: u64,
    /// The exit status of a subprocess that ran to completion.
    pub exit_code: Option<i32>,
    /// The tool result's own flag.
    pub truncated: bool,
}

/// A hook's artifact, written before `completed` (section `artifact`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookArtifact {
    /// The hook.
    pub hook_name: String,
    /// What it left.
    pub content: String,
}

/// One attempt at a task, from its first turn to its end.
///
/// A session runs one attempt at a time. One that was overtaken by a newer attempt writes nothing.
#[derive(Debug)]
pub struct Attempt {
    task: Task,
    serial: u64,
    counter: Counter,
    turn: u64,
}

/// An inference call under way: the token for its return. Dropping it says that the call did not
/// return, as after a cancel or a trap of the driver.
#[derive(Debug)]
#[must_use = "an inference call that is not `returned` leaves the counters apart"]
pub struct Inference {
    attempt: u64,
    turn: u64,
}

impl Attempt {
    /// Begins an attempt at `task`; from now on chunks belong to it.
    pub fn begin(session: &mut Session, task: Task) -> Self {
        let serial = session.run(task.id.clone());
        Self { task, serial, counter: Counter::starting_at(counters::TASK_START), turn: 0 }
    }

    /// Begins the next inference turn, and in it the call of the driver: writes `working`, and
    /// sets the chunk counter to the task's.
    pub fn begin_turn(&mut self, session: &mut Session) -> Inference {
        self.turn += 1;
        self.status(session, Status::Turn(self.turn));
        if self.runs(session) {
            session.begin_inference(self.counter);
        }
        Inference { attempt: self.serial, turn: self.turn }
    }

    /// The driver's call returned: writes the empty final `text` if it emitted a text chunk, and
    /// sets the task's counter to the chunk counter. Only the latest turn's call counts.
    pub fn inference_returned(&mut self, session: &mut Session, inference: Inference) {
        let latest = (inference.attempt, inference.turn) == (self.serial, self.turn);
        if !latest || !self.runs(session) {
            return;
        }
        if session.text_chunk_emitted() {
            session.final_text(&self.task.id, "");
        }
        self.counter = session.chunk_counter();
    }

    /// Writes one tool call's result.
    pub fn artifact(&mut self, session: &mut Session, artifact: &Artifact) {
        if self.runs(session) {
            session.publish(Frame::artifact(self.counter.take(), &self.task.id, artifact));
        }
    }

    /// Writes one hook artifact.
    pub fn hook_artifact(&mut self, session: &mut Session, artifact: &HookArtifact) {
        if self.runs(session) {
            session.publish(Frame::hook_artifact(self.counter.take(), &self.task.id, artifact));
        }
    }

    /// A tool asks for input: writes `input-required`. The task's counters stay as they are.
    pub fn wait_for_input(&self, session: &mut Session, prompt: &str) -> InputWait {
        let mut wait = InputWait::new(self.task.clone(), self.serial);
        wait.status(session, Status::InputRequired { prompt });
        wait
    }

    /// Ends the attempt with its reply, `""` included: writes the whole reply as one `text` frame
    /// where its last turn emitted no text chunk and it is not empty, then `completed`.
    pub fn completed(mut self, session: &mut Session, response: &str) {
        if self.runs(session) && !session.text_chunk_emitted() && !response.is_empty() {
            session.final_text(&self.task.id, response);
            self.counter = session.chunk_counter();
        }
        self.end(session, Status::Completed { response });
    }

    /// Ends the attempt: writes `failed` with `message`.
    pub fn failed(self, session: &mut Session, message: &str) {
        self.end(session, Status::Failed { message });
    }

    /// Ends the attempt: writes `canceled`.
    pub fn canceled(self, session: &mut Session) {
        self.end(session, Status::Canceled);
    }

    /// Ends the attempt without a word, as an error does that the agent loop does not report.
    pub fn abandon(self, session: &mut Session) {
        session.stop(self.serial);
    }

    fn end(mut self, session: &mut Session, status: Status<'_>) {
        self.status(session, status);
        session.stop(self.serial);
    }

    fn status(&mut self, session: &mut Session, status: Status<'_>) {
        if self.runs(session) {
            session.publish(Frame::status(self.counter.take(), &self.task, status));
        }
    }

    fn runs(&self, session: &Session) -> bool {
        session.runs(self.serial)
    }
}
