//! An agent's card (details page, section 3).

use super::url::AgentUrl;
use crate::a2a::AgentId;
use serde::Serialize;
use serde_json::{Map, Value};

/// What is known of an agent's stream, as its card says under `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgentKind {
    /// No `kind`: what its first event shows.
    #[default]
    Unstated,
    /// `"murmur-capsule"`: a Murmur capsule.
    MurmurCapsule,
}

impl AgentKind {
    const MURMUR_CAPSULE: &'static str = "murmur-capsule";

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        (name == Self::MURMUR_CAPSULE).then_some(Self::MurmurCapsule)
    }

    /// Its name, if it has one.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Unstated => None,
            Self::MurmurCapsule => Some(Self::MURMUR_CAPSULE),
        }
    }
}

/// An agent, as it registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Its id.
    pub agent_id: AgentId,
    /// Its name, not empty.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its version.
    pub version: String,
    /// Where it is.
    pub url: AgentUrl,
    /// What it can do.
    pub skills: Vec<Skill>,
    /// What it takes.
    pub default_input_modes: Vec<String>,
    /// What it gives.
    pub default_output_modes: Vec<String>,
    /// The versions of A2A that it speaks.
    pub protocol_versions: Vec<String>,
    /// What it is.
    pub kind: AgentKind,
}

/// One thing that an agent can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skill {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// What it is found by.
    pub tags: Vec<String>,
}

impl Card {
    /// Parses a card. Keys that it does not know are ignored, `null` counts as absent.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for the body of a 400.
    pub fn parse(body: &[u8]) -> Result<Self, String> {
        let members = super::object(body)?;
        let agent_id = super::agent_id(&members)?;
        let name = required(&members, "name")?;
        let url = required(&members, "url")?;
        let url = AgentUrl::parse(url).ok_or("url must be an absolute http or https URL")?;
        let kind = match optional(&members, "kind")? {
            None => AgentKind::Unstated,
            Some(kind) => AgentKind::from_name(kind)
                .ok_or_else(|| format!("kind must be \"{}\"", AgentKind::MURMUR_CAPSULE))?,
        };
        Ok(Self {
            agent_id,
            name: name.to_owned(),
            description: text(&members, "description")?,
            version: text(&members, "version")?,
            url,
            skills: skills(&members)?,
            default_input_modes: texts(&members, "defaultInputModes", &["text"])?,
            default_output_modes: texts(&members, "defaultOutputModes", &["text"])?,
            protocol_versions: texts(&members, "protocolVersions", &["1.0"])?,
            kind,
        })
    }

    /// The card of an agent that is given at start, as `ID=URL`. Its name is its id.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn from_argument(argument: &str) -> Result<Self, String> {
        let (id, url) = argument.split_once('=').ok_or("an agent is given as ID=URL")?;
        let members = [("agent_id", id), ("name", id), ("url", url)];
        let members = members.map(|(key, value)| (key.to_owned(), Value::from(value)));
        Self::parse(Value::Object(members.into_iter().collect()).to_string().as_bytes())
    }

    /// Whether one of its skills has one of these tags.
    pub fn has_any_tag(&self, tags: &[String]) -> bool {
        self.skills.iter().any(|skill| skill.tags.iter().any(|tag| tags.contains(tag)))
    }
}

/// The value of a key that a card may have.
fn optional<'a>(members: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, String> {
    match members.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("{key} must be a string")),
    }
}

/// The value of a key that a card must have, and not empty.
pub(super) fn required<'a>(members: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    let value = optional(members, key)?.filter(|text| !text.is_empty());
    value.ok_or_else(|| format!("{key} is required"))
}

fn text(members: &Map<String, Value>, key: &str) -> Result<String, String> {
    optional(members, key).map(|text| text.unwrap_or_default().to_owned())
}

fn texts(members: &Map<String, Value>, key: &str, default: &[&str]) -> Result<Vec<String>, String> {
    let wrong = || format!("{key} must be an array of strings");
    match members.get(key) {
        None | Some(Value::Null) => Ok(default.iter().map(|&text| text.to_owned()).collect()),
        Some(Value::Array(values)) => {
            values.iter().map(|value| value.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}

fn skills(members: &Map<String, Value>) -> Result<Vec<Skill>, String> {
    let wrong = || "skills must be an array of objects".to_owned();
    let skills = match members.get("skills") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(skills)) => skills,
        Some(_) => return Err(wrong()),
    };
    let parse = |skill: &Value| {
        let skill = skill.as_object().ok_or_else(wrong)?;
        parse_skill(skill).map_err(|error| format!("skills: {error}"))
    };
    skills.iter().map(parse).collect()
}

fn parse_skill(skill: &Map<String, Value>) -> Result<Skill, String> {
    Ok(Skill {
        id: text(skill, "id")?,
        name: text(skill, "name")?,
        description: text(skill, "description")?,
        tags: texts(skill, "tags", &[])?,
    })
}
