//! What can be chosen for drivers and tools.

use super::AllowedHost;
use std::time::Duration;

/// What the calls of drivers and tools may do, and how much of it.
#[derive(Debug, Clone)]
pub struct ComponentSettings {
    /// For how long one call may compute, its instantiation included. Waiting, for the network, a
    /// timer, an answer or the stream, does not count.
    pub compute: Duration,
    /// How many bytes of memory, tables included, one call's instance may take.
    pub memory_bytes: usize,
    /// The hosts that outgoing HTTP may reach; every other request fails with
    /// `HTTP-request-denied`.
    pub allowed_hosts: Vec<AllowedHost>,
    /// The environment variables that components see.
    pub env: Vec<(String, String)>,
}

impl Default for ComponentSettings {
    /// A minute of computing, 256 MiB, no hosts, no variables.
    fn default() -> Self {
        Self {
            compute: Duration::from_secs(60),
            memory_bytes: 256 * 1024 * 1024,
            allowed_hosts: Vec::new(),
            env: Vec::new(),
        }
    }
}
