use super::{TURN, assert_problems};

#[test]
fn an_unknown_key_is_named_with_its_line() {
    assert_problems(
        &[TURN, "[[step]]\n[step.tool]\nname = \"bash\"\nexitcode = 3\n"],
        ["7: unknown field `exitcode`, expected one of `name`, `content`, `tool_call_id`, \
          `is_error`, `duration_ms`, `exit_code`, `truncated`, `background`, `cancel_after`, `emit`"],
    );
    assert_problems(
        &["peace = \"1s\"\n"],
        ["2: unknown field `peace`, expected one of `about`, `pace`, `step`"],
    );
    assert_problems(
        &["[[step]]\n[step.tern]\n"],
        ["3: unknown variant `tern`, expected one of `turn`, `tool`, `ask`, `skill`, \
          `unreached`, `refused`, `hook`, `pause`, `hold`, `end`, `reopen`"],
    );
    assert_problems(
        &[TURN, "[[step]]\n[step.ask]\nname = \"a\"\nanswers = \"b\"\n"],
        ["7: unknown field `answers`, expected one of `name`, `prompt`, `tool_call_id`, \
          `timeout`, `answer`, `answer_after`, `cancel_after`"],
    );
    assert_problems(
        &["[[step]]\nreopen = { attempts = 2 }\n"],
        ["3: unknown field `attempts`, there are no fields"],
    );
    assert_problems(
        &["[[step]]\n[step.turn]\nemit = [\n  { text = \"a\" },\n  { txt = \"b\" },\n]\n"],
        ["6: unknown variant `txt`, expected one of `text`, `thinking`, `chunk`, \
          `thinking_chunk`, `pause`"],
    );
}

#[test]
fn a_missing_key_is_named_with_its_steps_line() {
    for (step, missing) in [
        ("[step.tool]\ncontent = \"\"\n", "name"),
        ("[step.ask]\nname = \"ask-user\"\n", "prompt"),
        ("[step.ask]\nprompt = \"Which one?\"\n", "name"),
    ] {
        let step = format!("[[step]]\n{step}");
        assert_problems(&[TURN, &step], [&format!("5: missing field `{missing}`")]);
    }
}

#[test]
fn a_step_has_exactly_one_key() {
    assert_problems(
        &["[[step]]\n[step.turn]\n[step.tool]\nname = \"bash\"\ncontent = \"\"\n"],
        ["2: this has more than one key; write exactly one, which says its kind (each step \
          starts with its own `[[step]]`)"],
    );
    let wrong = "this has no key; write exactly one, which says its kind";
    assert_problems(&[TURN, "[[step]]\n"], [&format!("4: {wrong}")]);
    assert_problems(&["[[step]]\nturn = { emit = [{}] }\n"], [&format!("3: {wrong}")]);
}

#[test]
fn an_end_has_a_text_or_none() {
    assert_problems(
        &["[[step]]\nend = \"completed\"\n"],
        ["3: this end needs its text; write a table such as { completed = \"the reply\" }"],
    );
    assert_problems(
        &["[[step]]\nend = { driver_trapped = \"x\" }\n"],
        ["3: this end takes no text; write its name alone, such as \"driver_trapped\""],
    );
}

#[test]
fn a_duration_says_what_would_be_right() {
    assert_problems(
        &["[[step]]\npause = \"5\"\n"],
        ["3: \"5\" is not a duration; write a number and its unit, ms, s or m, such as \
          \"250ms\", \"1.5s\" or \"2m\""],
    );
    assert_problems(
        &["[[step]]\npause = 5\n"],
        ["3: invalid type: integer `5`, expected a duration in quotes, such as \"250ms\", \
          \"1.5s\" or \"2m\""],
    );
    assert_problems(
        &["pace = \"2000m\"\n"],
        ["2: \"2000m\" is too long; the longest duration is an hour, \"60m\""],
    );
}

#[test]
fn a_value_of_another_type_says_which_is_right() {
    assert_problems(
        &["[[step]]\nturn = \"a\"\n"],
        ["3: invalid type: string \"a\", expected a table with the keys of a turn"],
    );
    assert_problems(
        &["[[step]]\nask = \"a\"\n"],
        ["3: invalid type: string \"a\", expected a table with the keys of a tool that asks"],
    );
    assert_problems(
        &["[[step]]\nreopen = true\n"],
        ["3: invalid type: boolean `true`, expected an empty table, {}"],
    );
}

#[test]
fn what_is_not_toml_is_told_with_its_line() {
    assert_problems(&["[[step\n"], ["2: unclosed array table, expected `]]`"]);
}
