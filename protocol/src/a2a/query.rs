//! The query strings that are read (details page, sections 1 and 3).

use super::json;
use super::percent;
use crate::ContextId;
use std::fmt;

/// Why a query string cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError(String);

impl QueryError {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid query: {}", self.0)
    }
}

impl std::error::Error for QueryError {}

/// The query of `GET /a2a/{agent_id}/stream`. Names that it does not know are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamQuery {
    /// The texts of the message's parts, in order.
    pub texts: Vec<String>,
    /// The context that the message names.
    pub context_id: Option<ContextId>,
    /// `timeout`: a JSON number of seconds above zero, as it was spelled.
    timeout: Option<String>,
}

impl StreamQuery {
    /// Parses what follows the `?`.
    ///
    /// # Errors
    ///
    /// The percent-encoding is broken, `contextId` or `timeout` came twice, or `timeout` is no
    /// number above zero.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        let mut parsed = Self::default();
        for (name, value) in percent::pairs(query)? {
            match name.as_str() {
                "text" => parsed.texts.push(value),
                "contextId" => set_once(&mut parsed.context_id, &name, value.into())?,
                "timeout" => {
                    // A number with white space around it would do for JSON, but is not one here.
                    if value.trim() != value || json::seconds(&value).is_none() {
                        let reason = "timeout must be a number of seconds above 0";
                        return Err(QueryError::new(reason));
                    }
                    set_once(&mut parsed.timeout, &name, value)?;
                }
                _ => {}
            }
        }
        Ok(parsed)
    }

    /// The timeout in seconds, if there is one: what [`super::Settings::head_timeout`] takes.
    pub fn timeout(&self) -> Option<f64> {
        self.timeout.as_deref().and_then(json::seconds)
    }

    /// The JSON-RPC request that the agent gets, whose id is the stream's.
    pub fn body(&self, stream_id: &str) -> String {
        let mut message = Vec::new();
        if !self.texts.is_empty() {
            let parts =
                self.texts.iter().map(|text| format!(r#"{{"text":{}}}"#, json::quoted(text)));
            message.push(format!(r#""parts":[{}]"#, parts.collect::<Vec<_>>().join(",")));
        }
        if let Some(context_id) = &self.context_id {
            message.push(format!(r#""contextId":{}"#, json::quoted(context_id.as_str())));
        }
        let mut params = Vec::new();
        if !message.is_empty() {
            params.push(format!(r#""message":{{{}}}"#, message.join(",")));
        }
        if let Some(timeout) = &self.timeout {
            params.push(format!(r#""configuration":{{"timeout":{timeout}}}"#));
        }
        let (id, params) = (json::quoted(stream_id), params.join(","));
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"message/stream","params":{{{params}}}}}"#)
    }
}

/// The query of `GET /agents`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListQuery {
    /// Agents with any of these tags; all agents when there are none.
    pub tags: Vec<String>,
    /// So many at most; all when absent.
    pub limit: Option<usize>,
}

impl ListQuery {
    /// Parses what follows the `?`: `skill_tags`, separated by commas, and `limit`.
    ///
    /// # Errors
    ///
    /// The percent-encoding is broken, or `limit` came twice or is no whole number above zero.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        let mut parsed = Self::default();
        for (name, value) in percent::pairs(query)? {
            match name.as_str() {
                "skill_tags" => {
                    let tags = value.split(',').map(str::trim).filter(|tag| !tag.is_empty());
                    parsed.tags.extend(tags.map(str::to_owned));
                }
                "limit" => {
                    let limit = value.parse().ok().filter(|&limit| limit > 0);
                    let limit = limit
                        .ok_or_else(|| QueryError::new("limit must be a whole number above 0"))?;
                    set_once(&mut parsed.limit, &name, limit)?;
                }
                _ => {}
            }
        }
        Ok(parsed)
    }
}

fn set_once<T>(place: &mut Option<T>, name: &str, value: T) -> Result<(), QueryError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(QueryError::new(format!("{name} is given more than once"))),
    }
}
