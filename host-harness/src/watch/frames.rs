//! What each frame looks like (`capsule-stream-details.md`, section 10).
//!
//! The data is read as any JSON: a key that is not there, or holds something of another type, is
//! left out or stands as `unknown`, and a key that nobody knows is not looked at.

use super::printer::Printer;
use super::style::Ink;
use super::wrap::{WIDTH, wrap};
use serde_json::Value;
use std::io::Write;

const UNKNOWN: &str = "unknown";

pub(super) fn is_final(data: &Value) -> bool {
    data["final"].as_bool().unwrap_or(false)
}

/// A `status`. `turn` is its context and turn, in threaded mode.
pub(super) fn status(printer: &mut Printer<impl Write>, data: &Value, turn: Option<&str>) {
    let status = &data["status"];
    if !status.is_object() {
        return;
    }
    let state = status["state"].as_str().unwrap_or(UNKNOWN);
    let ink = match state {
        "completed" => Ink::Good,
        "failed" | "rejected" => Ink::Bad,
        "input-required" | "canceled" => Ink::Wanted,
        _ => Ink::Dim,
    };
    printer.begin_line();
    match turn {
        Some(turn) => printer.print(ink, &format!("[{turn} / {state}]")),
        None => printer.print(ink, &format!("[{state}]")),
    }
    if is_final(data) {
        printer.end_line();
        if let ("completed", Some(response)) = (state, status["response"].as_str()) {
            self::response(printer, response);
        }
        return;
    }
    if let Some(message) = status["message"].as_str() {
        // What a task waits for has to be read; a turn that begins has not.
        let ink = if state == "input-required" { Ink::Plain } else { Ink::Dim };
        printer.print(ink, &format!("  {message}"));
    }
    printer.end_line();
}

fn response(printer: &mut Printer<impl Write>, response: &str) {
    for line in response.lines().flat_map(|line| wrap(line, WIDTH)) {
        printer.print(Ink::Plain, &format!("  {line}"));
        printer.end_line();
    }
    printer.end_line();
}

/// An `artifact`.
pub(super) fn artifact(printer: &mut Printer<impl Write>, data: &Value) {
    let artifact = &data["artifact"];
    if !artifact.is_object() {
        return;
    }
    let name = artifact["tool_name"].as_str().unwrap_or(UNKNOWN);
    let is_error = artifact["is_error"].as_bool().unwrap_or(false);
    printer.begin_line();
    printer.print(Ink::Name, &format!("[artifact] tool: {name}"));
    let ink = if is_error { Ink::Bad } else { Ink::Name };
    printer.print(ink, &format!(" [{}]", outcome(artifact, is_error)));
    if let Some(content) = artifact["content"].as_str() {
        let mut lines = content.lines();
        printer.print(Ink::Plain, &format!(" | {}", lines.next().unwrap_or_default()));
        for line in lines {
            printer.end_line();
            printer.print(Ink::Dim, &format!("  {line}"));
        }
    }
    printer.end_line();
}

fn outcome(artifact: &Value, is_error: bool) -> String {
    let mut outcome = if is_error { "error" } else { "ok" }.to_owned();
    if let Value::Number(code) = &artifact["exit_code"] {
        outcome.push_str(&format!(", exit {code}"));
    }
    if let Value::Number(duration) = &artifact["duration_ms"] {
        outcome.push_str(&format!(", {duration}ms"));
    }
    if artifact["truncated"] == true {
        outcome.push_str(", truncated");
    }
    outcome
}

/// A `text`, which may be empty.
pub(super) fn text(printer: &mut Printer<impl Write>, data: &Value) {
    match data["text"].as_str() {
        None | Some("") => {}
        Some(text) => printer.text(text),
    }
}

/// A `thinking`, which may be empty.
pub(super) fn thinking(printer: &mut Printer<impl Write>, data: &Value) {
    match data["text"].as_str() {
        None | Some("") => {}
        Some(text) => printer.thinking(text),
    }
}
