//! Builds the components for `wasm32-wasip2` into a target directory of their own, so that
//! `cargo run` and `cargo test` need no other step.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the components are made of, from the workspace's root.
const SOURCES: [&str; 7] =
    ["Cargo.toml", "Cargo.lock", "src", "gateway", "components", "protocol", "wit"];

/// The packages, and the variable in which this crate's code finds the file made of each.
const COMPONENTS: [(&str, &str); 5] = [
    ("capsule-stream", "CAPSULE_STREAM_WASM"),
    ("a2a-gateway", "A2A_GATEWAY_WASM"),
    ("scripted-driver", "SCRIPTED_DRIVER_WASM"),
    ("scripted-tool", "SCRIPTED_TOOL_WASM"),
    ("ask-tool", "ASK_TOOL_WASM"),
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    match build(&root) {
        Ok(directory) => {
            for (package, variable) in COMPONENTS {
                let file = directory.join(package.replace('-', "_")).with_extension("wasm");
                println!("cargo::rustc-env={variable}={}", file.display());
            }
        }
        Err(message) => println!("cargo::error={message}"),
    }
}

fn build(root: &Path) -> Result<PathBuf, String> {
    let out_dir = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let target_dir = Path::new(&out_dir).join("components");
    let cargo = env::var_os("CARGO").ok_or("cargo sets CARGO")?;
    let status = Command::new(cargo)
        .args(["build", "--locked", "--profile", "component", "--target", "wasm32-wasip2"])
        .args(COMPONENTS.iter().flat_map(|(package, _)| ["--package", package]))
        .arg("--target-dir")
        .arg(&target_dir)
        .current_dir(root)
        // What the outer build was told is about another target, or about a linter.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .status()
        .map_err(|error| format!("cargo could not be started for the components: {error}"))?;
    if !status.success() {
        return Err("the components did not build; if its target is missing, run \
                    `rustup target add wasm32-wasip2`"
            .into());
    }
    Ok(target_dir.join("wasm32-wasip2/component"))
}
