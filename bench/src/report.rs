//! Tables, on standard output and in `RESULTS.md`.

use crate::{Result, machine};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::{env, fs};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/RESULTS.md");
const PREAMBLE: &str = "# Results\n\n\
    Written by `bench`. Each value is the median of the rounds, with the least and the greatest in \
    parentheses. The machine does other work too: compare values of one table, not of two.\n";

/// The figures of one benchmark: what stands under its heading.
pub(crate) struct Report {
    name: &'static str,
    text: String,
}

impl Report {
    /// One with that heading, and what was done how often.
    ///
    /// # Errors
    ///
    /// The system does not say what it is.
    pub(crate) fn new(name: &'static str, rounds: usize) -> Result<Self> {
        let arguments: Vec<_> = env::args().skip(1).collect();
        let command = format!("cargo run --release -p bench -- {}", arguments.join(" "));
        let text = format!(
            "{}- Command: `{}`\n- Rounds: {rounds}, the systems in turns\n",
            machine::describe()?,
            command.trim_end_matches([' ', '-'])
        );
        Ok(Self { name, text })
    }

    /// Adds a paragraph.
    pub(crate) fn paragraph(&mut self, text: &str) {
        self.text.push('\n');
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Adds a table. The first row is its head.
    pub(crate) fn table(&mut self, rows: &[Vec<String>]) {
        self.text.push('\n');
        for (index, row) in rows.iter().enumerate() {
            self.text.push_str(&format!("| {} |\n", row.join(" | ")));
            if index == 0 {
                let columns = (1..row.len()).map(|_| "---:|").collect::<String>();
                // Writing to a string cannot fail.
                let _ = writeln!(self.text, "|---|{columns}");
            }
        }
    }

    /// Prints it, and keeps it where it is wanted.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written.
    pub(crate) fn publish(&self, keep: bool) -> Result<()> {
        write!(io::stdout(), "## {}\n\n{}", self.name, self.text)?;
        if keep {
            let before =
                if Path::new(FILE).exists() { fs::read_to_string(FILE)? } else { PREAMBLE.into() };
            fs::write(FILE, replaced(&before, self.name, &self.text))?;
        }
        Ok(())
    }
}

/// The document with this text under that heading, which may be there already.
fn replaced(document: &str, name: &str, text: &str) -> String {
    let heading = format!("\n## {name}\n");
    let section = format!("{heading}\n{text}");
    let Some((before, rest)) = document.split_once(&heading) else {
        return format!("{document}{section}");
    };
    let after = rest.find("\n## ").map_or("", |at| rest.split_at(at).1);
    format!("{before}{section}{after}")
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn a_section_is_added_or_takes_the_place_of_the_one_before() {
        let one = replaced("# R\n", "A", "1\n");
        assert_eq!(one, "# R\n\n## A\n\n1\n");
        let both = replaced(&one, "B", "2\n");
        assert_eq!(both, "# R\n\n## A\n\n1\n\n## B\n\n2\n");
        assert_eq!(replaced(&both, "A", "3\n"), "# R\n\n## A\n\n3\n\n## B\n\n2\n");
    }
}
