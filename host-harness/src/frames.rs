//! What a watcher gets of a scenario: its bytes, in simulated time and with the same ids every
//! time, without a component or a socket.

use crate::InputOutcome;
use crate::agent::play::{Stage, play};
use crate::scenario::{Ask, End, Scenario};
use crate::settings::FixedIds;
use protocol::{
    Artifact, Attempt, Chunk, Connection, ContextId, ConversationMode, HookArtifact, Inference,
    Instant, LastEventId, Session, Settings, Task, TaskId,
};
use std::convert::Infallible;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use uuid::{Builder, Uuid};

/// The bytes that a `stream/watch` connection gets which was opened just before the task began and
/// is read without delay, up to the last frame of the scenario. Heartbeats stand where they come
/// due.
pub fn frames(scenario: &Scenario, mode: ConversationMode) -> Vec<u8> {
    let mut stage = Simulated::new(mode);
    let acts = scenario.acts();
    {
        // In simulated time nothing has to be waited for: one poll plays it all.
        let played = pin!(play(&acts, &mut stage));
        let played = played.poll(&mut Context::from_waker(Waker::noop()));
        debug_assert!(matches!(played, Poll::Ready(Ok(()))));
    }
    stage.read();
    stage.bytes
}

/// A stream and its one watcher, in simulated time.
struct Simulated {
    session: Session,
    watcher: Connection,
    task: Task,
    attempt: Option<Attempt>,
    inference: Option<Inference>,
    now: Instant,
    cancel_at: Option<Instant>,
    bytes: Vec<u8>,
}

impl Simulated {
    fn new(conversation_mode: ConversationMode) -> Self {
        let mut session = Session::new(Settings { conversation_mode, ..Settings::default() });
        let now = Instant::default();
        let watcher = session.open_watch(now, LastEventId::Absent);
        let ids = FixedIds::default();
        let task =
            Task { id: TaskId::mint(uuid(&ids, 0)), context_id: ContextId::mint(uuid(&ids, 1)) };
        let attempt = Some(Attempt::begin(&mut session, task.clone()));
        let bytes = Vec::new();
        Self { session, watcher, task, attempt, inference: None, now, cancel_at: None, bytes }
    }

    /// The watcher takes what there is for it.
    fn read(&mut self) {
        while self.watcher.wants_write(&self.session, self.now) {
            let taken = self.session.take(&mut self.watcher, self.now, usize::MAX);
            self.bytes.extend_from_slice(taken);
        }
    }

    fn after(&self, time: Duration) -> Instant {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Instant(self.now.0.saturating_add(nanos))
    }

    /// Lets time pass, and has the watcher read where a heartbeat comes due.
    fn wait_until(&mut self, then: Instant) {
        self.read();
        while let Some(due) = self.watcher.next_heartbeat().filter(|&due| due <= then) {
            self.now = due;
            self.read();
        }
        self.now = self.now.max(then);
    }

    fn write(&mut self, f: impl FnOnce(&mut Attempt, &mut Session)) {
        if let Some(attempt) = &mut self.attempt {
            f(attempt, &mut self.session);
        }
    }

    fn end_with(&mut self, f: impl FnOnce(Attempt, &mut Session)) {
        self.inference = None;
        if let Some(attempt) = self.attempt.take() {
            f(attempt, &mut self.session);
        }
    }
}

impl Stage for Simulated {
    type Error = Infallible;

    async fn wait(&mut self, time: Duration) -> Result<(), Infallible> {
        self.wait_until(self.after(time));
        Ok(())
    }

    async fn wait_unless_canceled(&mut self, time: Duration) -> Result<(), Infallible> {
        let then = self.after(time);
        self.wait_until(self.cancel_at.map_or(then, |cancel| cancel.min(then)));
        Ok(())
    }

    async fn hold(&mut self, time: Duration) -> Result<(), Infallible> {
        self.read();
        self.now = self.after(time);
        Ok(())
    }

    fn cancel_after(&mut self, time: Duration) {
        self.cancel_at = Some(self.after(time));
    }

    fn is_canceled(&self) -> bool {
        self.cancel_at.is_some_and(|cancel| cancel <= self.now)
    }

    async fn begin_turn(&mut self) -> Result<(), Infallible> {
        if let Some(attempt) = &mut self.attempt {
            self.inference = Some(attempt.begin_turn(&mut self.session));
        }
        Ok(())
    }

    async fn chunk(&mut self, chunk: &Chunk) -> Result<(), Infallible> {
        self.session.emit_chunk(chunk);
        self.read();
        Ok(())
    }

    async fn inference_returned(&mut self) -> Result<(), Infallible> {
        if let Some(inference) = self.inference.take() {
            self.write(|attempt, session| attempt.inference_returned(session, inference));
        }
        Ok(())
    }

    async fn artifact(&mut self, artifact: Artifact) -> Result<(), Infallible> {
        self.write(|attempt, session| attempt.artifact(session, &artifact));
        self.read();
        Ok(())
    }

    async fn hook_artifact(&mut self, artifact: HookArtifact) -> Result<(), Infallible> {
        self.write(|attempt, session| attempt.hook_artifact(session, &artifact));
        Ok(())
    }

    async fn ask(&mut self, ask: &Ask) -> Result<(InputOutcome, Duration), Infallible> {
        let began = self.now;
        let Some(attempt) = self.attempt.as_ref().filter(|_| !self.is_canceled()) else {
            return Ok((InputOutcome::Canceled, Duration::ZERO));
        };
        let wait = attempt.wait_for_input(&mut self.session, &ask.prompt);
        let timeout = self.after(ask.timeout);
        let answer = ask.answer.as_ref().map(|(after, text)| (self.after(*after), text));
        let outcome = match (answer, self.cancel_at) {
            (Some((at, text)), cancel) if at <= timeout && cancel.is_none_or(|c| at <= c) => {
                self.wait_until(at);
                wait.resumed(&mut self.session);
                InputOutcome::Answered(text.clone())
            }
            (_, Some(cancel)) if cancel <= timeout => {
                self.wait_until(cancel);
                InputOutcome::Canceled
            }
            _ => {
                self.wait_until(timeout);
                wait.timed_out(&mut self.session);
                InputOutcome::TimedOut
            }
        };
        Ok((outcome, Duration::from_nanos(self.now.0 - began.0)))
    }

    async fn end(&mut self, end: &End) -> Result<(), Infallible> {
        self.end_with(|attempt, session| match end {
            End::Completed { response } => attempt.completed(session, response),
            End::Failed { message } => attempt.failed(session, message),
            End::Unreported => attempt.abandon(session),
        });
        Ok(())
    }

    async fn canceled(&mut self) -> Result<(), Infallible> {
        self.end_with(Attempt::canceled);
        Ok(())
    }

    async fn reopen(&mut self) -> Result<(), Infallible> {
        self.attempt = Some(Attempt::begin(&mut self.session, self.task.clone()));
        Ok(())
    }
}

/// The id that a capsule with these would mint as its `number`th, from 0.
fn uuid(ids: &FixedIds, number: usize) -> Uuid {
    let mut random = ids.random_bytes.iter().copied().cycle().skip(10 * number);
    let bytes = std::array::from_fn(|_| random.next().unwrap_or_default());
    let millis = u64::try_from(ids.unix_time.as_millis()).unwrap_or(u64::MAX);
    Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
}
