//! The tasks that were submitted: which one runs, which ones wait
//! (`capsule-stream-details.md`, section 5).
//!
//! A task that finds the capsule idle runs at once. The others are handed over through a channel
//! that holds as many entries as may wait, and that is drained between tasks only: a waiting task
//! that is cancelled frees its place, but its entry stays until the queue reaches it.

use crate::lock::lock;
use crate::settings::TaskAcceptance;
use protocol::{Submission, Submitted, TaskId};
use std::collections::VecDeque;
use std::sync::Mutex;
use tokio::sync::Notify;

/// The capsule's tasks.
#[derive(Debug)]
pub(crate) struct TaskQueue {
    acceptance: TaskAcceptance,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The task that was accepted while nothing ran, until the agent loop takes it.
    next: Option<Submission>,
    /// A task runs, or is `next`.
    busy: bool,
    channel: VecDeque<Entry>,
    accepted_any: bool,
    closed: bool,
}

#[derive(Debug)]
struct Entry {
    submission: Submission,
    canceled: bool,
}

/// What the agent loop has to do next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Run this task, and say so when it ended.
    Run(Submission),
    /// Report that this one was cancelled before it started.
    Canceled(Submission),
}

impl TaskQueue {
    pub(crate) fn new(acceptance: TaskAcceptance) -> Self {
        Self { acceptance, state: Mutex::default(), changed: Notify::new() }
    }

    /// Takes a task in, if there is a place for it.
    pub(crate) fn submit(&self, submission: Submission) -> Submitted {
        let mut state = lock(&self.state);
        let idle = !state.busy && state.channel.is_empty();
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
        if idle {
            state.next = Some(submission);
            state.busy = true;
        } else {
            state.channel.push_back(Entry { submission, canceled: false });
        }
        state.accepted_any = true;
        drop(state);
        self.changed.notify_one();
        Submitted::Accepted
    }

    /// Cancels a task that waits. False where none of that id does.
    pub(crate) fn cancel_waiting(&self, id: &TaskId) -> bool {
        let mut state = lock(&self.state);
        let entry = state.channel.iter_mut().find(|entry| entry.submission.task.id == *id);
        match entry {
            Some(entry) if !entry.canceled => {
                entry.canceled = true;
                true
            }
            _ => false,
        }
    }

    /// The next thing for the agent loop to do, once no task runs. None after [`Self::close`].
    pub(crate) async fn next(&self) -> Option<Next> {
        loop {
            {
                let mut state = lock(&self.state);
                if state.closed {
                    return None;
                }
                if let Some(next) = state.take_next() {
                    return Some(next);
                }
            }
            self.changed.notified().await;
        }
    }

    /// The task that ran has ended.
    pub(crate) fn ended(&self) {
        lock(&self.state).busy = false;
        self.changed.notify_one();
    }

    /// Nothing is handed over any more.
    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_one();
    }
}

impl State {
    fn waiting(&self) -> usize {
        self.channel.iter().filter(|entry| !entry.canceled).count()
    }

    fn take_next(&mut self) -> Option<Next> {
        if let Some(submission) = self.next.take() {
            return Some(Next::Run(submission));
        }
        if self.busy {
            return None;
        }
        let entry = self.channel.pop_front()?;
        if entry.canceled {
            return Some(Next::Canceled(entry.submission));
        }
        self.busy = true;
        Some(Next::Run(entry.submission))
    }
}

#[cfg(test)]
mod tests {
    use super::{Next, Submitted, TaskAcceptance, TaskQueue};
    use protocol::{Submission, Task, TaskId};

    fn submission(id: &str) -> Submission {
        Submission {
            task: Task { id: id.to_owned().into(), context_id: "ctx".to_owned().into() },
            message_id: "m".into(),
            role: "user".into(),
            text: String::new(),
        }
    }

    fn submit(queue: &TaskQueue, id: &str) -> Submitted {
        queue.submit(submission(id))
    }

    async fn next(queue: &TaskQueue) -> Next {
        queue.next().await.unwrap()
    }

    #[test]
    fn none_accepts_nothing() {
        assert_eq!(submit(&TaskQueue::new(TaskAcceptance::None), "a"), Submitted::Busy);
    }

    #[tokio::test]
    async fn single_accepts_one_task_in_its_life() {
        let queue = TaskQueue::new(TaskAcceptance::Single);
        assert_eq!(submit(&queue, "a"), Submitted::Accepted);
        assert_eq!(submit(&queue, "b"), Submitted::Busy);
        assert_eq!(next(&queue).await, Next::Run(submission("a")));
        queue.ended();
        assert_eq!(submit(&queue, "c"), Submitted::Busy);
    }

    #[tokio::test]
    async fn the_task_that_runs_does_not_count_among_those_that_wait() {
        let queue = TaskQueue::new(TaskAcceptance::Queue { depth: 1 });
        assert_eq!(submit(&queue, "a"), Submitted::Accepted);
        assert_eq!(submit(&queue, "b"), Submitted::Accepted);
        assert_eq!(submit(&queue, "c"), Submitted::Busy);
        assert_eq!(next(&queue).await, Next::Run(submission("a")));
        assert_eq!(submit(&queue, "c"), Submitted::Busy);
        queue.ended();
        assert_eq!(next(&queue).await, Next::Run(submission("b")));
        assert_eq!(submit(&queue, "c"), Submitted::Accepted);
    }

    #[tokio::test]
    async fn an_idle_queue_of_depth_0_accepts_a_task() {
        let queue = TaskQueue::new(TaskAcceptance::Queue { depth: 0 });
        assert_eq!(submit(&queue, "a"), Submitted::Accepted);
        assert_eq!(submit(&queue, "b"), Submitted::Busy);
    }

    #[tokio::test]
    async fn a_cancelled_task_frees_its_place_while_its_entry_stays() {
        let queue = TaskQueue::new(TaskAcceptance::Queue { depth: 2 });
        for id in ["a", "b", "c"] {
            assert_eq!(submit(&queue, id), Submitted::Accepted);
        }
        assert_eq!(submit(&queue, "d"), Submitted::Busy);
        assert!(queue.cancel_waiting(&TaskId::from("b".to_owned())));
        assert!(!queue.cancel_waiting(&TaskId::from("b".to_owned())));
        assert_eq!(submit(&queue, "e"), Submitted::QueueFailed);
        assert_eq!(next(&queue).await, Next::Run(submission("a")));
        queue.ended();
        assert_eq!(next(&queue).await, Next::Canceled(submission("b")));
        assert_eq!(submit(&queue, "e"), Submitted::Accepted);
        assert_eq!(next(&queue).await, Next::Run(submission("c")));
    }

    #[tokio::test]
    async fn a_closed_queue_fails_to_take_a_task_it_has_a_place_for() {
        let queue = TaskQueue::new(TaskAcceptance::Queue { depth: 1 });
        queue.close();
        assert_eq!(submit(&queue, "a"), Submitted::QueueFailed);
        assert!(queue.next().await.is_none());
    }
}
