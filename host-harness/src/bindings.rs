//! The world of `wit/world.wit`, from the host's side.

#![allow(missing_docs, reason = "generated: the WIT files hold the documentation")]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "murmur:capsule-stream/capsule-stream",
    exports: { default: async },
    with: {
        "wasi:io": wasmtime_wasi::p2::bindings::io,
        "wasi:clocks": wasmtime_wasi::p2::bindings::clocks,
        "wasi:http": wasmtime_wasi_http::p2::bindings::http,
    },
});
