//! `capsule compose`.

use super::agent_options::{NamedTool, named_tool};
use super::{CliResult, output};
use host_harness::StreamComponent;
use host_harness::compose::compose;
use host_harness::files::read_component as read;
use std::fs;
use std::path::PathBuf;

/// Make one component of the stream, a driver and tools, for `capsule serve --component`.
///
/// Inside it, what the driver and the tools emit goes to the stream without the host. They share
/// one store and one thread: while one of them runs, requests and heartbeats wait; one that traps
/// ends the capsule. A tool that asks for input cannot be composed: give it a store of its own,
/// `capsule serve --component FILE.wasm --tool NAME=FILE.wasm`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  capsule compose --driver driver.wasm -o agent.wasm
  capsule compose --driver driver.wasm --tool grep=grep.wasm -o agent.wasm
  capsule serve --component agent.wasm --tool ask=ask_tool.wasm")]
pub(super) struct Compose {
    /// The driver
    #[arg(long, value_name = "FILE")]
    driver: PathBuf,
    /// A tool, which the model calls by that name; may be given again for the next one
    #[arg(long = "tool", value_name = "NAME=FILE", value_parser = named_tool)]
    tools: Vec<NamedTool>,
    /// The component that serves the stream, in place of the built-in one
    #[arg(long, value_name = "FILE")]
    stream: Option<PathBuf>,
    /// Where the composition goes
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

impl Compose {
    pub(super) fn run(self) -> CliResult {
        let stream = match &self.stream {
            Some(file) => read(file)?,
            None => StreamComponent::built_in_bytes().to_vec(),
        };
        let driver = read(&self.driver)?;
        let tools = self.tools.iter().map(|(name, file)| Ok((name.clone(), read(file)?)));
        let tools: Vec<_> = tools.collect::<Result<_, host_harness::Error>>()?;
        let composed = compose(&stream, &driver, &tools)?;
        let file = self.output.display();
        fs::write(&self.output, &composed)
            .map_err(|error| format!("{file} could not be written: {error}"))?;
        output::write(format!("{file}: {} bytes\n", composed.len()).as_bytes())
    }
}
