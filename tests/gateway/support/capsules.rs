//! Capsules behind a gateway.

use super::Setup;
use crate::shared::{QUEUE, Served, builder};
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
