//! Drivers and tools that are components: loaded from files, and called in stores of their own
//! (`wit/driver.wit`, `wit/tool.wit`).
//!
//! Every call has an instance and a store of its own, so that one call leaves nothing behind for
//! the next, and one that traps, computes for ever or takes memory without end is stopped alone.
//! All of WASI 0.2 is there for it: no directories, no sockets, the environment variables that were
//! chosen, and outgoing HTTP to the hosts that are allowed.
//!
//! | Module | What it holds |
//! |---|---|
//! | [`runtime`] | the engine and its settings, and a component that was loaded |
//! | [`settings`] | what can be chosen |
//! | [`allowed_hosts`] | which hosts outgoing HTTP may reach |
//! | [`shipped`] | the components that are built with this crate |
//! | `call` | one call, from the instance to its result |
//! | `host`, `bindings` | what the store holds, and the world in Rust |
//! | `input` | how a tool's question comes to the task that it runs for |
//! | `meter`, `ticker` | how long a call computes, and what stops it |
//! | `memory` | how much memory a call takes |

pub mod allowed_hosts;
mod bindings;
mod call;
mod host;
mod input;
mod memory;
mod meter;
pub mod runtime;
pub mod settings;
pub mod shipped;
mod ticker;

pub use allowed_hosts::AllowedHost;
pub(crate) use runtime::interruptible_engine;
pub use runtime::{ComponentRuntime, RunComponent};
pub use settings::ComponentSettings;

pub(crate) use allowed_hosts::Egress;
pub(crate) use bindings::exports::murmur::tool::run::{Status, ToolInput, ToolResult};
pub(crate) use call::CallError;
pub(crate) use input::Asks;
pub(crate) use memory::MemoryLimit;
pub(crate) use meter::Meter;
pub(crate) use ticker::{Ticker, Ticking};
