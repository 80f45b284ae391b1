//! Every error that comes before the stream, in both its shapes (page, "Overview"; details page,
//! section 2).

use super::envelope::GatewayError;
use super::json;
use super::query::QueryError;
use super::request::RequestId;
use crate::door::json_rpc::RpcError;
use crate::frame::write_json;
use serde::Serialize;
use serde_json::value::RawValue;

/// Why there is no stream, or no answer of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The content type is not JSON.
    NotJsonContent,
    /// The body is not JSON: UTF-8 without a byte-order mark, nested at most 128 deep.
    NotJson,
    /// It is JSON, but not an object.
    NotAnObject,
    /// A key of the request stands twice, so that the agent might read another request than we.
    DuplicateKey,
    /// `jsonrpc` is not `"2.0"`.
    InvalidVersion,
    /// `method` is not a string, or is empty.
    MissingMethod,
    /// `id` is an object, an array or a boolean.
    InvalidId,
    /// The agent's id is not `[a-z0-9-]{2,128}`.
    InvalidAgentId,
    /// No agent of that id is registered.
    AgentNotFound(String),
    /// `params` is there, but not an object; or the query cannot be used, which is why.
    InvalidParams(Option<QueryError>),
    /// All slots of the agent are taken.
    ConcurrencyLimit,
    /// There is no connection to the agent, which is why.
    AgentUnreachable(String),
    /// The agent of that id did not answer in time, or said 504.
    AgentTimeout(String),
    /// The agent said this HTTP status.
    AgentStatus(u16),
    /// The agent answered with a JSON-RPC error.
    AgentError(AgentError),
    /// The agent answered 200, but neither with an event stream nor with an error.
    NotAnEventStream,
    /// The agent's answer to a synchronous request is over `AgentMaxResponseBytes`.
    ResponseTooLarge,
    /// The gateway shuts down.
    ShuttingDown,
}

/// The `error` of a JSON-RPC answer, as the agent wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentError {
    json: String,
    message: String,
}

impl AgentError {
    /// The error that the answer in `body` carries: an object with a whole-number `code` and a
    /// string `message`.
    fn of_answer(body: &[u8]) -> Option<Self> {
        let answer = json::members(std::str::from_utf8(body).ok()?)?;
        let error: &RawValue = answer.get("error")?;
        let members = json::members(error.get())?;
        serde_json::from_str::<i64>(members.get("code")?.get()).ok()?;
        let message = json::string(members.get("message")?)?;
        Some(Self { json: json::one_line(error), message })
    }
}

impl Refusal {
    /// Why an agent that answered 200 with something other than an event stream did so: its own
    /// JSON-RPC error, if `body` is one.
    pub fn of_json_answer(body: &[u8]) -> Self {
        AgentError::of_answer(body).map_or(Self::NotAnEventStream, Self::AgentError)
    }

    /// What is said to the caller.
    pub fn message(&self) -> String {
        match self {
            Self::NotJsonContent => "parse error: content type must be application/json".into(),
            Self::NotJson => "parse error: invalid JSON".into(),
            Self::NotAnObject => "invalid request: body must be an object".into(),
            Self::DuplicateKey => "invalid request: duplicate key".into(),
            Self::InvalidVersion => "invalid request: invalid jsonrpc version".into(),
            Self::MissingMethod => "invalid request: missing method field".into(),
            Self::InvalidId => "invalid request: invalid id".into(),
            Self::InvalidAgentId => "invalid request: invalid agent_id".into(),
            Self::AgentNotFound(id) => format!("agent not found: {id}"),
            Self::InvalidParams(None) => "invalid params".into(),
            Self::InvalidParams(Some(error)) => format!("invalid params: {error}"),
            Self::ConcurrencyLimit => "internal error: concurrency limit exceeded".into(),
            Self::AgentUnreachable(why) => format!("internal error: agent unreachable: {why}"),
            Self::AgentTimeout(id) => format!("agent timeout: {id}"),
            Self::AgentStatus(status @ (502 | 503)) => format!("agent unavailable: HTTP {status}"),
            Self::AgentStatus(status) => format!("internal error: agent returned HTTP {status}"),
            Self::AgentError(error) => error.message.clone(),
            Self::NotAnEventStream => "internal error: agent did not return an event stream".into(),
            Self::ResponseTooLarge => GatewayError::ResponseTooLarge.message().into(),
            Self::ShuttingDown => GatewayError::ShuttingDown.message().into(),
        }
    }

    /// The JSON-RPC response, for HTTP 200: what `POST /a2a/{agent_id}` answers.
    pub fn json_rpc(&self, id: &RequestId) -> Vec<u8> {
        if let Self::AgentError(error) = self {
            let start = id.borrowed().response_start();
            return [&start, br#","error":"#.as_slice(), error.json.as_bytes(), b"}"].concat();
        }
        RpcError::other(self.code(), self.message()).response(id.borrowed())
    }

    /// The HTTP status and body: what `GET /a2a/{agent_id}/stream` answers.
    pub fn http(&self) -> (u16, Vec<u8>) {
        (self.status(), http_body(&self.message()))
    }

    fn code(&self) -> i32 {
        match self {
            Self::NotJsonContent | Self::NotJson => -32700,
            Self::NotAnObject
            | Self::DuplicateKey
            | Self::InvalidVersion
            | Self::MissingMethod
            | Self::InvalidId
            | Self::InvalidAgentId => -32600,
            Self::AgentNotFound(_) => -32002,
            Self::InvalidParams(_) => -32602,
            Self::AgentTimeout(_) => -32001,
            Self::ConcurrencyLimit
            | Self::AgentUnreachable(_)
            | Self::AgentStatus(_)
            | Self::AgentError(_)
            | Self::NotAnEventStream
            | Self::ResponseTooLarge
            | Self::ShuttingDown => -32603,
        }
    }

    fn status(&self) -> u16 {
        match self {
            Self::NotJsonContent
            | Self::NotJson
            | Self::NotAnObject
            | Self::DuplicateKey
            | Self::InvalidVersion
            | Self::MissingMethod
            | Self::InvalidId
            | Self::InvalidAgentId
            | Self::InvalidParams(_) => 400,
            Self::AgentNotFound(_) => 404,
            Self::ConcurrencyLimit => 429,
            Self::AgentTimeout(_) => 504,
            Self::AgentUnreachable(_)
            | Self::AgentStatus(_)
            | Self::AgentError(_)
            | Self::NotAnEventStream
            | Self::ResponseTooLarge => 502,
            Self::ShuttingDown => 503,
        }
    }
}

/// A refusal of a JSON-RPC request, and whom to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The request's id, `null` if it could not be told.
    pub id: RequestId,
    /// Why.
    pub refusal: Refusal,
}

impl Refused {
    /// The JSON-RPC response, for HTTP 200.
    pub fn json_rpc(&self) -> Vec<u8> {
        self.refusal.json_rpc(&self.id)
    }
}

/// The body of every error that has an HTTP status, 404, 405 and 413 included:
/// `{"is_error":true,"message":"…"}`.
pub fn http_body(message: &str) -> Vec<u8> {
    #[derive(Serialize)]
    struct Body<'a> {
        is_error: bool,
        message: &'a str,
    }
    let mut bytes = Vec::new();
    write_json(&mut bytes, &Body { is_error: true, message });
    bytes
}
