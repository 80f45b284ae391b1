//! The program `capsule`: serves an agent's event stream, and helps with the scenarios that its
//! simulated agent plays.

mod cli;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::Cli::try_parse() {
        Ok(cli) => cli::run(cli),
        Err(error) => cli::usage(&error),
    }
}
