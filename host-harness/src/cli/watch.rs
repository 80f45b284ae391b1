//! `capsule watch`.

use super::{CliExit, runtime};
use host_harness::client::Address;
use host_harness::watch::{View, watch};
use std::io;
use std::process::ExitCode;
use tokio::signal::ctrl_c;

/// What a shell says of a process that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

/// Watch a capsule: everything that it writes, as text.
///
/// In a terminal it comes with the reasoning, in colours (unless NO_COLOR is set), and above a line
/// that says how the task stands.
///
/// Ends with 0 when the capsule closes its stream, and with 1 when the connection is lost.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  capsule watch
  capsule watch --url 127.0.0.1:52222 --plain > log.txt")]
pub(super) struct Watch {
    #[command(flatten)]
    capsule: CapsuleAddress,
    #[command(flatten)]
    output: Output,
}

/// Which capsule is meant.
#[derive(clap::Args)]
pub(super) struct CapsuleAddress {
    /// The capsule's address
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:52222")]
    pub(super) url: Address,
}

/// How a stream is shown.
#[derive(clap::Args)]
pub(super) struct Output {
    /// Write the exact text without colours and status line, which is also what a pipe gets
    #[arg(long)]
    plain: bool,
}

impl Output {
    pub(super) fn view(&self) -> View {
        View::for_stdout(self.plain)
    }
}

impl Watch {
    pub(super) fn run(self) -> CliExit {
        let view = self.output.view();
        follow(view, watch(&self.capsule.url, view, io::stdout(), io::stderr()))
    }
}

/// Runs what shows a stream, and exits with its code.
pub(super) fn follow(view: View, shown: impl Future<Output = u8>) -> CliExit {
    runtime()?.block_on(async {
        tokio::select! {
            code = shown => Ok(code.into()),
            // As a process that Ctrl-C ends, but without its status line.
            _ = ctrl_c(), if view.has_status_line() => Ok(ExitCode::from(INTERRUPTED)),
        }
    })
}
