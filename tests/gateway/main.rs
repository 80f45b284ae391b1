//! End to end: the built gateway in its host, over real sockets or in simulated time.
//!
//! A test says what a caller sends and what bytes it gets, and what an agent sends and sees. Agents
//! are scripted, byte by byte, or capsules. No test sleeps in real time: each waits for bytes or for
//! the gateway's figures, and a deadline only turns a hang into a failure.
//!
//! | Module | What is tested |
//! |---|---|
//! | `routes` | which requests are served |
//! | `refusals` | what a request is refused for before its agent is asked |
//! | `agent_refusals` | what an agent does in place of a stream |
//! | `get_streams` | the stream without a body |
//! | `headers` | what an agent gets to see of a request |
//! | `frames` | what a caller gets of an agent's events, and when |
//! | `sse_input` | how an agent's event stream is read |
//! | `keepalives` | keepalives, and agents that are idle |
//! | `ends` | the other ends of a stream |
//! | `disconnects` | callers who leave |
//! | `slow_callers` | callers who read slowly, or not at all |
//! | `size_limits` | events that are too large |
//! | `concurrency` | how many requests an agent gets at a time |
//! | `sync_methods` | every method but `message/stream` |
//! | `registry` | agents that register, and leave |
//! | `cards` | the cards of the gateway and its agents |
//! | `metrics` | what operators see |
//! | `sockets` | what only sockets show |
//! | `capsules` | a Murmur capsule as the agent |
//! | `capsule_ends` | how its tasks end, and who hears of it |
//! | `capsule_requests` | what a capsule is asked for |
//!
//! `support` holds what they share, and `shared` what they share with the capsule's tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod agent_refusals;
mod capsule_ends;
mod capsule_requests;
mod capsules;
mod cards;
mod concurrency;
mod disconnects;
mod ends;
mod frames;
mod get_streams;
mod headers;
mod keepalives;
mod loops;
mod metrics;
mod refusals;
mod registry;
mod routes;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the capsule's tests use the rest")]
mod shared;
mod size_limits;
mod slow_callers;
mod sockets;
mod sse_input;
mod support;
mod sync_methods;
