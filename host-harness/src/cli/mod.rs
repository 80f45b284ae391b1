//! The command line.

mod frames;
mod output;
mod scenario;
mod serve;

use clap::{Parser, Subcommand};
use host_harness::scenario::Scenario;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

/// Serves the event stream of an AI agent's capsule.
#[derive(Parser)]
#[command(name = "capsule", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  capsule serve                            serve on 127.0.0.1:52222, play the story
  capsule serve --scenario tools           play another scenario that ships with the program
  capsule scenario show story > my.scenario; capsule scenario check my.scenario
  capsule frames my.scenario               the bytes that a watcher gets, at once

Logs go to stderr. RUST_LOG chooses them: RUST_LOG=host_harness=debug capsule serve";

#[derive(Subcommand)]
enum Command {
    /// Serve a capsule whose agent plays scenarios
    Serve(serve::Serve),
    /// Check, list and show scenarios
    Scenario(scenario::ScenarioCommand),
    /// Print the bytes that a watcher gets of a scenario
    Frames(frames::Frames),
}

/// What a subcommand fails with: printed to stderr, and the program exits with 1.
type CliResult = Result<(), Box<dyn Error>>;

pub(crate) fn run(cli: Cli) -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let result = match cli.command {
        Command::Serve(serve) => serve.run(),
        Command::Scenario(scenario) => scenario.run(),
        Command::Frames(frames) => frames.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("capsule: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The scenario of that name that ships with the program, or else the one in that file.
fn find_scenario(name_or_file: &str) -> Result<Scenario, Box<dyn Error>> {
    if let Some(shipped) = Scenario::shipped_named(name_or_file) {
        return Ok(shipped);
    }
    let path = Path::new(name_or_file);
    if !path.exists() {
        let names: Vec<_> = Scenario::shipped().iter().map(|(name, _)| *name).collect();
        return Err(format!(
            "there is no scenario and no file `{name_or_file}`; the scenarios that ship with \
             the program are {}",
            names.join(", ")
        )
        .into());
    }
    Ok(Scenario::read(path)?)
}
