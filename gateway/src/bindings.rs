//! The world of `wit/gateway/world.wit` in Rust. WASI's own types are those of the `wasi` crate.

#![allow(
    missing_docs,
    unsafe_code,
    unreachable_pub,
    reason = "generated: the WIT files hold the documentation, and the ABI is unsafe"
)]

use crate::Component;

wit_bindgen::generate!({
    path: [
        "../wit/deps/wasi-io.wit",
        "../wit/deps/wasi-clocks.wit",
        "../wit/deps/wasi-random.wit",
        "../wit/deps/wasi-filesystem.wit",
        "../wit/deps/wasi-sockets.wit",
        "../wit/deps/wasi-cli.wit",
        "../wit/deps/wasi-http.wit",
        "../wit/gateway",
    ],
    world: "a2a:gateway/gateway",
    generate_all,
    with: {
        "wasi:io/poll@0.2.12": wasi::io::poll,
        "wasi:io/streams@0.2.12": wasi::io::streams,
        "wasi:io/error@0.2.12": wasi::io::error,
        "wasi:clocks/monotonic-clock@0.2.12": wasi::clocks::monotonic_clock,
        "wasi:http/types@0.2.12": wasi::http::types,
        "wasi:http/outgoing-handler@0.2.12": wasi::http::outgoing_handler,
    },
});

export!(Component with_types_in self);
