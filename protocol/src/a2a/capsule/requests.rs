//! The requests that a capsule gets beside the caller's own.

use crate::TaskId;
use crate::a2a::json;

/// The body of a `stream/watch`.
pub fn watch_request(request_id: &str) -> String {
    let id = json::quoted(request_id);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"stream/watch","params":{{}}}}"#)
}

/// The body of a `tasks/cancel`.
pub fn cancel_request(request_id: &str, task: &TaskId) -> String {
    let (id, task) = (json::quoted(request_id), json::quoted(task.as_str()));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tasks/cancel","params":{{"id":{task}}}}}"#)
}
