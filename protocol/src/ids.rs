//! Identifiers: of tasks, of contexts, of frames (protocol page, "What `message/stream` writes").

use serde::Serialize;
use std::fmt;
use uuid::Uuid;

/// The id of a task: `tsk_` and a UUIDv7 as 32 lower-case hex digits when the capsule minted it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct TaskId(String);

impl TaskId {
    /// A new id from `uuid`, which should be a version 7 one.
    pub fn mint(uuid: Uuid) -> Self {
        Self(format!("tsk_{}", uuid.simple()))
    }

    /// The id as it stands in a frame's data.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for TaskId {
    fn from(id: String) -> Self {
        Self(id)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of a context: the message's own, verbatim, or `ctx_` and a UUIDv7.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct ContextId(String);

impl ContextId {
    /// A new id from `uuid`, which should be a version 7 one.
    pub fn mint(uuid: Uuid) -> Self {
        Self(format!("ctx_{}", uuid.simple()))
    }

    /// The id as it stands in a frame's data.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for ContextId {
    fn from(id: String) -> Self {
        Self(id)
    }
}

impl fmt::Display for ContextId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A task by its two ids, which never change while it lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The task's own id.
    pub id: TaskId,
    /// The context it belongs to.
    pub context_id: ContextId,
}

/// The number on a frame's `id:` line: a label, neither unique nor consecutive (section "Event ids").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FrameId(pub u64);
