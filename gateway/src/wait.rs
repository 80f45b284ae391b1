//! Waiting for one of several things.

use futures_lite::future;
use protocol::Instant;
use std::time::Duration;
use wasi::clocks::monotonic_clock;
use wasi::io::poll::Pollable;
use wstd::runtime::AsyncPollable;

/// The time on the clock that is waited with.
pub(crate) fn now() -> Instant {
    Instant(monotonic_clock::now())
}

/// A duration, as WASI counts it.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Something that can be waited for again and again.
pub(crate) struct Signal(AsyncPollable);

impl Signal {
    pub(crate) fn new(pollable: Pollable) -> Self {
        Self(AsyncPollable::new(pollable))
    }

    pub(crate) fn at(when: Instant) -> Self {
        Self::new(monotonic_clock::subscribe_instant(when.0))
    }

    pub(crate) fn after(time: Duration) -> Self {
        Self::at(Instant(now().0.saturating_add(nanos(time))))
    }

    pub(crate) async fn ready(&self) {
        self.0.wait_for().await;
    }
}

/// Waits for the first of these; of two that are ready at once, for the one that stands first.
pub(crate) async fn first_of<const N: usize>(signals: [&Signal; N]) -> usize {
    let mut waits = signals.map(|signal| Box::pin(signal.ready()));
    future::poll_fn(|cx| {
        let ready = waits.iter_mut().position(|wait| wait.as_mut().poll(cx).is_ready());
        ready.map_or(std::task::Poll::Pending, std::task::Poll::Ready)
    })
    .await
}

/// Goes on with `work` until `signal` is ready: then with nothing.
pub(crate) async fn unless<T>(signal: &Signal, work: impl Future<Output = T>) -> Option<T> {
    let stopped = async {
        signal.ready().await;
        None
    };
    future::or(stopped, async { Some(work.await) }).await
}
