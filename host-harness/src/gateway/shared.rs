//! What all instances of a gateway share, in memory.

use super::channels::Channels;
use super::egress::Connect;
use crate::lock::lock;
use protocol::a2a::{Card, Metrics, Registry, Settings, Slots};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// What all instances share.
pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) caller_id: String,
    pub(super) registry: Mutex<Registry>,
    pub(super) slots: Mutex<Slots>,
    pub(super) metrics: Mutex<Metrics>,
    pub(super) channels: Arc<Channels>,
    /// None for TCP.
    pub(super) connect: Option<Arc<dyn Connect>>,
    /// Turns true when the gateway shuts down.
    pub(super) shutting_down: watch::Sender<bool>,
    /// Turns true when every instance has to go.
    pub(super) killed: watch::Sender<bool>,
    /// How many instances run.
    pub(super) running: watch::Sender<usize>,
}

impl Shared {
    pub(super) fn new(
        settings: Settings,
        caller_id: String,
        agents: Vec<Card>,
        connect: Option<Arc<dyn Connect>>,
    ) -> Self {
        let mut registry = Registry::new(settings.agent_ttl);
        for card in agents {
            registry.add_permanent(card, now());
        }
        Self {
            caller_id,
            registry: Mutex::new(registry),
            slots: Mutex::new(Slots::new(settings.agent_max_concurrency)),
            metrics: Mutex::default(),
            channels: Arc::new(Channels::new(settings.agent_max_response_bytes)),
            connect,
            shutting_down: watch::channel(false).0,
            killed: watch::channel(false).0,
            running: watch::channel(0).0,
            settings,
        }
    }

    /// All figures, in Prometheus' text format.
    pub(super) fn render_metrics(&self) -> String {
        lock(&self.metrics).render(resident_memory())
    }
}

/// Milliseconds since 1970: the registry's clock.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The process's resident memory in bytes, where the system tells.
fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}
