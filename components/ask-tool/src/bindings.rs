//! The world `tool` of `wit/tool.wit` in Rust.

#![allow(
    missing_docs,
    unsafe_code,
    unreachable_pub,
    reason = "generated: the WIT files hold the documentation, and the ABI is unsafe"
)]

use crate::Component;

wit_bindgen::generate!({
    path: "../../wit",
    world: "murmur:capsule-stream/tool",
    generate_all,
});

export!(Component with_types_in self);
