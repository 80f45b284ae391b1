//! `tasks/get` and `tasks/cancel` (`capsule-stream-details.md`, section 8).

use super::json_rpc::{RequestId, RpcError};
use super::{Tasks, result};
use crate::TaskId;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// Answers `tasks/get`: the task of that id; without one, the active or the last task.
pub(super) fn get(id: RequestId<'_>, params: Option<&RawValue>, tasks: &mut impl Tasks) -> Vec<u8> {
    let task = match task_id(params) {
        Named::Task(task) => Some(task),
        Named::None => None,
        Named::Wrong => {
            return RpcError::invalid_params(&"the id of a task is a string").response(id);
        }
    };
    match tasks.get(task.as_ref()) {
        Some(snapshot) => result::of_task(id, &snapshot),
        None => RpcError::TASK_NOT_FOUND.response(id),
    }
}

/// Answers `tasks/cancel`.
pub(super) fn cancel(
    id: RequestId<'_>,
    params: Option<&RawValue>,
    tasks: &mut impl Tasks,
) -> Vec<u8> {
    let Named::Task(task) = task_id(params) else {
        return RpcError::invalid_params(&"tasks/cancel requires an id").response(id);
    };
    match tasks.cancel(&task) {
        Some(snapshot) => result::of_task(id, &snapshot),
        None => RpcError::TASK_NOT_FOUND.response(id),
    }
}

/// What params say under `id`.
enum Named {
    Task(TaskId),
    None,
    /// Something that is no string.
    Wrong,
}

fn task_id(params: Option<&RawValue>) -> Named {
    let params = params.map_or("null", RawValue::get);
    let members = serde_json::from_str::<HashMap<String, &RawValue>>(params).unwrap_or_default();
    match members.get("id").map(|raw| serde_json::from_str(raw.get())) {
        Some(Ok(Value::String(id))) => Named::Task(id.into()),
        None | Some(Ok(Value::Null)) => Named::None,
        Some(_) => Named::Wrong,
    }
}
