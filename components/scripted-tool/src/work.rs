//! The tool's call: step after step.

use crate::Component;
use crate::bindings::exports::murmur::tool::run::{Guest, Status, ToolInput, ToolResult};
use crate::bindings::murmur::text::chunks::{emit_chunk, emit_thinking_chunk};
use crate::http;
use serde_json::Value;
use std::hint::black_box;
use std::thread::sleep;
use std::time::Duration;

impl Guest for Component {
    fn run(input: ToolInput) -> ToolResult {
        let input = input.data.and_then(|data| serde_json::from_str(&data).ok());
        let input: Value = input.unwrap_or_default();
        let steps = input["do"].as_array().into_iter().flatten();
        for step in steps.filter_map(Value::as_str) {
            let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
            if let Some(result) = take(word, rest) {
                return result;
            }
        }
        result(Status::Error, Some("the input has no last step"))
    }
}

/// Takes one step. The result, where it was the last one.
fn take(word: &str, rest: &str) -> Option<ToolResult> {
    match word {
        "say" => emit_chunk(rest),
        "think" => emit_thinking_chunk(rest),
        "wait" => sleep(Duration::from_millis(rest.parse().unwrap_or(0))),
        "get" => {
            return Some(match http::get(rest) {
                Ok(body) => result(Status::Passed, Some(&body)),
                Err(error) => result(Status::Error, Some(&error)),
            });
        }
        "env" => return Some(result(Status::Passed, std::env::var(rest).ok().as_deref())),
        "return" => return Some(result(Status::Passed, Some(rest))),
        "part" => {
            return Some(ToolResult { truncated: true, ..result(Status::Passed, Some(rest)) });
        }
        "summary" => {
            let summary = Some(rest.into());
            return Some(ToolResult { summary, ..result(Status::Passed, None) });
        }
        "nothing" => return Some(result(Status::Passed, None)),
        "fail" => return Some(result(Status::Failed, Some(rest))),
        "error" => return Some(result(Status::Error, Some(rest))),
        "trap" => std::process::abort(),
        "spin" => spin(),
        "grow" => grow(),
        _ => {}
    }
    None
}

fn result(status: Status, data: Option<&str>) -> ToolResult {
    ToolResult {
        status,
        summary: None,
        data: data.map(str::to_owned),
        data_path: None,
        truncated: false,
        metadata: Vec::new(),
    }
}

fn spin() -> ! {
    let mut turns = 0_u64;
    loop {
        turns = black_box(turns.wrapping_add(1));
    }
}

fn grow() -> ! {
    let mut taken = Vec::new();
    loop {
        taken.push(black_box(vec![1_u8; 1024 * 1024]));
    }
}
