//! The world `tool` of `wit/tool.wit`, from the host's side. A driver's is a part of it.

#![allow(missing_docs, reason = "generated: the WIT files hold the documentation")]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "murmur:capsule-stream/tool",
    imports: { default: async | trappable },
    exports: { default: async },
});
