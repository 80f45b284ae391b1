use super::super::Scenario;
use super::{DONE, STEPS_FOLLOW, TURN, assert_problems, error, source};

const TOOL: &str = "[[step]]\ntool = { name = \"bash\", content = \"\" }\n";
const HOOK: &str = "[[step]]\nhook = { name = \"h\", content = \"\" }\n";
const PAUSE: &str = "[[step]]\npause = \"1s\"\n";

#[test]
fn a_file_has_steps() {
    assert_eq!(
        error("about = \"x\""),
        "test.scenario: there are no steps; write at least a `[[step]]` with an `end`"
    );
}

#[test]
fn about_is_one_line_and_not_empty() {
    let fix = "write one line that says what the scenario shows";
    let steps = format!("{TURN}{DONE}");
    assert_eq!(
        error(&format!("about = \" \"\n{steps}")),
        format!("test.scenario:1: `about` is empty; {fix}")
    );
    assert_eq!(
        error(&format!("\nabout = \"a\\nb\"\n{steps}")),
        format!("test.scenario:2: `about` has more than one line; {fix}")
    );
    assert_eq!(error(&steps), "test.scenario:1: missing field `about`");
}

#[test]
fn a_file_has_an_end() {
    assert_problems(
        &[TURN, PAUSE],
        ["4: step 2 (pause): there is no end; write a last `[[step]]` such as end = { completed \
          = \"the reply\" }"],
    );
}

#[test]
fn the_end_is_the_last_step() {
    assert_problems(
        &[TURN, DONE, PAUSE],
        [
            &format!("4: step 2 (end): {STEPS_FOLLOW}"),
            "6: step 3 (pause): there is no end; write a last `[[step]]` such as end = { \
             completed = \"the reply\" }",
        ],
    );
}

#[test]
fn an_attempt_has_one_end() {
    assert_problems(&[TURN, DONE, PAUSE, DONE], [&format!("4: step 2 (end): {STEPS_FOLLOW}")]);
}

#[test]
fn a_call_comes_after_a_turn() {
    let wrong = "a call needs an inference turn before it; write a `turn` step first";
    let skill = "[[step]]\nskill = { name = \"s\", content = \"\" }\n";
    let unreached = "[[step]]\nunreached = { name = \"u\", content = \"\" }\n";
    let refused = "[[step]]\nrefused = { name = \"r\" }\n";
    let ask = "[[step]]\nask = { name = \"a\", prompt = \"?\" }\n";
    assert_problems(
        &[TOOL, skill, unreached, refused, ask, TURN, TOOL, DONE],
        [
            &format!("2: step 1 (tool): {wrong}"),
            &format!("4: step 2 (skill): {wrong}"),
            &format!("6: step 3 (unreached): {wrong}"),
            &format!("8: step 4 (refused): {wrong}"),
            &format!("10: step 5 (ask): {wrong}"),
        ],
    );
}

#[test]
fn a_command_in_the_background_may_not_have_an_exit_code() {
    assert_problems(
        &[
            TURN,
            "[[step]]\n[step.tool]\nname = \"bash\"\ncontent = \"\"\nexit_code = 0\n\
             background = true\n",
            DONE,
        ],
        ["4: step 2 (tool): a command that was moved to the background has no exit code yet; \
          leave out `exit_code` or `background`"],
    );
}

#[test]
fn hooks_come_directly_before_completed() {
    let wrong = "a hook artifact comes only before the end `completed`; move it to directly before \
                 that end, where other hooks may stand between";
    assert_problems(
        &[TURN, HOOK, PAUSE, HOOK, HOOK, DONE],
        [&format!("4: step 2 (hook): {wrong}")],
    );
    assert_problems(
        &[TURN, HOOK, HOOK, "[[step]]\nend = \"max_turns\"\n"],
        [&format!("4: step 2 (hook): {wrong}"), &format!("6: step 3 (hook): {wrong}")],
    );
}

#[test]
fn the_outcome_of_a_call_comes_directly_after_its_turn() {
    for (kind, end) in [
        ("driver_trapped", "\"driver_trapped\""),
        ("response_failed", "\"response_failed\""),
        ("driver_unavailable", "{ driver_unavailable = \"x\" }"),
        ("spend_refused", "{ spend_refused = \"x\" }"),
    ] {
        let end = format!("[[step]]\nend = {end}\n");
        let wrong = format!(
            "`{kind}` is the outcome of an inference call; put it directly after the `turn` of \
             that call"
        );
        assert_problems(&[&end], [&format!("2: step 1 (end): {wrong}")]);
        assert_problems(&[TURN, PAUSE, &end], [&format!("6: step 3 (end): {wrong}")]);
    }
}

#[test]
fn completed_and_max_turns_need_a_turn() {
    assert_problems(
        &[HOOK, DONE],
        ["4: step 2 (end): `completed` needs an inference turn before it; write a `turn` step"],
    );
    assert_problems(
        &["[[step]]\nend = \"max_turns\"\n"],
        ["2: step 1 (end): `max_turns` needs an inference turn before it; write a `turn` step"],
    );
}

#[test]
fn a_driver_that_never_ran_emits_nothing() {
    let emit = "[[step]]\nturn = { emit = [{ chunk = \"\" }] }\n";
    let after = "[[step]]\nturn = { after = \"1s\" }\n";
    let refused = "[[step]]\nend = { spend_refused = \"x\" }\n";
    let unavailable = "[[step]]\nend = { driver_unavailable = \"x\" }\n";
    let never_ran = "2: step 1 (turn): the driver of this turn never ran (`spend_refused` \
                     follows); leave out `after` and `emit`";
    assert_problems(&[emit, refused], [never_ran]);
    assert_problems(&[after, refused], [never_ran]);
    assert_problems(
        &[emit, unavailable],
        ["2: step 1 (turn): the driver of this turn could not be called (`driver_unavailable` \
          follows); leave out `emit`"],
    );
    assert!(Scenario::parse("test", &source(&[after, unavailable].concat())).is_ok());
}

#[test]
fn the_error_of_an_end_is_not_empty() {
    for kind in ["spend_refused", "driver_unavailable"] {
        assert_problems(
            &[TURN, &format!("[[step]]\nend = {{ {kind} = \"\" }}\n")],
            [&format!("4: step 2 (end): the text of `{kind}` is empty; write the message")],
        );
    }
}

#[test]
fn a_name_is_not_empty() {
    let tool = "[[step]]\ntool = { name = \"\", content = \"\" }\n";
    let skill = "[[step]]\nskill = { name = \" \", content = \"\" }\n";
    let refused = "[[step]]\nrefused = { name = \"\" }\n";
    let ask = "[[step]]\nask = { name = \"\", prompt = \"?\" }\n";
    let hook = "[[step]]\nhook = { name = \"\", content = \"\" }\n";
    assert_problems(
        &[TURN, tool, skill, refused, ask, hook, DONE],
        [
            "4: step 2 (tool): `name` is empty; write the name of the tool",
            "6: step 3 (skill): `name` is empty; write the name of the skill",
            "8: step 4 (refused): `name` is empty; write the name of the tool",
            "10: step 5 (ask): `name` is empty; write the name of the tool",
            "12: step 6 (hook): `name` is empty; write the name of the hook",
        ],
    );
}

#[test]
fn a_text_to_split_is_not_empty() {
    let turn =
        "[[step]]\nturn = { emit = [{ chunk = \"\" }, { text = \"\" }, { thinking = \"\" }] }\n";
    assert_problems(
        &[turn, DONE],
        [
            "2: step 1 (turn): item 2 of `emit`: `text` is empty and gives no chunk; write a word, \
             or { chunk = \"\" } for an empty chunk",
            "2: step 1 (turn): item 3 of `emit`: `thinking` is empty and gives no chunk; write a \
             word, or { thinking_chunk = \"\" } for an empty chunk",
        ],
    );
}

#[test]
fn a_calls_chunks_fit_its_duration() {
    let tool = "[[step]]\n[step.tool]\nname = \"bash\"\ncontent = \"\"\nduration_ms = 12\n\
                emit = [{ pause = \"12.5ms\" }, { chunk = \"\" }]\n";
    assert_problems(
        &[TURN, tool, DONE],
        ["4: step 2 (tool): `duration_ms` is 12, but its chunks take 13 ms; write at least 13, \
          or leave it out"],
    );
    let skill = "[[step]]\nskill = { name = \"s\", content = \"\", duration_ms = 3600001 }\n";
    assert_problems(
        &[TURN, skill, DONE],
        ["4: step 2 (skill): `duration_ms` is 3600001; the longest is an hour, 3600000"],
    );
}

#[test]
fn all_problems_of_a_file_are_told() {
    let error = error(&format!("about = \"\"\n{TOOL}{HOOK}{PAUSE}"));
    let places: Vec<_> = error.lines().map(|line| &line[..16]).collect();
    assert_eq!(
        places,
        ["test.scenario:1:", "test.scenario:2:", "test.scenario:4:", "test.scenario:6:"]
    );
}
