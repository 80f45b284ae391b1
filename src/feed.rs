//! What the agent loop, its drivers and tools tell the stream.

use crate::Component;
use crate::bindings::exports::murmur::capsule_stream::feed;
use crate::bindings::exports::murmur::text::chunks;
use crate::bindings::murmur::capsule_stream::types;
use crate::state::{self, State};
use protocol::connection::LIVE_QUEUE;
use protocol::{Artifact, Attempt, Chunk, HookArtifact, Inference, InputWait, Session, Task};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

impl chunks::Guest for Component {
    fn emit_chunk(chunk: String) {
        state::with(|state| state.emit_from_inside(&Chunk::Text(chunk)));
    }

    fn emit_thinking_chunk(chunk: String) {
        state::with(|state| state.emit_from_inside(&Chunk::Thinking(chunk)));
    }
}

impl State {
    /// A chunk of a driver or tool that is composed with this component and so holds its thread:
    /// no pump runs until its call returns, so the chunk is written here. Requests and heartbeats
    /// wait for the pump. A burst waits now and then, before a client is too far behind.
    fn emit_from_inside(&mut self, chunk: &Chunk) {
        self.session.emit_chunk(chunk);
        self.write_clients(self.pumped_at);
        self.emitted_inside += 1;
        if self.emitted_inside.is_multiple_of(LIVE_QUEUE / 2) {
            self.let_clients_catch_up(self.pumped_at);
        }
    }
}

impl feed::Guest for Component {
    type Attempt = AttemptResource;
    type Inference = InferenceResource;
    type InputWait = InputWaitResource;

    fn emit_chunks(chunks: Vec<feed::Chunk>) {
        state::with(|state| {
            for chunk in chunks {
                state.session.emit_chunk(&match chunk {
                    feed::Chunk::Text(text) => Chunk::Text(text),
                    feed::Chunk::Thinking(text) => Chunk::Thinking(text),
                });
            }
        });
    }

    fn cancel_queued(task: types::Task) {
        state::with(|state| state.session.cancel_queued(&task.into()));
    }

    fn close() {
        state::with(|state| state.session.close());
    }
}

/// An attempt, until it is ended.
pub(crate) struct AttemptResource(SharedAttempt);

/// The attempt as its resource and the call of its driver hold it.
type SharedAttempt = Rc<RefCell<Option<Attempt>>>;

fn write<R>(attempt: &SharedAttempt, f: impl FnOnce(&mut Attempt, &mut Session) -> R) -> Option<R> {
    let mut attempt = attempt.borrow_mut();
    let attempt = attempt.as_mut()?;
    Some(state::with(|state| f(attempt, &mut state.session)))
}

fn end(attempt: &SharedAttempt, f: impl FnOnce(Attempt, &mut Session)) {
    if let Some(attempt) = attempt.borrow_mut().take() {
        state::with(|state| f(attempt, &mut state.session));
    }
}

impl feed::GuestAttempt for AttemptResource {
    fn new(task: types::Task) -> Self {
        let attempt = state::with(|state| Attempt::begin(&mut state.session, task.into()));
        Self(Rc::new(RefCell::new(Some(attempt))))
    }

    fn begin_turn(&self) -> feed::Inference {
        let inference = write(&self.0, |attempt, session| attempt.begin_turn(session));
        feed::Inference::new(InferenceResource {
            attempt: self.0.clone(),
            inference: Cell::new(inference),
        })
    }

    fn write_artifact(&self, artifact: feed::Artifact) {
        write(&self.0, |attempt, session| attempt.artifact(session, &artifact.into()));
    }

    fn write_hook_artifact(&self, hook_name: String, content: String) {
        let artifact = HookArtifact { hook_name, content };
        write(&self.0, |attempt, session| attempt.hook_artifact(session, &artifact));
    }

    fn wait_for_input(&self, prompt: String) -> feed::InputWait {
        let wait = write(&self.0, |attempt, session| attempt.wait_for_input(session, &prompt));
        feed::InputWait::new(InputWaitResource(Cell::new(wait)))
    }

    fn completed(this: feed::Attempt, response: String) {
        end(&this.get::<AttemptResource>().0, |attempt, session| {
            attempt.completed(session, &response)
        });
    }

    fn failed(this: feed::Attempt, message: String) {
        end(&this.get::<AttemptResource>().0, |attempt, session| attempt.failed(session, &message));
    }

    fn canceled(this: feed::Attempt) {
        end(&this.get::<AttemptResource>().0, Attempt::canceled);
    }
}

impl Drop for AttemptResource {
    fn drop(&mut self) {
        end(&self.0, Attempt::abandon);
    }
}

/// A driver's call, until it returned.
pub(crate) struct InferenceResource {
    attempt: SharedAttempt,
    inference: Cell<Option<Inference>>,
}

impl feed::GuestInference for InferenceResource {
    fn returned(this: feed::Inference) {
        let this = this.get::<InferenceResource>();
        if let Some(inference) = this.inference.take() {
            write(&this.attempt, |attempt, session| attempt.inference_returned(session, inference));
        }
    }
}

/// A tool's wait for input, until its outcome.
pub(crate) struct InputWaitResource(Cell<Option<InputWait>>);

impl feed::GuestInputWait for InputWaitResource {
    fn resumed(this: feed::InputWait) {
        if let Some(wait) = this.get::<InputWaitResource>().0.take() {
            state::with(|state| wait.resumed(&mut state.session));
        }
    }

    fn timed_out(this: feed::InputWait) {
        if let Some(wait) = this.get::<InputWaitResource>().0.take() {
            state::with(|state| wait.timed_out(&mut state.session));
        }
    }
}

impl From<types::Task> for Task {
    fn from(task: types::Task) -> Self {
        Self { id: task.id.into(), context_id: task.context_id.into() }
    }
}

impl From<feed::Artifact> for Artifact {
    fn from(artifact: feed::Artifact) -> Self {
        Self {
            tool_name: artifact.tool_name,
            content: artifact.content,
            fence_source: artifact.fence_source,
            tool_call_id: artifact.tool_call_id,
            is_error: artifact.is_error,
            duration_ms: artifact.duration_ms,
            exit_code: artifact.exit_code,
            truncated: artifact.truncated,
        }
    }
}
