//! The capsule's stream, beside native servers of the same stream.
//!
//! | Module | What it holds |
//! |---|---|
//! | `measures` | what is measured, and how |
//! | `ours`, `native`, `tuned` | the servers, a process each |
//! | `control` | how they are told what to emit |

mod control;
mod measures;
pub(crate) mod native;
pub(crate) mod ours;
pub(crate) mod tuned;

use crate::Result;
use crate::report::Report;
use measures::{Figures, Plan};

/// How many frames a watcher may be behind, as in the capsule.
const BEHIND: usize = 128;
/// How many frames are kept for replays, as in the capsule.
const REPLAYED: usize = 512;
/// The task in every frame.
const TASK: &str = "tsk_01a22f50581f7ac18af9f549ccaa63cf";

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
    let mut report = Report::new("The capsule's stream", plan.rounds)?;
    report.paragraph(
        "*Native* is axum's `Sse` on a `tokio::sync::broadcast` channel, as one writes it. *Tuned* \
         is the same with every frame made once, all that a watcher lacks in one write, and \
         `TCP_NODELAY`. *Capsule* is the component in its host. Each is alone in its process, and \
         has the frames of `text` chunks, with about 180 bytes of data, at all watchers of one \
         client on loopback sockets. Of bursts, two are on their way at a time, so that no frame \
         is dropped; the client looks at every one. Latency is from before the text is emitted to \
         after it is read by the last of the watchers. What *native* loses with bursts of 64 it \
         loses to Nagle's algorithm, which axum leaves on: the second write of a burst waits for \
         the acknowledgement of the first.",
    );
    report.table(&figures.rows(&plan));
    report.publish(!quick)
}
