//! The conversation, as the driver is given it, and those of earlier tasks.

use super::AgentSettings;
use protocol::ContextId;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// How many contexts are remembered, and how many bytes of their ids and messages.
const REMEMBERED: usize = 1000;
const REMEMBERED_BYTES: usize = 64 * 1024 * 1024;

/// One message.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Message {
    role: &'static str,
    content: Vec<Block>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Block {
    /// As the driver gave it.
    Verbatim(Box<RawValue>),
    Text {
        r#type: &'static str,
        text: String,
    },
}

impl Message {
    pub(super) fn user(text: impl Into<String>) -> Self {
        Self { role: "user", content: vec![Block::text(text)], tool_call_id: None, is_error: None }
    }

    /// What the model said, block for block.
    pub(super) fn assistant(content: Vec<Box<RawValue>>) -> Self {
        let content = content.into_iter().map(Block::Verbatim).collect();
        Self { role: "assistant", content, tool_call_id: None, is_error: None }
    }

    /// A tool call's result, as the model receives it.
    pub(super) fn tool(call_id: Option<String>, content: &str, is_error: bool) -> Self {
        Self {
            role: "tool",
            content: vec![Block::text(content)],
            tool_call_id: call_id,
            is_error: Some(is_error),
        }
    }

    /// About how many bytes it takes.
    fn bytes(&self) -> usize {
        let content = self.content.iter().map(|block| match block {
            Block::Verbatim(json) => json.get().len(),
            Block::Text { text, .. } => text.len(),
        });
        size_of::<Self>() + content.map(|bytes| size_of::<Block>() + bytes).sum::<usize>()
    }
}

impl Block {
    fn text(text: impl Into<String>) -> Self {
        Self::Text { r#type: "text", text: text.into() }
    }
}

/// What the driver is told of a tool.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ToolSpec {
    pub(super) name: String,
    description: &'static str,
    input_schema: BTreeMap<&'static str, &'static str>,
}

impl ToolSpec {
    /// A tool of which only the name is known: it takes any object.
    pub(super) fn named(name: String) -> Self {
        Self { name, description: "", input_schema: BTreeMap::from([("type", "object")]) }
    }
}

/// The driver's input.
#[derive(Debug, Serialize)]
pub(super) struct Request<'a> {
    model: &'a str,
    max_tokens: u32,
    messages: &'a [Message],
    tools: Vec<&'a ToolSpec>,
    params: BTreeMap<&'a str, &'a str>,
    system: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    continuation_id: Option<&'a str>,
}

/// The conversation of one task.
#[derive(Debug)]
pub(super) struct Conversation {
    messages: Vec<Message>,
    /// What the driver wants to be told with the next request.
    pub(super) continuation_id: Option<String>,
}

impl Conversation {
    pub(super) fn add(&mut self, message: Message) {
        self.messages.push(message);
    }

    pub(super) fn request<'a>(
        &'a self,
        settings: &'a AgentSettings,
        tools: impl Iterator<Item = &'a ToolSpec>,
    ) -> Request<'a> {
        Request {
            model: &settings.model,
            max_tokens: settings.max_tokens,
            messages: &self.messages,
            tools: tools.collect(),
            params: BTreeMap::new(),
            system: &settings.system,
            continuation_id: self.continuation_id.as_deref(),
        }
    }
}

/// The conversations that were completed, by context.
#[derive(Debug, Default)]
pub(super) struct Conversations {
    kept: HashMap<ContextId, Kept>,
    /// The contexts of `kept`, the one that was kept longest ago first.
    order: VecDeque<ContextId>,
    /// The bytes of all of `kept`.
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    messages: Vec<Message>,
    bytes: usize,
}

impl Conversations {
    /// The conversation that this context's next task begins with.
    pub(super) fn continued(&self, context: &ContextId, text: &str) -> Conversation {
        let kept = self.kept.get(context);
        let mut messages = kept.map(|kept| kept.messages.clone()).unwrap_or_default();
        messages.push(Message::user(text));
        Conversation { messages, continuation_id: None }
    }

    /// Keeps the conversation of a task that completed, and forgets the oldest ones over the
    /// limits: their contexts' next tasks start afresh.
    pub(super) fn keep(&mut self, context: &ContextId, conversation: Conversation) {
        self.forget(context);
        let messages = conversation.messages;
        let bytes = 2 * context.as_str().len() + messages.iter().map(Message::bytes).sum::<usize>();
        self.bytes += bytes;
        self.kept.insert(context.clone(), Kept { messages, bytes });
        self.order.push_back(context.clone());
        while (self.order.len() > REMEMBERED || self.bytes > REMEMBERED_BYTES)
            && let Some(oldest) = self.order.front().cloned()
        {
            self.forget(&oldest);
        }
    }

    fn forget(&mut self, context: &ContextId) {
        if let Some(kept) = self.kept.remove(context) {
            self.bytes -= kept.bytes;
            self.order.retain(|other| other != context);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AgentSettings, Conversations, Message, ToolSpec};

    #[test]
    fn conversations_over_the_limit_in_bytes_are_forgotten_oldest_first() {
        let context = |name: &str| protocol::ContextId::from(name.to_owned());
        let mut conversations = Conversations::default();
        let half = "x".repeat(super::REMEMBERED_BYTES / 2 - 1024);
        for name in ["a", "b", "a", "c"] {
            let conversation = Conversations::default().continued(&context(name), &half);
            conversations.keep(&context(name), conversation);
        }
        let messages = |name| conversations.continued(&context(name), "next").messages.len();
        assert_eq!([messages("a"), messages("b"), messages("c")], [2, 1, 2]);
        assert!(conversations.bytes <= super::REMEMBERED_BYTES);
    }

    #[test]
    fn the_request_has_the_keys_of_the_drivers_world_in_their_order() {
        let mut conversation = Conversations::default().continued(&"ctx_1".to_owned().into(), "hi");
        let call = r#"{"type":"tool_call","id":"c","name":"t","input":{"z":1.50,"a":2}}"#;
        conversation.add(Message::assistant(vec![serde_json::from_str(call).unwrap()]));
        conversation.add(Message::tool(Some("c".into()), "out", true));
        let settings =
            AgentSettings { model: "m".into(), system: "s".into(), ..Default::default() };
        let tools = [ToolSpec::named("t".into())];
        let request =
            serde_json::to_string(&conversation.request(&settings, tools.iter())).unwrap();
        assert_eq!(
            request,
            [
                r#"{"model":"m","max_tokens":4096,"messages":["#,
                r#"{"role":"user","content":[{"type":"text","text":"hi"}]},"#,
                r#"{"role":"assistant","content":["#,
                call,
                r#"]},{"role":"tool","content":[{"type":"text","text":"out"}],"#,
                r#""tool_call_id":"c","is_error":true}],"#,
                r#""tools":[{"name":"t","description":"","input_schema":{"type":"object"}}],"#,
                r#""params":{},"system":"s"}"#,
            ]
            .concat()
        );
    }
}
