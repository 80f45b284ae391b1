//! The cards at `/.well-known/agent-card.json` (details page, section 1).

use super::card::{Card, Skill};
use crate::frame::write_json;
use serde::Serialize;

/// The card of the gateway at that base URL, which does not end with a slash.
pub fn gateway_card(base_url: &str, version: &str) -> Vec<u8> {
    let text = ["text".to_owned()];
    json(&PublicCard {
        name: "a2a-gateway",
        description: "Relays A2A requests and event streams to the agents that are registered.",
        version,
        url: base_url,
        capabilities: Capabilities { streaming: true },
        skills: &[],
        default_input_modes: &text,
        default_output_modes: &text,
        protocol_versions: &["1.0".to_owned()],
    })
}

/// An agent's card, as the gateway at that base URL shows it: its URL is the gateway's, for that
/// is where its callers send their requests.
pub fn agent_card(card: &Card, base_url: &str) -> Vec<u8> {
    json(&PublicCard {
        name: &card.name,
        description: &card.description,
        version: &card.version,
        url: &format!("{base_url}/a2a/{}", card.agent_id),
        capabilities: Capabilities { streaming: true },
        skills: &card.skills,
        default_input_modes: &card.default_input_modes,
        default_output_modes: &card.default_output_modes,
        protocol_versions: &card.protocol_versions,
    })
}

fn json(card: &PublicCard<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_json(&mut bytes, card);
    bytes
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PublicCard<'a> {
    name: &'a str,
    description: &'a str,
    version: &'a str,
    url: &'a str,
    capabilities: Capabilities,
    skills: &'a [Skill],
    default_input_modes: &'a [String],
    default_output_modes: &'a [String],
    protocol_versions: &'a [String],
}

#[derive(Serialize)]
struct Capabilities {
    streaming: bool,
}
