//! `scripted_tool.wasm`: a tool that does what its input tells it, one step after another:
//! `{"do": ["say Counting", "return 3 files"]}`.
//!
//! | Step | What the tool does |
//! |---|---|
//! | `say TEXT`, `think TEXT` | emits a chunk |
//! | `wait MS` | waits, without computing |
//! | `get URL` | makes an HTTP request; ends with the answer's body, or with the error |
//! | `env NAME` | ends with an environment variable |
//! | `return TEXT`, `part TEXT` | ends with this result, whole or truncated |
//! | `summary TEXT`, `nothing` | ends with a summary only, or with nothing at all |
//! | `fail TEXT`, `error TEXT` | ends with that status |
//! | `trap`, `spin`, `grow` | traps, computes for ever, takes memory for ever |
//!
//! On any other target than WebAssembly this crate is empty.

#![cfg(target_family = "wasm")]

mod bindings;
mod http;
mod work;

struct Component;
