//! What a pipe gets, and what a terminal gets.

use std::borrow::Cow;
use std::env;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};

/// How standard output is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Exactly the bytes of the specification's table: for pipes and files, and on request.
    Exact,
    /// For a terminal: control characters are shown and do nothing, and what is not text begins on
    /// a line of its own.
    Terminal,
    /// As [`Style::Terminal`], in colours.
    Coloured,
}

/// What a piece of output is, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    Dim,
    Good,
    Bad,
    Wanted,
    Name,
}

impl Style {
    /// The style for this process's standard output. `plain` is the user's wish for the exact
    /// text.
    pub fn for_stdout(plain: bool) -> Self {
        let (no_color, term) = (env::var_os("NO_COLOR"), env::var_os("TERM"));
        Self::choose(io::stdout().is_terminal(), plain, no_color.as_deref(), term.as_deref())
    }

    /// The style for an output that is a terminal or not: `plain` is the user's wish for the exact
    /// text; `no_color` and `term`, the environment's `NO_COLOR` and `TERM`, may forbid colours.
    pub fn choose(
        is_terminal: bool,
        plain: bool,
        no_color: Option<&OsStr>,
        term: Option<&OsStr>,
    ) -> Self {
        if plain || !is_terminal {
            return Self::Exact;
        }
        let no_color = no_color.is_some_and(|value| !value.is_empty());
        if no_color || term.is_some_and(|term| term == "dumb") {
            return Self::Terminal;
        }
        Self::Coloured
    }

    /// What came from the network, as this output may have it.
    pub(super) fn neutralise(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => Cow::Borrowed(text),
            Self::Terminal | Self::Coloured => neutralise(text),
        }
    }

    pub(super) fn paint(self, ink: Ink, text: &str, buffer: &mut String) {
        let code = match ink {
            Ink::Plain => "",
            Ink::Dim => "2",
            Ink::Good => "32",
            Ink::Bad => "31",
            Ink::Wanted => "33",
            Ink::Name => "36",
        };
        if self == Self::Coloured && !code.is_empty() && !text.is_empty() {
            buffer.extend(["\x1b[", code, "m", text, "\x1b[0m"]);
        } else {
            buffer.push_str(text);
        }
    }
}

/// Shows what a terminal would obey: each character becomes one that only looks like something.
/// Line feeds and tabs stay, and the carriage return before a line feed goes.
pub(super) fn neutralise(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| shown(c) != c) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").chars().map(shown).collect())
}

fn shown(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\x7f' => '\u{2421}',
        // The pictures of the controls, in their order.
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        // More controls, and what turns the direction of the text after it.
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        _ => c,
    }
}
