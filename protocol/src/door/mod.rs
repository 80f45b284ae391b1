//! The door: which requests the capsule serves, and what it answers before a stream begins
//! (protocol page, "Endpoints").
//!
//! A request is looked at twice. [`route`] needs its head only and says whether the body is worth
//! reading; [`answer`] takes the body and says what to do.

mod agent_card;
pub(crate) mod json;
pub(crate) mod json_rpc;
mod message;
mod result;
mod route;
mod submit;
mod task_methods;
mod tasks;

pub use agent_card::AgentCard;
pub use message::{Message, ParamsError};
pub(crate) use route::are_json;
pub use route::{Route, route};
pub use submit::submit;
pub use tasks::{Submission, Submitted, TaskSnapshot, TaskState, Tasks};

use json_rpc::{Call, RpcError};
use uuid::Uuid;

/// The longest request body that is read unless told otherwise, in bytes.
pub const DEFAULT_MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// What a request that reached the JSON-RPC route is answered with.
#[derive(Debug)]
pub enum Answer {
    /// 404 without a body: the request had none.
    NotFound,
    /// A JSON-RPC response, HTTP 200.
    Json(Vec<u8>),
    /// A `stream/watch` event stream.
    Watch,
    /// A `message/stream` event stream, and what its params were: errors come inside it.
    Stream(Result<Message, ParamsError>),
}

/// The methods that are served, in alphabetical order. Those that submit tasks are not there where
/// `task_acceptance` is `none`.
fn methods(accepts_tasks: bool) -> impl Iterator<Item = &'static str> {
    let methods = ["message/send", "message/stream", "stream/watch", "tasks/cancel", "tasks/get"];
    methods.into_iter().filter(move |method| accepts_tasks || !method.starts_with("message/"))
}

/// Answers the request with this body. `accepts_tasks` is false for a capsule whose
/// `task_acceptance` is `none`; `mint` makes UUIDs, version 7, for a task that is submitted.
pub fn answer(
    body: &[u8],
    accepts_tasks: bool,
    mint: impl FnMut() -> Uuid,
    tasks: &mut impl Tasks,
) -> Answer {
    if body.is_empty() {
        return Answer::NotFound;
    }
    let call = match Call::parse(body) {
        Ok(call) => call,
        Err(error) => return Answer::Json(error.response()),
    };
    let (id, params) = (call.id(), call.params());
    // Before params are looked at.
    if !methods(accepts_tasks).any(|method| method == call.method()) {
        return Answer::Json(RpcError::METHOD_NOT_FOUND.response(id));
    }
    match call.method() {
        "stream/watch" => Answer::Watch,
        "message/stream" => Answer::Stream(Message::from_params(params)),
        "message/send" => Answer::Json(submit::send(id, Message::from_params(params), mint, tasks)),
        "tasks/cancel" => Answer::Json(task_methods::cancel(id, params, tasks)),
        _ => Answer::Json(task_methods::get(id, params, tasks)),
    }
}
