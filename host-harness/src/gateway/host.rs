//! What the store of one instance holds: WASI, and the imports of the component's own package.

use super::bindings::a2a::gateway::{
    caller, channels, counters, queries, registry, settings, slots,
};
use super::channels::{Publisher, Subscription};
use super::egress::Egress;
use super::instance::Instances;
use super::limits::{ActiveStream, Slot};
use super::queries::{Asked, Reply, query};
use super::shared::{Shared, now};
use crate::components::MemoryLimit;
use crate::host::TokioClock;
use crate::lock::lock;
use protocol::a2a::{self, AgentId, AgentKind, EnvelopeMode, ListQuery};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use wasmtime::component::{HasSelf, Linker, Resource, ResourceTable};
use wasmtime::{Error, Result};
use wasmtime_wasi::p2::{DynPollable, Pollable, subscribe};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

/// What an instance takes beside the events that it works on, in bytes.
const INSTANCE_BYTES: usize = 32 * 1024 * 1024;
/// How often an event is in memory at most: as it was read, as data, parsed, as a frame, published.
const EVENT_COPIES: usize = 8;

/// The data of the store.
pub(super) struct Host {
    pub(super) table: ResourceTable,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    egress: Egress,
    pub(super) memory: MemoryLimit,
    instances: Instances,
    /// Its other end goes with the caller. None for a virtual subscriber.
    caller: Option<watch::Receiver<()>>,
}

impl Host {
    pub(super) fn new(instances: Instances, caller: Option<watch::Receiver<()>>) -> Self {
        let mut wasi = WasiCtx::builder();
        wasi.inherit_stderr().monotonic_clock(TokioClock::new());
        let shared = &instances.shared;
        let events = shared.settings.agent_max_response_bytes.saturating_mul(EVENT_COPIES);
        let bodies = shared.settings.max_body_bytes.saturating_mul(EVENT_COPIES);
        let bytes = INSTANCE_BYTES.saturating_add(events).saturating_add(bodies);
        Self {
            table: ResourceTable::new(),
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            egress: Egress(shared.connect.clone()),
            memory: MemoryLimit::new(bytes),
            instances,
            caller,
        }
    }

    /// Defines everything that the component imports.
    pub(super) fn add_to_linker(linker: &mut Linker<Self>) -> Result<()> {
        wasmtime_wasi::p2::add_to_linker_async(linker)?;
        wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)?;
        settings::add_to_linker::<_, HasSelf<_>>(linker, |host| host)?;
        registry::add_to_linker::<_, HasSelf<_>>(linker, |host| host)?;
        slots::add_to_linker::<_, HasSelf<_>>(linker, |host| host)?;
        counters::add_to_linker::<_, HasSelf<_>>(linker, |host| host)?;
        channels::add_to_linker::<_, HasSelf<_>>(linker, |host| host)?;
        queries::add_to_linker::<_, HasSelf<_>>(linker, |host| host)?;
        caller::add_to_linker::<_, HasSelf<_>>(linker, |host| host)
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.instances.shared
    }

    fn pollable(&mut self, pollable: impl Pollable + 'static) -> Result<Resource<DynPollable>> {
        let pollable = self.table.push(pollable)?;
        subscribe(&mut self.table, pollable)
    }

    fn with_registry(
        &self,
        call: impl FnOnce(&mut a2a::Registry, u64) -> a2a::Reply,
    ) -> registry::Reply {
        let a2a::Reply { status, body } = call(&mut lock(&self.shared().registry), now());
        registry::Reply { status, body }
    }
}

impl WasiView for Host {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for Host {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks: &mut self.egress }
    }
}

impl settings::Host for Host {
    fn get(&mut self) -> Result<settings::Values> {
        let settings = &self.shared().settings;
        let nanos = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Ok(settings::Values {
            version: env!("CARGO_PKG_VERSION").into(),
            caller_id: self.shared().caller_id.clone(),
            max_sse_idle: nanos(settings.max_sse_idle),
            agent_max_response_bytes: settings.agent_max_response_bytes as u64,
            envelope: match settings.envelope {
                EnvelopeMode::Flat => settings::Envelope::Flat,
                EnvelopeMode::Nested => settings::Envelope::Nested,
            },
            sync_timeout: nanos(settings.sync_timeout),
            default_stream_timeout: nanos(settings.default_stream_timeout),
            max_stream_timeout: nanos(settings.max_stream_timeout),
            max_body_bytes: settings.max_body_bytes as u64,
        })
    }
}

impl registry::Host for Host {
    fn register(&mut self, card: Vec<u8>) -> Result<registry::Reply> {
        Ok(self.with_registry(|registry, now| registry.register(&card, now)))
    }

    fn heartbeat(&mut self, body: Vec<u8>) -> Result<registry::Reply> {
        Ok(self.with_registry(|registry, now| registry.heartbeat(&body, now)))
    }

    fn deregister(&mut self, body: Vec<u8>) -> Result<registry::Reply> {
        Ok(self.with_registry(|registry, now| registry.deregister(&body, now)))
    }

    fn delete(&mut self, agent_id: String) -> Result<registry::Reply> {
        Ok(self.with_registry(|registry, now| registry.delete(&agent_id, now)))
    }

    fn get(&mut self, agent_id: String) -> Result<registry::Reply> {
        Ok(self.with_registry(|registry, now| registry.get(&agent_id, now)))
    }

    fn all(&mut self, tags: Vec<String>, limit: Option<u64>) -> Result<registry::Reply> {
        let limit = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let query = ListQuery { tags, limit };
        Ok(self.with_registry(|registry, now| registry.list(&Ok(query), now)))
    }

    fn find(&mut self, agent_id: String) -> Result<Option<registry::Agent>> {
        let Some(id) = AgentId::parse(&agent_id) else {
            return Ok(None);
        };
        let mut registry = lock(&self.shared().registry);
        Ok(registry.find(&id, now()).map(|found| registry::Agent {
            url: found.card.url.as_str().to_owned(),
            murmur_capsule: found.card.kind == AgentKind::MurmurCapsule,
            card: found.to_json(),
        }))
    }

    fn is_murmur_capsule(&mut self, agent_id: String) -> Result<()> {
        if let Some(id) = AgentId::parse(&agent_id) {
            lock(&self.shared().registry).is_murmur_capsule(&id);
        }
        Ok(())
    }
}

impl slots::Host for Host {
    fn take(&mut self, agent_id: String) -> Result<Option<Resource<Slot>>> {
        let slot = Slot::take(self.shared(), agent(&agent_id)?);
        Ok(slot.map(|slot| self.table.push(slot)).transpose()?)
    }
}

impl slots::HostSlot for Host {
    fn drop(&mut self, slot: Resource<Slot>) -> Result<()> {
        self.table.delete(slot)?;
        Ok(())
    }
}

impl counters::Host for Host {
    fn count_request(&mut self, agent_id: String, method: String) -> Result<()> {
        lock(&self.shared().metrics).request(&agent(&agent_id)?, &method);
        Ok(())
    }

    fn render(&mut self) -> Result<String> {
        Ok(self.shared().render_metrics())
    }
}

impl counters::HostActiveStream for Host {
    fn new(&mut self, agent_id: String) -> Result<Resource<ActiveStream>> {
        let active = ActiveStream::begin(self.shared(), agent(&agent_id)?);
        Ok(self.table.push(active)?)
    }

    fn drop(&mut self, active: Resource<ActiveStream>) -> Result<()> {
        self.table.delete(active)?;
        Ok(())
    }
}

impl channels::Host for Host {
    fn subscribe(&mut self, stream_id: String) -> Result<Resource<Subscription>> {
        let subscription = self.shared().channels.subscribe(stream_id);
        Ok(self.table.push(subscription)?)
    }

    fn publish(&mut self, stream_id: String) -> Result<Option<Resource<Publisher>>> {
        let publisher = self.shared().channels.publish(&stream_id);
        Ok(publisher.map(|publisher| self.table.push(publisher)).transpose()?)
    }

    fn cancel(&mut self, stream_id: String) -> Result<bool> {
        Ok(self.shared().channels.cancel(&stream_id))
    }
}

impl channels::HostSubscription for Host {
    fn next(&mut self, this: Resource<Subscription>) -> Result<channels::Next> {
        Ok(self.table.get(&this)?.next())
    }

    fn subscribe(&mut self, this: Resource<Subscription>) -> Result<Resource<DynPollable>> {
        let published = self.table.get(&this)?.published();
        self.pollable(published)
    }

    fn drop(&mut self, this: Resource<Subscription>) -> Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}

impl channels::HostPublisher for Host {
    fn publish(&mut self, this: Resource<Publisher>, frames: channels::Frames) -> Result<()> {
        self.table.get(&this)?.publish(frames);
        Ok(())
    }

    fn heard(&mut self, this: Resource<Publisher>) -> Result<()> {
        self.table.get(&this)?.heard();
        Ok(())
    }

    fn space(&mut self, this: Resource<Publisher>) -> Result<Resource<DynPollable>> {
        let space = self.table.get(&this)?.space();
        self.pollable(space)
    }

    fn canceled(&mut self, this: Resource<Publisher>) -> Result<Resource<DynPollable>> {
        let canceled = self.table.get(&this)?.canceled();
        self.pollable(canceled)
    }

    fn drop(&mut self, this: Resource<Publisher>) -> Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}

impl queries::Host for Host {
    fn ask(&mut self, asked: queries::Query, timeout: u64) -> Result<Resource<Asked>> {
        let (asker, reply) = query(Duration::from_nanos(timeout));
        self.instances.answer(asked, reply);
        Ok(self.table.push(asker)?)
    }
}

impl queries::HostAsked for Host {
    fn get(
        &mut self,
        this: Resource<Asked>,
    ) -> Result<Option<Result<queries::Answer, queries::Failure>>> {
        Ok(self.table.get(&this)?.get())
    }

    fn subscribe(&mut self, this: Resource<Asked>) -> Result<Resource<DynPollable>> {
        let answered = self.table.get(&this)?.answered();
        self.pollable(answered)
    }

    fn drop(&mut self, this: Resource<Asked>) -> Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}

impl queries::HostReply for Host {
    fn send(&mut self, this: Resource<Reply>, answer: queries::Answer) -> Result<()> {
        self.table.get(&this)?.send(answer);
        Ok(())
    }

    fn abandoned(&mut self, this: Resource<Reply>) -> Result<Resource<DynPollable>> {
        let abandoned = self.table.get(&this)?.abandoned();
        self.pollable(abandoned)
    }

    fn drop(&mut self, this: Resource<Reply>) -> Result<()> {
        self.table.delete(this)?;
        Ok(())
    }
}

impl caller::Host for Host {
    fn gone(&mut self) -> Result<Resource<DynPollable>> {
        let caller = self.caller.clone();
        self.pollable(Gone(caller))
    }

    fn shutting_down(&mut self) -> Result<Resource<DynPollable>> {
        let shutting_down = self.shared().shutting_down.subscribe();
        self.pollable(ShuttingDown(shutting_down))
    }
}

struct Gone(Option<watch::Receiver<()>>);

#[wasmtime_wasi::async_trait]
impl Pollable for Gone {
    async fn ready(&mut self) {
        match &mut self.0 {
            // Nothing is ever sent: what ends the wait is that the sender goes.
            Some(caller) => while caller.changed().await.is_ok() {},
            None => std::future::pending().await,
        }
    }
}

struct ShuttingDown(watch::Receiver<bool>);

#[wasmtime_wasi::async_trait]
impl Pollable for ShuttingDown {
    async fn ready(&mut self) {
        // An error says that the gateway has gone.
        let _ = self.0.wait_for(|shutting_down| *shutting_down).await;
    }
}

/// An id that the component has checked.
fn agent(id: &str) -> Result<AgentId> {
    AgentId::parse(id).ok_or_else(|| Error::msg(format!("`{id}` is no agent's id")))
}
