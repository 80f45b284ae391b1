//! The driver and tools of a composition, as the actor calls them in the capsule's own store.

use crate::components::{Meter, Ticker, Ticking, ToolInput, ToolResult};
use crate::compose::{ComposedParts, RUN, TOOL_PREFIX};
use crate::host::Host;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use wasmtime::component::{Instance, TypedFunc};
use wasmtime::{Error, Result, Store};

/// The driver, or the tool of this name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ComposedPart {
    Driver,
    Tool(String),
}

type Run = TypedFunc<(ToolInput,), (ToolResult,)>;

/// What can be called, and what stops it.
pub(crate) struct ComposedCalls {
    runs: HashMap<ComposedPart, Run>,
    meter: Arc<Meter>,
    ticker: Arc<Ticker>,
}

impl ComposedCalls {
    /// Has the store's computing watched, which it needs before there is an instance in it.
    pub(crate) fn watch(store: &mut Store<Host>, compute: Duration) -> Self {
        let meter = Arc::new(Meter::new(compute));
        meter.watch(store);
        let ticker = Arc::new(Ticker::new(store.engine().clone()));
        Self { runs: HashMap::new(), meter, ticker }
    }

    /// Finds the parts among the instance's exports.
    pub(crate) fn find(
        &mut self,
        store: &mut Store<Host>,
        instance: &Instance,
        parts: &ComposedParts,
    ) -> Result<()> {
        self.runs.insert(ComposedPart::Driver, run(store, instance, RUN)?);
        for tool in &parts.tools {
            let run = run(store, instance, &format!("{TOOL_PREFIX}{tool}"))?;
            self.runs.insert(ComposedPart::Tool(tool.clone()), run);
        }
        Ok(())
    }

    /// Calls a part. It holds the store until it returns.
    ///
    /// # Errors
    ///
    /// It trapped, or was stopped, and the whole store with it.
    pub(crate) async fn call(
        &self,
        store: &mut Store<Host>,
        part: &ComposedPart,
        input: ToolInput,
    ) -> Result<ToolResult> {
        let missing = || Error::msg(format!("the composition has no {part:?}"));
        let run = self.runs.get(part).ok_or_else(missing)?;
        let _ticking: Ticking = self.ticker.start()?;
        let result = self.meter.measure(run.call_async(store, (input,))).await;
        self.meter.reset();
        Ok(result?.0)
    }
}

fn run(store: &mut Store<Host>, instance: &Instance, export: &str) -> Result<Run> {
    let missing = || Error::msg(format!("the composition does not export {export}"));
    let interface = instance.get_export_index(&mut *store, None, export).ok_or_else(missing)?;
    let run = instance.get_export_index(&mut *store, Some(&interface), "run");
    instance.get_typed_func(&mut *store, run.ok_or_else(missing)?)
}
