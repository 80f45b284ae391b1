//! `capsule send`, `capsule answer` and `capsule cancel`: a person's side of a task.

use super::watch::{CapsuleAddress, Output, follow};
use super::{CliExit, output, runtime};
use host_harness::client::{Address, RpcError, rpc};
use host_harness::watch::submit;
use serde_json::{Value, json};
use std::io;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Submit a task, or answer the one that waits for input.
///
/// Without --stream it prints the task's id and state and ends. With it, it follows the stream until
/// a task ends: 0 when that was `completed`, else 1.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  capsule send 'Summarise README.md' --stream
  capsule send ask-you                      play the scenario of that name
  capsule send 'And now?' --context ctx_01a22f3bdb9a7a20a7e92847488a33bd")]
pub(super) struct Send {
    /// The message's text
    text: String,
    /// Follow the capsule's stream until a task ends
    #[arg(long)]
    stream: bool,
    /// The context that the task belongs to; a new one unless told
    #[arg(long, value_name = "ID")]
    context: Option<String>,
    #[command(flatten)]
    capsule: CapsuleAddress,
    #[command(flatten)]
    output: Output,
}

/// Answer the task that waits for input.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  capsule answer main")]
pub(super) struct Answer {
    /// The answer
    text: String,
    #[command(flatten)]
    capsule: CapsuleAddress,
}

/// Cancel a task.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  capsule cancel tsk_01a22f3bdb9a7aad8b5a05d915771602")]
pub(super) struct Cancel {
    /// The task's id, as it stands in its frames
    task: String,
    #[command(flatten)]
    capsule: CapsuleAddress,
}

impl Send {
    pub(super) fn run(self) -> CliExit {
        let message = message(&self.text, self.context.as_deref());
        let address = &self.capsule.url;
        if self.stream {
            let view = self.output.view();
            return follow(view, submit(address, &message, view, io::stdout(), io::stderr()));
        }
        call(address, "message/send", &json!({ "message": message }))
    }
}

impl Answer {
    pub(super) fn run(self) -> CliExit {
        let address = &self.capsule.url;
        let task = runtime()?.block_on(rpc(address, "tasks/get", &json!({})));
        let waits = match task {
            Ok(task) => Shown::of(&task)?.state == "input-required",
            // There never was a task.
            Err(RpcError::Refused { .. }) => false,
            Err(error) => return Err(error.into()),
        };
        if !waits {
            // The text would be submitted as a task of its own.
            return Err("no task waits for input; `capsule send` submits a task".into());
        }
        call(address, "message/send", &json!({ "message": message(&self.text, None) }))
    }
}

impl Cancel {
    pub(super) fn run(self) -> CliExit {
        call(&self.capsule.url, "tasks/cancel", &json!({ "id": self.task }))
    }
}

/// Calls a method whose result is a task, and prints how that stands.
fn call(address: &Address, method: &str, params: &Value) -> CliExit {
    let task = runtime()?.block_on(rpc(address, method, params))?;
    let Shown { id, state } = Shown::of(&task)?;
    let line = format!("{} {}\n", id.escape_debug(), state.escape_debug());
    output::write(line.as_bytes())?;
    if state == "rejected" {
        return Err("the capsule is busy and rejected the task".into());
    }
    Ok(ExitCode::SUCCESS)
}

/// What is shown of a task.
struct Shown<'a> {
    id: &'a str,
    state: &'a str,
}

impl<'a> Shown<'a> {
    fn of(result: &'a Value) -> Result<Self, String> {
        match (result["id"].as_str(), result["status"]["state"].as_str()) {
            (Some(id), Some(state)) => Ok(Self { id, state }),
            _ => Err(format!(
                "the answer's result is not a task, which has an `id` and a `status` with a \
                 `state`, but {}; is this a capsule's address?",
                shortened(&result.to_string())
            )),
        }
    }
}

/// As much of a JSON text as a person looks at.
fn shortened(json: &str) -> String {
    const CHARACTERS: usize = 60;
    let harmless = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let mut shown: String = json.chars().take(CHARACTERS).map(harmless).collect();
    if json.chars().nth(CHARACTERS).is_some() {
        shown.push('…');
    }
    shown
}

/// An A2A message. Its id has to differ from the sender's others.
fn message(text: &str, context: Option<&str>) -> Value {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut message = json!({
        "messageId": format!("msg-{}-{}", since_1970.as_micros(), std::process::id()),
        "role": "user",
        "parts": [{ "text": text }],
    });
    if let Some(context) = context {
        message["contextId"] = context.into();
    }
    message
}
