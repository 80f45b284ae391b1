//! The A2A message in the params of `message/stream` (protocol page, "Endpoints").

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::fmt;
use std::marker::PhantomData;

/// A message that parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The sender's id for it.
    pub message_id: String,
    /// Who speaks, `user` as a rule.
    pub role: String,
    /// The texts of its parts, joined with line feeds.
    pub text: String,
    /// The context that it names, verbatim.
    pub context_id: Option<String>,
}

/// Why params are no message, in serde's words and without a position: what the `error` frame has
/// behind `Invalid params: `.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamsError(String);

impl fmt::Display for ParamsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParamsError {}

impl ParamsError {
    fn new(error: &serde_json::Error) -> Self {
        let with_position = error.to_string();
        let position = format!(" at line {} column {}", error.line(), error.column());
        Self(with_position.strip_suffix(&position).unwrap_or(&with_position).to_owned())
    }
}

impl Message {
    /// Parses params: the value under their `message` key, `null` included, if they are an object
    /// that has one, else the params themselves. Absent params are `null`.
    pub(super) fn from_params(params: Option<&RawValue>) -> Result<Self, ParamsError> {
        let params = params.map_or("null", RawValue::get);
        let under_key = serde_json::from_str::<MessageMember<'_>>(params).ok();
        let message = under_key.and_then(|member| member.0).map_or(params, RawValue::get);
        let ObjectOnly(message) = serde_json::from_str::<ObjectOnly<A2aMessage>>(message)
            .map_err(|error| ParamsError::new(&error))?;
        Ok(message.into())
    }
}

/// The value under `message` of an object, the last one if there are several.
struct MessageMember<'a>(Option<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for MessageMember<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MemberVisitor;
        impl<'de> Visitor<'de> for MemberVisitor {
            type Value = MessageMember<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut message = None;
                while let Some(key) = map.next_key::<String>()? {
                    if key == "message" {
                        message = Some(map.next_value()?);
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(MessageMember(message))
            }
        }
        deserializer.deserialize_map(MemberVisitor)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct A2aMessage {
    message_id: String,
    role: String,
    parts: Vec<ObjectOnly<MessagePart>>,
    #[serde(default)]
    context_id: Option<String>,
}

#[derive(Deserialize)]
struct MessagePart {
    #[serde(default)]
    text: Option<String>,
}

impl From<A2aMessage> for Message {
    fn from(message: A2aMessage) -> Self {
        let texts = message.parts.into_iter().filter_map(|ObjectOnly(part)| part.text);
        Self {
            message_id: message.message_id,
            role: message.role,
            text: texts.collect::<Vec<_>>().join("\n"),
            context_id: message.context_id,
        }
    }
}

trait Named {
    /// As serde prints the struct.
    const NAME: &'static str;
}

impl Named for A2aMessage {
    const NAME: &'static str = "struct A2aMessage";
}

impl Named for MessagePart {
    const NAME: &'static str = "struct MessagePart";
}

/// A struct read from an object only: a derived one would take an array of its fields as well.
struct ObjectOnly<T>(T);

impl<'de, T: Deserialize<'de> + Named> Deserialize<'de> for ObjectOnly<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Named> Visitor<'de> for ObjectVisitor<T> {
            type Value = ObjectOnly<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::NAME)
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(ObjectOnly)
            }
        }
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}
