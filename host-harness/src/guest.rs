//! The component's exports, as the actor calls them.

use crate::Stats;
use crate::bindings::CapsuleStream;
use crate::bindings::exports::murmur::capsule_stream::feed;
use crate::bindings::murmur::capsule_stream::types;
use crate::command::{Answer, Feed, RequestBody, ResourceId};
use crate::component::StreamComponent;
use crate::components::{ToolInput, ToolResult};
use crate::composed::{ComposedCalls, ComposedPart};
use crate::host::Host;
use crate::inbox::Inbox;
use protocol::{Artifact, Chunk, Task};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::oneshot;
use wasmtime::component::{Linker, Resource, ResourceAny};
use wasmtime::{Result, Store};
use wasmtime_wasi::p2::{DynPollable, Pollable};
use wasmtime_wasi_http::WasiHttpView;
use wasmtime_wasi_http::p2::bindings::http::types::Scheme;

/// The one instance of a capsule, and the store that it lives in.
pub(crate) struct Guest {
    store: Store<Host>,
    instance: CapsuleStream,
    until: Resource<DynPollable>,
    /// Always ready.
    now: Resource<DynPollable>,
    /// None where the component is the stream alone.
    composed: Option<ComposedCalls>,
    resources: HashMap<ResourceId, ResourceAny>,
}

/// Ready while something is in the inbox: the pump's `until`.
struct Until<T>(Arc<Inbox<T>>);

#[wasmtime_wasi::async_trait]
impl<T: Send + 'static> Pollable for Until<T> {
    async fn ready(&mut self) {
        self.0.wait().await;
    }
}

struct Now;

#[wasmtime_wasi::async_trait]
impl Pollable for Now {
    async fn ready(&mut self) {}
}

impl Guest {
    /// Instantiates the component. `inbox` is what ends its pump.
    pub(crate) async fn instantiate<T: Send + 'static>(
        component: &StreamComponent,
        host: Host,
        inbox: Arc<Inbox<T>>,
    ) -> Result<Self> {
        let engine = component.get().engine();
        let mut linker = Linker::new(engine);
        Host::add_to_linker(&mut linker)?;
        let compute = host.compute();
        let mut store = Store::new(engine, host);
        let pre = linker.instantiate_pre(component.get())?;
        let mut composed = None;
        if component.composed_parts().is_some() {
            store.limiter(Host::memory);
            composed = Some(ComposedCalls::watch(&mut store, compute));
        }
        let exports = pre.instantiate_async(&mut store).await?;
        let instance = CapsuleStream::new(&mut store, &exports)?;
        if let (Some(calls), Some(parts)) = (&mut composed, component.composed_parts()) {
            calls.find(&mut store, &exports, parts)?;
        }
        let table = &mut store.data_mut().table;
        let until = table.push(Until(inbox))?;
        let until = wasmtime_wasi::p2::subscribe(table, until)?;
        let now = table.push(Now)?;
        let now = wasmtime_wasi::p2::subscribe(table, now)?;
        Ok(Self { store, instance, until, now, composed, resources: HashMap::new() })
    }

    /// Gives a request to the component. It answers when it will, through `answer`.
    pub(crate) async fn handle(
        &mut self,
        request: http::Request<RequestBody>,
        answer: oneshot::Sender<Answer>,
    ) -> Result<()> {
        let mut http = self.store.data_mut().http();
        let request = http.new_incoming_request(Scheme::Http, request)?;
        let outparam = http.new_response_outparam(answer)?;
        let handler = self.instance.wasi_http_incoming_handler();
        handler.call_handle(&mut self.store, request, outparam).await
    }

    /// Lets the component write and wait until something is in the inbox.
    pub(crate) async fn pump(&mut self) -> Result<()> {
        self.pump_until(self.until.rep()).await
    }

    /// Lets the component write, without waiting.
    pub(crate) async fn flush(&mut self) -> Result<()> {
        self.pump_until(self.now.rep()).await
    }

    /// Calls a driver or tool of the composition. It holds the store until it returns.
    pub(crate) async fn run(
        &mut self,
        part: &ComposedPart,
        input: ToolInput,
    ) -> Result<ToolResult> {
        let none = || wasmtime::Error::msg("the component is no composition");
        let composed = self.composed.as_ref().ok_or_else(none)?;
        composed.call(&mut self.store, part, input).await
    }

    async fn pump_until(&mut self, pollable: u32) -> Result<()> {
        let until = Resource::new_borrow(pollable);
        self.instance.murmur_capsule_stream_pump().call_pump(&mut self.store, until).await
    }

    /// Chunks of the running attempt, in one call.
    pub(crate) async fn emit_chunks(&mut self, chunks: Vec<Chunk>) -> Result<()> {
        let chunks: Vec<_> = chunks.into_iter().map(feed::Chunk::from).collect();
        let feed = self.instance.murmur_capsule_stream_feed();
        feed.call_emit_chunks(&mut self.store, &chunks).await
    }

    pub(crate) async fn stats(&mut self) -> Result<Stats> {
        let stats = self.instance.murmur_capsule_stream_stats();
        Ok(stats.call_get(&mut self.store).await?.into())
    }

    /// Any other call of the `feed` interface.
    pub(crate) async fn feed(&mut self, call: Feed) -> Result<()> {
        let feed = self.instance.murmur_capsule_stream_feed();
        let store = &mut self.store;
        let resources = &mut self.resources;
        match call {
            Feed::BeginAttempt { attempt, task } => {
                let made = feed.attempt().call_constructor(store, &task.into()).await?;
                resources.insert(attempt, made);
            }
            Feed::BeginTurn { attempt, inference } => {
                if let Some(&attempt) = resources.get(&attempt) {
                    let made = feed.attempt().call_begin_turn(store, attempt).await?;
                    resources.insert(inference, made);
                }
            }
            Feed::Returned { inference } => {
                if let Some(inference) = resources.remove(&inference) {
                    feed.inference().call_returned(store, inference).await?;
                }
            }
            Feed::Artifact { attempt, artifact } => {
                if let Some(&attempt) = resources.get(&attempt) {
                    let artifact = artifact.into();
                    feed.attempt().call_write_artifact(store, attempt, &artifact).await?;
                }
            }
            Feed::HookArtifact { attempt, artifact } => {
                if let Some(&attempt) = resources.get(&attempt) {
                    let (hook, content) = (&artifact.hook_name, &artifact.content);
                    feed.attempt().call_write_hook_artifact(store, attempt, hook, content).await?;
                }
            }
            Feed::WaitForInput { attempt, wait, prompt } => {
                if let Some(&attempt) = resources.get(&attempt) {
                    let made = feed.attempt().call_wait_for_input(store, attempt, &prompt).await?;
                    resources.insert(wait, made);
                }
            }
            Feed::Resumed { wait } => {
                if let Some(wait) = resources.remove(&wait) {
                    feed.input_wait().call_resumed(store, wait).await?;
                }
            }
            Feed::TimedOut { wait } => {
                if let Some(wait) = resources.remove(&wait) {
                    feed.input_wait().call_timed_out(store, wait).await?;
                }
            }
            Feed::Completed { attempt, response } => {
                if let Some(attempt) = resources.remove(&attempt) {
                    feed.attempt().call_completed(store, attempt, &response).await?;
                }
            }
            Feed::Failed { attempt, message } => {
                if let Some(attempt) = resources.remove(&attempt) {
                    feed.attempt().call_failed(store, attempt, &message).await?;
                }
            }
            Feed::Canceled { attempt } => {
                if let Some(attempt) = resources.remove(&attempt) {
                    feed.attempt().call_canceled(store, attempt).await?;
                }
            }
            Feed::Drop(resource) => {
                if let Some(resource) = resources.remove(&resource) {
                    resource.resource_drop_async(store).await?;
                }
            }
            Feed::CancelQueued(task) => feed.call_cancel_queued(store, &task.into()).await?,
            Feed::Close => feed.call_close(store).await?,
        }
        Ok(())
    }
}

impl From<Task> for types::Task {
    fn from(task: Task) -> Self {
        Self { id: task.id.to_string(), context_id: task.context_id.to_string() }
    }
}

impl From<Chunk> for feed::Chunk {
    fn from(chunk: Chunk) -> Self {
        match chunk {
            Chunk::Text(text) => Self::Text(text),
            Chunk::Thinking(text) => Self::Thinking(text),
        }
    }
}

impl From<Artifact> for feed::Artifact {
    fn from(artifact: Artifact) -> Self {
        Self {
            tool_name: artifact.tool_name,
            content: artifact.content,
            fence_source: artifact.fence_source,
            tool_call_id: artifact.tool_call_id,
            is_error: artifact.is_error,
            duration_ms: artifact.duration_ms,
            exit_code: artifact.exit_code,
            truncated: artifact.truncated,
        }
    }
}
