#![doc = include_str!("format.md")]

mod acts;
mod check;
mod document;
mod error;
mod lapse;
mod shipped;
mod words;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

pub use acts::{Act, Ask, End};
pub use error::ScenarioError;

use crate::files::{self, FileError};
use document::{Document, Step};
use error::Problem;

/// The manual of the format, as a terminal shows it; also the documentation of this module.
pub const FORMAT: &str = include_str!("format.md");

/// Bytes that a scenario's file may have: 1 MiB. A larger one is not read.
const MAX_BYTES: usize = 1024 * 1024;

/// What a simulated agent does for one task. One that exists is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenario {
    name: String,
    about: String,
    pace: Duration,
    steps: Vec<Step>,
}

impl Scenario {
    /// Parses the text of a scenario file. Errors call the file `<name>.scenario`.
    ///
    /// # Errors
    ///
    /// The first mistake in the TOML or its keys; where there is none, all that is wrong with the
    /// order and the values of the steps.
    pub fn parse(name: &str, source: &str) -> Result<Self, ScenarioError> {
        Self::parse_file(&format!("{name}.scenario"), name, source)
    }

    /// Reads and parses the file at `path`. The scenario's name is the file's, without extension.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, is no regular one, is larger than 1 MiB or is not UTF-8, and
    /// those of [`parse`](Self::parse).
    pub fn read(path: &Path) -> Result<Self, ScenarioError> {
        let file = path.display().to_string();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let source = read_text(path).map_err(|problem| ScenarioError::one(&file, problem))?;
        Self::parse_file(&file, &name, &source)
    }

    /// The scenarios that come with the program, as name and source; the first is the default.
    #[must_use]
    pub fn shipped() -> &'static [(&'static str, &'static str)] {
        shipped::SHIPPED
    }

    /// The shipped scenario of that name.
    #[must_use]
    pub fn shipped_named(name: &str) -> Option<Self> {
        let (name, source) = Self::shipped().iter().find(|(shipped, _)| *shipped == name)?;
        Self::parse(name, source).ok()
    }

    /// The scenario's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line that says what the scenario shows.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.about
    }

    /// What the agent loop does, one after another. The last act is an [`Act::End`]; each
    /// earlier one is followed by an [`Act::Reopen`].
    #[must_use]
    pub fn acts(&self) -> Vec<Act> {
        acts::flatten(&self.steps, self.pace)
    }

    fn parse_file(file: &str, name: &str, source: &str) -> Result<Self, ScenarioError> {
        if source.len() > MAX_BYTES {
            return Err(ScenarioError::one(file, too_large()));
        }
        let document: Document = toml::from_str(source)
            .map_err(|error| ScenarioError::one(file, Problem::of_toml(&error, source)))?;
        let problems = check::problems(&document, source);
        if !problems.is_empty() {
            return Err(ScenarioError::new(file, problems));
        }
        Ok(Self {
            name: name.to_owned(),
            about: document.about.into_inner(),
            pace: document.pace.0,
            steps: document.step.into_iter().map(toml::Spanned::into_inner).collect(),
        })
    }
}

fn read_text(path: &Path) -> Result<String, Problem> {
    let bytes = files::read(path, MAX_BYTES as u64).map_err(|error| match error {
        FileError::TooLarge(_) => too_large(),
        FileError::Directory => Problem::of_file(format!(
            "is a directory; name the files in it, such as {}",
            path.join("*.scenario").display()
        )),
        error => Problem::of_file(error.to_string()),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
        Problem::at(line, "this line is not UTF-8; a scenario file is UTF-8 text".to_owned())
    })
}

fn too_large() -> Problem {
    Problem::of_file("is larger than 1 MiB, the most that a scenario file may hold".to_owned())
}
