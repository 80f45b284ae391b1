//! The driver's result, read as the model's response.

use crate::components::{Status, ToolResult};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

/// What the model answered.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) content: Vec<Box<RawValue>>,
    pub(super) continuation_id: Option<String>,
    pub(super) stop: Stop,
}

/// Why it stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// It is done, with this reply.
    EndTurn(String),
    ToolCalls(Vec<ToolCall>),
}

/// A tool call that the model asks for.
#[derive(Debug)]
pub(super) struct ToolCall {
    /// The provider's id, if it gave one.
    pub(super) id: Option<String>,
    pub(super) name: String,
    /// JSON.
    pub(super) input: String,
}

/// Why there is no response to go on with.
#[derive(Debug)]
pub(super) enum ResponseError {
    /// The result is no JSON: an error that the agent loop does not report.
    NotJson,
    /// The driver or its response failed.
    Failed(String),
}

#[derive(Deserialize)]
struct Wire {
    stop_reason: String,
    #[serde(default)]
    content: Vec<Box<RawValue>>,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    continuation_id: Value,
}

#[derive(Deserialize)]
struct Block {
    r#type: String,
    text: Option<String>,
    id: Option<String>,
    name: Option<String>,
    input: Option<Box<RawValue>>,
}

/// Reads the response.
///
/// A driver whose status is not `passed` failed, whatever its data says. JSON that is no response,
/// a `tool_call` without calls, and `max_tokens`, whose reply is a part of one, count as responses
/// that failed.
pub(super) fn read(result: &ToolResult) -> Result<Response, ResponseError> {
    let failed = |why: String| ResponseError::Failed(why);
    let data = result.data.as_deref().unwrap_or_default();
    if result.status != Status::Passed {
        let said = result.summary.as_deref().unwrap_or(data);
        return Err(failed(format!("the driver's status is not passed: {said}")));
    }
    if serde_json::from_str::<IgnoredAny>(data).is_err() {
        return Err(ResponseError::NotJson);
    }
    let wire: Wire = serde_json::from_str(data).map_err(|error| failed(error.to_string()))?;
    let blocks: Result<Vec<Block>, _> =
        wire.content.iter().map(|block| serde_json::from_str(block.get())).collect();
    let blocks = blocks.map_err(|error| failed(format!("a block of its content: {error}")))?;
    let stop = match wire.stop_reason.as_str() {
        "end_turn" => Stop::EndTurn(reply(&blocks)),
        "tool_call" => Stop::ToolCalls(calls(blocks).map_err(|why| failed(why.into()))?),
        "error" => return Err(failed(format!("it reports an error: {}", wire.error))),
        other => return Err(failed(format!("its stop_reason is `{other}`"))),
    };
    let continuation_id = wire.continuation_id.as_str().map(str::to_owned);
    Ok(Response { content: wire.content, continuation_id, stop })
}

fn reply(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter(|block| block.r#type == "text");
    texts.filter_map(|block| block.text.as_deref()).collect()
}

fn calls(blocks: Vec<Block>) -> Result<Vec<ToolCall>, &'static str> {
    let mut calls = Vec::new();
    for block in blocks.into_iter().filter(|block| block.r#type == "tool_call") {
        calls.push(ToolCall {
            id: block.id.filter(|id| !id.is_empty()),
            name: block.name.ok_or("a tool call has no name")?,
            input: block.input.map_or_else(|| "{}".to_owned(), |input| input.get().to_owned()),
        });
    }
    if calls.is_empty() { Err("it asks for tool calls and has none") } else { Ok(calls) }
}

#[cfg(test)]
mod tests {
    use super::{Response, ResponseError, Stop, read};
    use crate::components::{Status, ToolResult};

    fn read_data(data: &str) -> Result<Response, ResponseError> {
        read(&ToolResult {
            status: Status::Passed,
            summary: None,
            data: Some(data.into()),
            data_path: None,
            truncated: false,
            metadata: Vec::new(),
        })
    }

    #[test]
    fn the_reply_is_the_text_of_all_text_blocks() {
        let data = r#"{"stop_reason":"end_turn","usage":{},"content":[{"type":"text","text":"a"},
            {"type":"thinking","text":"no"},{"type":"text","text":"b"}]}"#;
        let response = read_data(data).unwrap();
        assert!(matches!(response.stop, Stop::EndTurn(reply) if reply == "ab"));
        assert_eq!(response.content.len(), 3);
    }

    #[test]
    fn tool_calls_keep_their_order_and_the_spelling_of_their_input() {
        let data = r#"{"stop_reason":"tool_call","content":[
            {"type":"tool_call","id":"1","name":"b","input":{"z": 1.50}},
            {"type":"tool_call","id":"","name":"a"}]}"#;
        let Ok(Response { stop: Stop::ToolCalls(calls), .. }) = read_data(data) else { panic!() };
        let calls: Vec<_> = calls.iter().map(|c| (c.id.as_deref(), &*c.name, &*c.input)).collect();
        assert_eq!(calls, [(Some("1"), "b", r#"{"z": 1.50}"#), (None, "a", "{}")]);
    }

    #[test]
    fn what_is_no_response_fails_and_what_is_no_json_is_told_apart() {
        for data in [
            "{}",
            "[]",
            r#"{"stop_reason":"tool_call","content":[]}"#,
            r#"{"stop_reason":"tool_call","content":[{"type":"tool_call"}]}"#,
            r#"{"stop_reason":"end_turn","content":[1]}"#,
            r#"{"stop_reason":"max_tokens","content":[]}"#,
            r#"{"stop_reason":"error","error":"overloaded"}"#,
            r#"{"stop_reason":"boredom"}"#,
        ] {
            assert!(matches!(read_data(data), Err(ResponseError::Failed(_))), "{data}");
        }
        for data in ["", "HTTP 500", r#"{"stop_reason":"#] {
            assert!(matches!(read_data(data), Err(ResponseError::NotJson)), "{data}");
        }
    }
}
