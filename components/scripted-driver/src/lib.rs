//! `scripted_driver.wasm`: a driver that needs no network. It does what the task's message tells
//! it, one step a line:
//!
//! | Step | What the driver does |
//! |---|---|
//! | `think TEXT`, `say TEXT` | emits a chunk of the reasoning, or of the reply |
//! | `wait MS`, `compute MS` | waits without computing, or computes without waiting |
//! | `show KEY` | emits what its input has under that key, as JSON, as a chunk of the reply |
//! | `call TOOL INPUT` | asks for a tool call with that JSON as its input |
//! | `turn` | ends the turn; what follows is for the next one |
//! | `end [TEXT]` | ends with this reply, or else with what was said |
//! | `error TEXT`, `max-tokens` | ends with that stop reason |
//! | `not-json TEXT`, `no-data`, `failed TEXT` | ends with a result that is no response |
//! | `trap`, `spin`, `grow` | traps, computes for ever, takes memory for ever |
//!
//! A script that ends without any of the last four rows' steps ends with what was said. A message
//! whose first word is no step is answered with itself, word by word.
//!
//! On any other target than WebAssembly this crate is empty.

#![cfg(target_family = "wasm")]

mod bindings;
mod response;
mod script;
mod work;

struct Component;
