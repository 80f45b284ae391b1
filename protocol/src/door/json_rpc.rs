//! JSON-RPC 2.0: the envelope of a request and the response that carries an error.

use super::json;
use crate::frame::write_json;
use serde::Serialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// An error as a response carries it (JSON-RPC 2.0, section 5.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct RpcError {
    code: i32,
    message: Cow<'static, str>,
}

impl RpcError {
    /// The body is not JSON as the door accepts it.
    pub(super) const PARSE_ERROR: Self = Self::new(-32700, "Parse error");
    /// It is JSON, but not a request.
    pub(super) const INVALID_REQUEST: Self = Self::new(-32600, "Invalid Request");
    /// The capsule serves no such method.
    pub(super) const METHOD_NOT_FOUND: Self = Self::new(-32601, "Method not found");
    /// There is no such task, or it is long gone.
    pub(super) const TASK_NOT_FOUND: Self = Self::new(-32001, "Task not found");

    const fn new(code: i32, message: &'static str) -> Self {
        Self { code, message: Cow::Borrowed(message) }
    }

    /// Any other error.
    pub(crate) fn other(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into() }
    }

    pub(super) fn invalid_params(reason: &dyn fmt::Display) -> Self {
        Self { code: -32602, message: format!("Invalid params: {reason}").into() }
    }

    pub(super) const fn internal(message: &'static str) -> Self {
        Self::new(-32603, message)
    }

    /// The response to the request of that id: keys `jsonrpc`, `id`, `error` with `code`, `message`.
    pub(crate) fn response(&self, id: RequestId<'_>) -> Vec<u8> {
        let mut bytes = id.response_start();
        bytes.extend_from_slice(br#","error":"#);
        write_json(&mut bytes, self);
        bytes.push(b'}');
        bytes
    }
}

/// A request's id, as the text it was sent in: it is echoed verbatim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestId<'a>(&'a str);

impl<'a> RequestId<'a> {
    /// `null`: the id of an answer to a request that has none that could be told.
    pub(crate) const NULL: RequestId<'static> = RequestId("null");

    pub(crate) fn parse(raw: &'a RawValue) -> Option<Self> {
        let text = raw.get();
        let valid = matches!(text.as_bytes().first(), Some(b'"' | b'n' | b'-' | b'0'..=b'9'));
        valid.then_some(Self(text))
    }

    /// The text it was sent in.
    pub(crate) fn as_str(self) -> &'a str {
        self.0
    }

    /// The id whose text this is: one that [`RequestId::parse`] gave.
    pub(crate) fn verbatim(text: &'a str) -> Self {
        Self(text)
    }

    /// The start of every response: keys `jsonrpc` and `id`, the object still open.
    pub(crate) fn response_start(self) -> Vec<u8> {
        [br#"{"jsonrpc":"2.0","id":"#, self.0.as_bytes()].concat()
    }
}

/// A request that is one.
#[derive(Debug)]
pub(super) struct Call<'a> {
    id: RequestId<'a>,
    method: Cow<'a, str>,
    params: Option<&'a RawValue>,
}

/// Why a body is no request, and whom to tell.
#[derive(Debug)]
pub(super) struct CallError<'a> {
    id: RequestId<'a>,
    error: RpcError,
}

impl CallError<'_> {
    pub(super) fn response(&self) -> Vec<u8> {
        self.error.response(self.id)
    }
}

impl<'a> Call<'a> {
    pub(super) fn parse(body: &'a [u8]) -> Result<Self, CallError<'a>> {
        let error = |error| CallError { id: RequestId::NULL, error };
        let text = json::checked(body).ok_or(error(RpcError::PARSE_ERROR))?;
        if !text.trim_ascii_start().starts_with('{') {
            return Err(error(RpcError::INVALID_REQUEST));
        }
        Envelope::parse(text).ok_or(error(RpcError::PARSE_ERROR))?.into_call()
    }

    pub(super) fn id(&self) -> RequestId<'a> {
        self.id
    }

    pub(super) fn method(&self) -> &str {
        &self.method
    }

    pub(super) fn params(&self) -> Option<&'a RawValue> {
        self.params
    }
}

/// The members of the outermost object, as they came.
#[derive(Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) jsonrpc: Option<&'a RawValue>,
    pub(crate) id: Option<&'a RawValue>,
    pub(crate) method: Option<&'a RawValue>,
    pub(crate) params: Option<&'a RawValue>,
    /// Some key came twice.
    pub(crate) duplicate: bool,
    /// The id did.
    pub(crate) duplicate_id: bool,
}

impl<'a> Envelope<'a> {
    /// The members of the object that `text` is. `None` when it is none, or one of its keys is no
    /// Unicode text.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let mut parser = serde_json::Deserializer::from_str(text);
        serde::Deserializer::deserialize_map(&mut parser, EnvelopeVisitor).ok()
    }

    fn into_call(self) -> Result<Call<'a>, CallError<'a>> {
        let id = self.id.filter(|_| !self.duplicate_id).and_then(RequestId::parse);
        let version = self.jsonrpc.and_then(string);
        let method = self.method.and_then(string);
        match (id, version.as_deref(), method) {
            (Some(id), Some("2.0"), Some(method)) if !self.duplicate => {
                Ok(Call { id, method, params: self.params })
            }
            _ => Err(CallError {
                id: id.unwrap_or(RequestId::NULL),
                error: RpcError::INVALID_REQUEST,
            }),
        }
    }
}

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC request")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut envelope = Envelope::default();
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let member = match key.as_str() {
                "jsonrpc" => Some(&mut envelope.jsonrpc),
                "id" => Some(&mut envelope.id),
                "method" => Some(&mut envelope.method),
                "params" => Some(&mut envelope.params),
                _ => None,
            };
            match member {
                Some(member) => *member = Some(map.next_value()?),
                None => map.next_value::<IgnoredAny>().map(drop)?,
            }
            envelope.duplicate_id |= key == "id" && keys.contains("id");
            envelope.duplicate |= !keys.insert(key);
        }
        Ok(envelope)
    }
}

/// The value of a raw JSON string.
pub(crate) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    struct StringVisitor;
    impl<'de> Visitor<'de> for StringVisitor {
        type Value = Cow<'de, str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_borrowed_str<E: serde::de::Error>(self, v: &'de str) -> Result<Self::Value, E> {
            Ok(Cow::Borrowed(v))
        }

        fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<Self::Value, E> {
            Ok(Cow::Owned(v.to_owned()))
        }
    }
    let mut parser = serde_json::Deserializer::from_str(raw.get());
    serde::Deserializer::deserialize_str(&mut parser, StringVisitor).ok()
}
