//! The agents that are registered (details page, section 3).
//!
//! [`Registry`] keeps them in memory. [`Card`], [`Registration`] and [`Reply`] are what it is made
//! of, for a keeper elsewhere.

mod card;
mod registration;
mod reply;
pub mod timestamp;
mod url;
mod well_known;

pub use card::{AgentKind, Card, Skill};
pub use registration::Registration;
pub use reply::Reply;
pub use url::AgentUrl;
pub use well_known::{agent_card, gateway_card};

use super::AgentId;
use super::query::{ListQuery, QueryError};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// The registry in memory. Times are milliseconds since the Unix epoch.
#[derive(Debug)]
pub struct Registry {
    ttl: Duration,
    agents: BTreeMap<AgentId, Entry>,
}

#[derive(Debug)]
struct Entry {
    registration: Registration,
    /// It was given at start.
    permanent: bool,
}

/// How many agents can be registered at a time: anybody who reaches the gateway can register some.
pub const MOST_AGENTS: usize = 10_000;

impl Registry {
    /// An empty one, whose registrations live so long without a heartbeat. Zero is for ever.
    pub fn new(ttl: Duration) -> Self {
        Self { ttl, agents: BTreeMap::new() }
    }

    /// An agent that is given at start: it never expires, even if it registers as well.
    pub fn add_permanent(&mut self, card: Card, now: u64) {
        let registration = Registration::new(card, None, now);
        let id = registration.card.agent_id.clone();
        self.agents.insert(id, Entry { registration, permanent: true });
    }

    /// Answers `POST /agents/register`.
    pub fn register(&mut self, body: &[u8], now: u64) -> Reply {
        self.expire(now);
        let card = match Card::parse(body) {
            Ok(card) => card,
            Err(error) => return Reply::error(400, &error),
        };
        let id = card.agent_id.clone();
        let before = self.agents.get(&id);
        if before.is_none() && self.agents.len() >= MOST_AGENTS {
            return Reply::error(503, "too many agents are registered");
        }
        let permanent = before.is_some_and(|entry| entry.permanent);
        let registration = Registration::new(card, before.map(|entry| &entry.registration), now);
        let reply = Reply::card(&registration);
        self.agents.insert(id, Entry { registration, permanent });
        reply
    }

    /// Answers `POST /agents/heartbeat`.
    pub fn heartbeat(&mut self, body: &[u8], now: u64) -> Reply {
        self.expire(now);
        let id = match named_agent(body) {
            Ok(id) => id,
            Err(error) => return Reply::error(400, &error),
        };
        match self.agents.get_mut(&id) {
            None => Reply::not_found(400),
            Some(entry) => {
                entry.registration.last_seen = now;
                Reply::heartbeat(&entry.registration)
            }
        }
    }

    /// Answers `POST /agents/deregister`.
    pub fn deregister(&mut self, body: &[u8], now: u64) -> Reply {
        match named_agent(body) {
            Ok(id) => self.delete(id.as_str(), now),
            Err(error) => Reply::error(400, &error),
        }
    }

    /// Answers `DELETE /agents/{id}`.
    pub fn delete(&mut self, id: &str, now: u64) -> Reply {
        self.expire(now);
        let id = AgentId::parse(id).filter(|id| self.agents.remove(id).is_some());
        id.map_or_else(|| Reply::not_found(404), |id| Reply::deregistered(&id))
    }

    /// Answers `GET /agents/{id}`.
    pub fn get(&mut self, id: &str, now: u64) -> Reply {
        let registration = AgentId::parse(id).and_then(|id| self.find(&id, now));
        registration.map_or_else(|| Reply::not_found(404), Reply::card)
    }

    /// Answers `GET /agents`: the agents in the order of their ids.
    pub fn list(&mut self, query: &Result<ListQuery, QueryError>, now: u64) -> Reply {
        self.expire(now);
        match query {
            Ok(query) => Reply::list(self.agents.values().map(|entry| &entry.registration), query),
            Err(error) => Reply::bad_query(error),
        }
    }

    /// The agent of that id, if it is registered.
    pub fn find(&mut self, id: &AgentId, now: u64) -> Option<&Registration> {
        let entry = self.agents.get(id)?;
        if entry.is_expired(self.ttl, now) {
            self.agents.remove(id);
        }
        self.agents.get(id).map(|entry| &entry.registration)
    }

    /// The agent of that id showed by its frames that it is a Murmur capsule (section 5). Until it
    /// registers again, it is as if it had said so.
    pub fn is_murmur_capsule(&mut self, id: &AgentId) {
        if let Some(entry) = self.agents.get_mut(id) {
            entry.registration.card.kind = AgentKind::MurmurCapsule;
        }
    }

    fn expire(&mut self, now: u64) {
        let ttl = self.ttl;
        self.agents.retain(|_, entry| !entry.is_expired(ttl, now));
    }
}

impl Entry {
    fn is_expired(&self, ttl: Duration, now: u64) -> bool {
        !self.permanent && self.registration.is_expired(ttl, now)
    }
}

/// The agent that the body of a heartbeat or a deregistration names: `{"agent_id"}`.
///
/// # Errors
///
/// What is wrong with it, for the body of a 400.
pub fn named_agent(body: &[u8]) -> Result<AgentId, String> {
    agent_id(&object(body)?)
}

fn object(body: &[u8]) -> Result<Map<String, Value>, String> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err("body must be an object".to_owned()),
        Err(_) => Err("invalid JSON".to_owned()),
    }
}

fn agent_id(members: &Map<String, Value>) -> Result<AgentId, String> {
    let id = card::required(members, "agent_id")?;
    AgentId::parse(id).ok_or_else(|| "invalid agent_id: it must match [a-z0-9-]{2,128}".to_owned())
}
