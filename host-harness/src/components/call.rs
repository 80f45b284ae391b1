//! One call of a driver or tool, from the instance to its result.

use super::host::CallHost;
use super::input::Asks;
use super::meter::Meter;
use super::runtime::RunComponent;
use super::{ToolInput, ToolResult};
use crate::FeedHandle;
use std::fmt;
use std::sync::Arc;
use wasmtime::Store;

/// Why a call has no result.
#[derive(Debug)]
pub(crate) enum CallError {
    /// There could not be an instance to call.
    Unavailable(String),
    /// It trapped, or was stopped.
    Trapped(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(reason) => write!(f, "could not be started: {reason}"),
            Self::Trapped(reason) => write!(f, "trapped: {reason}"),
        }
    }
}

/// The reason at the bottom of an error, without the way to it.
pub(crate) fn reason(error: &wasmtime::Error) -> String {
    error.root_cause().to_string()
}

impl RunComponent {
    /// Calls it in a store of its own. Dropping the call ends it where it stands.
    pub(crate) async fn call(
        &self,
        input: &ToolInput,
        feed: FeedHandle,
        asks: Option<Asks>,
    ) -> Result<ToolResult, CallError> {
        let unavailable = |error: &wasmtime::Error| CallError::Unavailable(reason(error));
        let runtime = &self.runtime;
        let _ticking =
            runtime.ticker.start().map_err(|error| CallError::Unavailable(error.to_string()))?;
        let host = CallHost::new(&runtime.settings, feed, asks);
        let mut store = Store::new(&runtime.engine, host);
        store.limiter(|host| &mut host.memory);
        let meter = Arc::new(Meter::new(runtime.settings.compute));
        meter.watch(&mut store);
        let call = async {
            let instance =
                self.pre.instantiate_async(&mut store).await.map_err(|e| unavailable(&e))?;
            let run = instance.murmur_tool_run();
            let result = run.call_run(&mut store, input).await;
            result.map_err(|error| CallError::Trapped(reason(&error)))
        };
        meter.measure(call).await
    }
}
