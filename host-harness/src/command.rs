//! What the actor is told.

use crate::Stats;
use crate::components::{ToolInput, ToolResult};
use crate::composed::ComposedPart;
use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use protocol::{Artifact, Chunk, HookArtifact, Task};
use std::time::Duration;
use tokio::sync::oneshot;
use wasmtime_wasi_http::p2::bindings::http::types::ErrorCode;
use wasmtime_wasi_http::p2::body::HyperOutgoingBody;

/// The answer to a request, or that the component gave none.
pub(crate) type Answer = Result<http::Response<HyperOutgoingBody>, ErrorCode>;
/// The body of a request.
pub(crate) type RequestBody = UnsyncBoxBody<Bytes, wasmtime_wasi_http::Error>;

/// A number for a resource of the component, chosen by the handle that stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ResourceId(pub(crate) u64);

pub(crate) enum Command {
    /// A request. What is sent back is the head; the body follows in its own time.
    Request {
        request: http::Request<RequestBody>,
        answer: oneshot::Sender<Answer>,
    },
    Feed(Feed),
    /// A chunk of the attempt that runs.
    Chunk(Chunk),
    Stats(oneshot::Sender<Stats>),
    /// Call a driver or tool of a composition, which holds the thread until it returns.
    Run {
        part: ComposedPart,
        input: ToolInput,
        result: oneshot::Sender<ToolResult>,
    },
    /// Hold the thread for so long, then say so.
    Hold(Duration, oneshot::Sender<()>),
    /// Write what there is to write, then end.
    Stop,
}

/// The `feed` interface, but for its chunks.
pub(crate) enum Feed {
    BeginAttempt {
        attempt: ResourceId,
        task: Task,
    },
    BeginTurn {
        attempt: ResourceId,
        inference: ResourceId,
    },
    Returned {
        inference: ResourceId,
    },
    Artifact {
        attempt: ResourceId,
        artifact: Artifact,
    },
    HookArtifact {
        attempt: ResourceId,
        artifact: HookArtifact,
    },
    WaitForInput {
        attempt: ResourceId,
        wait: ResourceId,
        prompt: String,
    },
    Resumed {
        wait: ResourceId,
    },
    TimedOut {
        wait: ResourceId,
    },
    Completed {
        attempt: ResourceId,
        response: String,
    },
    Failed {
        attempt: ResourceId,
        message: String,
    },
    Canceled {
        attempt: ResourceId,
    },
    /// The handle was dropped.
    Drop(ResourceId),
    CancelQueued(Task),
    Close,
}
