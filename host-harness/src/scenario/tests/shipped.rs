use std::path::Path;
use std::time::Duration;

use protocol::{Artifact, Chunk};

use super::super::{Act, End, Scenario};

fn shipped(name: &str) -> Scenario {
    let (_, source) = Scenario::shipped().iter().find(|(it, _)| *it == name).expect("shipped");
    Scenario::parse(name, source).unwrap_or_else(|error| panic!("{error}"))
}

fn lasts(acts: &[Act]) -> Duration {
    acts.iter().map(|act| if let Act::Wait(time) = act { *time } else { Duration::ZERO }).sum()
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
        let last = index + 1 == acts.len();
        assert_eq!(matches!(act, Act::End(_)), last, "{name}: an end comes last, and only last");
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
            Act::Artifact(_) => assert_eq!(turns, returned, "{name}: a tool runs after the call"),
            Act::HookArtifact { .. } => assert!(
                acts[index..].iter().all(|act| matches!(
                    act,
                    Act::HookArtifact { .. } | Act::End(End::Completed { .. })
                )),
                "{name}: a hook artifact comes before `completed`"
            ),
            Act::End(_) => {
                assert!(turns - returned <= 1, "{name}: one call at most did not return")
            }
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
        if !["story", "long"].contains(name) {
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
