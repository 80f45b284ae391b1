//! How a capsule is configured and started.

use crate::component::StreamComponent;
use crate::components::ComponentSettings;
use crate::front::Limits;
use crate::settings::{FixedIds, Settings, TaskAcceptance};
use crate::{Capsule, Error};
use protocol::ConversationMode;
use std::time::Duration;

/// A capsule to be. The defaults are the protocol page's: one task in its life, stateless, a
/// heartbeat every 15 s.
#[derive(Debug, Clone, Default)]
pub struct CapsuleBuilder {
    component: Option<StreamComponent>,
    settings: Settings,
}

impl CapsuleBuilder {
    /// Runs this component in place of the built-in one.
    #[must_use]
    pub fn component(mut self, component: StreamComponent) -> Self {
        self.component = Some(component);
        self
    }

    /// The agent's name and version, for its card. Those of this crate unless told otherwise.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self.settings.version = version.into();
        self
    }

    /// When a new task is accepted.
    #[must_use]
    pub fn task_acceptance(mut self, acceptance: TaskAcceptance) -> Self {
        self.settings.task_acceptance = acceptance;
        self
    }

    /// What `connection-ack` says of conversations.
    #[must_use]
    pub fn conversation_mode(mut self, mode: ConversationMode) -> Self {
        self.settings.conversation_mode = mode;
        self
    }

    /// The time between two heartbeats of a connection, 15 s on the page.
    #[must_use]
    pub fn heartbeat_interval(mut self, interval: Duration) -> Self {
        self.settings.heartbeat_interval = interval;
        self
    }

    /// How many bytes of frames the replay buffer keeps at most, 256 MiB unless told otherwise.
    #[must_use]
    pub fn replay_buffer_bytes(mut self, bytes: u64) -> Self {
        self.settings.replay_buffer_bytes = bytes;
        self
    }

    /// Limits of a connection to a socket that the capsule listens on. `body_bytes` is the limit of
    /// the component as well, for requests that come another way.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// What the driver and tools of a component that is composed of them may do. Their memory is
    /// then the whole component's, beside the replay buffer.
    #[must_use]
    pub fn component_settings(mut self, settings: ComponentSettings) -> Self {
        self.settings.components = settings;
        self
    }

    /// Mints the same ids every time, for tests that compare bytes.
    #[must_use]
    pub fn fixed_ids(mut self, ids: FixedIds) -> Self {
        self.settings.fixed_ids = Some(ids);
        self
    }

    /// Starts the capsule on the current Tokio runtime.
    ///
    /// # Errors
    ///
    /// [`Error::LoadComponent`].
    pub async fn start(self) -> Result<Capsule, Error> {
        let component = match self.component {
            Some(component) => component,
            None => StreamComponent::built_in().await?,
        };
        Capsule::start(&component, self.settings).await
    }
}
