//! A JSON-RPC request to an agent (details page, section 2).

use super::json;
use super::message;
use super::refusal::{Refusal, Refused};
use crate::ContextId;
use crate::door::json_rpc::{self, Envelope};
use crate::door::{self, are_json};

/// A request's id, as the text it was sent in: it is echoed verbatim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// `null`: the id of an answer to a request that has none, or none that could be told.
    pub fn null() -> Self {
        json_rpc::RequestId::NULL.into()
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn borrowed(&self) -> json_rpc::RequestId<'_> {
        json_rpc::RequestId::verbatim(&self.0)
    }
}

impl From<json_rpc::RequestId<'_>> for RequestId {
    fn from(id: json_rpc::RequestId<'_>) -> Self {
        Self(id.as_str().to_owned())
    }
}

/// A request that is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Call<'a> {
    /// Its id; `null` if it has none.
    pub id: RequestId,
    /// Its method, not empty.
    pub method: String,
    /// `params.configuration.timeout` in seconds, if it is a number above zero: what
    /// [`super::Settings::head_timeout`] takes.
    pub timeout: Option<f64>,
    /// The context that its message names.
    pub context_id: Option<ContextId>,
    /// The whole body, verbatim.
    pub body: &'a str,
    valid_params: bool,
}

impl<'a> Call<'a> {
    /// Checks a body that was sent with these `content-type` headers, up to the method.
    ///
    /// # Errors
    ///
    /// The first check of section 2 that it does not pass. Two checks stand beside the page's: keys
    /// that stand twice after the object, an id that cannot be echoed after the method.
    pub fn parse<V: AsRef<[u8]>>(content_types: &[V], body: &'a [u8]) -> Result<Self, Refused> {
        let refused = |refusal| Refused { id: RequestId::null(), refusal };
        if !are_json(content_types) {
            return Err(refused(Refusal::NotJsonContent));
        }
        let text = door::json::checked(body).ok_or_else(|| refused(Refusal::NotJson))?;
        if !text.trim_ascii_start().starts_with('{') {
            return Err(refused(Refusal::NotAnObject));
        }
        let envelope = Envelope::parse(text).ok_or_else(|| refused(Refusal::NotJson))?;
        Self::of_envelope(text, &envelope)
    }

    fn of_envelope(body: &'a str, envelope: &Envelope<'a>) -> Result<Self, Refused> {
        let raw_id = envelope.id.filter(|_| !envelope.duplicate_id);
        let told = raw_id.and_then(json_rpc::RequestId::parse).map(RequestId::from);
        let valid_id = told.is_some() || raw_id.is_none();
        let id = told.unwrap_or_else(RequestId::null);
        let method = envelope.method.and_then(json_rpc::string).filter(|name| !name.is_empty());
        let refusal = match method {
            _ if envelope.duplicate => Refusal::DuplicateKey,
            _ if envelope.jsonrpc.and_then(json_rpc::string).as_deref() != Some("2.0") => {
                Refusal::InvalidVersion
            }
            None => Refusal::MissingMethod,
            Some(_) if !valid_id => Refusal::InvalidId,
            Some(method) => {
                return Ok(Self {
                    id,
                    method: method.into_owned(),
                    timeout: envelope.params.and_then(|params| timeout(params.get())),
                    context_id: envelope
                        .params
                        .and_then(|params| message::context_id(params.get())),
                    body,
                    valid_params: envelope.params.is_none_or(|raw| raw.get().starts_with('{')),
                });
            }
        };
        Err(Refused { id, refusal })
    }

    /// Whether the answer is an event stream.
    pub fn is_stream(&self) -> bool {
        self.method == "message/stream"
    }

    /// The check of `params`, which comes after the agent was looked up.
    ///
    /// # Errors
    ///
    /// They are there, but not an object.
    pub fn check_params(&self) -> Result<(), Refused> {
        if self.valid_params { Ok(()) } else { Err(self.refused(Refusal::InvalidParams(None))) }
    }

    /// A refusal of this call.
    pub fn refused(&self, refusal: Refusal) -> Refused {
        Refused { id: self.id.clone(), refusal }
    }
}

fn timeout(params: &str) -> Option<f64> {
    let params = json::members(params)?;
    let configuration = json::members(params.get("configuration")?.get())?;
    json::seconds(configuration.get("timeout")?.get())
}
