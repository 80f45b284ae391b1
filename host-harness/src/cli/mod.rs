//! The command line.

mod agent_options;
mod compose;
mod demo;
mod frames;
mod gateway;
mod gateway_options;
mod output;
mod scenario;
mod serve;
mod task;
mod watch;

use clap::{Parser, Subcommand};
use host_harness::scenario::Scenario;
use std::env;
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
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
  capsule watch                            in a second terminal: everything the capsule writes
  capsule send ask-you --stream            in a third: a task that asks something
  capsule answer main                      in a fourth: the answer
  capsule demo                             a capsule, and the A2A gateway in front of it

Logs go to stderr. RUST_LOG chooses them: RUST_LOG=host_harness=debug capsule serve";

#[derive(Subcommand)]
enum Command {
    /// Serve a capsule whose agent plays scenarios, or is made of components
    Serve(serve::Serve),
    /// Watch a capsule: everything that it writes, as text
    Watch(watch::Watch),
    /// Submit a task
    Send(task::Send),
    /// Answer the task that waits for input
    Answer(task::Answer),
    /// Cancel a task
    Cancel(task::Cancel),
    /// Serve the A2A gateway, in front of any number of agents
    Gateway(gateway::GatewayCommand),
    /// Serve a capsule and a gateway in front of it
    Demo(demo::Demo),
    /// Check, list and show scenarios
    Scenario(scenario::ScenarioCommand),
    /// Make one component of the stream, a driver and tools
    Compose(compose::Compose),
    /// Print the bytes that a watcher gets of a scenario
    Frames(frames::Frames),
}

/// What a subcommand fails with: printed to stderr, and the program exits with 1.
type CliResult = Result<(), Box<dyn Error>>;
/// The same of one that has an exit code of its own.
type CliExit = Result<ExitCode, Box<dyn Error>>;

pub(crate) fn run(cli: Cli) -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    let coloured =
        io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(coloured);
    logs.with_writer(io::stderr).init();
    let result = match cli.command {
        Command::Serve(serve) => serve.run().map(|()| ExitCode::SUCCESS),
        Command::Watch(watch) => watch.run(),
        Command::Send(send) => send.run(),
        Command::Answer(answer) => answer.run(),
        Command::Cancel(cancel) => cancel.run(),
        Command::Gateway(gateway) => gateway.run().map(|()| ExitCode::SUCCESS),
        Command::Demo(demo) => demo.run().map(|()| ExitCode::SUCCESS),
        Command::Scenario(scenario) => scenario.run().map(|()| ExitCode::SUCCESS),
        Command::Compose(compose) => compose.run().map(|()| ExitCode::SUCCESS),
        Command::Frames(frames) => frames.run().map(|()| ExitCode::SUCCESS),
    };
    result.unwrap_or_else(|error| failed(&*error))
}

/// What comes of a command line that is not to be run: a mistake in it, or a wish for help, which
/// goes to standard output as everything that was asked for does.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        error.exit();
    }
    match output::written(error.print()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&*error),
    }
}

fn failed(error: &dyn Error) -> ExitCode {
    // Where even that cannot be written, the exit code says it.
    let _ = writeln!(io::stderr(), "capsule: {error}");
    ExitCode::FAILURE
}

fn runtime() -> Result<Runtime, String> {
    Runtime::new().map_err(|error| format!("the runtime could not be started: {error}"))
}

/// Waits for SIGINT or SIGTERM. One that comes from now on is noticed.
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Takes as many descriptors as the system gives: each connection needs one. With fewer, those that
/// are too many wait to be accepted.
fn allow_connections() {
    if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
        tracing::info!(%error, "the limit of open files stays as it is");
    }
}

/// Parses an address to listen on. Whether it exists is for the system to say.
fn listened(text: &str) -> Result<String, String> {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
            Ok(text.to_owned())
        }
        _ => Err("it has to be HOST:PORT, such as 127.0.0.1:0".into()),
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
