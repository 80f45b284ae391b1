//! Runs a capsule's event stream: loads the component `capsule_stream.wasm`, serves it on a socket
//! and gives an agent loop the handles to feed it.
//!
//! ```no_run
//! # async fn example() -> Result<(), host_harness::Error> {
//! use host_harness::{Capsule, TaskAcceptance};
//!
//! let acceptance = TaskAcceptance::Queue { depth: 16 };
//! let mut capsule = Capsule::builder().task_acceptance(acceptance).start().await?;
//! println!("serving on {}", capsule.listen("127.0.0.1:0").await?);
//!
//! let agent = capsule.handle();
//! while let Some(task) = agent.next_task().await {
//!     let mut attempt = task.begin_attempt().await?;
//!     let inference = attempt.begin_turn().await?;
//!     attempt.text(format!("You said: {}", task.text())).await?;
//!     inference.returned().await?;
//!     attempt.completed(format!("You said: {}", task.text())).await?;
//! }
//! # Ok(()) }
//! ```
//!
//! | Module | What it holds |
//! |---|---|
//! | [`capsule`], [`builder`], [`settings`] | a running capsule, and how it is started |
//! | [`feed`], [`task`] | what an agent loop holds |
//! | [`component`], `cwasm` | the component, compiled, and kept between runs |
//! | `actor`, `guest`, `host`, `bindings` | the one task that owns the store, and what is in it |
//! | `inbox`, `command` | what the actor is told, and the queue that it comes through |
//! | `tasks` | which task runs and which ones wait |
//! | [`front`] | HTTP/1.1 on a socket |
//! | [`scenario`], [`agent`] | the simulated agent, and what it plays |
//! | [`client`], [`watch`] | the other end: requests, and what a stream looks like to a person |
//! | [`components`], [`turn_loop`] | drivers and tools that are components, and the agent made of them |
//! | [`compose`], `composed` | the stream, a driver and tools as one component, and its parts' calls |
//! | [`gateway`] | the A2A gateway |
//! | [`files`] | the files that a user names: what is read, and how much of it |
//! | [`frames`] | a scenario's bytes in simulated time, without a component |

mod actor;
pub mod agent;
mod bindings;
pub mod builder;
pub mod capsule;
pub mod client;
mod command;
pub mod component;
pub mod components;
pub mod compose;
mod composed;
mod cwasm;
mod error;
pub mod feed;
pub mod files;
pub mod frames;
pub mod front;
pub mod gateway;
mod guest;
mod host;
mod inbox;
mod lock;
pub mod scenario;
pub mod settings;
mod stats;
pub mod task;
mod tasks;
pub mod turn_loop;
pub mod watch;

pub use builder::CapsuleBuilder;
pub use capsule::{Capsule, CapsuleHandle};
pub use component::StreamComponent;
pub use error::Error;
pub use feed::{Attempt, FeedHandle, Inference, InputWait};
pub use protocol::{Artifact, Chunk, ConversationMode, HookArtifact, TaskSnapshot, TaskState};
pub use settings::{FixedIds, TaskAcceptance};
pub use stats::Stats;
pub use task::{AcceptedTask, InputOutcome};
