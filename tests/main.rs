//! End to end: the built component in the host, over real sockets or in simulated time.
//!
//! A test says what a client sends and what bytes it gets; the agent loop is the test itself,
//! through the capsule's feed. No test sleeps in real time: each waits for bytes or for the
//! capsule's figures, and a deadline only turns a hang into a failure.
//!
//! | Module | What is tested |
//! |---|---|
//! | `heads` | which requests are served, and the exact heads of the answers |
//! | `json_rpc` | the envelope, and `task_acceptance: none` |
//! | `message_stream` | what a submitter gets, in order |
//! | `capacity` | `rejected`, a full queue, and a queue that fails |
//! | `closing` | which frames close a `message/stream` |
//! | `stream_watch` | what a watcher gets, in order, and how its stream ends |
//! | `replay` | `Last-Event-ID`, `gap`, the buffer's limits |
//! | `heartbeats` | when heartbeats come |
//! | `slow_clients` | clients that do not read, or are gone |
//! | `bodies` | request bodies over a socket |
//! | `slow_bodies` | request bodies that come into the component piece by piece |
//! | `waits` | a tool that waits for input: answers, timeouts, cancels |
//! | `cancels` | when a cancel takes effect, and what `tasks/cancel` answers |
//! | `reopens` | attempts at a task that was reopened |
//! | `failures` | tasks that end badly, and one whose end nobody reports |
//! | `queue` | tasks that wait for one another, and who sees what of them |
//! | `holds` | work that holds the thread, and work that only waits |
//! | `agent_card` | the agent card over HTTP |
//! | `lifetimes` | attempts, inference calls and input waits: their ends, their counters |
//! | `transcripts` | every shipped scenario, byte for byte, against `transcripts/` |
//! | `readme` | the README's table of rules names tests that exist |
//! | `drivers` | a driver that is a component: what reaches the stream, and how it fails |
//! | `tools` | tools that are components: their results, failures and questions |
//! | `component_limits` | what stops them, what they can reach, and every WASI 0.2 they import |
//! | `composed` | the stream, a driver and tools as one component |
//!
//! `support` holds what they share.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod agent_card;
mod bodies;
mod cancels;
mod capacity;
mod closing;
mod component_limits;
mod composed;
mod drivers;
mod failures;
mod heads;
mod heartbeats;
mod holds;
mod json_rpc;
mod lifetimes;
mod memory;
mod message_stream;
mod queue;
mod readme;
mod reopens;
mod replay;
mod slow_bodies;
mod slow_clients;
mod stream_watch;
mod support;
mod tools;
mod transcripts;
mod waits;
