//! How a stream is shown: in which style, and with a status line below it or without.

use super::style::Style;
use std::env;

/// Columns of a terminal that does not say how many it has.
const COLUMNS: usize = 80;

/// How a stream is shown. A [`Style`] alone is one without a status line.
#[derive(Debug, Clone, Copy)]
pub struct View {
    pub(super) style: Style,
    /// How many columns the terminal has now; none where there is no status line.
    pub(super) columns: Option<fn() -> usize>,
}

impl View {
    /// The view for this process's standard output: with a status line where that is a terminal
    /// which can rewrite a line. `plain` is the user's wish for the exact text.
    pub fn for_stdout(plain: bool) -> Self {
        let style = Style::for_stdout(plain);
        if style == Style::Exact || env::var_os("TERM").is_some_and(|term| term == "dumb") {
            return style.into();
        }
        Self::with_status_line(style, columns)
    }

    /// A view with a status line, on a terminal of so many columns; they are asked for anew each
    /// time. The exact text has none.
    pub fn with_status_line(style: Style, columns: fn() -> usize) -> Self {
        Self { style, columns: (style != Style::Exact).then_some(columns) }
    }

    /// Whether there is a status line.
    pub fn has_status_line(&self) -> bool {
        self.columns.is_some()
    }
}

impl From<Style> for View {
    fn from(style: Style) -> Self {
        Self { style, columns: None }
    }
}

/// Those of this process's standard output.
fn columns() -> usize {
    terminal_size::terminal_size().map_or(COLUMNS, |(width, _)| width.0.into())
}
