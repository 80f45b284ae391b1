//! Every shipped scenario, byte for byte: what a watcher that was there before the task and the
//! task's submitter get, in simulated time and with the same ids every time.
//!
//! The bytes are in `transcripts/<scenario>.watcher.txt` and `.submitter.txt`. A change of them is
//! a change of the protocol or of a scenario: `BLESS=1 cargo test --test end-to-end transcripts`
//! writes them anew, and the difference is what to review.
//!
//! Where a scenario asks for an answer that no simulated user gives, the test gives it, with
//! `message/send`.

use crate::support::{
    ACK, STREAM_HEAD, Served, TaskFrames, builder_with_heartbeats, frames, submission,
};
use host_harness::ConversationMode;
use host_harness::agent::SimulatedAgent;
use host_harness::scenario::{Act, End, Scenario};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the two clients of a scenario received.
struct Transcript {
    watcher: String,
    submitter: String,
}

impl Transcript {
    /// Plays a scenario, with this answer to whoever waits for one two seconds after the start.
    async fn of(scenario: Scenario, answer: Option<&str>) -> Self {
        let served = Served::simulated(builder_with_heartbeats()).await;
        let mut watcher = served.watch().await;
        let mut submitter = served.send(submission("Summarise README.md")).await;
        let watched = tokio::spawn(async move { watcher.rest().await });
        let submitted = tokio::spawn(async move { submitter.rest().await });
        let unreported = matches!(scenario.acts().last(), Some(Act::End(End::Unreported)));
        let agent = SimulatedAgent::new(scenario);
        let user = async {
            if let Some(text) = answer {
                tokio::time::sleep(Duration::from_secs(2)).await;
                served.say(text, &TaskFrames::nth(0).result("working")).await;
            }
        };
        let (played, ()) = tokio::join!(agent.run_next_task(&served), user);
        played.unwrap();
        // Simulated: all that was written is read when this moment has passed.
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert_eq!(submitted.is_finished(), !unreported, "a final status closes the submitter");
        served.stop().await;
        let watcher = format!("{STREAM_HEAD}{}{}", ACK, watched.await.unwrap());
        Self { watcher, submitter: submitted.await.unwrap() }
    }
}

/// What the user of a scenario answers whom nobody simulates.
fn answer_to(scenario: &str) -> Option<&'static str> {
    (scenario == "ask-you").then_some("main")
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts")
}

fn scenarios() -> impl Iterator<Item = (&'static str, Scenario)> {
    Scenario::shipped().iter().map(|(name, source)| (*name, Scenario::parse(name, source).unwrap()))
}

/// Compares with a golden file, or writes it.
fn check(file: &str, received: &str) -> Result<(), String> {
    let path = directory().join(file);
    if std::env::var_os("BLESS").is_some_and(|bless| bless == "1") {
        fs::write(&path, received).unwrap();
        return Ok(());
    }
    let golden = fs::read(&path).map_err(|error| {
        format!("tests/transcripts/{file} cannot be read ({error}); BLESS=1 writes it")
    })?;
    if golden == received.as_bytes() {
        return Ok(());
    }
    let golden = String::from_utf8_lossy(&golden).into_owned();
    let (golden, received) = (frames(&golden), frames(received));
    let same = golden.iter().zip(&received).take_while(|(a, b)| a == b).count();
    Err(format!(
        "{file} differs in frame {same} of {}:\n  golden   {:?}\n  received {:?}",
        golden.len(),
        golden.get(same),
        received.get(same),
    ))
}

#[tokio::test(start_paused = true)]
async fn every_scenario_gives_its_golden_transcript() {
    let mut differences = Vec::new();
    for (name, scenario) in scenarios() {
        let transcript = Transcript::of(scenario, answer_to(name)).await;
        for (client, received) in
            [("watcher", &transcript.watcher), ("submitter", &transcript.submitter)]
        {
            differences.extend(check(&format!("{name}.{client}.txt"), received).err());
        }
    }
    assert!(
        differences.is_empty(),
        "{}\nWhere this is what was wanted, BLESS=1 writes the files anew.",
        differences.join("\n")
    );
}

/// `host_harness::frames` does the same natively, without the component, its glue and the front.
/// There nobody answers, and a wait for an answer lasts until its timeout.
#[tokio::test(start_paused = true)]
async fn a_watcher_gets_the_bytes_that_the_core_works_out_natively() {
    for (name, scenario) in scenarios() {
        let native = host_harness::frames::frames(&scenario, ConversationMode::Stateless);
        let native = format!("{STREAM_HEAD}{}", String::from_utf8(native).unwrap());
        let watcher = Transcript::of(scenario, None).await.watcher;
        let differs = frames(&native).into_iter().zip(frames(&watcher)).find(|(a, b)| a != b);
        assert_eq!(differs, None, "{name}");
        assert_eq!(native.len(), watcher.len(), "{name}");
    }
}

#[test]
fn every_transcript_is_of_a_shipped_scenario() {
    let expected: BTreeSet<String> = Scenario::shipped()
        .iter()
        .flat_map(|(name, _)| [format!("{name}.watcher.txt"), format!("{name}.submitter.txt")])
        .collect();
    let stale: Vec<String> = fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|file| !expected.contains(file))
        .collect();
    assert!(stale.is_empty(), "no scenario has these transcripts, delete them: {stale:?}");
}
