//! What the driver is to do, read from the conversation.

use serde_json::Value;

/// The words that begin a step.
const STEPS: [&str; 17] = [
    "think",
    "say",
    "wait",
    "compute",
    "show",
    "call",
    "turn",
    "end",
    "error",
    "max-tokens",
    "not-json",
    "no-data",
    "failed",
    "trap",
    "spin",
    "grow",
    "#",
];

/// A step: its word, and what follows it.
pub(crate) type Step<'a> = (&'a str, &'a str);

/// The steps of the turn that the conversation has come to. None where its message is no script.
pub(crate) fn steps(message: &str, turn: usize) -> Option<Vec<Step<'_>>> {
    let first = message.split_whitespace().next()?;
    if !STEPS.contains(&first) {
        return None;
    }
    let lines = message.lines().map(|line| line.split_once(' ').unwrap_or((line, "")));
    let steps: Vec<_> = lines.filter(|(word, _)| !word.is_empty()).collect();
    let turns = steps.split(|(word, _)| *word == "turn");
    Some(turns.into_iter().nth(turn).unwrap_or_default().to_vec())
}

/// The task's message, which is the user's last, and how many turns the model has had since.
pub(crate) fn message(input: &Value) -> (String, usize) {
    let messages = input["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let Some(at) = messages.iter().rposition(|message| message["role"] == "user") else {
        return (String::new(), 0);
    };
    let turns = messages[at..].iter().filter(|message| message["role"] == "assistant").count();
    (text(&messages[at]), turns)
}

fn text(message: &Value) -> String {
    let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    blocks.iter().filter_map(|block| block["text"].as_str()).collect()
}
