//! An agent of one's own behind the capsule's stream, in a program of one's own.
//!
//! ```text
//! cargo run --release -p host-harness --example embed
//! curl -N -X POST http://127.0.0.1:52223/ -H 'Content-Type: application/json' \
//!   -d '{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"messageId":"m","role":"user","parts":[{"text":"hello there"}]}}'
//! ```

use host_harness::{AcceptedTask, Artifact, Capsule, Error, TaskAcceptance};
use protocol::fence;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let acceptance = TaskAcceptance::Queue { depth: 16 };
    let mut capsule = Capsule::builder().task_acceptance(acceptance).start().await?;
    println!("serving on http://{}/", capsule.listen("127.0.0.1:52223").await?);

    let handle = capsule.handle();
    while let Some(task) = handle.next_task().await {
        shout(&task).await?;
    }
    // The component trapped, or the capsule was stopped from elsewhere.
    capsule.ended().await
}

/// Runs a task: one tool call, then a reply that is streamed word by word.
async fn shout(task: &AcceptedTask) -> Result<(), Error> {
    let mut attempt = task.begin_attempt().await?;
    attempt.begin_turn().await?.returned().await?;
    let shouted = task.text().to_uppercase();
    let artifact = Artifact {
        tool_name: "shout".into(),
        content: fence("shout", &shouted),
        fence_source: Some("tool:shout".into()),
        tool_call_id: Some("call_1".into()),
        is_error: false,
        duration_ms: 0,
        exit_code: None,
        truncated: false,
    };
    attempt.artifact(artifact).await?;

    let inference = attempt.begin_turn().await?;
    for word in shouted.split_inclusive(' ') {
        attempt.text(word).await?;
    }
    inference.returned().await?;
    attempt.completed(shouted).await
}
