//! The component, compiled for this machine.

use crate::Error;
use crate::components::interruptible_engine;
use crate::compose::{ComposedParts, composed_parts};
use crate::cwasm;
use crate::files::read_component;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use wasmtime::component::Component;
use wasmtime::{Config, Engine};

/// The component that is built with this crate.
const BUILT_IN: &[u8] = include_bytes!(env!("CAPSULE_STREAM_WASM"));

/// A component that serves a capsule's stream, ready to be instantiated any number of times. Cheap
/// to clone.
#[derive(Clone)]
pub struct StreamComponent {
    component: Component,
    parts: Option<Arc<ComposedParts>>,
}

impl StreamComponent {
    /// The component that is built with this crate.
    ///
    /// # Errors
    ///
    /// [`Error::LoadComponent`].
    pub async fn built_in() -> Result<Self, Error> {
        Self::from_bytes(BUILT_IN.into()).await
    }

    /// The bytes of the built-in component.
    pub fn built_in_bytes() -> &'static [u8] {
        BUILT_IN
    }

    /// A component from a file.
    ///
    /// # Errors
    ///
    /// [`Error::ReadComponent`], [`Error::NotAComponent`], [`Error::LoadComponent`].
    pub async fn from_file(path: &Path) -> Result<Self, Error> {
        let path = path.to_owned();
        let read = tokio::task::spawn_blocking(move || read_component(&path)).await;
        let bytes =
            read.unwrap_or_else(|panic| Err(Error::LoadComponent(wasmtime::Error::new(panic))))?;
        Self::from_bytes(bytes).await
    }

    /// A component from its bytes.
    ///
    /// # Errors
    ///
    /// [`Error::LoadComponent`].
    pub async fn from_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        // Compiling takes long enough to hold others up.
        let compiled = tokio::task::spawn_blocking(move || {
            let parts = composed_parts(&bytes).map(Arc::new);
            // The stream alone needs no interrupting, and is faster without.
            let engine = match &parts {
                Some(_) => interruptible_engine()?,
                None => Engine::new(&Config::new())?,
            };
            Ok(Self { component: cwasm::load(&engine, &bytes)?, parts })
        });
        let compiled = compiled.await.unwrap_or_else(|panic| Err(wasmtime::Error::new(panic)));
        compiled.map_err(Error::LoadComponent)
    }

    pub(crate) fn get(&self) -> &Component {
        &self.component
    }

    /// The driver and tools in it, where it is a composition.
    pub fn composed_parts(&self) -> Option<&ComposedParts> {
        self.parts.as_deref()
    }
}

impl fmt::Debug for StreamComponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamComponent").finish_non_exhaustive()
    }
}
