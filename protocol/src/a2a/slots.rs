//! How many requests an agent works on (details page, section 9).

use super::AgentId;
use std::collections::HashMap;

/// The slots of all agents, for streams and synchronous requests together.
#[derive(Debug)]
pub struct Slots {
    per_agent: usize,
    taken: HashMap<AgentId, usize>,
}

impl Slots {
    /// So many for each agent.
    pub fn new(per_agent: usize) -> Self {
        Self { per_agent, taken: HashMap::new() }
    }

    /// Takes a slot of an agent. False when none is free: [`super::Refusal::ConcurrencyLimit`].
    #[must_use]
    pub fn take(&mut self, agent: &AgentId) -> bool {
        if self.taken(agent) >= self.per_agent {
            return false;
        }
        *self.taken.entry(agent.clone()).or_default() += 1;
        true
    }

    /// Gives back a slot that was taken.
    pub fn give_back(&mut self, agent: &AgentId) {
        if let Some(taken) = self.taken.get_mut(agent) {
            *taken = taken.saturating_sub(1);
        }
        self.taken.retain(|_, taken| *taken > 0);
    }

    /// The slots of an agent that are taken.
    pub fn taken(&self, agent: &AgentId) -> usize {
        self.taken.get(agent).copied().unwrap_or_default()
    }
}
