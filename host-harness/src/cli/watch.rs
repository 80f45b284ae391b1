//! `capsule watch`.

use super::{CliExit, runtime};
use host_harness::client::Address;
use host_harness::watch::{Style, watch};
use std::io;

/// Watch a capsule: everything that it writes, as text.
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
    /// Write the exact text without colours, which is also what a pipe gets
    #[arg(long)]
    plain: bool,
}

impl Output {
    pub(super) fn style(&self) -> Style {
        Style::for_stdout(self.plain)
    }
}

impl Watch {
    pub(super) fn run(self) -> CliExit {
        let style = self.output.style();
        let watched = watch(&self.capsule.url, style, io::stdout(), io::stderr());
        Ok(runtime()?.block_on(watched).into())
    }
}
