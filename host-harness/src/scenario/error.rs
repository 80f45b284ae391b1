//! What is wrong with a scenario file.

use std::fmt;

/// What is wrong with a scenario file; at least one line, as `FILE:LINE: message`.
///
/// The line number is left out where the whole file is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioError {
    file: String,
    problems: Vec<Problem>,
}

impl ScenarioError {
    pub(super) fn new(file: &str, problems: Vec<Problem>) -> Self {
        Self { file: file.to_owned(), problems }
    }

    pub(super) fn one(file: &str, problem: Problem) -> Self {
        Self::new(file, vec![problem])
    }
}

impl std::error::Error for ScenarioError {}

impl fmt::Display for ScenarioError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Problem { line, message }) in self.problems.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            match line {
                Some(line) => write!(formatter, "{}:{line}: {message}", self.file)?,
                None => write!(formatter, "{}: {message}", self.file)?,
            }
        }
        Ok(())
    }
}

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    line: Option<usize>,
    message: String,
}

impl Problem {
    pub(super) fn of_file(message: String) -> Self {
        Self { line: None, message }
    }

    pub(super) fn at(line: usize, message: String) -> Self {
        Self { line: Some(line), message }
    }

    pub(super) fn of_toml(error: &toml::de::Error, source: &str) -> Self {
        let line = error.span().map(|span| line_of(source, span.start));
        Self { line, message: plain(error.message()) }
    }
}

/// The number, from 1, of the line that holds the byte at `offset`.
pub(super) fn line_of(source: &str, offset: usize) -> usize {
    source.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

/// Says in the format's words what `toml` says in those of Rust's enums. A message that it words
/// otherwise one day is passed on as it is.
fn plain(message: &str) -> String {
    match message {
        "wanted exactly 1 element, found 0 elements" => {
            "this has no key; write exactly one, which says its kind".to_owned()
        }
        "wanted exactly 1 element, more than 1 element" => {
            "this has more than one key; write exactly one, which says its kind \
             (each step starts with its own `[[step]]`)"
                .to_owned()
        }
        "invalid type: unit variant, expected newtype variant" => {
            "this end needs its text; write a table such as { completed = \"the reply\" }"
                .to_owned()
        }
        "expected table, found string" => {
            "this end takes no text; write its name alone, such as \"driver_trapped\"".to_owned()
        }
        // One line a problem, also where the parser writes two.
        other => other.lines().collect::<Vec<_>>().join("; "),
    }
}
