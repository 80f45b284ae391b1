//! The shape of a scenario file, before its steps are checked against each other.

use serde::Deserialize;
use toml::Spanned;

use super::lapse::Lapse;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) about: Spanned<String>,
    #[serde(default)]
    pub(super) pace: Lapse,
    #[serde(default)]
    pub(super) step: Vec<Spanned<Step>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Step {
    Turn(Turn),
    Tool(Tool),
    Ask(Ask),
    Skill(Skill),
    Unreached(Unreached),
    Refused(Refused),
    Hook(Hook),
    Pause(Lapse),
    Hold(Lapse),
    End(Ending),
    Reopen(Reopen),
}

impl Step {
    /// The key that the file calls this step by.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Turn(_) => "turn",
            Self::Tool(_) => "tool",
            Self::Ask(_) => "ask",
            Self::Skill(_) => "skill",
            Self::Unreached(_) => "unreached",
            Self::Refused(_) => "refused",
            Self::Hook(_) => "hook",
            Self::Pause(_) => "pause",
            Self::Hold(_) => "hold",
            Self::End(_) => "end",
            Self::Reopen(_) => "reopen",
        }
    }

    /// Whether the model asked for this step, which it can do in a turn only.
    pub(super) fn is_call(&self) -> bool {
        matches!(
            self,
            Self::Tool(_) | Self::Ask(_) | Self::Skill(_) | Self::Unreached(_) | Self::Refused(_)
        )
    }

    /// The name of the tool, skill or hook, of those steps that have one.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Tool(Tool { name, .. })
            | Self::Ask(Ask { name, .. })
            | Self::Skill(Skill { name, .. })
            | Self::Unreached(Unreached { name, .. })
            | Self::Refused(Refused { name })
            | Self::Hook(Hook { name, .. }) => Some(name),
            Self::Turn(_) | Self::Pause(_) | Self::Hold(_) | Self::End(_) | Self::Reopen(_) => None,
        }
    }

    /// When the user cancels the task, counted from the step's beginning.
    pub(super) fn cancel_after(&self) -> Option<Lapse> {
        match self {
            Self::Turn(Turn { cancel_after, .. })
            | Self::Tool(Tool { cancel_after, .. })
            | Self::Ask(Ask { cancel_after, .. })
            | Self::Skill(Skill { cancel_after, .. }) => *cancel_after,
            _ => None,
        }
    }

    /// The chunks that the step emits.
    pub(super) fn emit(&self) -> &[Emit] {
        match self {
            Self::Turn(Turn { emit, .. })
            | Self::Tool(Tool { emit, .. })
            | Self::Skill(Skill { emit, .. }) => emit,
            _ => &[],
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of a turn")]
pub(super) struct Turn {
    pub(super) after: Option<Lapse>,
    pub(super) cancel_after: Option<Lapse>,
    pub(super) pace: Option<Lapse>,
    #[serde(default)]
    pub(super) emit: Vec<Emit>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of a tool call")]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) content: String,
    pub(super) tool_call_id: Option<String>,
    #[serde(default)]
    pub(super) is_error: bool,
    pub(super) duration_ms: Option<u64>,
    pub(super) exit_code: Option<i32>,
    #[serde(default)]
    pub(super) truncated: bool,
    #[serde(default)]
    pub(super) background: bool,
    pub(super) cancel_after: Option<Lapse>,
    #[serde(default)]
    pub(super) emit: Vec<Emit>,
}

/// A call of a tool that asks for input.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of a tool that asks")]
pub(super) struct Ask {
    pub(super) name: String,
    pub(super) prompt: String,
    pub(super) tool_call_id: Option<String>,
    pub(super) timeout: Option<Lapse>,
    pub(super) answer: Option<String>,
    pub(super) answer_after: Option<Lapse>,
    pub(super) cancel_after: Option<Lapse>,
}

/// The task is reopened: another attempt follows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an empty table, {}")]
pub(super) struct Reopen {}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with the keys of a skill call")]
pub(super) struct Skill {
    pub(super) name: String,
    pub(super) content: String,
    pub(super) tool_call_id: Option<String>,
    #[serde(default)]
    pub(super) is_error: bool,
    pub(super) duration_ms: Option<u64>,
    #[serde(default)]
    pub(super) truncated: bool,
    pub(super) cancel_after: Option<Lapse>,
    #[serde(default)]
    pub(super) emit: Vec<Emit>,
}

/// A call that never reached a tool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `name` and `content`")]
pub(super) struct Unreached {
    pub(super) name: String,
    pub(super) content: String,
    pub(super) tool_call_id: Option<String>,
}

/// A call that a policy hook refused.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `name`")]
pub(super) struct Refused {
    pub(super) name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `name` and `content`")]
pub(super) struct Hook {
    pub(super) name: String,
    pub(super) content: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Emit {
    Text(String),
    Thinking(String),
    Chunk(String),
    ThinkingChunk(String),
    Pause(Lapse),
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    Completed(String),
    DriverTrapped,
    ResponseFailed,
    CompactionFailed,
    DriverUnavailable(String),
    MaxTurns,
    SpendRefused(String),
    Unreported,
}

impl Ending {
    /// The key that the file calls this end by.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Completed(_) => "completed",
            Self::DriverTrapped => "driver_trapped",
            Self::ResponseFailed => "response_failed",
            Self::CompactionFailed => "compaction_failed",
            Self::DriverUnavailable(_) => "driver_unavailable",
            Self::MaxTurns => "max_turns",
            Self::SpendRefused(_) => "spend_refused",
            Self::Unreported => "unreported",
        }
    }

    /// Whether it is the outcome of an inference call, that of the turn before it.
    pub(super) fn ends_a_call(&self) -> bool {
        !self.call_returned() || matches!(self, Self::ResponseFailed)
    }

    /// Whether the inference call of the turn before it returned.
    pub(super) fn call_returned(&self) -> bool {
        !matches!(self, Self::DriverTrapped | Self::DriverUnavailable(_) | Self::SpendRefused(_))
    }
}
