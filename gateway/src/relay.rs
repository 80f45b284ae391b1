//! The gateway's half of a stream: from its channel to the caller (details page, sections 4 to 7).

use crate::bindings::a2a::gateway::channels::{Next, Subscription};
use crate::bindings::a2a::gateway::queries::{self, Query};
use crate::bindings::a2a::gateway::slots::Slot;
use crate::bindings::a2a::gateway::{caller, counters};
use crate::respond::{Body, Unwritten};
use crate::wait::{Signal, first_of, nanos, now};
use protocol::a2a::{AgentId, Envelope, GatewayError, KEEPALIVE, StreamClock};
use std::time::Duration;
use wasi::http::types::ResponseOutparam;

/// The head of a stream, beside its status.
const HEADERS: [(&str, &str); 2] =
    [("content-type", "text/event-stream"), ("cache-control", "no-cache")];

/// How long a caller may read nothing while frames wait for it, or as long as its agent may be silent,
/// if that is longer.
const STALLED: Duration = Duration::from_secs(300);

/// How long a cancel may take.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

/// A stream whose agent has accepted.
pub(crate) struct Relay<'a> {
    pub(crate) agent: &'a AgentId,
    pub(crate) stream_id: String,
    pub(crate) subscription: Subscription,
    pub(crate) slot: Slot,
}

/// How a stream ends.
enum End {
    /// Its terminal frame was written.
    Terminal,
    /// The caller left, or does not read.
    Gone,
    /// The gateway ends it.
    Error(GatewayError),
}

impl Relay<'_> {
    /// Sends the head, and relays up to the end.
    pub(crate) async fn run(self, out: ResponseOutparam, max_idle: Duration) {
        let active = counters::ActiveStream::new(self.agent.as_str());
        let Some(mut body) = Body::begin(out, 200, &HEADERS) else {
            return;
        };
        let end = self.frames(&mut body, max_idle).await;
        if let End::Error(error) = &end {
            let frame = Envelope::from(*error).to_frame(&self.stream_id);
            // It may be written, or not: the stream ends.
            let _ = body.write(&frame, [], Duration::from_secs(1)).await;
        }
        let Self { agent, stream_id, subscription, slot } = self;
        // Before the end of the body, so that whoever sees that finds them free.
        drop((slot, active));
        match end {
            End::Terminal | End::Error(GatewayError::EndedEarly) => body.finish(),
            End::Gone => {
                drop(body);
                cancel(agent, stream_id, subscription).await;
            }
            End::Error(_) => {
                body.finish();
                cancel(agent, stream_id, subscription).await;
            }
        }
    }

    async fn frames(&self, body: &mut Body, max_idle: Duration) -> End {
        let gone = Signal::new(caller::gone());
        let shutting_down = Signal::new(caller::shutting_down());
        let published = Signal::new(self.subscription.subscribe());
        // Nobody reads for so long: nobody is there.
        let patience = max_idle.max(STALLED);
        let mut clock = StreamClock::new(now(), max_idle);
        let mut timer = (clock.next_deadline(), Signal::at(clock.next_deadline()));
        loop {
            let bytes = match self.subscription.next() {
                Next::Frames(frames) => {
                    clock.heard(now());
                    match body.write(&frames.bytes, [&gone, &shutting_down], patience).await {
                        Ok(()) if frames.terminal => return End::Terminal,
                        Ok(()) => clock.wrote(now()),
                        // In the middle of a frame, no other can be written.
                        Err(Unwritten::Gone | Unwritten::Stopped) => return End::Gone,
                    }
                    continue;
                }
                Next::Heard => {
                    clock.heard(now());
                    continue;
                }
                Next::Closed => return End::Error(GatewayError::EndedEarly),
                Next::Nothing if clock.is_idle(now()) => {
                    return End::Error(GatewayError::IdleTimeout);
                }
                Next::Nothing if clock.keepalive_due(now()) => KEEPALIVE,
                Next::Nothing => {
                    if timer.0 != clock.next_deadline() {
                        timer = (clock.next_deadline(), Signal::at(clock.next_deadline()));
                    }
                    match first_of([&gone, &published, &shutting_down, &timer.1]).await {
                        0 => return End::Gone,
                        2 => return End::Error(GatewayError::ShuttingDown),
                        _ => continue,
                    }
                }
            };
            // A caller who does not read does not keep an idle agent.
            let idle = Duration::from_nanos(clock.idle_at().0.saturating_sub(now().0));
            match body.write(bytes, [&gone, &shutting_down], idle).await {
                Ok(()) => clock.wrote(now()),
                Err(_) => return End::Gone,
            }
        }
    }
}

/// Has the virtual subscriber drop its agent's connection. Without this the host does, once the
/// subscription has gone.
pub(crate) async fn cancel(agent: &AgentId, stream_id: String, subscription: Subscription) {
    let query = Query {
        agent_id: agent.to_string(),
        method: "stream_cancel".to_owned(),
        stream_id: Some(stream_id),
        body: Vec::new(),
        headers: Vec::new(),
        context_id: None,
    };
    let asked = queries::ask(&query, nanos(CANCEL_TIMEOUT));
    Signal::new(asked.subscribe()).ready().await;
    drop(subscription);
}
