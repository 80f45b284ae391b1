//! The message of a `message/stream`, and what a Murmur capsule needs in it (streaming protocol
//! page, "Endpoints"): a capsule takes none without `messageId` and `role`, which callers of other
//! agents do not send, and its frames can be told apart by the context only.

use super::json;
use crate::ContextId;
use crate::door::json_rpc::Envelope;

/// A request that a capsule can take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completed {
    /// The body.
    pub body: String,
    /// The context of its message.
    pub context_id: ContextId,
}

/// Completes the body of a `message/stream`: its message gets `contextId` where that is absent or
/// `null`, and `messageId` and `role` where they are absent, in this order before its other
/// members. Every other byte stays. A message that is no object stays what it is: the capsule says
/// what is wrong with it.
pub fn complete(body: &str, context_id: &ContextId, message_id: &str) -> Completed {
    let params = Envelope::parse(body).and_then(|envelope| envelope.params);
    params
        .and_then(|params| complete_message(body, of_params(params.get())?, context_id, message_id))
        .unwrap_or_else(|| Completed { body: body.to_owned(), context_id: context_id.clone() })
}

/// The context that the message in `params` names.
pub(super) fn context_id(params: &str) -> Option<ContextId> {
    let message = json::members(of_params(params)?)?;
    json::string(message.get("contextId")?).map(ContextId::from)
}

/// The message in `params`: the value under `message`, or else the params themselves.
fn of_params(params: &str) -> Option<&str> {
    Some(json::members(params)?.get("message").map_or(params, |message| message.get()))
}

/// `message` stands in `body`.
fn complete_message(
    body: &str,
    message: &str,
    new_context: &ContextId,
    message_id: &str,
) -> Option<Completed> {
    let members = json::members(message)?;
    let at = offset(body, message)?;
    let mut completed = body.to_owned();
    let mut added = String::new();
    let mut add = |name: &str, value: &str| {
        added.push_str(&format!(r#""{name}":{},"#, json::quoted(value)));
    };
    let mut context_id = new_context.clone();
    match members.get("contextId") {
        None => add("contextId", new_context.as_str()),
        Some(null) if null.get() == "null" => {
            let at = offset(body, null.get())?;
            completed.replace_range(at..at + "null".len(), &json::quoted(new_context.as_str()));
        }
        Some(given) => {
            context_id = json::string(given).map_or(context_id, ContextId::from);
        }
    }
    for (name, value) in [("messageId", message_id), ("role", "user")] {
        if !members.contains_key(name) {
            add(name, value);
        }
    }
    if members.is_empty() {
        added.pop();
    }
    // Behind the brace, and so before anything that was replaced.
    completed.insert_str(at + 1, &added);
    Some(Completed { body: completed, context_id })
}

/// Where `part`, a piece of `whole`, begins in it.
fn offset(whole: &str, part: &str) -> Option<usize> {
    let at = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    (at.checked_add(part.len())? <= whole.len()).then_some(at)
}
