//! What has come in for the actor: a queue that ends its wait.

use crate::lock::lock;
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Mutex;
use tokio::sync::Notify;

/// How many commands wait before [`Inbox::send`] holds its caller back.
const CAPACITY: usize = 1024;

/// The actor stopped, and the command was not taken.
#[derive(Debug)]
pub(crate) struct Closed;

/// A queue with many senders and one taker.
#[derive(Debug)]
pub(crate) struct Inbox<T> {
    queue: Mutex<Queue<T>>,
    arrived: Notify,
    space: Notify,
}

#[derive(Debug)]
struct Queue<T> {
    waiting: VecDeque<T>,
    closed: bool,
    winds_down: bool,
}

impl<T> Inbox<T> {
    pub(crate) fn new() -> Self {
        let queue = Queue { waiting: VecDeque::new(), closed: false, winds_down: false };
        Self { queue: Mutex::new(queue), arrived: Notify::new(), space: Notify::new() }
    }

    /// Adds a command as soon as there is space.
    pub(crate) async fn send(&self, command: T) -> Result<(), Closed> {
        loop {
            let mut space = pin!(self.space.notified());
            // Enlisted before the look at the queue, so that space made in between is not missed.
            space.as_mut().enable();
            {
                let queue = lock(&self.queue);
                if queue.closed || queue.waiting.len() < CAPACITY {
                    drop(queue);
                    return self.push(command);
                }
            }
            space.await;
        }
    }

    /// Adds a command whatever the space: for what cannot wait, or is bounded elsewhere.
    pub(crate) fn push(&self, command: T) -> Result<(), Closed> {
        let mut queue = lock(&self.queue);
        if queue.closed {
            return Err(Closed);
        }
        queue.waiting.push_back(command);
        drop(queue);
        self.arrived.notify_one();
        Ok(())
    }

    /// Drops those that wait and are of this kind, and says from now on that an end is near.
    pub(crate) fn wind_down(&self, kind: impl Fn(&T) -> bool) {
        let mut queue = lock(&self.queue);
        queue.winds_down = true;
        let waiting = std::mem::take(&mut queue.waiting);
        let (dropped, kept): (Vec<_>, Vec<_>) = waiting.into_iter().partition(kind);
        queue.waiting = VecDeque::from(kept);
        drop(queue);
        drop(dropped);
        self.space.notify_waiters();
    }

    /// Whether an end is near: what need not be done any more is not done.
    pub(crate) fn winds_down(&self) -> bool {
        lock(&self.queue).winds_down
    }

    /// Takes what has come in, the first `most` of it.
    pub(crate) fn take(&self, most: usize) -> VecDeque<T> {
        let mut queue = lock(&self.queue);
        let most = most.min(queue.waiting.len());
        let later = queue.waiting.split_off(most);
        let taken = std::mem::replace(&mut queue.waiting, later);
        drop(queue);
        self.space.notify_waiters();
        taken
    }

    /// Waits until something has come in, and leaves it there.
    pub(crate) async fn wait(&self) {
        while lock(&self.queue).waiting.is_empty() {
            self.arrived.notified().await;
        }
    }

    /// Takes no more, and drops what was not taken.
    pub(crate) fn close(&self) {
        let mut queue = lock(&self.queue);
        queue.closed = true;
        let dropped = std::mem::take(&mut queue.waiting);
        drop(queue);
        drop(dropped);
        self.space.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::{CAPACITY, Inbox};
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn is_pending<F: Future>(future: std::pin::Pin<&mut F>) -> bool {
        future.poll(&mut Context::from_waker(Waker::noop())).is_pending()
    }

    #[tokio::test]
    async fn a_full_inbox_holds_its_senders_back_until_it_is_taken() {
        let inbox = Inbox::new();
        for number in 0..CAPACITY {
            inbox.send(number).await.unwrap();
        }
        let mut send = pin!(inbox.send(CAPACITY));
        assert!(is_pending(send.as_mut()));
        assert_eq!(inbox.take(usize::MAX).len(), CAPACITY);
        assert!(!is_pending(send.as_mut()));
        assert_eq!(inbox.take(1), [CAPACITY]);
    }

    #[tokio::test]
    async fn a_closed_inbox_lets_its_senders_go() {
        let inbox = Inbox::new();
        for number in 0..CAPACITY {
            inbox.send(number).await.unwrap();
        }
        let mut send = pin!(inbox.send(CAPACITY));
        assert!(is_pending(send.as_mut()));
        inbox.close();
        assert!(send.await.is_err());
        assert!(inbox.push(0).is_err());
        assert!(inbox.take(1).is_empty());
    }

    #[tokio::test]
    async fn what_is_not_taken_stays_in_order() {
        let inbox = Inbox::new();
        for number in 0..5 {
            inbox.push(number).unwrap();
        }
        assert_eq!(inbox.take(2), [0, 1]);
        inbox.wait().await;
        assert_eq!(inbox.take(9), [2, 3, 4]);
    }

    #[tokio::test]
    async fn waiting_ends_when_something_comes_in_and_leaves_it_there() {
        let inbox = Inbox::new();
        let mut wait = pin!(inbox.wait());
        assert!(is_pending(wait.as_mut()));
        inbox.push(1).unwrap();
        wait.await;
        inbox.wait().await;
        assert_eq!(inbox.take(1), [1]);
    }
}
