//! `ask_tool.wasm`: a tool that asks for input and answers with what it got.
//!
//! Its input is `{"prompt": "…"}`, or `{"prompts": ["…", …]}` for one wait after another; the
//! answers are its result, joined with line feeds.
//!
//! On any other target than WebAssembly this crate is empty.

#![cfg(target_family = "wasm")]

mod bindings;

use bindings::exports::murmur::tool::run::{Guest, Status, ToolInput, ToolResult};
use bindings::murmur::task::task::request_input;
use serde_json::Value;

struct Component;

impl Guest for Component {
    fn run(input: ToolInput) -> ToolResult {
        let prompts = prompts(&input.data.unwrap_or_default());
        let answers: Vec<_> = prompts.iter().map(|prompt| request_input(prompt)).collect();
        let (status, data) = if prompts.is_empty() {
            (Status::Error, "the input has no prompt".into())
        } else {
            (Status::Passed, answers.join("\n"))
        };
        ToolResult {
            status,
            summary: None,
            data: Some(data),
            data_path: None,
            truncated: false,
            metadata: Vec::new(),
        }
    }
}

fn prompts(input: &str) -> Vec<String> {
    let input: Value = serde_json::from_str(input).unwrap_or_default();
    let prompts = input["prompts"].as_array().into_iter().flatten();
    let all = [&input["prompt"]].into_iter().chain(prompts);
    all.filter_map(|prompt| prompt.as_str().map(str::to_owned)).collect()
}
