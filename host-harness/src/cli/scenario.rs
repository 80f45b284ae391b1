//! `capsule scenario`.

use super::{CliResult, output};
use clap::Subcommand;
use host_harness::scenario::{FORMAT, Scenario};
use std::io::{self, Write};
use std::path::PathBuf;

/// Check, list and show scenarios.
#[derive(clap::Args)]
#[command(after_long_help = FORMAT)]
pub(super) struct ScenarioCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Check scenario files: problems are reported as FILE:LINE: what is wrong
    ///
    /// A mistake in the TOML, or a key that nobody knows, is reported alone; where there is none,
    /// all that is wrong with the order and the values of the steps is.
    Check {
        /// The files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// List the scenarios that ship with the program
    List,
    /// Print a scenario that ships with the program, to start one's own from
    Show {
        /// Its name, see `capsule scenario list`
        name: String,
    },
    /// Print the manual of the file format
    Format,
}

impl ScenarioCommand {
    pub(super) fn run(self) -> CliResult {
        match self.action {
            Action::Check { files } => check(&files),
            Action::List => list(),
            Action::Show { name } => show(&name),
            Action::Format => output::write(FORMAT.as_bytes()),
        }
    }
}

fn check(files: &[PathBuf]) -> CliResult {
    let mut bad = 0;
    for file in files {
        match Scenario::read(file) {
            Ok(scenario) => output::write(
                format!("{}: good: {}\n", file.display(), scenario.about()).as_bytes(),
            )?,
            Err(error) => {
                bad += 1;
                // The exit code says it as well.
                let _ = writeln!(io::stderr(), "{error}");
            }
        }
    }
    match bad {
        0 => Ok(()),
        1 => Err("1 scenario has problems; `capsule scenario format` is the manual".into()),
        _ => Err(format!("{bad} scenarios have problems; `capsule scenario format` is the manual")
            .into()),
    }
}

fn list() -> CliResult {
    let mut lines = String::new();
    for (name, source) in Scenario::shipped() {
        let about = Scenario::parse(name, source)?;
        lines.push_str(&format!("{name:20} {}\n", about.about()));
    }
    output::write(lines.as_bytes())
}

fn show(name: &str) -> CliResult {
    let shipped = Scenario::shipped().iter().find(|(shipped, _)| *shipped == name);
    let (_, source) = shipped.ok_or_else(|| {
        format!("no scenario `{name}` ships with the program; `capsule scenario list` lists them")
    })?;
    output::write(source.as_bytes())
}
