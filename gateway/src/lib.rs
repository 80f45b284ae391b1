//! `a2a_gateway.wasm`: an A2A gateway as a WASI 0.2 component, one short-lived instance a request.
//!
//! What the gateway says is in [`protocol::a2a`]. Here bytes and time are moved between it, WASI and
//! the imports of `wit/gateway`:
//!
//! | Module | What it holds |
//! |---|---|
//! | `bindings` | the world of `wit/gateway/world.wit` in Rust |
//! | `handler` | `wasi:http/incoming-handler`: a request, and what it leads to |
//! | `request`, `respond` | a caller's request and its answer, as bytes |
//! | `agent_request` | what goes to an agent: the checks, the slot, the query |
//! | `relay` | the gateway's half of a stream: from its channel to the caller |
//! | `subscriber` | the virtual subscriber: queries, synchronous requests |
//! | `subscriber_stream` | the virtual subscriber's half of a stream: from the agent to the channel |
//! | `agent` | HTTP to agents |
//! | `wait` | waiting for one of several things |
//!
//! On any other target than WebAssembly this crate is empty.

#![cfg(target_family = "wasm")]

mod agent;
mod agent_request;
mod bindings;
mod handler;
mod relay;
mod request;
mod respond;
mod subscriber;
mod subscriber_stream;
mod wait;

struct Component;
