//! The engine that drivers and tools run on, and a component that was loaded.

use super::bindings::ToolPre;
use super::host::CallHost;
use super::settings::ComponentSettings;
use super::ticker::Ticker;
use crate::compose::{RUN, TASK};
use crate::files::read_component;
use crate::{Error, cwasm};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use wasmtime::component::Linker;
use wasmtime::{Config, Engine};

/// Loads drivers and tools. Cheap to clone.
#[derive(Clone)]
pub struct ComponentRuntime(Arc<Shared>);

/// What all components of a runtime share.
pub(super) struct Shared {
    pub(super) engine: Engine,
    pub(super) ticker: Arc<Ticker>,
    pub(super) settings: ComponentSettings,
    linker: Linker<CallHost>,
}

/// An engine whose components can be interrupted.
pub(crate) fn interruptible_engine() -> wasmtime::Result<Engine> {
    Engine::new(Config::new().epoch_interruption(true))
}

impl ComponentRuntime {
    /// A runtime with these settings.
    ///
    /// # Errors
    ///
    /// [`Error::LoadComponent`]: this machine cannot run components.
    pub fn new(settings: ComponentSettings) -> Result<Self, Error> {
        let engine = interruptible_engine().map_err(Error::LoadComponent)?;
        let mut linker = Linker::new(&engine);
        CallHost::add_to_linker(&mut linker).map_err(Error::LoadComponent)?;
        let ticker = Arc::new(Ticker::new(engine.clone()));
        Ok(Self(Arc::new(Shared { engine, ticker, settings, linker })))
    }

    /// Loads the driver or tool in this file.
    ///
    /// # Errors
    ///
    /// [`Error::ReadComponent`], [`Error::NotAComponent`]; [`Error::NothingToCall`] where it does
    /// not export `murmur:tool/run@0.1.0`; [`Error::LoadPart`] where it is damaged, or imports what
    /// is not there.
    pub async fn load(&self, file: &Path) -> Result<RunComponent, Error> {
        let path = file.to_owned();
        let read = tokio::task::spawn_blocking(move || read_component(&path)).await;
        let bytes = read.unwrap_or_else(|panic| {
            Err(Error::LoadPart(file.to_owned(), wasmtime::Error::new(panic)))
        })?;
        self.load_bytes(file, bytes).await
    }

    /// Loads the driver in this file.
    ///
    /// # Errors
    ///
    /// See [`Self::load`]; [`Error::DriverAsks`] where it asks for input: nobody would answer.
    pub async fn load_driver(&self, file: &Path) -> Result<RunComponent, Error> {
        let driver = self.load(file).await?;
        if driver.asks { Err(Error::DriverAsks(file.to_owned())) } else { Ok(driver) }
    }

    /// Loads a driver or tool from its bytes. Errors call it `file`.
    ///
    /// # Errors
    ///
    /// See [`Self::load`].
    pub async fn load_bytes(&self, file: &Path, bytes: Vec<u8>) -> Result<RunComponent, Error> {
        let runtime = self.0.clone();
        // Compiling takes long enough to hold others up.
        let loaded = tokio::task::spawn_blocking(move || {
            let component = cwasm::load(&runtime.engine, &bytes)?;
            let ty = component.component_type();
            if !ty.exports(&runtime.engine).any(|(name, _)| name == RUN) {
                return Ok(None);
            }
            let asks = ty.imports(&runtime.engine).any(|(name, _)| name.starts_with(TASK));
            let pre = ToolPre::new(runtime.linker.instantiate_pre(&component)?)?;
            Ok(Some(RunComponent { runtime, pre, asks }))
        });
        let loaded = loaded.await.unwrap_or_else(|panic| Err(wasmtime::Error::new(panic)));
        let loaded = loaded.map_err(|error| Error::LoadPart(file.to_owned(), error))?;
        loaded.ok_or_else(|| Error::NothingToCall(file.to_owned()))
    }
}

impl fmt::Debug for ComponentRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComponentRuntime").finish_non_exhaustive()
    }
}

/// A driver or tool that can be called any number of times. Cheap to clone.
#[derive(Clone)]
pub struct RunComponent {
    pub(super) runtime: Arc<Shared>,
    pub(super) pre: ToolPre<CallHost>,
    /// It imports what only a tool can have.
    asks: bool,
}

impl fmt::Debug for RunComponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunComponent").finish_non_exhaustive()
    }
}
