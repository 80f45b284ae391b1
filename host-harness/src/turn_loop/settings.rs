//! What can be chosen for an agent of components.

use std::time::Duration;

/// What the turn loop tells the driver, and how far it goes.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    /// The model that the driver is asked to call.
    pub model: String,
    /// How many tokens a response may have.
    pub max_tokens: u32,
    /// The system prompt.
    pub system: String,
    /// How many inference turns a task may take.
    pub max_turns: u32,
    /// How long a tool's question waits for its answer.
    pub input_timeout: Duration,
}

impl Default for AgentSettings {
    /// No model and no system prompt, 4096 tokens, 50 turns, 5 minutes.
    fn default() -> Self {
        Self {
            model: String::new(),
            max_tokens: 4096,
            system: String::new(),
            max_turns: 50,
            input_timeout: Duration::from_secs(5 * 60),
        }
    }
}
