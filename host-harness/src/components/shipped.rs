//! The driver and the tools that are built with this crate: for tests, and to try things with.

use std::path::Path;

/// `scripted_driver.wasm`: does what the task's message tells it, one step a line (see
/// `components/scripted-driver`).
#[must_use]
pub fn scripted_driver() -> &'static Path {
    Path::new(env!("SCRIPTED_DRIVER_WASM"))
}

/// `scripted_tool.wasm`: does what its input tells it (see `components/scripted-tool`).
#[must_use]
pub fn scripted_tool() -> &'static Path {
    Path::new(env!("SCRIPTED_TOOL_WASM"))
}

/// `ask_tool.wasm`: asks for input and answers with what it got (see `components/ask-tool`).
#[must_use]
pub fn ask_tool() -> &'static Path {
    Path::new(env!("ASK_TOOL_WASM"))
}
