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
