//! The world of `wit/gateway/world.wit`, from the host's side.

#![allow(missing_docs, reason = "generated: the WIT files hold the documentation")]

wasmtime::component::bindgen!({
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
    imports: { default: trappable },
    exports: { default: async },
    with: {
        "wasi:io": wasmtime_wasi::p2::bindings::io,
        "wasi:clocks": wasmtime_wasi::p2::bindings::clocks,
        "wasi:http": wasmtime_wasi_http::p2::bindings::http,
        "a2a:gateway/channels.subscription": super::channels::Subscription,
        "a2a:gateway/channels.publisher": super::channels::Publisher,
        "a2a:gateway/queries.asked": super::queries::Asked,
        "a2a:gateway/queries.reply": super::queries::Reply,
        "a2a:gateway/slots.slot": super::limits::Slot,
        "a2a:gateway/counters.active-stream": super::limits::ActiveStream,
    },
});
