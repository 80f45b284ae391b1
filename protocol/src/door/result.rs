//! JSON-RPC responses with a result. The keys inside it are in alphabetical order.

use super::TaskSnapshot;
use super::json_rpc::RequestId;
use crate::frame::write_json;
use serde::Serialize;

/// A response whose result is a task (`capsule-stream-details.md`, section 8).
pub(super) fn of_task(id: RequestId<'_>, snapshot: &TaskSnapshot) -> Vec<u8> {
    let prompt = snapshot.prompt.as_deref();
    let result = TaskResult {
        artifacts: prompt.map(|text| [Artifact { name: "prompt", parts: [Part { text }] }]),
        context_id: snapshot.task.context_id.as_str(),
        id: snapshot.task.id.as_str(),
        status: Status { state: snapshot.state.as_str() },
    };
    let mut bytes = id.response_start();
    bytes.extend_from_slice(br#","result":"#);
    write_json(&mut bytes, &result);
    bytes.push(b'}');
    bytes
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    artifacts: Option<[Artifact<'a>; 1]>,
    context_id: &'a str,
    id: &'a str,
    status: Status<'a>,
}

#[derive(Serialize)]
struct Status<'a> {
    state: &'a str,
}

#[derive(Serialize)]
struct Artifact<'a> {
    name: &'a str,
    parts: [Part<'a>; 1],
}

#[derive(Serialize)]
struct Part<'a> {
    text: &'a str,
}
