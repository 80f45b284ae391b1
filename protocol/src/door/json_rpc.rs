//! JSON-RPC 2.0: the envelope of a request and the response that carries an error.

use super::json;
use crate::frame::write_json;
use serde::Serialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// The errors of the envelope and of the dispatch (JSON-RPC 2.0, section 5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// The body is not JSON as the door accepts it.
    ParseError,
    /// It is JSON, but not a request.
    InvalidRequest,
    /// The capsule serves no such method.
    MethodNotFound,
}

impl ErrorCode {
    /// The number on the wire.
    pub fn code(self) -> i32 {
        match self {
            Self::ParseError => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
        }
    }

    /// The text on the wire.
    pub fn message(self) -> &'static str {
        match self {
            Self::ParseError => "Parse error",
            Self::InvalidRequest => "Invalid Request",
            Self::MethodNotFound => "Method not found",
        }
    }
}

/// A request's id, as the text it was sent in: it is echoed verbatim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId<'a>(&'a str);

impl<'a> RequestId<'a> {
    /// `null`: the id of an answer to a request that has none that could be told.
    pub const NULL: RequestId<'static> = RequestId("null");

    fn parse(raw: &'a RawValue) -> Option<Self> {
        let text = raw.get();
        let valid = matches!(text.as_bytes().first(), Some(b'"' | b'n' | b'-' | b'0'..=b'9'));
        valid.then_some(Self(text))
    }
}

/// A JSON-RPC response with an error: keys `jsonrpc`, `id`, `error` with `code`, `message`.
pub fn error_response(id: RequestId<'_>, code: ErrorCode) -> Vec<u8> {
    #[derive(Serialize)]
    struct ErrorBody {
        code: i32,
        message: &'static str,
    }
    let mut bytes = br#"{"jsonrpc":"2.0","id":"#.to_vec();
    bytes.extend_from_slice(id.0.as_bytes());
    bytes.extend_from_slice(br#","error":"#);
    write_json(&mut bytes, &ErrorBody { code: code.code(), message: code.message() });
    bytes.push(b'}');
    bytes
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
    code: ErrorCode,
}

impl CallError<'_> {
    pub(super) fn response(&self) -> Vec<u8> {
        error_response(self.id, self.code)
    }
}

impl<'a> Call<'a> {
    pub(super) fn parse(body: &'a [u8]) -> Result<Self, CallError<'a>> {
        let error = |code| CallError { id: RequestId::NULL, code };
        let text = json::checked(body).ok_or(error(ErrorCode::ParseError))?;
        if !text.trim_ascii_start().starts_with('{') {
            return Err(error(ErrorCode::InvalidRequest));
        }
        let mut parser = serde_json::Deserializer::from_str(text);
        let envelope = serde::Deserializer::deserialize_map(&mut parser, EnvelopeVisitor)
            .map_err(|_| error(ErrorCode::ParseError))?;
        envelope.into_call()
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
struct Envelope<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    /// Some key came twice.
    duplicate: bool,
    /// The id did.
    duplicate_id: bool,
}

impl<'a> Envelope<'a> {
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
                code: ErrorCode::InvalidRequest,
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
fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
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
