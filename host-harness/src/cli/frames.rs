//! `capsule frames`.

use super::serve::Conversation;
use super::{CliResult, find_scenario, output};
use host_harness::frames::frames;

/// Print the bytes that a watcher gets of a scenario, at once: in simulated time, without a socket,
/// and with the same ids every time. For golden files, and for those who write scenarios.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  capsule frames my.scenario
  capsule frames tools | grep '^event:'")]
pub(super) struct Frames {
    /// A scenario's file, or the name of one that ships with the program
    #[arg(value_name = "FILE|NAME")]
    scenario: String,
    /// What the first frame says of conversations
    #[arg(long, value_enum, default_value_t = Conversation::Stateless)]
    conversation: Conversation,
}

impl Frames {
    pub(super) fn run(self) -> CliResult {
        let scenario = find_scenario(&self.scenario)?;
        output::write(&frames(&scenario, self.conversation.into()))
    }
}
