//! The component, compiled for this machine.

use crate::Error;
use crate::cwasm;
use std::fmt;
use std::path::Path;
use wasmtime::component::Component;
use wasmtime::{Config, Engine};

/// The component that is built with this crate.
const BUILT_IN: &[u8] = include_bytes!(env!("CAPSULE_STREAM_WASM"));

/// A component that serves a capsule's stream, ready to be instantiated any number of times. Cheap
/// to clone.
#[derive(Clone)]
pub struct StreamComponent(Component);

impl StreamComponent {
    /// The component that is built with this crate.
    ///
    /// # Errors
    ///
    /// [`Error::LoadComponent`].
    pub async fn built_in() -> Result<Self, Error> {
        Self::compile(BUILT_IN.into()).await
    }

    /// The bytes of the built-in component.
    pub fn built_in_bytes() -> &'static [u8] {
        BUILT_IN
    }

    /// A component from a file.
    ///
    /// # Errors
    ///
    /// [`Error::ReadComponent`], [`Error::LoadComponent`].
    pub async fn from_file(path: &Path) -> Result<Self, Error> {
        let bytes = tokio::fs::read(path)
            .await
            .map_err(|error| Error::ReadComponent(path.to_owned(), error))?;
        Self::compile(bytes).await
    }

    async fn compile(bytes: Vec<u8>) -> Result<Self, Error> {
        // Compiling takes long enough to hold others up.
        let compiled = tokio::task::spawn_blocking(move || {
            let engine = Engine::new(&Config::new())?;
            cwasm::load(&engine, &bytes)
        });
        let component = match compiled.await {
            Ok(component) => component.map_err(Error::LoadComponent)?,
            Err(panic) => return Err(Error::LoadComponent(wasmtime::Error::new(panic))),
        };
        Ok(Self(component))
    }

    pub(crate) fn get(&self) -> &Component {
        &self.0
    }
}

impl fmt::Debug for StreamComponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamComponent").finish_non_exhaustive()
    }
}
