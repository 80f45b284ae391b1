//! What the agent loop does for a scenario, one act after another.

use std::time::Duration;

use protocol::{Artifact, Chunk};

use super::document::{self, Emit, Ending, Skill, Step, Tool, Turn, Unreached};
use super::words::words;

/// How long a tool that asks waits for its answer, unless the step says otherwise.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);

/// One thing that the agent loop does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Lets that time pass. Never zero, and never next to another wait.
    Wait(Duration),
    /// Begins an inference turn: `working` / `inference turn <n>`.
    BeginTurn,
    /// The driver, or the tool that runs, emits a chunk.
    Chunk(Chunk),
    /// The driver's call returned. Comes once a turn, except where the call did not return.
    InferenceReturned,
    /// A call was dispatched, and this is its result.
    Artifact(Artifact),
    /// A tool asks for input; what comes of it is its result.
    Ask(Ask),
    /// The user cancels the task, so long after this.
    CancelAfter(Duration),
    /// Work that holds the capsule's thread: nothing is written meanwhile.
    Hold(Duration),
    /// A hook left an artifact; only before [`End::Completed`].
    HookArtifact {
        /// The hook.
        hook_name: String,
        /// What it left.
        content: String,
    },
    /// The attempt ends. The last act, unless the task is reopened.
    End(End),
    /// Another attempt at the task begins.
    Reopen,
}

/// A call of a tool that asks for input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The tool.
    pub tool_name: String,
    /// The provider's id for the call.
    pub tool_call_id: Option<String>,
    /// What it asks.
    pub prompt: String,
    /// How long it waits for the answer.
    pub timeout: Duration,
    /// What a simulated user answers, and how long that takes. Without one it is for somebody to
    /// answer with `message/send`.
    pub answer: Option<(Duration, String)>,
}

impl Ask {
    /// The result of the call that was answered after `waited`.
    pub fn answered(&self, answer: &str, waited: Duration) -> Artifact {
        let content = protocol::fence(&self.tool_name, answer);
        self.artifact(content, Some(format!("tool:{}", self.tool_name)), waited)
    }

    /// The result of the call that was not: what a tool leaves that traps.
    pub fn failed(&self, why: &str, waited: Duration) -> Artifact {
        self.artifact(format!("tool '{}' failed: {why}", self.tool_name), None, waited)
    }

    fn artifact(
        &self,
        content: String,
        fence_source: Option<String>,
        waited: Duration,
    ) -> Artifact {
        Artifact {
            tool_name: self.tool_name.clone(),
            content,
            is_error: fence_source.is_none(),
            fence_source,
            tool_call_id: self.tool_call_id.clone(),
            duration_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
            exit_code: None,
            truncated: false,
        }
    }
}

/// How a task ends (section `status`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// `completed` / `session ended`.
    Completed {
        /// The task's result text; may be empty.
        response: String,
    },
    /// `failed`.
    Failed {
        /// The status's message.
        message: String,
    },
    /// An error that the agent loop does not report: no final status.
    Unreported,
}

/// The acts of valid steps.
pub(super) fn flatten(steps: &[Step], pace: Duration) -> Vec<Act> {
    let mut script = Script { acts: Vec::new(), turns: 0, pace };
    for (index, step) in steps.iter().enumerate() {
        // A turn begins before the time to its cancel does.
        if let Some(time) = step.cancel_after().filter(|_| !matches!(step, Step::Turn(_))) {
            script.acts.push(Act::CancelAfter(time.0));
        }
        match step {
            Step::Turn(turn) => script.turn(turn, steps.get(index + 1)),
            Step::Tool(tool) => script.tool(tool),
            Step::Ask(ask) => script.ask(ask),
            Step::Skill(skill) => script.skill(skill),
            Step::Unreached(call) => script.unreached(call),
            Step::Refused(_) => {}
            Step::Hook(hook) => script.acts.push(Act::HookArtifact {
                hook_name: hook.name.clone(),
                content: hook.content.clone(),
            }),
            Step::Pause(lapse) => script.wait(lapse.0),
            Step::Hold(lapse) => script.acts.push(Act::Hold(lapse.0)),
            Step::End(ending) => script.end(ending),
            Step::Reopen(_) => {
                script.turns = 0;
                script.acts.push(Act::Reopen);
            }
        }
    }
    script.acts
}

/// The time that the chunks of `emit` take.
pub(super) fn emit_time(emit: &[Emit], pace: Duration) -> Duration {
    let times = emit.iter().map(|emit| match emit {
        Emit::Text(text) | Emit::Thinking(text) => {
            pace.saturating_mul(u32::try_from(words(text).count()).unwrap_or(u32::MAX))
        }
        Emit::Chunk(_) | Emit::ThinkingChunk(_) => pace,
        Emit::Pause(lapse) => lapse.0,
    });
    times.fold(Duration::ZERO, Duration::saturating_add)
}

struct Script {
    acts: Vec<Act>,
    turns: u64,
    pace: Duration,
}

impl Script {
    fn turn(&mut self, turn: &Turn, next: Option<&Step>) {
        self.turns += 1;
        self.acts.push(Act::BeginTurn);
        if let Some(time) = turn.cancel_after {
            self.acts.push(Act::CancelAfter(time.0));
        }
        if let Some(after) = turn.after {
            self.wait(after.0);
        }
        self.emit(&turn.emit, turn.pace.map_or(self.pace, |pace| pace.0));
        if !matches!(next, Some(Step::End(ending)) if !ending.call_returned()) {
            self.acts.push(Act::InferenceReturned);
        }
    }

    fn tool(&mut self, tool: &Tool) {
        let duration_ms = self.run(&tool.emit, tool.duration_ms);
        self.acts.push(Act::Artifact(Artifact {
            tool_name: tool.name.clone(),
            content: protocol::fence(&tool.name, &tool.content),
            fence_source: Some(format!("tool:{}", tool.name)),
            tool_call_id: tool.tool_call_id.clone(),
            is_error: tool.is_error,
            duration_ms,
            exit_code: tool.exit_code,
            truncated: tool.truncated,
        }));
    }

    fn ask(&mut self, ask: &document::Ask) {
        let answer_after = ask.answer_after.map_or(Duration::ZERO, |lapse| lapse.0);
        self.acts.push(Act::Ask(Ask {
            tool_name: ask.name.clone(),
            tool_call_id: ask.tool_call_id.clone(),
            prompt: ask.prompt.clone(),
            timeout: ask.timeout.map_or(DEFAULT_TIMEOUT, |lapse| lapse.0),
            answer: ask.answer.clone().map(|answer| (answer_after, answer)),
        }));
    }

    fn skill(&mut self, skill: &Skill) {
        let duration_ms = self.run(&skill.emit, skill.duration_ms);
        self.acts.push(Act::Artifact(Artifact {
            tool_name: skill.name.clone(),
            content: skill.content.clone(),
            fence_source: None,
            tool_call_id: skill.tool_call_id.clone(),
            is_error: skill.is_error,
            duration_ms,
            exit_code: None,
            truncated: skill.truncated,
        }));
    }

    fn unreached(&mut self, call: &Unreached) {
        self.acts.push(Act::Artifact(Artifact {
            tool_name: call.name.clone(),
            content: call.content.clone(),
            fence_source: None,
            tool_call_id: call.tool_call_id.clone(),
            is_error: true,
            duration_ms: 0,
            exit_code: None,
            truncated: false,
        }));
    }

    /// Runs a call: its chunks, then the rest of its time. Answers the milliseconds that it took.
    fn run(&mut self, emit: &[Emit], duration_ms: Option<u64>) -> u64 {
        self.emit(emit, self.pace);
        let emitting = emit_time(emit, self.pace);
        let Some(duration_ms) = duration_ms else {
            return u64::try_from(emitting.as_millis()).unwrap_or(u64::MAX);
        };
        self.wait(Duration::from_millis(duration_ms).saturating_sub(emitting));
        duration_ms
    }

    fn emit(&mut self, emit: &[Emit], pace: Duration) {
        for emit in emit {
            match emit {
                Emit::Text(text) => {
                    words(text).for_each(|word| self.chunk(Chunk::Text(word.to_owned()), pace));
                }
                Emit::Thinking(text) => {
                    words(text).for_each(|word| self.chunk(Chunk::Thinking(word.to_owned()), pace));
                }
                Emit::Chunk(chunk) => self.chunk(Chunk::Text(chunk.clone()), pace),
                Emit::ThinkingChunk(chunk) => self.chunk(Chunk::Thinking(chunk.clone()), pace),
                Emit::Pause(lapse) => self.wait(lapse.0),
            }
        }
    }

    fn chunk(&mut self, chunk: Chunk, pace: Duration) {
        self.wait(pace);
        self.acts.push(Act::Chunk(chunk));
    }

    fn wait(&mut self, time: Duration) {
        match self.acts.last_mut() {
            _ if time.is_zero() => {}
            Some(Act::Wait(before)) => *before = before.saturating_add(time),
            _ => self.acts.push(Act::Wait(time)),
        }
    }

    fn end(&mut self, ending: &Ending) {
        let failed = |message: String| End::Failed { message };
        self.acts.push(Act::End(match ending {
            Ending::Completed(response) => End::Completed { response: response.clone() },
            Ending::DriverTrapped | Ending::ResponseFailed | Ending::CompactionFailed => {
                failed("session ended".to_owned())
            }
            Ending::DriverUnavailable(error) => {
                failed(format!("driver invocation failed: {error}"))
            }
            Ending::MaxTurns => failed(format!(
                "max_turns exceeded: the task used all {} inference turns",
                self.turns
            )),
            Ending::SpendRefused(message) => failed(message.clone()),
            Ending::Unreported => End::Unreported,
        }));
    }
}
