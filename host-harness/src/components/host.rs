//! What the store of a driver's or tool's call holds.

use super::allowed_hosts::Egress;
use super::bindings::murmur::{task, text};
use super::input::Asks;
use super::memory::MemoryLimit;
use super::settings::ComponentSettings;
use crate::host::TokioClock;
use crate::{FeedHandle, InputOutcome};
use protocol::Chunk;
use wasmtime::component::{HasSelf, Linker, ResourceTable};
use wasmtime::{Error, Result};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

/// The most that an outgoing body takes in one write, in bytes.
const WRITE_BYTES: usize = 1024 * 1024;

/// The data of the store.
pub(crate) struct CallHost {
    table: ResourceTable,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    egress: Egress,
    pub(super) memory: MemoryLimit,
    feed: FeedHandle,
    /// None for a driver, which has nobody to ask.
    asks: Option<Asks>,
}

impl CallHost {
    pub(super) fn new(settings: &ComponentSettings, feed: FeedHandle, asks: Option<Asks>) -> Self {
        let mut wasi = WasiCtx::builder();
        wasi.inherit_stderr().monotonic_clock(TokioClock::new()).envs(&settings.env);
        Self {
            table: ResourceTable::new(),
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            egress: Egress { allowed: settings.allowed_hosts.clone(), write_bytes: WRITE_BYTES },
            memory: MemoryLimit::new(settings.memory_bytes),
            feed,
            asks,
        }
    }

    /// Defines all of WASI 0.2, and Murmur's two imports.
    pub(super) fn add_to_linker(linker: &mut Linker<Self>) -> Result<()> {
        wasmtime_wasi::p2::add_to_linker_async(linker)?;
        wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)?;
        text::chunks::add_to_linker::<_, HasSelf<_>>(linker, |host| host)?;
        task::task::add_to_linker::<_, HasSelf<_>>(linker, |host| host)
    }
}

impl text::chunks::Host for CallHost {
    async fn emit_chunk(&mut self, chunk: String) -> Result<()> {
        Ok(self.feed.emit(Chunk::Text(chunk)).await?)
    }

    async fn emit_thinking_chunk(&mut self, chunk: String) -> Result<()> {
        Ok(self.feed.emit(Chunk::Thinking(chunk)).await?)
    }
}

impl task::task::Host for CallHost {
    async fn request_input(&mut self, prompt: String) -> Result<String> {
        let Some(asks) = &self.asks else {
            return Err(Error::msg("input can only be asked for in a task's tool call"));
        };
        match asks.ask(prompt).await {
            Some(InputOutcome::Answered(answer)) => Ok(answer),
            Some(InputOutcome::TimedOut) => Err(Error::msg("no input came in time")),
            Some(InputOutcome::Canceled) => Err(Error::msg("the task was canceled")),
            None => Err(Error::msg("the capsule was stopped")),
        }
    }
}

impl WasiView for CallHost {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for CallHost {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks: &mut self.egress }
    }
}
