//! Conversations: which context and which turn a `status` is of, in threaded mode.

use serde_json::Value;
use std::collections::HashMap;

/// Characters of a context id that are shown: `ctx_` and eight.
const SHOWN: usize = 12;

/// What is known of the contexts so far.
#[derive(Default)]
pub(super) struct Turns {
    /// The turn that each context is in, from its second on.
    turns: HashMap<String, u64>,
    /// The context of each task that has not ended. Some frames name their task only.
    contexts: HashMap<String, String>,
}

impl Turns {
    /// The label of a `status` with this data, as `CTX / turn N`. `None` when it names no context,
    /// and no earlier frame of its task has named one.
    pub(super) fn label(&mut self, data: &Value, is_final: bool) -> Option<String> {
        let task = data["id"].as_str().unwrap_or_default();
        let context = self.context(task, data["context_id"].as_str(), is_final)?;
        let turn = self.turns.get(&context).copied().unwrap_or(1);
        let label = format!("{} / turn {turn}", shortened(&context));
        if is_final {
            self.turns.insert(context, turn.saturating_add(1));
        }
        Some(label)
    }

    fn context(&mut self, task: &str, named: Option<&str>, is_final: bool) -> Option<String> {
        let known = if is_final { self.contexts.remove(task) } else { None };
        let Some(named) = named else {
            return known.or_else(|| self.contexts.get(task).cloned());
        };
        if !is_final {
            self.contexts.insert(task.to_owned(), named.to_owned());
        }
        Some(named.to_owned())
    }
}

fn shortened(context: &str) -> String {
    match context.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", context.split_at(end).0),
        None => context.to_owned(),
    }
}
