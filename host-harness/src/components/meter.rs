//! How long a call computes.
//!
//! What counts is the time inside the call's `poll`, in which the component computes or calls the
//! host. While it waits, its future is pending and nobody polls it.

use crate::lock::lock;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wasmtime::{Error, Store, UpdateDeadline};

/// One call's share of computing.
#[derive(Debug)]
pub(crate) struct Meter {
    most: Duration,
    spent: Mutex<Spent>,
}

#[derive(Debug, Default)]
struct Spent {
    before: Duration,
    /// Since when it computes, while it does.
    since: Option<Instant>,
}

impl Meter {
    pub(crate) fn new(most: Duration) -> Self {
        Self { most, spent: Mutex::default() }
    }

    /// Begins anew: for the next call in the same store.
    pub(crate) fn reset(&self) {
        *lock(&self.spent) = Spent::default();
    }

    /// Runs `future`, and counts for how long it computes.
    pub(crate) async fn measure<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|context| {
            lock(&self.spent).since = Some(Instant::now());
            let polled = future.as_mut().poll(context);
            let mut spent = lock(&self.spent);
            if let Some(since) = spent.since.take() {
                spent.before += since.elapsed();
            }
            polled
        })
        .await
    }

    /// Has `store` ask at every tick: what computes gives way to others, and traps where its share
    /// is spent.
    pub(crate) fn watch<T: 'static>(self: &Arc<Self>, store: &mut Store<T>) {
        let meter = self.clone();
        store.epoch_deadline_callback(move |_| {
            if meter.is_spent() {
                let most = meter.most;
                return Err(Error::msg(format!("it computed for longer than {most:?}")));
            }
            Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())))
        });
        store.set_epoch_deadline(1);
    }

    fn is_spent(&self) -> bool {
        let spent = lock(&self.spent);
        spent.before + spent.since.map_or(Duration::ZERO, |since| since.elapsed()) > self.most
    }
}

#[cfg(test)]
mod tests {
    use super::Meter;
    use std::thread;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn computing_counts_and_waiting_does_not() {
        let meter = Meter::new(Duration::from_millis(20));
        meter.measure(tokio::time::sleep(Duration::from_secs(3600))).await;
        assert!(!meter.is_spent());
        meter.measure(async { thread::sleep(Duration::from_millis(30)) }).await;
        assert!(meter.is_spent());
        meter.reset();
        assert!(!meter.is_spent());
    }
}
