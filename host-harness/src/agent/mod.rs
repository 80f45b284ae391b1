//! The simulated agent: runs the capsule's tasks by playing scenarios.

mod live;
pub(crate) mod play;

use crate::scenario::Scenario;
use crate::{CapsuleHandle, Error};
use live::Live;

/// An agent that plays scenarios.
#[derive(Debug, Clone)]
pub struct SimulatedAgent {
    default: Scenario,
}

impl SimulatedAgent {
    /// An agent that plays `default`, unless a task's message is the name of a shipped scenario.
    pub fn new(default: Scenario) -> Self {
        Self { default }
    }

    /// Runs the next task to its end. False once the capsule has ended.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] where the capsule ended in the middle of it.
    pub async fn run_next_task(&self, capsule: &CapsuleHandle) -> Result<bool, Error> {
        let Some(task) = capsule.next_task().await else {
            return Ok(false);
        };
        let named = Scenario::shipped_named(task.text().trim());
        let scenario = named.as_ref().unwrap_or(&self.default);
        tracing::info!(task = %task.task().id, scenario = scenario.name(), "task begins");
        let mut stage = Live::begin(capsule, &task).await?;
        play::play(&scenario.acts(), &mut stage).await?;
        tracing::info!(task = %task.task().id, "task ended");
        Ok(true)
    }

    /// Runs tasks until the capsule ends.
    pub async fn run(&self, capsule: &CapsuleHandle) {
        while let Ok(true) = self.run_next_task(capsule).await {}
    }
}
