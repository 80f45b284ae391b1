//! The A2A gateway, beside its agent read directly.
//!
//! | Module | What it holds |
//! |---|---|
//! | `measures` | what is measured, and how |
//! | `agent`, `server` | the processes on the other side of the client |
//! | `relay` | a native process in the gateway's place |

pub(crate) mod agent;
mod measures;
pub(crate) mod relay;
pub(crate) mod server;

use crate::Result;
use crate::report::Report;
use measures::{Figures, Plan};

/// What the agent is asked for: see [`agent`].
const PATHS: [&str; 5] = ["/silent", "/each", "/bulk", "/rate/200", "/rate/10"];

/// Measures, prints, and without `quick` keeps the figures.
///
/// # Errors
///
/// What went wrong in one of the processes.
pub(crate) fn run(quick: bool) -> Result<()> {
    let plan = if quick { Plan::QUICK } else { Plan::FULL };
    let mut figures = Figures::default();
    for round in 0..plan.rounds {
        figures.measure(&plan, round)?;
    }
    let mut report = Report::new("The A2A gateway", plan.rounds)?;
    report.paragraph(
        "Agent, gateway and caller are a process each, on loopback sockets. *Direct* is the same \
         caller at the agent itself. *Native relay* is the core of the gateway's component (the \
         `protocol` crate: the same parser, the same frames) in a Tokio task in place of two \
         WebAssembly instances, without all the rest that a gateway is. The agent's events have \
         about 150 bytes of data. *Each* means that the agent writes every event by itself, *bulk* \
         that it writes up to 64 KiB of them at once; both as fast as the socket takes them. \
         Latency is from before the agent writes the event to after the caller has read it. With a \
         third process on the cores, relay and gateway have less of them than the agent alone: CPU \
         is their own processor time.",
    );
    report.table(&figures.rows(&plan));
    report.publish(!quick)
}
