//! What a watcher gets of a scenario: its bytes, in simulated time and with the same ids every
//! time, without a component or a socket.

use crate::scenario::{Act, End, Scenario};
use crate::settings::FixedIds;
use protocol::{
    Attempt, Connection, ContextId, ConversationMode, HookArtifact, Instant, LastEventId, Session,
    Settings, Task, TaskId,
};
use std::time::Duration;
use uuid::{Builder, Uuid};

/// The bytes that a `stream/watch` connection gets which was opened just before the task began and
/// is read without delay, up to the last frame of the scenario. Heartbeats stand where they come
/// due.
pub fn frames(scenario: &Scenario, mode: ConversationMode) -> Vec<u8> {
    let mut watcher = Watcher::new(mode);
    let ids = FixedIds::default();
    let task = Task { id: TaskId::mint(uuid(&ids, 0)), context_id: ContextId::mint(uuid(&ids, 1)) };
    let session = &mut watcher.session;
    let mut attempt = Attempt::begin(session, task);
    let mut inference = None;
    for act in scenario.acts() {
        let session = &mut watcher.session;
        match act {
            Act::Wait(time) => watcher.wait(time),
            Act::BeginTurn => inference = Some(attempt.begin_turn(session)),
            Act::Chunk(chunk) => session.emit_chunk(&chunk),
            Act::InferenceReturned => {
                if let Some(inference) = inference.take() {
                    attempt.inference_returned(session, inference);
                }
            }
            Act::Artifact(artifact) => attempt.artifact(session, &artifact),
            Act::HookArtifact { hook_name, content } => {
                attempt.hook_artifact(session, &HookArtifact { hook_name, content });
            }
            Act::End(end) => {
                match end {
                    End::Completed { response } => attempt.completed(session, &response),
                    End::Failed { message } => attempt.failed(session, &message),
                    End::Unreported => attempt.abandon(session),
                }
                break;
            }
        }
        watcher.read();
    }
    watcher.read();
    watcher.bytes
}

struct Watcher {
    session: Session,
    connection: Connection,
    now: Instant,
    bytes: Vec<u8>,
}

impl Watcher {
    fn new(conversation_mode: ConversationMode) -> Self {
        let session = Session::new(Settings { conversation_mode, ..Settings::default() });
        let now = Instant::default();
        let connection = session.open_watch(now, LastEventId::Absent);
        Self { session, connection, now, bytes: Vec::new() }
    }

    fn read(&mut self) {
        while self.connection.wants_write(&self.session, self.now) {
            let taken = self.session.take(&mut self.connection, self.now, usize::MAX);
            self.bytes.extend_from_slice(taken);
        }
    }

    /// Lets time pass, and stops where a heartbeat comes due.
    fn wait(&mut self, time: Duration) {
        self.read();
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let until = Instant(self.now.0.saturating_add(nanos));
        while let Some(due) = self.connection.next_heartbeat().filter(|&due| due <= until) {
            self.now = due;
            self.read();
        }
        self.now = until;
    }
}

/// The id that a capsule with these would mint as its `number`th, from 0.
fn uuid(ids: &FixedIds, number: usize) -> Uuid {
    let mut random = ids.random_bytes.iter().copied().cycle().skip(10 * number);
    let bytes = std::array::from_fn(|_| random.next().unwrap_or_default());
    let millis = u64::try_from(ids.unix_time.as_millis()).unwrap_or(u64::MAX);
    Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
}
