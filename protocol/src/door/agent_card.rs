//! `GET /.well-known/agent-card.json` (`capsule-stream-details.md`, section 8).

use super::methods;
use crate::frame::write_json;
use serde::Serialize;

/// What the card says of the capsule.
#[derive(Debug, Clone)]
pub struct AgentCard<'a> {
    /// The agent's name.
    pub name: &'a str,
    /// The agent's version.
    pub version: &'a str,
    /// Where the request was sent: `host:port`.
    pub authority: &'a str,
    /// False for a capsule whose `task_acceptance` is `none`.
    pub accepts_tasks: bool,
}

impl AgentCard<'_> {
    /// The card as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_json(
            &mut bytes,
            &Card {
                name: self.name,
                version: self.version,
                url: &format!("http://{}/", self.authority),
                capabilities: Capabilities { streaming: self.accepts_tasks },
                methods: &methods(self.accepts_tasks).collect::<Vec<_>>(),
            },
        );
        bytes
    }
}

#[derive(Serialize)]
struct Card<'a> {
    name: &'a str,
    version: &'a str,
    url: &'a str,
    capabilities: Capabilities,
    methods: &'a [&'a str],
}

#[derive(Serialize)]
struct Capabilities {
    streaming: bool,
}
