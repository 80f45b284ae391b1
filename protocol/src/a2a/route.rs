//! Where a request leads (details page, section 1).

use super::percent;
use super::query::{ListQuery, QueryError, StreamQuery};

/// Where a request's method and path lead. Ids stand as they came, unescaped and unchecked: see
/// [`super::AgentId::parse`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// `GET /a2a/{agent_id}/stream`: start a stream without a body.
    Stream {
        /// The agent.
        agent_id: String,
        /// The query. An error in it is [`super::Refusal::InvalidParams`], but comes after the
        /// agent was looked up.
        query: Result<StreamQuery, QueryError>,
    },
    /// `POST /a2a/{agent_id}`: a JSON-RPC call.
    Rpc {
        /// The agent.
        agent_id: String,
    },
    /// `POST /agents/register`.
    Register,
    /// `POST /agents/heartbeat`.
    Heartbeat,
    /// `POST /agents/deregister`.
    Deregister,
    /// `DELETE /agents/{id}`.
    Delete {
        /// The agent.
        agent_id: String,
    },
    /// `GET /agents`. An error is a 400.
    List(Result<ListQuery, QueryError>),
    /// `GET /agents/{id}`.
    Get {
        /// The agent.
        agent_id: String,
    },
    /// `GET /.well-known/agent-card.json`: the gateway's card.
    GatewayCard,
    /// `GET /a2a/{agent_id}/.well-known/agent-card.json`: an agent's card.
    AgentCard {
        /// The agent.
        agent_id: String,
    },
    /// `GET /metrics`.
    Metrics,
    /// 405: there is such a path, but it is not for this method.
    MethodNotAllowed {
        /// The value of the `allow` header.
        allow: &'static str,
    },
    /// 404.
    NotFound,
}

/// Looks at a request's method, in upper case, and its path, with or without a query.
pub fn route(method: &str, path_with_query: &str) -> Route {
    let (path, query) = path_with_query.split_once('?').unwrap_or((path_with_query, ""));
    let segments: Vec<_> = path.split('/').collect();
    let Some(("", segments)) = segments.split_first().map(|(first, rest)| (*first, rest)) else {
        return Route::NotFound;
    };
    if segments.contains(&"") {
        return Route::NotFound;
    }
    match (method, segments) {
        ("GET", ["metrics"]) => Route::Metrics,
        ("GET", [".well-known", "agent-card.json"]) => Route::GatewayCard,
        ("POST", ["a2a", id]) => Route::Rpc { agent_id: segment(id) },
        ("GET", ["a2a", id, "stream"]) => {
            Route::Stream { agent_id: segment(id), query: StreamQuery::parse(query) }
        }
        ("GET", ["a2a", id, ".well-known", "agent-card.json"]) => {
            Route::AgentCard { agent_id: segment(id) }
        }
        ("POST", ["agents", "register"]) => Route::Register,
        ("POST", ["agents", "heartbeat"]) => Route::Heartbeat,
        ("POST", ["agents", "deregister"]) => Route::Deregister,
        ("GET", ["agents"]) => Route::List(ListQuery::parse(query)),
        ("GET", ["agents", id]) => Route::Get { agent_id: segment(id) },
        ("DELETE", ["agents", id]) => Route::Delete { agent_id: segment(id) },
        _ => allowed(segments).map_or(Route::NotFound, |allow| Route::MethodNotAllowed { allow }),
    }
}

/// The methods of a path that is served.
fn allowed(segments: &[&str]) -> Option<&'static str> {
    match segments {
        ["a2a", _] => Some("POST"),
        // An agent may well be called so.
        ["agents", "register" | "heartbeat" | "deregister"] => Some("GET, POST, DELETE"),
        ["agents", _] => Some("GET, DELETE"),
        ["metrics" | "agents"]
        | [".well-known", "agent-card.json"]
        | ["a2a", _, "stream"]
        | ["a2a", _, ".well-known", "agent-card.json"] => Some("GET"),
        _ => None,
    }
}

/// A segment unescaped. One that cannot be is no id of an agent either, and stays as it is.
fn segment(text: &str) -> String {
    percent::decode(text).unwrap_or_else(|_| text.to_owned())
}
