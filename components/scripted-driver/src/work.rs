//! The driver's call: step after step.

use crate::Component;
use crate::bindings::exports::murmur::tool::run::{Guest, Status, ToolInput, ToolResult};
use crate::bindings::murmur::text::chunks::{emit_chunk, emit_thinking_chunk};
use crate::response::{response, result, text, tool_call};
use crate::script::{self, Step};
use serde_json::Value;
use std::hint::black_box;
use std::thread::sleep;
use std::time::{Duration, Instant};

impl Guest for Component {
    fn run(input: ToolInput) -> ToolResult {
        let input = input.data.and_then(|data| serde_json::from_str(&data).ok());
        let input: Value = input.unwrap_or_default();
        let (message, turn) = script::message(&input);
        match script::steps(&message, turn) {
            Some(steps) => play(&steps, &input, turn),
            None => repeat(&message),
        }
    }
}

fn play(steps: &[Step<'_>], input: &Value, turn: usize) -> ToolResult {
    let mut said = String::new();
    let mut calls = Vec::new();
    let mut say = |chunk: &str| {
        said.push_str(chunk);
        emit_chunk(chunk);
    };
    for &(word, rest) in steps {
        match word {
            "think" => emit_thinking_chunk(rest),
            "say" => say(rest),
            "wait" => sleep(millis(rest)),
            "compute" => compute(millis(rest)),
            "show" => say(&input[rest].to_string()),
            "call" => calls.push(tool_call(10 * (turn + 1) + calls.len(), rest)),
            "end" if rest.is_empty() => return response("end_turn", vec![text(&said)], None),
            "end" => return response("end_turn", vec![text(rest)], None),
            "error" => return response("error", vec![text(&said)], Some(rest)),
            "max-tokens" => return response("max_tokens", vec![text(&said)], None),
            "not-json" => return result(Status::Passed, Some(rest.into())),
            "no-data" => return result(Status::Passed, None),
            "failed" => return result(Status::Failed, Some(rest.into())),
            "trap" => std::process::abort(),
            "spin" => spin(),
            "grow" => grow(),
            // A comment.
            _ => {}
        }
    }
    if calls.is_empty() {
        return response("end_turn", vec![text(&said)], None);
    }
    if !said.is_empty() {
        calls.insert(0, text(&said));
    }
    response("tool_call", calls, None)
}

fn repeat(message: &str) -> ToolResult {
    for word in message.split_inclusive(' ') {
        emit_chunk(word);
    }
    response("end_turn", vec![text(message)], None)
}

fn millis(text: &str) -> Duration {
    Duration::from_millis(text.parse().unwrap_or(0))
}

fn compute(time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {}
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
