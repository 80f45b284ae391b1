//! The door: which requests the capsule serves, and what it answers before a stream begins
//! (protocol page, "Endpoints").
//!
//! A request is looked at twice. [`route`] needs its head only and says whether the body is worth
//! reading; [`answer`] takes the body and says what to do.

mod json;
mod json_rpc;
mod message;
mod route;
mod submit;

pub use json_rpc::{ErrorCode, RequestId, error_response};
pub use message::{Message, ParamsError};
pub use route::{Route, route};
pub use submit::{Submission, Submitted, Tasks, submit};

use json_rpc::Call;

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

/// Answers the request with this body. `accepts_tasks` is false for a capsule whose
/// `task_acceptance` is `none`: the methods that submit tasks are not there then.
pub fn answer(body: &[u8], accepts_tasks: bool) -> Answer {
    if body.is_empty() {
        return Answer::NotFound;
    }
    let call = match Call::parse(body) {
        Ok(call) => call,
        Err(error) => return Answer::Json(error.response()),
    };
    match call.method() {
        "stream/watch" => Answer::Watch,
        "message/stream" if accepts_tasks => Answer::Stream(Message::from_params(call.params())),
        _ => Answer::Json(error_response(call.id(), ErrorCode::MethodNotFound)),
    }
}
