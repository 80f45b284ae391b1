//! `capsule_stream.wasm`: the event stream of an agent's capsule as a WASI 0.2 component.
//!
//! What the stream says is in the crate [`protocol`]. Here bytes and time are moved between it and
//! WASI, on one thread, in one instance that lives as long as the capsule:
//!
//! | Module | What it holds |
//! |---|---|
//! | `bindings` | the world of `wit/world.wit` in Rust |
//! | `state` | the instance's state: session, clients, requests on their way |
//! | `handler` | `wasi:http/incoming-handler`: a request's head, and its answer |
//! | `arrival` | a request whose body is on its way |
//! | `client` | an answer whose body is on its way |
//! | `feed` | `feed` and `murmur:text/chunks`: what the agent loop tells the stream |
//! | `tasks` | what the stream asks of the agent loop |
//! | `pump` | the one loop that writes and waits |
//! | `waiting` | the memory of what waits for clients |
//! | `stats` | figures for operators |
//!
//! On any other target than WebAssembly this crate is empty.

#![cfg(target_family = "wasm")]

mod arrival;
mod bindings;
mod client;
mod feed;
mod handler;
mod pump;
mod state;
mod stats;
mod tasks;
mod waiting;

struct Component;
