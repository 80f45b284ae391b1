//! The tasks that were submitted: which one runs, which ones wait, how each stands
//! (`capsule-stream-details.md`, sections 5 and 8).
//!
//! A task that finds the capsule idle runs at once. The others are handed over through a channel
//! that holds as many entries as may wait, and that is drained between tasks only: a waiting task
//! that is cancelled frees its place, but its entry stays until the queue reaches it.

use crate::lock::lock;
use crate::settings::TaskAcceptance;
use protocol::{Submission, Submitted, Task, TaskId, TaskSnapshot, TaskState};
use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use tokio::sync::{Notify, oneshot, watch};

/// How many tasks are remembered after their end, and how many bytes of ids: those of contexts are
/// the clients', of any length.
const REMEMBERED: usize = 10_000;
const REMEMBERED_BYTES: usize = 16 * 1024 * 1024;

/// The capsule's tasks.
#[derive(Debug)]
pub(crate) struct Tasks {
    acceptance: TaskAcceptance,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    records: HashMap<TaskId, Record>,
    /// The ids of `records`, oldest first.
    order: VecDeque<TaskId>,
    /// The bytes of ids in `records`.
    id_bytes: usize,
    running: Option<TaskId>,
    /// The task that was accepted while nothing ran, until the agent loop takes it.
    next: Option<Submission>,
    channel: VecDeque<Submission>,
    accepted_any: bool,
    closed: bool,
}

#[derive(Debug)]
struct Record {
    snapshot: TaskSnapshot,
    /// Where the answer goes, while input is required.
    answer: Option<oneshot::Sender<Input>>,
    canceled: watch::Sender<bool>,
}

/// How a wait for input ended, but for a timeout.
#[derive(Debug)]
pub(crate) enum Input {
    Answer(String),
    Canceled,
}

/// What the agent loop has to do next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Run this task, and say so when it ended.
    Run(Submission),
    /// Report that this one was cancelled before it started.
    Canceled(Submission),
}

impl Tasks {
    pub(crate) fn new(acceptance: TaskAcceptance) -> Self {
        Self { acceptance, state: Mutex::default(), changed: Notify::new() }
    }

    /// Takes a task in, if there is a place for it.
    pub(crate) fn submit(&self, submission: Submission) -> Submitted {
        let mut state = lock(&self.state);
        let idle = state.running.is_none() && state.channel.is_empty();
        let (has_place, capacity) = match self.acceptance {
            TaskAcceptance::None => (false, 0),
            TaskAcceptance::Single => (!state.accepted_any, 0),
            TaskAcceptance::Queue { depth } => (idle || state.waiting() < depth, depth),
        };
        if !has_place {
            return Submitted::Busy;
        }
        if state.closed || (!idle && state.channel.len() >= capacity) {
            return Submitted::QueueFailed;
        }
        state.remember(&submission);
        if idle {
            state.running = Some(submission.task.id.clone());
            state.next = Some(submission);
        } else {
            state.channel.push_back(submission);
        }
        state.accepted_any = true;
        state.forget();
        drop(state);
        self.changed.notify_one();
        Submitted::Accepted
    }

    /// Answers the task that waits for input, if one does.
    pub(crate) fn answer(&self, text: String) -> Option<TaskSnapshot> {
        let mut state = lock(&self.state);
        let record = state.running_record()?;
        let taken = record.answer.take()?.send(Input::Answer(text));
        record.stands(TaskState::Working);
        taken.ok().map(|()| record.snapshot.clone())
    }

    /// The task of that id; without one, the task that runs, or else the last one.
    pub(crate) fn get(&self, id: Option<&TaskId>) -> Option<TaskSnapshot> {
        let state = lock(&self.state);
        let id = id.or(state.running.as_ref()).or(state.order.back())?;
        Some(state.records.get(id)?.snapshot.clone())
    }

    /// Cancels a task that has not ended.
    pub(crate) fn cancel(&self, id: &TaskId) -> Option<TaskSnapshot> {
        let mut state = lock(&self.state);
        let record = state.records.get_mut(id)?;
        if !record.snapshot.state.is_final() {
            if let Some(answer) = record.answer.take() {
                // The wait may have timed out just now.
                let _ = answer.send(Input::Canceled);
            }
            record.stands(TaskState::Canceled);
            record.canceled.send_replace(true);
        }
        Some(record.snapshot.clone())
    }

    /// A receiver that turns true when the task is cancelled.
    pub(crate) fn canceled(&self, id: &TaskId) -> Option<watch::Receiver<bool>> {
        Some(lock(&self.state).records.get(id)?.canceled.subscribe())
    }

    /// The running task's tool asks for input. What comes back is a cancel at once where the task
    /// was cancelled before.
    pub(crate) fn wait_for_input(&self, id: &TaskId, prompt: &str) -> oneshot::Receiver<Input> {
        let (answer, answered) = oneshot::channel();
        let mut state = lock(&self.state);
        match state.records.get_mut(id) {
            Some(record) if !record.snapshot.state.is_final() => {
                record.answer = Some(answer);
                record.snapshot.prompt = Some(prompt.to_owned());
                record.snapshot.state = TaskState::InputRequired;
            }
            _ => drop(answer.send(Input::Canceled)),
        }
        answered
    }

    /// How the running task stands now, if it was not cancelled: such a task stays so. Returns
    /// whether it stands as said.
    pub(crate) fn stands(&self, id: &TaskId, task_state: TaskState) -> bool {
        match lock(&self.state).records.get_mut(id) {
            Some(record) if record.snapshot.state == TaskState::Canceled => {
                task_state == TaskState::Canceled
            }
            Some(record) => {
                record.stands(task_state);
                true
            }
            None => true,
        }
    }

    /// Nobody waits for the answer any more, if one is still to come.
    pub(crate) fn no_longer_waits(&self, id: &TaskId) {
        if let Some(record) = lock(&self.state).records.get_mut(id)
            && record.snapshot.state == TaskState::InputRequired
        {
            record.stands(TaskState::Working);
        }
    }

    /// The next thing for the agent loop to do, once no task runs. None after [`Self::close`].
    pub(crate) async fn next(&self) -> Option<Next> {
        loop {
            {
                let mut state = lock(&self.state);
                if state.closed {
                    // There may be others that wait.
                    self.changed.notify_one();
                    return None;
                }
                if let Some(next) = state.take_next() {
                    return Some(next);
                }
            }
            self.changed.notified().await;
        }
    }

    /// The task that ran has ended. One that had no final status failed.
    pub(crate) fn ended(&self) {
        let mut state = lock(&self.state);
        if let Some(record) = state.running_record()
            && !record.snapshot.state.is_final()
        {
            record.stands(TaskState::Failed);
        }
        state.running = None;
        drop(state);
        self.changed.notify_one();
    }

    /// Nothing is handed over any more.
    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_one();
    }
}

impl Record {
    fn stands(&mut self, state: TaskState) {
        self.snapshot.state = state;
        self.snapshot.prompt = None;
        self.answer = None;
    }
}

impl State {
    fn remember(&mut self, submission: &Submission) {
        let id = submission.task.id.clone();
        let snapshot = TaskSnapshot {
            task: submission.task.clone(),
            state: TaskState::Submitted,
            prompt: None,
        };
        let (canceled, _) = watch::channel(false);
        self.id_bytes += id_bytes(&snapshot.task);
        self.records.insert(id.clone(), Record { snapshot, answer: None, canceled });
        self.order.push_back(id);
    }

    /// Forgets the oldest tasks over the limits, but none that the agent loop still has to see, nor
    /// the last one.
    fn forget(&mut self) {
        let pending = self.channel.len() + usize::from(self.running.is_some());
        let mut ended = self.order.len().saturating_sub(pending.max(1));
        while ended > 0
            && (ended > REMEMBERED || self.id_bytes > REMEMBERED_BYTES)
            && let Some(oldest) = self.order.pop_front()
        {
            if let Some(record) = self.records.remove(&oldest) {
                self.id_bytes -= id_bytes(&record.snapshot.task);
            }
            ended -= 1;
        }
    }

    fn running_record(&mut self) -> Option<&mut Record> {
        self.records.get_mut(self.running.as_ref()?)
    }

    fn is_canceled(&self, id: &TaskId) -> bool {
        self.records.get(id).is_some_and(|record| record.snapshot.state == TaskState::Canceled)
    }

    fn waiting(&self) -> usize {
        self.channel.iter().filter(|entry| !self.is_canceled(&entry.task.id)).count()
    }

    fn take_next(&mut self) -> Option<Next> {
        let submission = match self.next.take() {
            Some(submission) => submission,
            None if self.running.is_some() => return None,
            None => self.channel.pop_front()?,
        };
        if self.is_canceled(&submission.task.id) {
            self.running = None;
            return Some(Next::Canceled(submission));
        }
        self.running = Some(submission.task.id.clone());
        Some(Next::Run(submission))
    }
}

/// An id is kept three times: as a key, in the order, in the snapshot. A context's once.
fn id_bytes(task: &Task) -> usize {
    3 * task.id.as_str().len() + task.context_id.as_str().len()
}

#[cfg(test)]
mod tests;
