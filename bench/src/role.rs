//! The processes of a benchmark, from inside.

use crate::{Result, capsule, gateway, load};
use clap::Subcommand;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::net::SocketAddr;
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin, stdin};
use tokio::runtime::{Builder, Runtime};

/// What a process is.
#[derive(Subcommand)]
pub(crate) enum Role {
    /// The client that reads streams
    Load,
    /// The agent behind the gateway
    Agent,
    /// The gateway
    Gateway {
        /// Where its agent is
        agent: SocketAddr,
    },
    /// A native process in the gateway's place
    Relay {
        /// Where its agent is
        agent: SocketAddr,
    },
    /// A capsule
    Capsule,
    /// A native server as one is written
    Native,
    /// The same, tuned by hand
    NativeTuned,
}

/// What a server says once it serves.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Serving {
    /// Where streams are.
    pub(crate) address: SocketAddr,
    /// Where it is told what to emit, if that is how it is told.
    pub(crate) control: Option<SocketAddr>,
}

impl Role {
    /// Is that process, until its standard input ends.
    ///
    /// # Errors
    ///
    /// What made it impossible.
    pub(crate) fn run(self) -> Result<()> {
        // Each connection needs a descriptor. Where there are too few, connecting says so.
        let _ = rlimit::increase_nofile_limit(u64::MAX);
        match self {
            Self::Load => Builder::new_current_thread().enable_all().build()?.block_on(load::run()),
            Self::Agent => served(gateway::agent::serve()),
            Self::Gateway { agent } => served(gateway::server::serve(agent)),
            Self::Relay { agent } => served(gateway::relay::serve(agent)),
            Self::Capsule => served(capsule::ours::serve()),
            Self::Native => served(capsule::native::serve()),
            Self::NativeTuned => served(capsule::tuned::serve()),
        }
    }
}

/// Runs a server, which says itself that it serves, as long as anybody wants it.
fn served(server: impl Future<Output = Result<()>>) -> Result<()> {
    let runtime = Runtime::new()?;
    let outcome = runtime.block_on(async {
        let mut orders = orders();
        tokio::select! {
            outcome = server => outcome,
            line = orders.next_line() => line.map(|_| ()).map_err(Into::into),
        }
    });
    // The thread that reads standard input would be waited for.
    runtime.shutdown_background();
    outcome
}

/// What this process is told, a line each.
pub(crate) fn orders() -> Lines<BufReader<Stdin>> {
    BufReader::new(stdin()).lines()
}

/// Says something to the process that started this one.
///
/// # Errors
///
/// It has gone.
pub(crate) fn say(words: &impl Serialize) -> Result<()> {
    let mut line = serde_json::to_vec(words)?;
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line)?;
    Ok(output.flush()?)
}
