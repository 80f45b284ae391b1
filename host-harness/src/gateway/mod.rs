//! The A2A gateway: runs the component `a2a_gateway.wasm`, in front of any number of agents.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use host_harness::gateway::{Card, Gateway};
//!
//! let agent = Card::from_argument("stream-agent-01=http://127.0.0.1:52222/")?;
//! let mut gateway = Gateway::builder().agent(agent).start().await?;
//! println!("serving on {}", gateway.listen("127.0.0.1:9090").await?);
//! # Ok(()) }
//! ```
//!
//! Each request and each query to a virtual subscriber has an instance of its own. What they share
//! is here, in memory:
//!
//! | Module | What it holds |
//! |---|---|
//! | `instance` | the component, and how it is run |
//! | `host` | the store of one instance: the imports of `wit/gateway` |
//! | `shared` | registry, counters, slots, settings |
//! | `channels`, `queries` | what connects the two halves of a stream |
//! | `limits` | what an instance holds, and gives back when it ends |
//! | `egress` | how agents are reached |

mod bindings;
mod channels;
mod egress;
mod host;
mod instance;
mod limits;
mod queries;
mod shared;

pub use egress::Connect;
pub use protocol::a2a::{AgentKind, Card, EnvelopeMode, Settings};

use crate::Error;
use crate::cwasm;
use crate::front::{self, Front, Handler, HandlerGone, Limits};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, HeaderValue};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Full};
use instance::Instances;
use protocol::a2a::metrics;
use shared::Shared;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use wasmtime::{Config, Engine};
use wasmtime_wasi_http::p2::body::HyperOutgoingBody;

/// The component that is built with this crate.
const BUILT_IN: &[u8] = include_bytes!(env!("A2A_GATEWAY_WASM"));

/// How long [`Gateway::shutdown`] waits for streams to end.
const SHUTDOWN: Duration = Duration::from_millis(500);

/// How many callers are served at a time unless told otherwise. Each has two instances, and an
/// instance has some of the mappings that the system gives a process, often 65,530.
const CONNECTIONS: usize = 4_000;

/// A gateway to be, with the defaults of the details page.
pub struct GatewayBuilder {
    settings: Settings,
    caller_id: Option<String>,
    agents: Vec<Card>,
    limits: Limits,
    connect: Option<Arc<dyn Connect>>,
}

impl Default for GatewayBuilder {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            caller_id: None,
            agents: Vec::new(),
            limits: Limits { connections: CONNECTIONS, ..Limits::default() },
            connect: None,
        }
    }
}

impl GatewayBuilder {
    /// Every number that can be set. `max_body_bytes` is the limit of the front as well.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// What agents are told in `X-KubeMQ-Caller-ID`: `a2a-gateway-` and a random number unless told
    /// otherwise. It has to be this gateway's alone: a request that says it of its caller is refused
    /// as one that leads back here.
    #[must_use]
    pub fn caller_id(mut self, caller_id: impl Into<String>) -> Self {
        self.caller_id = Some(caller_id.into());
        self
    }

    /// An agent that is there from the start, and whose registration never expires.
    #[must_use]
    pub fn agent(mut self, card: Card) -> Self {
        self.agents.push(card);
        self
    }

    /// Limits of callers' connections, of which there are 4,000 unless told otherwise. Each needs a
    /// dozen of the mappings that the system gives a process (`vm.max_map_count`).
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Reaches agents in another way than through TCP.
    #[must_use]
    pub fn connect_with(mut self, connect: impl Connect) -> Self {
        self.connect = Some(Arc::new(connect));
        self
    }

    /// Starts the gateway on the current Tokio runtime.
    ///
    /// # Errors
    ///
    /// [`Error::LoadComponent`].
    pub async fn start(self) -> Result<Gateway, Error> {
        let limits = Limits {
            body_bytes: self.settings.max_body_bytes,
            // A caller that left has its work cancelled, so its leaving has to be seen.
            half_close: false,
            ..self.limits
        };
        let caller_id = self.caller_id.unwrap_or_else(unique_caller_id);
        let shared = Shared::new(self.settings, caller_id, self.agents, self.connect);
        // Compiling takes long enough to hold others up.
        let instances = tokio::task::spawn_blocking(move || {
            let engine = Engine::new(&engine_config())?;
            let component = cwasm::load(&engine, BUILT_IN)?;
            Instances::new(&engine, &component, shared)
        });
        let instances = instances.await.unwrap_or_else(|panic| Err(wasmtime::Error::new(panic)));
        let instances = instances.map_err(Error::LoadComponent)?;
        let handle = GatewayHandle { instances, limits };
        Ok(Gateway { handle, fronts: JoinSet::new(), fronts_end: watch::channel(false).0 })
    }
}

impl fmt::Debug for GatewayBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatewayBuilder").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A running gateway. Dropping it ends it at once; [`Self::shutdown`] is kinder.
pub struct Gateway {
    handle: GatewayHandle,
    fronts: JoinSet<()>,
    fronts_end: watch::Sender<bool>,
}

impl Gateway {
    /// Starts with the defaults: see [`GatewayBuilder`].
    pub fn builder() -> GatewayBuilder {
        GatewayBuilder::default()
    }

    /// The way to this gateway, for servers.
    pub fn handle(&self) -> GatewayHandle {
        self.handle.clone()
    }

    /// Serves callers on a socket. Port 0 takes a free one; the address that it became is returned.
    ///
    /// # Errors
    ///
    /// [`Error::Listen`].
    pub async fn listen(&mut self, address: &str) -> Result<SocketAddr, Error> {
        self.serve(address, self.handle.clone()).await
    }

    /// Serves `GET /metrics`, and nothing else, on a socket of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Listen`].
    pub async fn listen_metrics(&mut self, address: &str) -> Result<SocketAddr, Error> {
        self.serve(address, MetricsHandler(self.handle.clone())).await
    }

    async fn serve<H: Handler>(&mut self, address: &str, handler: H) -> Result<SocketAddr, Error> {
        let failed = |error| Error::Listen(address.to_owned(), error);
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let local = listener.local_addr().map_err(failed)?;
        let mut end = self.fronts_end.subscribe();
        self.fronts.spawn(front::accept_loop(listener, self.handle.limits, handler, async move {
            // An error says that the gateway is being dropped.
            let _ = end.wait_for(|end| *end).await;
        }));
        Ok(local)
    }

    /// Ends every stream with its `task.error`, and the agents' work with a cancel, for up to a
    /// second; then ends.
    pub async fn shutdown(mut self) {
        let shared = self.handle.instances.shared.clone();
        shared.shutting_down.send_replace(true);
        let mut running = shared.running.subscribe();
        // Those that are left after it are ended where they stand.
        let _ = timeout(SHUTDOWN, running.wait_for(|running| *running == 0)).await;
        self.fronts_end.send_replace(true);
        while self.fronts.join_next().await.is_some() {}
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.handle.instances.shared.killed.send_replace(true);
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").finish_non_exhaustive()
    }
}

/// The way to a gateway: what answers requests. Cheap to clone; it does not keep the gateway alive.
#[derive(Clone)]
pub struct GatewayHandle {
    instances: Instances,
    limits: Limits,
}

impl GatewayHandle {
    /// The front that [`Gateway::listen`] serves with, for other connections than sockets.
    pub fn front(&self) -> Front {
        Front::new(self.limits)
    }

    /// All figures, in Prometheus' text format.
    pub fn metrics(&self) -> String {
        self.instances.shared.render_metrics()
    }
}

impl fmt::Debug for GatewayHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatewayHandle").finish_non_exhaustive()
    }
}

impl Handler for GatewayHandle {
    type Body = CallerBody;

    async fn handle(
        &self,
        mut request: http::Request<Full<Bytes>>,
    ) -> Result<http::Response<CallerBody>, HandlerGone> {
        // WASI wants to know an authority.
        if request.headers().get(HOST).is_none_or(|host| host.to_str().is_err()) {
            request.headers_mut().insert(HOST, HeaderValue::from_static("gateway"));
        }
        let request = request.map(|body| body.map_err(|never| match never {}).boxed_unsync());
        // Dropped with this future, or with the answer's body.
        let (here, caller) = watch::channel(());
        let (answer, answered) = oneshot::channel();
        self.instances.serve(request, caller, answer);
        let response = answered.await.map_err(|_| HandlerGone)?.map_err(|_| HandlerGone)?;
        Ok(response.map(|body| CallerBody { body, _here: here }))
    }
}

/// The body of an answer. With it the caller has gone.
pub struct CallerBody {
    body: HyperOutgoingBody,
    _here: watch::Sender<()>,
}

impl fmt::Debug for CallerBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallerBody").finish_non_exhaustive()
    }
}

impl Body for CallerBody {
    type Data = Bytes;
    type Error = <HyperOutgoingBody as Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Instances live as long as a stream, and there are many: each takes as few mappings as it can.
fn engine_config() -> Config {
    let mut config = Config::new();
    // No reserved address space around a memory, and no image of it that is mapped.
    config.memory_reservation(0).memory_guard_size(0).memory_init_cow(false);
    config
}

/// A name that no other gateway has.
fn unique_caller_id() -> String {
    // Each has keys of its own, from the system's random numbers.
    let random = RandomState::new().build_hasher().finish();
    format!("a2a-gateway-{random:016x}")
}

/// Serves the figures.
#[derive(Clone)]
struct MetricsHandler(GatewayHandle);

impl Handler for MetricsHandler {
    type Body = Full<Bytes>;

    async fn handle(
        &self,
        request: http::Request<Full<Bytes>>,
    ) -> Result<http::Response<Full<Bytes>>, HandlerGone> {
        let mut response = http::Response::new(Full::default());
        if request.method() != http::Method::GET || request.uri().path() != "/metrics" {
            *response.status_mut() = http::StatusCode::NOT_FOUND;
            return Ok(response);
        }
        *response.body_mut() = Full::from(self.0.metrics());
        let text = HeaderValue::from_static(metrics::CONTENT_TYPE);
        response.headers_mut().insert(CONTENT_TYPE, text);
        Ok(response)
    }
}
