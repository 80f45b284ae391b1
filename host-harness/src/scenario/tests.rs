//! Tests of whole files, one topic each.

mod acts;
mod attempts;
mod errors;
mod files;
mod format;
mod interventions;
mod parsing;
mod shipped;

use super::{Act, Scenario};

const TURN: &str = "[[step]]\nturn = {}\n";
const DONE: &str = "[[step]]\nend = { completed = \"\" }\n";
const REOPEN: &str = "[[step]]\nreopen = {}\n";
/// What is wrong with an end that something but a reopen follows.
const STEPS_FOLLOW: &str = "steps follow the end; make it the last step, or put `reopen = {}` \
                            after it, which begins another attempt";

/// A scenario of these steps; its first step starts on line 2.
fn source(steps: &str) -> String {
    format!("about = \"a test\"\n{steps}")
}

fn acts(steps: &str) -> Vec<Act> {
    Scenario::parse("test", &source(steps)).expect("a valid scenario").acts()
}

fn error(source: &str) -> String {
    Scenario::parse("test", source).expect_err("an invalid scenario").to_string()
}

/// Asserts the problems of a file with these steps, each as line and message.
#[track_caller]
fn assert_problems<const N: usize>(steps: &[&str], expected: [&str; N]) {
    let expected = expected.map(|line| format!("test.scenario:{line}"));
    assert_eq!(error(&source(&steps.concat())), expected.join("\n"));
}
