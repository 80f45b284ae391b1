//! What can be chosen for a capsule.

use crate::components::ComponentSettings;
use crate::front::Limits;
use protocol::ConversationMode;
use std::time::Duration;

/// `lifecycle.task_acceptance`: when a new task is accepted (`capsule-stream-details.md`,
/// section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskAcceptance {
    /// Never: the methods that submit tasks are not served.
    None,
    /// As long as nothing has run, runs or waits.
    Single,
    /// As long as fewer than `depth` tasks wait. The one that runs does not count.
    Queue {
        /// How many tasks may wait.
        depth: usize,
    },
}

/// Where the ids of tasks and contexts come from in place of the clock and random numbers: the same
/// ones every time, for tests that compare bytes.
#[derive(Debug, Clone)]
pub struct FixedIds {
    /// The time in every id, since 1970.
    pub unix_time: Duration,
    /// The random bytes, taken ten for an id, from the start again after the last. Not empty.
    pub random_bytes: Vec<u8>,
}

impl Default for FixedIds {
    fn default() -> Self {
        // A prime number of different bytes: ids repeat after 251 of them.
        Self { unix_time: Duration::from_secs(1_767_225_600), random_bytes: (0..251).collect() }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) task_acceptance: TaskAcceptance,
    pub(crate) conversation_mode: ConversationMode,
    pub(crate) heartbeat_interval: Duration,
    pub(crate) replay_buffer_bytes: u64,
    pub(crate) limits: Limits,
    pub(crate) fixed_ids: Option<FixedIds>,
    /// What the driver and tools of a composition may do.
    pub(crate) components: ComponentSettings,
}

impl Default for Settings {
    fn default() -> Self {
        let stream = protocol::Settings::default();
        Self {
            name: "capsule".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            task_acceptance: TaskAcceptance::Single,
            conversation_mode: stream.conversation_mode,
            heartbeat_interval: stream.heartbeat_interval,
            replay_buffer_bytes: stream.replay_buffer_bytes,
            limits: Limits::default(),
            fixed_ids: None,
            components: ComponentSettings::default(),
        }
    }
}
