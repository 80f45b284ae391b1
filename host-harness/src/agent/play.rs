//! How a scenario is played: what an agent loop does with its acts, and when a cancel takes effect
//! (`capsule-stream-details.md`, section 9).
//!
//! The stage says what the acts are done to: a capsule that runs, or a stream in simulated time.

use crate::InputOutcome;
use crate::scenario::{Act, Ask, End};
use protocol::{Artifact, Chunk, HookArtifact};
use std::time::Duration;

/// What a scenario is played on. It has an attempt at the task, which runs.
pub(crate) trait Stage {
    type Error;

    /// Lets time pass.
    async fn wait(&mut self, time: Duration) -> Result<(), Self::Error>;
    /// Lets time pass, but no more once the task is cancelled.
    async fn wait_unless_canceled(&mut self, time: Duration) -> Result<(), Self::Error>;
    /// Holds the capsule's thread.
    async fn hold(&mut self, time: Duration) -> Result<(), Self::Error>;
    /// Has the user cancel the task, so long after this.
    fn cancel_after(&mut self, time: Duration);
    fn is_canceled(&self) -> bool;

    async fn begin_turn(&mut self) -> Result<(), Self::Error>;
    async fn chunk(&mut self, chunk: &Chunk) -> Result<(), Self::Error>;
    /// The driver's call returned. Where this is not called before the next turn or the attempt's
    /// end, it did not.
    async fn inference_returned(&mut self) -> Result<(), Self::Error>;
    async fn artifact(&mut self, artifact: Artifact) -> Result<(), Self::Error>;
    async fn hook_artifact(&mut self, artifact: HookArtifact) -> Result<(), Self::Error>;
    /// A tool asks for input. Says how that ended, and how long it took.
    async fn ask(&mut self, ask: &Ask) -> Result<(InputOutcome, Duration), Self::Error>;

    async fn end(&mut self, end: &End) -> Result<(), Self::Error>;
    /// Ends the attempt as cancelled.
    async fn canceled(&mut self) -> Result<(), Self::Error>;
    /// Begins another attempt.
    async fn reopen(&mut self) -> Result<(), Self::Error>;
}

/// Plays the acts, up to the end or to the cancel that comes before it.
pub(crate) async fn play<S: Stage>(acts: &[Act], stage: &mut S) -> Result<(), S::Error> {
    let mut in_call = false;
    for act in acts {
        // The boundary of a turn, or the inside of a driver's call: a cancel takes effect.
        let at_boundary = matches!(act, Act::BeginTurn | Act::End(_));
        if (at_boundary || in_call) && stage.is_canceled() {
            return stage.canceled().await;
        }
        match act {
            Act::Wait(time) if in_call => stage.wait_unless_canceled(*time).await?,
            Act::Wait(time) => stage.wait(*time).await?,
            Act::Hold(time) => stage.hold(*time).await?,
            Act::CancelAfter(time) => stage.cancel_after(*time),
            Act::BeginTurn => {
                in_call = true;
                stage.begin_turn().await?;
            }
            Act::Chunk(chunk) => stage.chunk(chunk).await?,
            Act::InferenceReturned => {
                in_call = false;
                stage.inference_returned().await?;
            }
            Act::Artifact(artifact) => stage.artifact(artifact.clone()).await?,
            Act::HookArtifact { hook_name, content } => {
                let (hook_name, content) = (hook_name.clone(), content.clone());
                stage.hook_artifact(HookArtifact { hook_name, content }).await?;
            }
            Act::Ask(ask) => {
                let (outcome, waited) = stage.ask(ask).await?;
                stage.artifact(result(ask, &outcome, waited)).await?;
            }
            Act::End(end) => {
                in_call = false;
                stage.end(end).await?;
            }
            Act::Reopen => stage.reopen().await?,
        }
    }
    Ok(())
}

fn result(ask: &Ask, outcome: &InputOutcome, waited: Duration) -> Artifact {
    match outcome {
        InputOutcome::Answered(answer) => ask.answered(answer, waited),
        InputOutcome::TimedOut => ask.failed("no input came in time", waited),
        InputOutcome::Canceled => ask.failed("the task was canceled", waited),
    }
}
