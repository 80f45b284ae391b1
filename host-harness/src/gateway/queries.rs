//! Questions to virtual subscribers, and their answers, in memory.

#![allow(unreachable_pub, reason = "the generated bindings name its types")]

use super::bindings::a2a::gateway::queries::{Answer, Failure};
use crate::lock::lock;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use wasmtime_wasi::p2::Pollable;

/// What the two ends share.
#[derive(Debug)]
struct Exchange {
    state: Mutex<State>,
    changed: Notify,
    deadline: Instant,
}

#[derive(Debug, Default)]
struct State {
    answer: Option<Result<Answer, Failure>>,
    /// Nothing more is to be said.
    over: bool,
}

impl Exchange {
    fn end(&self, answer: Option<Result<Answer, Failure>>) {
        let mut state = lock(&self.state);
        if !state.over {
            state.over = true;
            state.answer = answer;
            drop(state);
            self.changed.notify_waiters();
        }
    }

    async fn over(&self) {
        loop {
            let mut changed = pin!(self.changed.notified());
            // Enlisted before the look, so that a change in between is not missed.
            changed.as_mut().enable();
            if lock(&self.state).over {
                return;
            }
            if timeout_at(self.deadline, changed).await.is_err() {
                self.end(Some(Err(Failure::Timeout)));
            }
        }
    }
}

/// The asker's end and the answerer's. The answer is waited for that long.
pub(super) fn query(timeout: Duration) -> (Asked, Reply) {
    // Further than anybody waits: the clock has an end.
    const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    let deadline = Instant::now() + timeout.min(LONGEST);
    let exchange = Exchange { state: Mutex::default(), changed: Notify::new(), deadline };
    let exchange = Arc::new(exchange);
    (Asked(exchange.clone()), Reply(exchange))
}

/// The asker's end.
pub struct Asked(Arc<Exchange>);

impl Asked {
    pub(super) fn get(&self) -> Option<Result<Answer, Failure>> {
        lock(&self.0.state).answer.take()
    }

    pub(super) fn answered(&self) -> impl Pollable + use<> {
        Over(self.0.clone())
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.end(None);
    }
}

/// The answerer's end.
pub struct Reply(Arc<Exchange>);

impl Reply {
    pub(super) fn send(&self, answer: Answer) {
        self.0.end(Some(Ok(answer)));
    }

    pub(super) fn abandoned(&self) -> impl Pollable + use<> {
        Over(self.0.clone())
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.0.end(Some(Err(Failure::Gone)));
    }
}

/// Ready once an exchange is over.
struct Over(Arc<Exchange>);

#[wasmtime_wasi::async_trait]
impl Pollable for Over {
    async fn ready(&mut self) {
        self.0.over().await;
    }
}
