//! How a tool's question comes to the task that it runs for.

use crate::InputOutcome;
use tokio::sync::{mpsc, oneshot};

/// A question, to be answered by the turn loop, which holds the task.
pub(crate) struct Ask {
    pub(crate) prompt: String,
    pub(crate) answer: oneshot::Sender<InputOutcome>,
}

/// Where a tool's questions go.
#[derive(Clone)]
pub(crate) struct Asks(mpsc::Sender<Ask>);

impl Asks {
    /// A way for questions, and the end that they come out of.
    pub(crate) fn channel() -> (Self, mpsc::Receiver<Ask>) {
        // A component waits for its answer before it can ask again.
        let (questions, asked) = mpsc::channel(1);
        (Self(questions), asked)
    }

    /// Asks, and waits for what becomes of it. None where nobody is there to be asked.
    pub(crate) async fn ask(&self, prompt: String) -> Option<InputOutcome> {
        let (answer, answered) = oneshot::channel();
        self.0.send(Ask { prompt, answer }).await.ok()?;
        answered.await.ok()
    }
}
