//! A card and its times, as it is kept and shown (details page, section 3).

use super::card::{Card, Skill};
use super::timestamp;
use crate::a2a::AgentId;
use crate::frame::write_json;
use serde::Serialize;
use std::time::Duration;

/// An agent that is registered. Times are milliseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// Its card.
    pub card: Card,
    /// When it registered first.
    pub registered_at: u64,
    /// When it registered last, or sent a heartbeat.
    pub last_seen: u64,
}

impl Registration {
    /// Registers an agent. One that is registered already keeps the time of the first.
    pub fn new(card: Card, before: Option<&Self>, now: u64) -> Self {
        let registered_at = before.map_or(now, |before| before.registered_at);
        Self { card, registered_at, last_seen: now }
    }

    /// Whether it has expired. A lifetime of zero is for ever.
    pub fn is_expired(&self, ttl: Duration, now: u64) -> bool {
        let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        ttl != 0 && now >= self.last_seen.saturating_add(ttl)
    }

    /// The full card: every key, in the page's order, and `kind` where it is stated.
    pub fn to_json(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_json(&mut bytes, &self.full_card());
        bytes
    }

    /// Reads what [`Registration::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(body: &[u8]) -> Result<Self, String> {
        let members = super::object(body)?;
        let time = |key: &str| {
            let text = super::card::required(&members, key)?;
            timestamp::parse(text).ok_or_else(|| format!("{key} is no time"))
        };
        let (registered_at, last_seen) = (time("registered_at")?, time("last_seen")?);
        Ok(Self { card: Card::parse(body)?, registered_at, last_seen })
    }

    pub(super) fn full_card(&self) -> FullCard<'_> {
        let card = &self.card;
        FullCard {
            agent_id: &card.agent_id,
            name: &card.name,
            description: &card.description,
            version: &card.version,
            url: card.url.as_str(),
            skills: &card.skills,
            default_input_modes: &card.default_input_modes,
            default_output_modes: &card.default_output_modes,
            protocol_versions: &card.protocol_versions,
            kind: card.kind.name(),
            registered_at: timestamp::format(self.registered_at),
            last_seen: timestamp::format(self.last_seen),
        }
    }
}

#[derive(Serialize)]
pub(super) struct FullCard<'a> {
    agent_id: &'a AgentId,
    name: &'a str,
    description: &'a str,
    version: &'a str,
    url: &'a str,
    skills: &'a [Skill],
    #[serde(rename = "defaultInputModes")]
    default_input_modes: &'a [String],
    #[serde(rename = "defaultOutputModes")]
    default_output_modes: &'a [String],
    #[serde(rename = "protocolVersions")]
    protocol_versions: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    registered_at: String,
    last_seen: String,
}
