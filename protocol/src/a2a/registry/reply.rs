//! The answers about agents, so that every keeper of registrations says the same.

use super::registration::Registration;
use super::timestamp;
use crate::a2a::query::ListQuery;
use crate::a2a::{AgentId, QueryError};
use crate::frame::write_json;
use serde::Serialize;

/// An answer: its status, and its body, which is JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// 200 with a full card.
    pub fn card(registration: &Registration) -> Self {
        Self { status: 200, body: registration.to_json() }
    }

    /// 200 with what a heartbeat is answered: `{"agent_id","last_seen"}`.
    pub fn heartbeat(registration: &Registration) -> Self {
        #[derive(Serialize)]
        struct Body<'a> {
            agent_id: &'a AgentId,
            last_seen: String,
        }
        let last_seen = timestamp::format(registration.last_seen);
        Self::json(200, &Body { agent_id: &registration.card.agent_id, last_seen })
    }

    /// 200 with the id of an agent that is gone: `{"agent_id"}`.
    pub fn deregistered(agent_id: &AgentId) -> Self {
        #[derive(Serialize)]
        struct Body<'a> {
            agent_id: &'a AgentId,
        }
        Self::json(200, &Body { agent_id })
    }

    /// 200 with the full cards that a query asks for, in the order they come in: a bare array.
    pub fn list<'a>(
        registrations: impl IntoIterator<Item = &'a Registration>,
        query: &ListQuery,
    ) -> Self {
        let wanted = |registration: &&Registration| {
            query.tags.is_empty() || registration.card.has_any_tag(&query.tags)
        };
        let wanted = registrations.into_iter().filter(wanted);
        let limit = query.limit.unwrap_or(usize::MAX);
        let cards: Vec<_> = wanted.take(limit).map(Registration::full_card).collect();
        Self::json(200, &cards)
    }

    /// 400 for a query that cannot be used.
    pub fn bad_query(error: &QueryError) -> Self {
        Self::error(400, &error.to_string())
    }

    /// The answer about an agent that is not registered: 400 to a heartbeat, else 404.
    pub fn not_found(status: u16) -> Self {
        Self::error(status, "agent not found")
    }

    /// `{"error":…}`.
    pub fn error(status: u16, error: &str) -> Self {
        #[derive(Serialize)]
        struct Body<'a> {
            error: &'a str,
        }
        Self::json(status, &Body { error })
    }

    fn json(status: u16, body: &impl Serialize) -> Self {
        let mut bytes = Vec::new();
        write_json(&mut bytes, body);
        Self { status, body: bytes }
    }
}
