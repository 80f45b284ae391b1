//! Slots and active streams: each is given back when it is dropped.

#![allow(unreachable_pub, reason = "the generated bindings name its types")]

use super::shared::Shared;
use crate::lock::lock;
use protocol::a2a::AgentId;
use std::sync::Arc;

/// A place at an agent.
pub struct Slot {
    shared: Arc<Shared>,
    agent: AgentId,
}

impl Slot {
    pub(super) fn take(shared: &Arc<Shared>, agent: AgentId) -> Option<Self> {
        lock(&shared.slots).take(&agent).then(|| Self { shared: shared.clone(), agent })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        lock(&self.shared.slots).give_back(&self.agent);
    }
}

/// A stream that is counted.
pub struct ActiveStream {
    shared: Arc<Shared>,
    agent: AgentId,
}

impl ActiveStream {
    pub(super) fn begin(shared: &Arc<Shared>, agent: AgentId) -> Self {
        lock(&shared.metrics).stream_began(&agent);
        Self { shared: shared.clone(), agent }
    }
}

impl Drop for ActiveStream {
    fn drop(&mut self) {
        lock(&self.shared.metrics).stream_ended(&self.agent);
    }
}
