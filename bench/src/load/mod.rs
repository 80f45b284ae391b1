//! The client that reads streams, in a process of its own.
//!
//! Every byte is looked at: a frame that is missing, not whole or out of order fails the benchmark.
//!
//! | Module | What it holds |
//! |---|---|
//! | `watcher`, `body` | one connection, and the answer that it reads |
//! | `tally` | what all connections have read |

mod body;
mod tally;
mod watcher;

use crate::child::Child;
use crate::{Result, role};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tally::{Tally, Wanted};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::sleep;
use watcher::Watcher;

/// How many connections are being opened at a time.
const OPENING: usize = 64;
/// How many bursts are on their way at a time. Of 64 frames, as many as every server holds back for
/// a watcher that is slow.
const BURSTS_ON_THEIR_WAY: u64 = 2;

/// What the client is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Opens connections, and waits until each has its head and that many frames.
    Open { address: SocketAddr, request: String, count: u64, frames: u64 },
    /// Reads what comes.
    Count { seconds: f64 },
    /// Reads what comes: the ages are those of all frames at all connections.
    Ages { seconds: f64 },
    /// Has a server emit bursts, each when the one before the last has come to every connection.
    Bursts { control: SocketAddr, size: u64, seconds: f64 },
    /// Has a server emit so many frames a second: the ages are those at the last connection.
    Paced { control: SocketAddr, rate: u64, seconds: f64 },
    /// Closes all connections.
    Close,
}

/// What came of it.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// How long it took.
    pub(crate) seconds: f64,
    /// How many frames came, at all connections together.
    pub(crate) frames: u64,
    /// The age below which half of the frames were, in microseconds.
    pub(crate) p50: f64,
    /// The age below which 99 in a hundred were.
    pub(crate) p99: f64,
}

impl Outcome {
    /// Frames a second.
    pub(crate) fn rate(&self) -> f64 {
        self.frames as f64 / self.seconds
    }
}

/// The client, from outside.
pub(crate) struct Load(Child);

impl Load {
    /// Starts one.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub(crate) fn start() -> Result<Self> {
        Ok(Self(Child::start(&["load"])?))
    }

    /// Tells it to do something, and waits for what comes of it.
    ///
    /// # Errors
    ///
    /// What went wrong.
    pub(crate) fn order(&mut self, order: &Order) -> Result<Outcome> {
        let said: std::result::Result<Outcome, String> = self.0.ask(order)?;
        Ok(said.map_err(|error| format!("{order:?}: {error}"))?)
    }
}

/// Is the client.
///
/// # Errors
///
/// It was told nonsense, or whoever told it has gone.
pub(crate) async fn run() -> Result<()> {
    LocalSet::new().run_until(Client::new().run()).await
}

struct Client {
    tally: Rc<Tally>,
    watchers: JoinSet<()>,
}

impl Client {
    fn new() -> Self {
        Self { tally: Rc::new(Tally::new()), watchers: JoinSet::new() }
    }

    async fn run(mut self) -> Result<()> {
        let mut orders = role::orders();
        while let Some(order) = orders.next_line().await? {
            let outcome = self.obey(serde_json::from_str(&order)?).await;
            role::say(&outcome.map_err(|error| error.to_string()))?;
        }
        Ok(())
    }

    async fn obey(&mut self, order: Order) -> Result<Outcome> {
        let (begin, frames) = (Instant::now(), self.tally.frames());
        let mut outcome = Outcome::default();
        match order {
            Order::Open { address, request, count, frames } => {
                self.open(address, request.into(), count, frames).await?;
            }
            Order::Count { seconds } => sleep(Duration::from_secs_f64(seconds)).await,
            Order::Ages { seconds } => {
                self.tally.want(Wanted::Ages(Vec::new()));
                sleep(Duration::from_secs_f64(seconds)).await;
                (outcome.p50, outcome.p99) = self.tally.want(Wanted::Nothing).ages();
            }
            Order::Bursts { control, size, seconds } => self.bursts(control, size, seconds).await?,
            Order::Paced { control, rate, seconds } => {
                (outcome.p50, outcome.p99) = self.paced(control, rate, seconds).await?;
            }
            Order::Close => {
                self.watchers.shutdown().await;
                self.tally.closed();
            }
        }
        self.tally.check()?;
        outcome.seconds = begin.elapsed().as_secs_f64();
        outcome.frames = self.tally.frames() - frames;
        Ok(outcome)
    }

    async fn open(
        &mut self,
        address: SocketAddr,
        request: Rc<str>,
        count: u64,
        frames: u64,
    ) -> Result<()> {
        let opening = Rc::new(Semaphore::new(OPENING));
        let wanted = self.tally.open() + count;
        for _ in 0..count {
            let watcher = Watcher::new(self.tally.clone());
            let watching = watcher.run(address, request.clone(), frames, opening.clone());
            let tally = self.tally.clone();
            self.watchers.spawn_local(async move {
                if let Err(error) = watching.await {
                    tally.fail(error.to_string());
                }
            });
        }
        self.tally.until(|tally| tally.open() == wanted).await
    }

    async fn bursts(&self, control: SocketAddr, size: u64, seconds: f64) -> Result<()> {
        let mut control = connect(control).await?;
        self.tally.want(Wanted::Bursts { size, connections: Vec::new(), complete: 0 });
        // The numbers go on, and so do those of the bursts.
        let before = self.tally.next_number() / size;
        let begin = Instant::now();
        let mut sent = 0_u64;
        while begin.elapsed().as_secs_f64() < seconds {
            control.write_all(format!("burst {size}\n").as_bytes()).await?;
            sent += 1;
            let enough = (sent + 1).saturating_sub(BURSTS_ON_THEIR_WAY);
            self.tally.until(|tally| tally.wanted().complete() >= enough).await?;
        }
        self.tally.until(|tally| tally.wanted().complete() == sent).await?;
        debug_assert_eq!(self.tally.next_number() / size, before + sent);
        Ok(())
    }

    async fn paced(&self, control: SocketAddr, rate: u64, seconds: f64) -> Result<(f64, f64)> {
        let mut control = connect(control).await?;
        let first = self.tally.next_number();
        self.tally.want(Wanted::Last { first, frames: Vec::new() });
        let count = (rate as f64 * seconds) as usize;
        control.write_all(format!("pace {rate} {count}\n").as_bytes()).await?;
        sleep(Duration::from_secs_f64(seconds)).await;
        let all = |tally: &Tally| tally.wanted().at_all(tally.open()) == count;
        self.tally.until(all).await?;
        Ok(self.tally.want(Wanted::Nothing).ages())
    }
}

async fn connect(control: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect(control).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
