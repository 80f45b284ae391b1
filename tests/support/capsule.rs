//! A capsule under test, on a socket or in simulated time.

use super::client::{Client, PATIENCE, SIMULATED_PATIENCE};
use super::{ACK, STREAM_HEAD, WATCH, post, submission};
use host_harness::front::{Front, Limits};
use host_harness::{
    AcceptedTask, Capsule, CapsuleBuilder, CapsuleHandle, FixedIds, Stats, StreamComponent,
    TaskAcceptance, TaskState,
};
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::task::yield_now;
use tokio::time::timeout;

/// Tasks wait for one another, more of them than any test submits.
pub(crate) const QUEUE: TaskAcceptance = TaskAcceptance::Queue { depth: 16 };

/// How much a simulated connection holds in each direction: enough to hold nobody up.
const BUFFER_BYTES: usize = 16 * 1024 * 1024;

/// A capsule of the built component that mints the same ids every time, and whose heartbeats are so
/// far apart that none comes into a test, however slow the machine is.
pub(crate) fn builder() -> CapsuleBuilder {
    builder_with_heartbeats().heartbeat_interval(Duration::from_secs(24 * 60 * 60))
}

/// The same with the default heartbeats.
pub(crate) fn builder_with_heartbeats() -> CapsuleBuilder {
    Capsule::builder().component(component()).fixed_ids(FixedIds::default())
}

/// The built component, compiled once.
fn component() -> StreamComponent {
    static COMPONENT: OnceLock<StreamComponent> = OnceLock::new();
    let compile = || {
        // On a runtime of its own: those of the tests may have paused their time.
        let compiled = thread::spawn(|| {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(StreamComponent::built_in())
        });
        compiled.join().unwrap().unwrap()
    };
    COMPONENT.get_or_init(compile).clone()
}

/// A capsule and a way for clients to reach it.
pub(crate) struct Served {
    capsule: Capsule,
    handle: CapsuleHandle,
    /// None in simulated time.
    address: Option<SocketAddr>,
}

impl Served {
    /// Listens on a socket.
    pub(crate) async fn on_a_socket(builder: CapsuleBuilder) -> Self {
        let mut capsule = builder.start().await.unwrap();
        let address = capsule.listen("127.0.0.1:0").await.unwrap();
        Self { handle: capsule.handle(), capsule, address: Some(address) }
    }

    /// Cancels a task that has not ended.
    pub(crate) fn cancel(&self, task: &str) {
        let canceled = self.handle.cancel_task(&task.to_owned().into()).unwrap();
        assert_eq!(canceled.state, TaskState::Canceled);
    }

    /// Serves connections in memory. For tests whose time is paused, which sockets know nothing of.
    pub(crate) async fn simulated(builder: CapsuleBuilder) -> Self {
        let capsule = builder.start().await.unwrap();
        Self { handle: capsule.handle(), capsule, address: None }
    }

    /// The ways to the capsule, to outlive it.
    pub(crate) fn handle(&self) -> CapsuleHandle {
        self.handle.clone()
    }

    /// A connection on which nothing was sent yet.
    pub(crate) async fn connect(&self) -> Client {
        let Some(address) = self.address else {
            return self.connect_with_buffer(BUFFER_BYTES);
        };
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client::new(stream, PATIENCE)
    }

    /// A simulated connection that holds so many bytes which the client has not read.
    pub(crate) fn connect_with_buffer(&self, bytes: usize) -> Client {
        let (client, server) = tokio::io::duplex(bytes);
        let handle = self.handle.clone();
        let front = Front::new(Limits::default());
        tokio::spawn(async move { front.serve_connection(server, &handle).await });
        Client::new(client, SIMULATED_PATIENCE)
    }

    /// A connection on which `request` was sent.
    pub(crate) async fn send(&self, request: impl AsRef<[u8]>) -> Client {
        let mut client = self.connect().await;
        client.send(request).await;
        client
    }

    /// A watcher that has read its `connection-ack`.
    pub(crate) async fn watch(&self) -> Client {
        let mut client = self.send(post(WATCH)).await;
        client.expect(format!("{STREAM_HEAD}{ACK}")).await;
        client
    }

    /// A submitter of a task with that text that has read the head.
    pub(crate) async fn submit(&self, text: &str) -> Client {
        let mut client = self.send(submission(text)).await;
        client.expect(STREAM_HEAD).await;
        client
    }

    /// The next task, as the agent loop takes it.
    pub(crate) async fn next_task(&self) -> AcceptedTask {
        self.within(self.handle.next_task()).await.expect("the capsule has ended")
    }

    /// Runs the next task: one turn, and this reply in one chunk.
    pub(crate) async fn run_task(&self, reply: &str) {
        let task = self.next_task().await;
        let mut attempt = task.begin_attempt().await.unwrap();
        let inference = attempt.begin_turn().await.unwrap();
        attempt.text(reply).await.unwrap();
        inference.returned().await.unwrap();
        attempt.completed(reply).await.unwrap();
    }

    /// Waits until the capsule's figures are as wanted, and answers them.
    pub(crate) async fn until(&self, wanted: impl Fn(&Stats) -> bool) -> Stats {
        let begun = Instant::now();
        loop {
            let stats = self.within(self.handle.stats()).await.unwrap();
            if wanted(&stats) {
                return stats;
            }
            assert!(begun.elapsed() < PATIENCE, "still {stats:?}");
            yield_now().await;
        }
    }

    /// Closes the frame stream, and the capsule.
    pub(crate) async fn close(self) {
        let patience = self.patience();
        timeout(patience, self.capsule.close()).await.expect("the capsule does not close").unwrap();
    }

    /// Ends the capsule as a process does that exits.
    pub(crate) async fn stop(self) {
        let patience = self.patience();
        timeout(patience, self.capsule.stop()).await.expect("the capsule does not stop").unwrap();
    }

    async fn within<F: Future>(&self, future: F) -> F::Output {
        timeout(self.patience(), future).await.expect("the capsule does not answer")
    }

    fn patience(&self) -> Duration {
        if self.address.is_some() { PATIENCE } else { SIMULATED_PATIENCE }
    }
}

impl Deref for Served {
    type Target = CapsuleHandle;

    fn deref(&self) -> &CapsuleHandle {
        &self.handle
    }
}
