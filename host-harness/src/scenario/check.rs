//! The rules between the steps of a scenario, and those of single values.

use std::time::Duration;

use super::acts::{DEFAULT_TIMEOUT, emit_time};
use super::document::{Ask, Document, Emit, Ending, Step, Turn};
use super::error::{Problem, line_of};
use super::lapse::LONGEST;

/// All that is wrong with a document, in the order of its steps.
pub(super) fn problems(document: &Document, source: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let about = document.about.get_ref();
    if about.trim().is_empty() || about.contains('\n') {
        let line = line_of(source, document.about.span().start);
        let what = if about.contains('\n') { "has more than one line" } else { "is empty" };
        let message = format!("`about` {what}; write one line that says what the scenario shows");
        problems.push(Problem::at(line, message));
    }
    let steps = Steps {
        steps: document.step.iter().map(toml::Spanned::get_ref).collect(),
        pace: document.pace.0,
    };
    if steps.steps.is_empty() {
        problems.push(Problem::of_file(
            "there are no steps; write at least a `[[step]]` with an `end`".to_owned(),
        ));
    }
    for (index, spanned) in document.step.iter().enumerate() {
        let step = spanned.get_ref();
        let mut wrong = Vec::new();
        steps.check_place(index, step, &mut wrong);
        steps.check_values(step, &mut wrong);
        let line = line_of(source, spanned.span().start);
        let (number, kind) = (index + 1, step.kind());
        problems.extend(
            wrong.into_iter().map(|it| Problem::at(line, format!("step {number} ({kind}): {it}"))),
        );
    }
    problems
}

struct Steps<'a> {
    steps: Vec<&'a Step>,
    pace: Duration,
}

impl Steps<'_> {
    /// Whether the step may stand where it does.
    fn check_place(&self, index: usize, step: &Step, wrong: &mut Vec<String>) {
        let next = self.steps.get(index + 1).copied();
        match step {
            Step::Turn(turn) => check_turn(turn, next, wrong),
            Step::Hook(_) if !self.completes_after(index) => wrong.push(
                "a hook artifact comes only before the end `completed`; move it to directly \
                 before that end, where other hooks may stand between"
                    .to_owned(),
            ),
            Step::End(ending) => self.check_end(index, ending, wrong),
            Step::Reopen(_) if !self.is_end(index.checked_sub(1)) => {
                wrong.push("a task is reopened after an end; put this after one".to_owned());
            }
            call if call.is_call() && !self.has_turn_before(index) => wrong.push(
                "a call needs an inference turn before it; write a `turn` step first".to_owned(),
            ),
            _ => {}
        }
        if next.is_none() && !matches!(step, Step::End(_)) {
            wrong.push(
                "there is no end; write a last `[[step]]` such as end = { completed = \"the \
                 reply\" }"
                    .to_owned(),
            );
        }
    }

    fn check_end(&self, index: usize, ending: &Ending, wrong: &mut Vec<String>) {
        let kind = ending.kind();
        if !matches!(self.steps.get(index + 1), None | Some(Step::Reopen(_))) {
            wrong.push(
                "steps follow the end; make it the last step, or put `reopen = {}` after it, which \
                 begins another attempt"
                    .to_owned(),
            );
        }
        let after_a_turn = index > 0 && matches!(self.steps[index - 1], Step::Turn(_));
        if ending.ends_a_call() && !after_a_turn {
            wrong.push(format!(
                "`{kind}` is the outcome of an inference call; put it directly after the `turn` \
                 of that call"
            ));
        }
        let needs_a_turn = matches!(ending, Ending::Completed(_) | Ending::MaxTurns);
        if needs_a_turn && !self.has_turn_before(index) {
            wrong.push(format!("`{kind}` needs an inference turn before it; write a `turn` step"));
        }
    }

    fn is_end(&self, index: Option<usize>) -> bool {
        index.is_some_and(|index| matches!(self.steps[index], Step::End(_)))
    }

    /// Whether the same attempt has a turn before the step.
    fn has_turn_before(&self, index: usize) -> bool {
        let attempt = self.steps[..index].iter().rev();
        let mut attempt = attempt.take_while(|step| !matches!(step, Step::Reopen(_)));
        attempt.any(|step| matches!(step, Step::Turn(_)))
    }

    /// Whether nothing but hooks stands between that step and the end `completed`.
    fn completes_after(&self, index: usize) -> bool {
        let next = self.steps[index..].iter().find(|step| !matches!(step, Step::Hook(_)));
        matches!(next, Some(Step::End(Ending::Completed(_))))
    }

    /// Whether the step's own values go together.
    fn check_values(&self, step: &Step, wrong: &mut Vec<String>) {
        if step.name().is_some_and(|name| name.trim().is_empty()) {
            wrong.push(format!("`name` is empty; write the name of the {}", named_thing(step)));
        }
        check_emit(step.emit(), wrong);
        match step {
            Step::Tool(tool) => {
                if tool.background && tool.exit_code.is_some() {
                    wrong.push(
                        "a command that was moved to the background has no exit code yet; leave \
                         out `exit_code` or `background`"
                            .to_owned(),
                    );
                }
                self.check_duration(tool.duration_ms, &tool.emit, wrong);
            }
            Step::Ask(ask) => check_ask(ask, wrong),
            Step::Skill(skill) => self.check_duration(skill.duration_ms, &skill.emit, wrong),
            Step::End(ending @ (Ending::DriverUnavailable(text) | Ending::SpendRefused(text)))
                if text.trim().is_empty() =>
            {
                wrong.push(format!("the text of `{}` is empty; write the message", ending.kind()));
            }
            _ => {}
        }
    }

    fn check_duration(&self, duration_ms: Option<u64>, emit: &[Emit], wrong: &mut Vec<String>) {
        let Some(millis) = duration_ms else { return };
        let emitting = emit_time(emit, self.pace);
        if Duration::from_millis(millis) > LONGEST {
            let longest = LONGEST.as_millis();
            wrong.push(format!("`duration_ms` is {millis}; the longest is an hour, {longest}"));
        } else if Duration::from_millis(millis) < emitting {
            let least = emitting.as_micros().div_ceil(1000);
            wrong.push(format!(
                "`duration_ms` is {millis}, but its chunks take {least} ms; write at least \
                 {least}, or leave it out"
            ));
        }
    }
}

/// What the end after a turn says about the turn's driver.
fn check_turn(turn: &Turn, next: Option<&Step>, wrong: &mut Vec<String>) {
    match next {
        Some(Step::End(Ending::SpendRefused(_)))
            if turn.after.is_some() || !turn.emit.is_empty() =>
        {
            wrong.push(
                "the driver of this turn never ran (`spend_refused` follows); leave out `after` \
                 and `emit`"
                    .to_owned(),
            );
        }
        Some(Step::End(Ending::DriverUnavailable(_))) if !turn.emit.is_empty() => wrong.push(
            "the driver of this turn could not be called (`driver_unavailable` follows); leave \
             out `emit`"
                .to_owned(),
        ),
        _ => {}
    }
}

fn check_ask(ask: &Ask, wrong: &mut Vec<String>) {
    if ask.answer_after.is_some() && ask.answer.is_none() {
        wrong.push(
            "`answer_after` says when, but not what is answered; write `answer` as well".to_owned(),
        );
    }
    let timeout = ask.timeout.map_or(DEFAULT_TIMEOUT, |lapse| lapse.0);
    let after = ask.answer_after.map_or(Duration::ZERO, |lapse| lapse.0);
    if ask.answer.is_some() && after >= timeout {
        wrong.push(
            "the wait is over before its answer comes: `answer_after` has to be shorter than \
             `timeout`, which is \"5m\" when absent; leave out `answer` for a wait that times out"
                .to_owned(),
        );
    }
}

fn check_emit(emit: &[Emit], wrong: &mut Vec<String>) {
    for (index, emit) in emit.iter().enumerate() {
        let (kind, chunk) = match emit {
            Emit::Text(text) if text.is_empty() => ("text", "chunk"),
            Emit::Thinking(text) if text.is_empty() => ("thinking", "thinking_chunk"),
            _ => continue,
        };
        wrong.push(format!(
            "item {} of `emit`: `{kind}` is empty and gives no chunk; write a word, or {{ {chunk} \
             = \"\" }} for an empty chunk",
            index + 1
        ));
    }
}

fn named_thing(step: &Step) -> &'static str {
    match step {
        Step::Skill(_) => "skill",
        Step::Hook(_) => "hook",
        _ => "tool",
    }
}
