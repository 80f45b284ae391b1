use std::path::Path;
use std::time::Duration;

use protocol::{Artifact, Chunk};

use super::super::{Act, End, Scenario};

fn shipped(name: &str) -> Scenario {
    let (_, source) = Scenario::shipped().iter().find(|(it, _)| *it == name).expect("shipped");
    Scenario::parse(name, source).unwrap_or_else(|error| panic!("{error}"))
}

/// How long it is waited for at most: a wait for an answer ends with it, and a cancel ends all.
fn lasts(acts: &[Act]) -> Duration {
    let times = acts.iter().map(|act| match act {
        Act::Wait(time) | Act::Hold(time) => *time,
        Act::Ask(ask) => ask.answer.as_ref().map_or(ask.timeout, |(after, _)| *after),
        _ => Duration::ZERO,
    });
    times.sum()
}

/// The reply text of the last inference turn.
fn last_text(acts: &[Act]) -> String {
    let turn = acts.iter().rposition(|act| *act == Act::BeginTurn).expect("a turn");
    let texts = acts[turn..].iter().filter_map(|act| match act {
        Act::Chunk(Chunk::Text(text)) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn artifacts(acts: &[Act]) -> Vec<&Artifact> {
    let artifacts = acts.iter().filter_map(|act| match act {
        Act::Artifact(artifact) => Some(artifact),
        _ => None,
    });
    artifacts.collect()
}

/// What every list of acts promises.
fn assert_well_formed(name: &str, acts: &[Act]) {
    let mut turns = 0;
    let mut returned = 0;
    for (index, act) in acts.iter().enumerate() {
        let at_end = matches!(acts.get(index + 1), None | Some(Act::Reopen));
        assert_eq!(matches!(act, Act::End(_)), at_end, "{name}: an end comes last in an attempt");
        match act {
            Act::BeginTurn => turns += 1,
            Act::InferenceReturned => {
                returned += 1;
                assert_eq!(turns, returned, "{name}: a call returns once, in its turn");
            }
            Act::Wait(time) => {
                assert!(!time.is_zero(), "{name}: no empty wait");
                assert!(!matches!(acts[index + 1], Act::Wait(_)), "{name}: one wait at a time");
            }
            Act::Chunk(_) => assert!(turns > 0, "{name}: a chunk belongs to a turn"),
            Act::Artifact(_) | Act::Ask(_) => {
                assert_eq!(turns, returned, "{name}: a tool runs after the call");
            }
            Act::HookArtifact { .. } => {
                let next = acts[index..].iter().find(|it| !matches!(it, Act::HookArtifact { .. }));
                assert!(
                    matches!(next, Some(Act::End(End::Completed { .. }))),
                    "{name}: a hook artifact comes before `completed`"
                );
            }
            Act::End(_) => {
                assert!(turns - returned <= 1, "{name}: one call at most did not return")
            }
            Act::Reopen => (turns, returned) = (0, 0),
            Act::CancelAfter(_) | Act::Hold(_) => {}
        }
    }
}

#[test]
fn every_shipped_file_parses_and_its_acts_are_well_formed() {
    for (name, _) in Scenario::shipped() {
        let scenario = shipped(name);
        assert_eq!(scenario.name(), *name);
        assert!(!scenario.about().is_empty());
        assert_well_formed(name, &scenario.acts());
        assert_eq!(Scenario::shipped_named(name), Some(scenario));
    }
    assert_eq!(Scenario::shipped_named("no-such-scenario"), None);
}

#[test]
fn every_file_in_the_folder_is_shipped() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| Scenario::read(&path).expect("a valid file").name().to_owned())
        .collect();
    let mut shipped: Vec<_> = Scenario::shipped().iter().map(|(name, _)| *name).collect();
    files.sort();
    shipped.sort_unstable();
    assert_eq!(files, shipped);
}

#[test]
fn the_story_is_the_default_and_lasts_about_ten_seconds() {
    assert_eq!(Scenario::shipped()[0].0, "story");
    let time = lasts(&shipped("story").acts());
    assert!((8_000..=12_000).contains(&time.as_millis()), "{time:?}");
    assert_eq!(artifacts(&shipped("story").acts()).len(), 2);
}

#[test]
fn the_quick_ones_last_well_under_two_seconds() {
    for (name, _) in Scenario::shipped() {
        // Long on purpose. A cancel ends the wait of `cancel-ask`, which is seen below.
        if !["story", "long", "hold", "ask-you", "cancel-ask"].contains(name) {
            let time = lasts(&shipped(name).acts());
            assert!(time < Duration::from_millis(1700), "{name}: {time:?}");
        }
    }
}

#[test]
fn a_streamed_reply_is_the_response() {
    for name in ["story", "tools", "long"] {
        let acts = shipped(name).acts();
        let response = last_text(&acts);
        assert_eq!(acts.last(), Some(&Act::End(End::Completed { response })), "{name}");
    }
}

#[test]
fn long_is_two_thousand_chunks_five_milliseconds_apart() {
    let acts = shipped("long").acts();
    let chunks = acts.iter().filter(|act| matches!(act, Act::Chunk(_))).count();
    assert_eq!(chunks, 2000);
    assert_eq!(lasts(&acts), Duration::from_secs(10));
}

#[test]
fn the_tools_that_ask_are_answered_by_a_simulated_user_or_by_somebody() {
    let asks = |name| {
        let all = shipped(name).acts();
        let asks = all.into_iter().filter_map(|act| match act {
            Act::Ask(ask) => Some((ask.timeout, ask.answer.map(|(_, answer)| answer))),
            _ => None,
        });
        asks.collect::<Vec<_>>()
    };
    let five_minutes = Duration::from_secs(300);
    let answer = |text: &str| Some(text.to_owned());
    assert_eq!(asks("ask"), [(five_minutes, answer("main")), (five_minutes, answer("yes"))]);
    assert_eq!(asks("ask-you"), [(five_minutes, None)]);
    assert_eq!(asks("input-timeout"), [(Duration::from_millis(600), None)]);
    assert_eq!(asks("cancel-ask"), [(five_minutes, None)]);
}

#[test]
fn the_cancelled_ones_are_cancelled_before_their_end() {
    for (name, after) in [("cancel-inference", 350), ("cancel-tool", 150), ("cancel-ask", 400)] {
        let acts = shipped(name).acts();
        let cancels: Vec<_> = acts
            .iter()
            .filter_map(|act| match act {
                Act::CancelAfter(after) => Some(*after),
                _ => None,
            })
            .collect();
        assert_eq!(cancels, [Duration::from_millis(after)], "{name}");
    }
}

#[test]
fn the_reopened_ones_are_reopened_once_and_up_to_a_limit_of_three() {
    for (name, reopened) in [("reopen", 1), ("reopen-limit", 3)] {
        let acts = shipped(name).acts();
        assert_eq!(acts.iter().filter(|act| **act == Act::Reopen).count(), reopened, "{name}");
    }
}

#[test]
fn hold_holds_the_thread_for_two_heartbeats() {
    let acts = shipped("hold").acts();
    let holds: Vec<_> = acts.iter().filter(|act| matches!(act, Act::Hold(_))).collect();
    assert_eq!(holds, [&Act::Hold(Duration::from_secs(40))]);
    assert!(lasts(&acts) < Duration::from_secs(45));
}

#[test]
fn the_whole_reply_and_the_hooks_emit_no_text() {
    for name in ["whole-reply", "hooks"] {
        assert_eq!(last_text(&shipped(name).acts()), "", "{name}");
    }
    let acts = shipped("hooks").acts();
    assert!(matches!(acts[acts.len() - 2], Act::HookArtifact { .. }));
}

#[test]
fn the_tools_are_those_of_the_pages_table() {
    let acts = shipped("tools").acts();
    let facts = artifacts(&acts).into_iter().map(|it| {
        (it.tool_name.as_str(), it.fence_source.is_some(), it.is_error, it.exit_code, it.truncated)
    });
    assert_eq!(
        facts.collect::<Vec<_>>(),
        [
            ("bash", true, false, Some(0), false),
            ("jsonl-line-count", true, true, None, false),
            ("bash", true, false, Some(3), false),
            ("no-such-tool", false, true, None, false),
            ("release-notes", false, false, None, false),
            ("bash", true, false, None, false),
            ("read-log", true, false, None, true),
            ("run-tests", true, false, None, false),
        ]
    );
    // The page's first example, as it is there.
    assert_eq!(
        artifacts(&acts)[0].content,
        "<untrusted-content source=tool:bash>\n$ echo hello\nExit code: 0\nStdout:\nhello\n\n\
         Stderr:\n\n</untrusted-content>"
    );
}

#[test]
fn the_awkward_one_has_what_is_hard_to_carry() {
    let chunks: String = shipped("awkward")
        .acts()
        .iter()
        .map(|act| match act {
            Act::Chunk(Chunk::Text(text)) => text.as_str(),
            _ => "",
        })
        .collect();
    for text in ["\n\ndata: ", "\r", "\r\n", "\0", "\u{2028}", "🦀", "\"", "\\", ":heartbeat"] {
        assert!(chunks.contains(text), "{text:?}");
    }
    assert!(shipped("awkward").acts().contains(&Act::Chunk(Chunk::Text(String::new()))));
}

#[test]
fn every_failing_end_has_a_scenario() {
    let failed = |message: &str| End::Failed { message: message.to_owned() };
    for (name, end) in [
        ("driver-trapped", failed("session ended")),
        ("response-failed", failed("session ended")),
        ("compaction-failed", failed("session ended")),
        (
            "driver-unavailable",
            failed("driver invocation failed: component 'anthropic-driver' is not available"),
        ),
        ("max-turns", failed("max_turns exceeded: the task used all 3 inference turns")),
        ("spend-refused", failed("spend ceiling reached: the task used $0.52 of $0.50")),
        ("unreported", End::Unreported),
    ] {
        assert_eq!(shipped(name).acts().last(), Some(&Act::End(end)), "{name}");
    }
}
