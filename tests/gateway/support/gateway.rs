//! A gateway under test, on a socket or in simulated time.

use super::agent::{Agent, Listener};
use super::network::{BUFFER_BYTES, Network};
use super::{
    Answer, Caller, Client, ID, PATIENCE, SIMULATED_PATIENCE, STREAM, Writes, get, rpc, rpc_to,
    seconds,
};
use host_harness::CapsuleHandle;
use host_harness::front::Limits;
use host_harness::gateway::{Gateway, GatewayBuilder, GatewayHandle, Settings};
use protocol::a2a::{AgentKind, Card};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// A gateway to be, and the agents that it is given at its start.
#[derive(Default)]
pub(crate) struct Setup {
    pub(crate) settings: Settings,
    cards: Vec<Card>,
    pub(crate) network: Network,
}

impl Setup {
    pub(crate) fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// An agent in simulated time, at `http://{id}:9000/a2a?v=1`.
    pub(crate) fn agent(&mut self, id: &str) -> Agent {
        self.agent_with_buffer(id, BUFFER_BYTES)
    }

    /// The same, whose connections hold so many bytes that were not read.
    pub(crate) fn agent_with_buffer(&mut self, id: &str, bytes: usize) -> Agent {
        let listener = Listener::Simulated(self.network.listen(&format!("{id}:9000"), bytes));
        self.add(&format!("{id}=http://{id}:9000/a2a?v=1"), listener)
    }

    /// An agent on a socket.
    pub(crate) async fn agent_on_a_socket(&mut self, id: &str) -> Agent {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        self.add(&format!("{id}=http://{address}/a2a"), Listener::Socket(listener))
    }

    /// An agent where nobody is.
    pub(crate) fn nobody(&mut self, url: &str) {
        self.cards.push(Card::from_argument(&format!("{ID}={url}")).unwrap());
    }

    /// A capsule in simulated time.
    pub(crate) fn capsule(&mut self, id: &str, kind: AgentKind, capsule: CapsuleHandle) {
        self.network.serve(&format!("{id}:52222"), capsule);
        self.capsule_at(id, &format!("http://{id}:52222/"));
        self.cards.last_mut().unwrap().kind = kind;
    }

    /// A capsule at that URL.
    pub(crate) fn capsule_at(&mut self, id: &str, url: &str) {
        let card = Card::from_argument(&format!("{id}={url}")).unwrap();
        self.cards.push(Card { kind: AgentKind::MurmurCapsule, ..card });
    }

    /// Says of the agents so far that they are capsules.
    pub(crate) fn they_are_capsules(&mut self) {
        self.cards.iter_mut().for_each(|card| card.kind = AgentKind::MurmurCapsule);
    }

    /// Serves connections in memory. For tests whose time is paused.
    pub(crate) async fn simulated(self) -> TestGateway {
        let network = self.network.clone();
        let gateway = self.builder().connect_with(network).start().await.unwrap();
        TestGateway { handle: gateway.handle(), gateway, address: None }
    }

    /// Listens on a socket, and reaches its agents over sockets.
    pub(crate) async fn on_a_socket(self) -> TestGateway {
        let mut gateway = self.builder().start().await.unwrap();
        let address = gateway.listen("127.0.0.1:0").await.unwrap();
        TestGateway { handle: gateway.handle(), gateway, address: Some(address) }
    }

    fn add(&mut self, argument: &str, listener: Listener) -> Agent {
        let card = Card::from_argument(argument).unwrap();
        self.cards.push(card);
        Agent { listener }
    }

    fn builder(self) -> GatewayBuilder {
        let builder = Gateway::builder().settings(self.settings).limits(Limits::default());
        self.cards.into_iter().fold(builder, GatewayBuilder::agent)
    }
}

/// A gateway in simulated time, and its one agent.
pub(crate) async fn simulated() -> (TestGateway, Agent) {
    simulated_with(Settings::default()).await
}

/// The same with these settings.
pub(crate) async fn simulated_with(settings: Settings) -> (TestGateway, Agent) {
    let mut setup = Setup::new(settings);
    let agent = setup.agent(ID);
    (setup.simulated().await, agent)
}

/// A gateway, and a way for callers to reach it.
pub(crate) struct TestGateway {
    pub(crate) gateway: Gateway,
    pub(crate) handle: GatewayHandle,
    /// None in simulated time.
    pub(crate) address: Option<SocketAddr>,
}

impl TestGateway {
    /// A connection on which nothing was sent yet.
    pub(crate) async fn connect(&self) -> Client {
        let Some(address) = self.address else {
            return self.connect_with(BUFFER_BYTES, SIMULATED_PATIENCE);
        };
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client::new(stream, PATIENCE)
    }

    /// A simulated connection that holds so many bytes which the caller has not read, of a caller
    /// who has that patience.
    pub(crate) fn connect_with(&self, bytes: usize, patience: Duration) -> Client {
        let (client, server) = tokio::io::duplex(bytes);
        let handle = self.handle.clone();
        tokio::spawn(async move { handle.front().serve_connection(server, &handle).await });
        Client::new(client, patience)
    }

    /// A simulated connection, and what each write of the gateway to it held.
    pub(crate) fn connect_and_keep_writes(&self) -> (Client, Arc<Mutex<Vec<Vec<u8>>>>) {
        let (client, server) = tokio::io::duplex(BUFFER_BYTES);
        let (server, writes) = Writes::new(server);
        let handle = self.handle.clone();
        tokio::spawn(async move { handle.front().serve_connection(server, &handle).await });
        (Client::new(client, SIMULATED_PATIENCE), writes)
    }

    /// A connection on which `request` was sent.
    pub(crate) async fn send(&self, request: impl AsRef<[u8]>) -> Client {
        let mut client = self.connect().await;
        client.send(request).await;
        client
    }

    /// The whole answer to `request`.
    pub(crate) async fn ask(&self, request: impl AsRef<[u8]>) -> Answer {
        Answer::read(&mut self.send(request).await).await
    }

    /// Sends the page's request to the tests' agent.
    pub(crate) async fn stream(&self) -> Caller {
        Caller::new(self.send(rpc(STREAM)).await)
    }

    /// Sends the page's request to that agent.
    pub(crate) async fn stream_to(&self, id: &str) -> Caller {
        Caller::new(self.send(rpc_to(id, STREAM)).await)
    }

    /// Asks for a stream of the tests' agent without a body.
    pub(crate) async fn get_stream(&self) -> Caller {
        Caller::new(self.send(get(&format!("/a2a/{ID}/stream"))).await)
    }

    /// A stream on which the agent and the caller have read nothing but the heads.
    pub(crate) async fn open(&self, agent: &mut Agent) -> (Caller, super::Exchange) {
        let mut caller = self.stream().await;
        let exchange = agent.accept().await;
        caller.head().await;
        (caller, exchange)
    }

    /// What the gauge of the tests' agent says. None before its first stream.
    pub(crate) fn active_streams(&self) -> Option<u64> {
        let start = format!(r#"kubemq_a2a_sse_streams_active{{agent_id="{ID}"}} "#);
        let metrics = self.handle.metrics();
        let line = metrics.lines().find_map(|line| line.strip_prefix(&start))?;
        Some(line.parse().unwrap())
    }

    /// Waits until the tests' agent has no stream: within a second.
    pub(crate) async fn until_no_streams(&self) {
        let none = async {
            while self.active_streams() != Some(0) {
                sleep(Duration::from_millis(1)).await;
            }
        };
        super::within_a_second("the gauge is 0", none).await;
    }

    /// Expects that a stream of the tests' agent can be had, when it may have no more than one.
    pub(crate) async fn expect_a_free_slot(&self, agent: &mut Agent) {
        let (mut caller, mut exchange) = self.open(agent).await;
        exchange.envelope("done", "null").await;
        caller.done("null").await;
        exchange.closed().await;
    }

    /// Ends the gateway.
    pub(crate) async fn shutdown(self) {
        let ended = timeout(seconds(10), self.gateway.shutdown()).await;
        ended.expect("the gateway does not end");
    }
}
