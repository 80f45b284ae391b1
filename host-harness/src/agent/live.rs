//! A capsule that runs, as the stage of a scenario.

use super::play::Stage;
use crate::scenario::{Ask, End};
use crate::{AcceptedTask, Attempt, CapsuleHandle, Error, Inference, InputOutcome};
use protocol::{Artifact, Chunk, HookArtifact};
use std::convert::Infallible;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// How long a simulated user waits before it answers again a question that nobody waits at yet.
const RETRY: Duration = Duration::from_millis(1);

pub(super) struct Live<'a> {
    capsule: &'a CapsuleHandle,
    task: &'a AcceptedTask,
    attempt: Option<Attempt>,
    inference: Option<Inference>,
    /// What the simulated user is about to do.
    user: JoinSet<()>,
}

impl<'a> Live<'a> {
    pub(super) async fn begin(
        capsule: &'a CapsuleHandle,
        task: &'a AcceptedTask,
    ) -> Result<Self, Error> {
        let attempt = Some(task.begin_attempt().await?);
        Ok(Self { capsule, task, attempt, inference: None, user: JoinSet::new() })
    }

    /// The attempt that runs; between an end and a reopen there is none, and no act needs it.
    fn attempt(&mut self) -> Result<&mut Attempt, Error> {
        self.attempt.as_mut().ok_or(Error::Stopped)
    }

    /// The attempt, to be ended. A driver's call that is under way did not return.
    fn ending(&mut self) -> Result<Attempt, Error> {
        self.inference = None;
        self.attempt.take().ok_or(Error::Stopped)
    }
}

impl Stage for Live<'_> {
    type Error = Error;

    async fn wait(&mut self, time: Duration) -> Result<(), Error> {
        sleep(time).await;
        Ok(())
    }

    async fn wait_unless_canceled(&mut self, time: Duration) -> Result<(), Error> {
        tokio::select! {
            () = self.task.canceled() => {}
            () = sleep(time) => {}
        }
        Ok(())
    }

    async fn hold(&mut self, time: Duration) -> Result<(), Error> {
        self.capsule.hold(time).await
    }

    fn cancel_after(&mut self, time: Duration) {
        let (capsule, id) = (self.capsule.clone(), self.task.task().id.clone());
        self.user.spawn(async move {
            sleep(time).await;
            capsule.cancel_task(&id);
        });
    }

    fn is_canceled(&self) -> bool {
        self.task.is_canceled()
    }

    async fn begin_turn(&mut self) -> Result<(), Error> {
        self.inference = Some(self.attempt()?.begin_turn().await?);
        Ok(())
    }

    async fn chunk(&mut self, chunk: &Chunk) -> Result<(), Error> {
        self.capsule.feed().emit(chunk.clone()).await
    }

    async fn inference_returned(&mut self) -> Result<(), Error> {
        match self.inference.take() {
            Some(inference) => inference.returned().await,
            None => Ok(()),
        }
    }

    async fn artifact(&mut self, artifact: Artifact) -> Result<(), Error> {
        self.attempt()?.artifact(artifact).await
    }

    async fn hook_artifact(&mut self, artifact: HookArtifact) -> Result<(), Error> {
        self.attempt()?.hook_artifact(artifact).await
    }

    async fn ask(&mut self, ask: &Ask) -> Result<(InputOutcome, Duration), Error> {
        let (capsule, task) = (self.capsule, self.task);
        let began = Instant::now();
        let asked = task.request_input(self.attempt()?, &ask.prompt, ask.timeout);
        // The answer ends with its question, so that it cannot answer a later one.
        let outcome = tokio::select! {
            biased;
            outcome = asked => outcome?,
            never = answer(capsule, ask) => match never {},
        };
        Ok((outcome, began.elapsed()))
    }

    async fn end(&mut self, end: &End) -> Result<(), Error> {
        let attempt = self.ending()?;
        match end {
            End::Completed { response } => attempt.completed(response.clone()).await,
            End::Failed { message } => attempt.failed(message.clone()).await,
            End::Unreported => Ok(()),
        }
    }

    async fn canceled(&mut self) -> Result<(), Error> {
        self.ending()?.canceled().await
    }

    async fn reopen(&mut self) -> Result<(), Error> {
        self.attempt = Some(self.task.begin_attempt().await?);
        Ok(())
    }
}

/// The simulated user's side of a question. It does not end: the question does.
async fn answer(capsule: &CapsuleHandle, ask: &Ask) -> Infallible {
    if let Some((after, answer)) = &ask.answer {
        sleep(*after).await;
        while capsule.answer(answer.as_str()).is_none() {
            sleep(RETRY).await;
        }
    }
    std::future::pending().await
}
