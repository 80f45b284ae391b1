//! The simulated agent: runs the capsule's tasks by playing scenarios.

use crate::scenario::{Act, End, Scenario};
use crate::{AcceptedTask, CapsuleHandle, Error};
use protocol::HookArtifact;
use tokio::time::sleep;

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
        play(scenario, &task).await?;
        tracing::info!(task = %task.task().id, "task ended");
        Ok(true)
    }

    /// Runs tasks until the capsule ends.
    pub async fn run(&self, capsule: &CapsuleHandle) {
        while let Ok(true) = self.run_next_task(capsule).await {}
    }
}

async fn play(scenario: &Scenario, task: &AcceptedTask) -> Result<(), Error> {
    let mut attempt = task.begin_attempt().await?;
    let mut inference = None;
    for act in scenario.acts() {
        match act {
            Act::Wait(time) => sleep(time).await,
            Act::BeginTurn => inference = Some(attempt.begin_turn().await?),
            Act::Chunk(protocol::Chunk::Text(text)) => attempt.text(text).await?,
            Act::Chunk(protocol::Chunk::Thinking(text)) => attempt.thinking(text).await?,
            Act::InferenceReturned => {
                if let Some(inference) = inference.take() {
                    inference.returned().await?;
                }
            }
            Act::Artifact(artifact) => attempt.artifact(artifact).await?,
            Act::HookArtifact { hook_name, content } => {
                attempt.hook_artifact(HookArtifact { hook_name, content }).await?;
            }
            Act::End(End::Completed { response }) => return attempt.completed(response).await,
            Act::End(End::Failed { message }) => return attempt.failed(message).await,
            Act::End(End::Unreported) => return Ok(()),
        }
    }
    Ok(())
}
