//! Capsules behind a gateway.

use super::{Caller, Setup};
use crate::shared::{QUEUE, Served, TaskFrames, builder};
use host_harness::AcceptedTask;
use protocol::a2a::AgentKind;

/// A capsule whose tasks wait for one another, and that a gateway reaches as `id`.
pub(crate) async fn queueing_capsule(setup: &mut Setup, id: &str, kind: AgentKind) -> Served {
    let capsule = Served::simulated(builder().task_acceptance(QUEUE)).await;
    setup.capsule(id, kind, capsule.handle());
    capsule
}

/// The data of a capsule's frame.
pub(crate) fn payload(frame: &str) -> &str {
    frame.split_once("\ndata: ").and_then(|(_, data)| data.strip_suffix("\n\n")).unwrap()
}

/// The names in the frames of a task.
pub(crate) fn names(task: &AcceptedTask) -> TaskFrames {
    let task = task.task();
    TaskFrames { task: task.id.to_string(), context: task.context_id.to_string() }
}

/// Runs the capsule's next task: one turn, and this reply in one chunk.
pub(crate) async fn run_next(capsule: &Served, reply: &str) -> TaskFrames {
    let task = capsule.next_task().await;
    let mut attempt = task.begin_attempt().await.unwrap();
    let inference = attempt.begin_turn().await.unwrap();
    attempt.text(reply).await.unwrap();
    inference.returned().await.unwrap();
    attempt.completed(reply).await.unwrap();
    names(&task)
}

impl Caller {
    /// Reads what a task becomes that [`run_next`] ran, and the end.
    pub(crate) async fn run(&mut self, names: &TaskFrames, reply: &str) {
        self.status(payload(&names.working(0, 1))).await;
        self.frame("message", "text", payload(&names.text(1, reply))).await;
        self.frame("message", "text", payload(&names.final_text(2, ""))).await;
        self.done(payload(&names.completed(3, reply))).await;
    }
}
