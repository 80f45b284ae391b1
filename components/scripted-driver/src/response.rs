//! The result of a call.

use crate::bindings::exports::murmur::tool::run::{Status, ToolResult};
use serde_json::{Value, json};

/// A response in which the model stopped for this reason.
pub(crate) fn response(stop_reason: &str, content: Vec<Value>, error: Option<&str>) -> ToolResult {
    let mut response = json!({"stop_reason": stop_reason, "content": content});
    if let Some(error) = error {
        response["error"] = error.into();
    }
    result(Status::Passed, Some(response.to_string()))
}

/// A result with any data.
pub(crate) fn result(status: Status, data: Option<String>) -> ToolResult {
    ToolResult {
        status,
        summary: None,
        data,
        data_path: None,
        truncated: false,
        metadata: Vec::new(),
    }
}

/// A piece of the reply.
pub(crate) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// A tool call: the tool's name, and its input as JSON.
pub(crate) fn tool_call(number: usize, call: &str) -> Value {
    let (name, input) = call.split_once(' ').unwrap_or((call, "{}"));
    let input: Value = serde_json::from_str(input).unwrap_or_else(|_| input.into());
    json!({"type": "tool_call", "id": format!("call_{number}"), "name": name, "input": input})
}
