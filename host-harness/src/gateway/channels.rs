//! The channels of streams, in memory.

#![allow(unreachable_pub, reason = "the generated bindings name its types")]

use super::bindings::a2a::gateway::channels::{Frames, Next};
use crate::lock::lock;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;
use wasmtime_wasi::p2::Pollable;

/// How many frames a channel holds: two pieces of as many as a publisher publishes at once.
const MOST_FRAMES: u32 = 64;
const FRAMES_AT_ONCE: u32 = 32;

/// All channels that have a subscriber, by their streams' ids.
#[derive(Debug)]
pub(super) struct Channels {
    open: Mutex<HashMap<String, Arc<Channel>>>,
    /// The bytes that one event may have.
    event_bytes: usize,
}

#[derive(Debug)]
struct Channel {
    state: Mutex<State>,
    /// Whatever changed.
    changed: Notify,
    event_bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    count: u32,
    terminal: bool,
    heard: bool,
    has_publisher: bool,
    publisher_gone: bool,
    canceled: bool,
}

impl Channel {
    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut lock(&self.state));
        self.changed.notify_waiters();
    }

    /// Waits until the state is like this.
    async fn until(&self, wanted: impl Fn(&State) -> bool) {
        loop {
            let mut changed = pin!(self.changed.notified());
            // Enlisted before the look, so that a change in between is not missed.
            changed.as_mut().enable();
            if wanted(&lock(&self.state)) {
                return;
            }
            changed.await;
        }
    }

    fn has_next(state: &State) -> bool {
        state.count > 0 || state.heard || state.publisher_gone
    }

    fn has_space(&self, state: &State) -> bool {
        state.count == 0
            || (state.count + FRAMES_AT_ONCE <= MOST_FRAMES && state.bytes.len() < self.event_bytes)
    }
}

impl Channels {
    pub(super) fn new(event_bytes: usize) -> Self {
        Self { open: Mutex::default(), event_bytes }
    }

    pub(super) fn subscribe(self: &Arc<Self>, stream_id: String) -> Subscription {
        let channel = Arc::new(Channel {
            state: Mutex::default(),
            changed: Notify::new(),
            event_bytes: self.event_bytes,
        });
        lock(&self.open).insert(stream_id.clone(), channel.clone());
        Subscription { channels: self.clone(), stream_id, channel }
    }

    pub(super) fn publish(&self, stream_id: &str) -> Option<Publisher> {
        let channel = lock(&self.open).get(stream_id)?.clone();
        let taken = std::mem::replace(&mut lock(&channel.state).has_publisher, true);
        (!taken).then_some(Publisher { channel })
    }

    pub(super) fn cancel(&self, stream_id: &str) -> bool {
        let Some(channel) = lock(&self.open).get(stream_id).cloned() else {
            return false;
        };
        channel.change(|state| state.canceled = true);
        let state = lock(&channel.state);
        state.has_publisher && !state.publisher_gone
    }
}

/// The gateway's end of a channel. Dropping it cancels the stream.
pub struct Subscription {
    channels: Arc<Channels>,
    stream_id: String,
    channel: Arc<Channel>,
}

impl Subscription {
    pub(super) fn next(&self) -> Next {
        let mut state = lock(&self.channel.state);
        if state.count > 0 {
            let frames = Frames {
                bytes: std::mem::take(&mut state.bytes),
                count: std::mem::take(&mut state.count),
                terminal: state.terminal,
            };
            state.heard = false;
            drop(state);
            self.channel.changed.notify_waiters();
            return Next::Frames(frames);
        }
        if std::mem::take(&mut state.heard) {
            return Next::Heard;
        }
        if state.publisher_gone { Next::Closed } else { Next::Nothing }
    }

    pub(super) fn published(&self) -> impl Pollable + use<> {
        When { channel: self.channel.clone(), wanted: |_, state| Channel::has_next(state) }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        lock(&self.channels.open).remove(&self.stream_id);
        self.channel.change(|state| state.canceled = true);
    }
}

/// The virtual subscriber's end.
pub struct Publisher {
    channel: Arc<Channel>,
}

impl Publisher {
    pub(super) fn publish(&self, frames: Frames) {
        self.channel.change(|state| {
            if state.count == 0 {
                state.bytes = frames.bytes;
            } else {
                state.bytes.extend_from_slice(&frames.bytes);
            }
            state.count += frames.count;
            state.terminal |= frames.terminal;
        });
    }

    pub(super) fn heard(&self) {
        self.channel.change(|state| state.heard = true);
    }

    pub(super) fn space(&self) -> impl Pollable + use<> {
        When { channel: self.channel.clone(), wanted: Channel::has_space }
    }

    pub(super) fn canceled(&self) -> impl Pollable + use<> {
        When { channel: self.channel.clone(), wanted: |_, state| state.canceled }
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.channel.change(|state| state.publisher_gone = true);
    }
}

/// Ready while a channel is like this.
struct When {
    channel: Arc<Channel>,
    wanted: fn(&Channel, &State) -> bool,
}

#[wasmtime_wasi::async_trait]
impl Pollable for When {
    async fn ready(&mut self) {
        self.channel.until(|state| (self.wanted)(&self.channel, state)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::{Channels, Frames, Next, Publisher, Subscription};
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::{Context, Waker};
    use wasmtime_wasi::p2::Pollable;

    const EVENT_BYTES: usize = 1000;

    fn open() -> (Arc<Channels>, Subscription, Publisher) {
        let channels = Arc::new(Channels::new(EVENT_BYTES));
        let subscription = channels.subscribe("s".into());
        let publisher = channels.publish("s").unwrap();
        (channels, subscription, publisher)
    }

    fn frames(count: u32, bytes: &str) -> Frames {
        Frames { bytes: bytes.into(), count, terminal: false }
    }

    fn is_ready(mut pollable: impl Pollable) -> bool {
        let ready = pin!(pollable.ready());
        ready.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn what_was_published_is_taken_in_one_piece_and_in_order() {
        let (_channels, subscription, publisher) = open();
        assert!(matches!(subscription.next(), Next::Nothing));
        publisher.publish(frames(1, "a"));
        publisher.publish(Frames { terminal: true, ..frames(2, "bc") });
        let Next::Frames(taken) = subscription.next() else { panic!() };
        assert_eq!((&*taken.bytes, taken.count, taken.terminal), (&b"abc"[..], 3, true));
        assert!(matches!(subscription.next(), Next::Nothing));
    }

    #[test]
    fn there_is_space_for_64_frames_or_for_one_event_more() {
        let (_channels, subscription, publisher) = open();
        publisher.publish(frames(32, "x"));
        assert!(is_ready(publisher.space()));
        publisher.publish(frames(1, "x"));
        assert!(!is_ready(publisher.space()));
        subscription.next();
        assert!(is_ready(publisher.space()));
        publisher.publish(frames(1, &"x".repeat(EVENT_BYTES - 1)));
        assert!(is_ready(publisher.space()));
        publisher.publish(frames(1, "x"));
        assert!(!is_ready(publisher.space()));
    }

    #[test]
    fn a_subscriber_that_goes_cancels_its_stream() {
        let (channels, subscription, publisher) = open();
        assert!(!is_ready(publisher.canceled()));
        drop(subscription);
        assert!(is_ready(publisher.canceled()));
        assert!(channels.publish("s").is_none());
        assert!(!channels.cancel("s"));
    }

    #[test]
    fn a_cancel_reaches_the_publisher_of_that_stream() {
        let (channels, _subscription, publisher) = open();
        assert!(channels.cancel("s"));
        assert!(is_ready(publisher.canceled()));
        assert!(!channels.cancel("another"));
        drop(publisher);
        assert!(!channels.cancel("s"));
    }

    #[test]
    fn a_publisher_that_goes_closes_the_channel_after_what_it_published() {
        let (channels, subscription, publisher) = open();
        assert!(channels.publish("s").is_none(), "there is one already");
        publisher.publish(frames(1, "a"));
        publisher.heard();
        drop(publisher);
        assert!(is_ready(subscription.published()));
        assert!(matches!(subscription.next(), Next::Frames(_)));
        assert!(matches!(subscription.next(), Next::Closed));
    }

    #[test]
    fn an_agent_that_was_heard_without_a_frame_is_told_once() {
        let (_channels, subscription, publisher) = open();
        publisher.heard();
        publisher.heard();
        assert!(is_ready(subscription.published()));
        assert!(matches!(subscription.next(), Next::Heard));
        assert!(matches!(subscription.next(), Next::Nothing));
    }
}
