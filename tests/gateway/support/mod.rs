//! What the gateway's tests share. No rule of the gateway lives here.

mod agent;
mod answers;
mod caller;
mod capsules;
mod gateway;
mod network;
mod requests;
mod wire;

pub(crate) use crate::shared::client::{Client, PATIENCE, SIMULATED_PATIENCE};
pub(crate) use crate::shared::{STREAM_HEAD, json_answer};
pub(crate) use agent::{Agent, EVENT_STREAM, Exchange};
pub(crate) use answers::{Answer, TOO_MANY, http_error, rpc_error};
pub(crate) use caller::Caller;
pub(crate) use capsules::{names, payload, queueing_capsule, run_next};
pub(crate) use gateway::{Setup, TestGateway, simulated, simulated_with};
pub(crate) use requests::{
    ID, STREAM, call_body, delete, get, rpc, rpc_to, rpc_with, send_json, stream_of,
};
pub(crate) use wire::Writes;

use std::time::Duration;
use tokio::time::Instant;

/// So many seconds.
pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Expects that it is so many seconds since `begun`, in simulated time, to the milliseconds that
/// its timers count in.
#[track_caller]
pub(crate) fn assert_seconds_since(begun: Instant, expected: u64) {
    let elapsed = begun.elapsed();
    let expected = seconds(expected);
    assert!(elapsed >= expected, "too early: {elapsed:?}");
    assert!(elapsed < expected + Duration::from_millis(100), "too late: {elapsed:?}");
}

/// Expects that `future` ends within a second.
pub(crate) async fn within_a_second<F: Future>(what: &str, future: F) -> F::Output {
    let ended = tokio::time::timeout(seconds(1), future).await;
    ended.unwrap_or_else(|_| panic!("{what}: not within a second"))
}
