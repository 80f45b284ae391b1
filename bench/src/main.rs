//! Figures for the A2A gateway and for the capsule's stream, each beside what it is compared with.
//!
//! ```text
//! cargo run --release -p bench -- [--quick] [capsule|gateway]
//! ```
//!
//! The systems are measured in turns, in one run, on loopback sockets: on a machine that does other
//! work too, only the ratios of what one run measured mean something. Whatever is measured is alone
//! in a process of its own; this program starts itself again for each.
//!
//! | Module | What it holds |
//! |---|---|
//! | [`gateway`], [`capsule`] | the two benchmarks, and the programs that they measure |
//! | [`load`] | the client that reads streams, and how it is told what to do |
//! | [`child`], [`role`] | this program started again: from outside, and from inside |
//! | [`stamp`] | texts that say which one they are and when they were made |
//! | [`clock`], [`process`] | the time that all processes share, and what the system counts of one |
//! | [`figures`], [`report`], [`machine`] | medians, tables, and what they were measured with |

mod capsule;
mod child;
mod clock;
mod figures;
mod gateway;
mod load;
mod machine;
mod process;
mod report;
mod role;
mod stamp;

use clap::{Parser, Subcommand};
use std::io::{self, Write};
use std::process::ExitCode;

/// What everything here fails with.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Measures the capsule's stream and the A2A gateway.
///
/// Without --quick, the figures replace those in bench/RESULTS.md.
#[derive(Parser)]
#[command(name = "bench")]
struct Cli {
    /// Fewer rounds, shorter ones, fewer connections: about a minute each; only printed
    #[arg(long, global = true)]
    quick: bool,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// The A2A gateway beside its agent read directly
    Gateway,
    /// The capsule's stream beside native servers
    Capsule,
    /// One of the processes of a benchmark
    #[command(hide = true)]
    Role {
        #[command(subcommand)]
        role: role::Role,
    },
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where even that cannot be written, the exit code says it.
            let _ = writeln!(io::stderr(), "bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<()> {
    match cli.what {
        Some(What::Role { role }) => role.run(),
        Some(What::Gateway) => gateway::run(cli.quick),
        Some(What::Capsule) => capsule::run(cli.quick),
        None => {
            gateway::run(cli.quick)?;
            capsule::run(cli.quick)
        }
    }
}
