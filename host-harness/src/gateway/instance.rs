//! Instances: one for each request, and one for each query to a virtual subscriber.

use super::bindings::a2a::gateway::queries::Query;
use super::bindings::{Gateway as Bindings, GatewayPre};
use super::host::Host;
use super::queries::Reply;
use super::shared::Shared;
use crate::command::{Answer, RequestBody};
use std::sync::Arc;
use tokio::sync::{oneshot, watch};
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Result, Store};
use wasmtime_wasi_http::WasiHttpView;
use wasmtime_wasi_http::p2::bindings::http::types::Scheme;

/// The component, and what its instances share. Cheap to clone.
#[derive(Clone)]
pub(super) struct Instances {
    pre: Arc<GatewayPre<Host>>,
    pub(super) shared: Arc<Shared>,
}

impl Instances {
    pub(super) fn new(engine: &Engine, component: &Component, shared: Shared) -> Result<Self> {
        let mut linker = Linker::new(engine);
        Host::add_to_linker(&mut linker)?;
        let pre = GatewayPre::new(linker.instantiate_pre(component)?)?;
        Ok(Self { pre: Arc::new(pre), shared: Arc::new(shared) })
    }

    /// Gives a request an instance. What is sent back is the head; the body follows in its own time.
    pub(super) fn serve(
        &self,
        request: http::Request<RequestBody>,
        caller: watch::Receiver<()>,
        answer: oneshot::Sender<Answer>,
    ) {
        self.run(Some(caller), |mut store, instance| async move {
            let mut http = store.data_mut().http();
            let request = http.new_incoming_request(Scheme::Http, request)?;
            let out = http.new_response_outparam(answer)?;
            instance.wasi_http_incoming_handler().call_handle(&mut store, request, out).await
        });
    }

    /// Gives a query an instance.
    pub(super) fn answer(&self, query: Query, reply: Reply) {
        self.run(None, |mut store, instance| async move {
            let reply = store.data_mut().table.push(reply)?;
            let subscriber = instance.a2a_gateway_virtual_subscriber();
            subscriber.call_handle(&mut store, &query, reply).await
        });
    }

    /// Runs an instance in a task of its own, up to its end or that of the gateway.
    fn run<F, C>(&self, caller: Option<watch::Receiver<()>>, call: C)
    where
        C: FnOnce(Store<Host>, Bindings) -> F + Send + 'static,
        F: Future<Output = Result<()>> + Send,
    {
        let this = self.clone();
        let running = Running::begin(&self.shared);
        let mut killed = self.shared.killed.subscribe();
        tokio::spawn(async move {
            let run = async {
                let host = Host::new(this.clone(), caller);
                let mut store = Store::new(this.pre.engine(), host);
                store.limiter(|host| &mut host.memory);
                let instance = this.pre.instantiate_async(&mut store).await?;
                call(store, instance).await
            };
            tokio::select! {
                outcome = run => if let Err(error) = outcome {
                    // Its slot, its channel and its connections have gone with its store.
                    tracing::error!("an instance trapped, its stream ends: {error:?}");
                },
                _ = killed.wait_for(|killed| *killed) => {}
            }
            drop(running);
        });
    }
}

/// Counts an instance that runs.
struct Running(watch::Sender<usize>);

impl Running {
    fn begin(shared: &Shared) -> Self {
        shared.running.send_modify(|running| *running += 1);
        Self(shared.running.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.send_modify(|running| *running -= 1);
    }
}
