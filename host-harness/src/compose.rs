//! Composition: one component made of the stream, a driver and tools.
//!
//! What they import of `murmur:text/chunks` is the stream's export, inside the component. The
//! composition exports what the stream does, the driver's `murmur:tool/run@0.1.0`, and each tool's
//! as `tool-NAME`. Its parts share one store, one thread and one fate: while a driver or tool runs,
//! only what it emits is written, and one that traps takes the capsule with it.
//!
//! A tool that asks for input cannot be composed in WASI 0.2: while it waits, the thread is held,
//! and its answer could not come in.

use crate::files::one_line;
use std::fmt;
use wac_graph::types::{Package, Types, World};
use wac_graph::{CompositionGraph, EncodeOptions, NodeId, PackageId};

const CHUNKS: &str = "murmur:text/chunks@0.1.0";
/// How the interface begins that only a tool may import.
pub(crate) const TASK: &str = "murmur:task/task@";
/// What a driver and a tool export.
pub(crate) const RUN: &str = "murmur:tool/run@0.1.0";
/// What a tool's export is called, before its name.
pub(crate) const TOOL_PREFIX: &str = "tool-";

/// Why parts cannot be composed.
#[derive(Debug)]
pub enum ComposeError {
    /// This part is no component.
    NoComponent(String, String),
    /// This part does not export what it is there for.
    ExportMissing(String, &'static str),
    /// This tool asks for input.
    AsksForInput(String),
    /// The driver asks for input, which only a tool may do.
    DriverAsks,
    /// A composition cannot have a tool of this name.
    ToolName(String, String),
    /// They do not fit together.
    Graph(String),
}

/// The driver and tools that a composition is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedParts {
    /// The tools' names.
    pub tools: Vec<String>,
}

/// Composes the component that serves the stream with a driver, and with tools by their names.
///
/// # Errors
///
/// See [`ComposeError`].
pub fn compose(
    stream: &[u8],
    driver: &[u8],
    tools: &[(String, Vec<u8>)],
) -> Result<Vec<u8>, ComposeError> {
    let mut graph = CompositionGraph::new();
    let stream_package = package(&mut graph, "stream", stream, CHUNKS)?;
    let exports: Vec<_> = world(&graph, stream_package).exports.keys().cloned().collect();
    let stream = graph.instantiate(stream_package);
    for name in exports {
        export(&mut graph, stream, &name, &name)?;
    }
    add(&mut graph, stream, "driver", driver, RUN).map_err(ComposeError::of_driver)?;
    for (name, tool) in tools {
        add(&mut graph, stream, name, tool, &format!("{TOOL_PREFIX}{name}"))?;
    }
    graph.encode(EncodeOptions::default()).map_err(|error| ComposeError::Graph(one_line(error)))
}

/// What a component has beside the stream, where it is a composition.
#[must_use]
pub fn composed_parts(component: &[u8]) -> Option<ComposedParts> {
    let mut types = Types::default();
    let package = Package::from_bytes("component", None, component, &mut types).ok()?;
    let exports = &types[package.ty()].exports;
    if !exports.contains_key(RUN) || !exports.contains_key(CHUNKS) {
        return None;
    }
    let tools = exports.keys().filter_map(|name| name.strip_prefix(TOOL_PREFIX));
    Some(ComposedParts { tools: tools.map(str::to_owned).collect() })
}

/// The names of what a component imports.
///
/// # Errors
///
/// [`ComposeError::NoComponent`].
pub fn imports(component: &[u8]) -> Result<Vec<String>, ComposeError> {
    let mut types = Types::default();
    let package = Package::from_bytes("component", None, component, &mut types)
        .map_err(|error| ComposeError::NoComponent("component".into(), one_line(error)))?;
    Ok(types[package.ty()].imports.keys().cloned().collect())
}

/// Adds a driver or tool whose export is called `as_name`.
fn add(
    graph: &mut CompositionGraph,
    stream: NodeId,
    name: &str,
    bytes: &[u8],
    as_name: &str,
) -> Result<(), ComposeError> {
    // Drivers and tools have package names of their own, whatever they are called.
    let number = graph.packages().count();
    let package = package(graph, &format!("part-{number}"), bytes, RUN).map_err(|e| e.of(name))?;
    let imports = &world(graph, package).imports;
    if imports.keys().any(|import| import.starts_with(TASK)) {
        return Err(ComposeError::AsksForInput(name.to_owned()));
    }
    let emits = imports.contains_key(CHUNKS);
    let part = graph.instantiate(package);
    if emits {
        let chunks = graph.alias_instance_export(stream, CHUNKS);
        let chunks = chunks.map_err(|error| ComposeError::Graph(error.to_string()))?;
        let set = graph.set_instantiation_argument(part, CHUNKS, chunks);
        set.map_err(|error| ComposeError::Graph(error.to_string()))?;
    }
    export(graph, part, RUN, as_name)
        .map_err(|error| ComposeError::ToolName(name.to_owned(), error.to_string()))
}

fn package(
    graph: &mut CompositionGraph,
    name: &str,
    bytes: &[u8],
    required: &'static str,
) -> Result<PackageId, ComposeError> {
    let package = Package::from_bytes(&format!("capsule:{name}"), None, bytes, graph.types_mut())
        .map_err(|error| ComposeError::NoComponent(name.to_owned(), one_line(error)))?;
    if !graph.types()[package.ty()].exports.contains_key(required) {
        return Err(ComposeError::ExportMissing(name.to_owned(), required));
    }
    graph.register_package(package).map_err(|error| ComposeError::Graph(error.to_string()))
}

fn world(graph: &CompositionGraph, package: PackageId) -> &World {
    &graph.types()[graph[package].ty()]
}

fn export(
    graph: &mut CompositionGraph,
    instance: NodeId,
    name: &str,
    as_name: &str,
) -> Result<(), ComposeError> {
    let node = graph.alias_instance_export(instance, name);
    let node = node.map_err(|error| ComposeError::Graph(error.to_string()))?;
    graph.export(node, as_name).map_err(|error| ComposeError::Graph(one_line(error)))
}

impl ComposeError {
    /// The same error, of the part of this name.
    fn of(self, name: &str) -> Self {
        match self {
            Self::NoComponent(_, why) => Self::NoComponent(name.to_owned(), why),
            Self::ExportMissing(_, what) => Self::ExportMissing(name.to_owned(), what),
            other => other,
        }
    }

    /// The same error, of the driver.
    fn of_driver(self) -> Self {
        match self {
            Self::AsksForInput(_) => Self::DriverAsks,
            other => other,
        }
    }
}

impl fmt::Display for ComposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoComponent(part, why) => write!(f, "`{part}` is no component: {why}"),
            Self::ExportMissing(part, what) => write!(f, "`{part}` does not export {what}"),
            Self::AsksForInput(part) => write!(
                f,
                "`{part}` asks for input (it imports murmur:task/task) and cannot be composed: in \
                 WASI 0.2 its answer could not come in while it waits. Give it a store of its own \
                 beside the composition: capsule serve --component FILE.wasm --tool {part}=FILE.wasm"
            ),
            Self::DriverAsks => f.write_str(
                "the driver asks for input (it imports murmur:task/task), which only a tool may \
                 do: if it is a tool, give --driver a component of the world of wit/driver.wit, \
                 and this one a store of its own beside the composition: capsule serve --component \
                 FILE.wasm --tool NAME=FILE.wasm",
            ),
            Self::ToolName(name, why) => write!(
                f,
                "a composition cannot have a part called `{name}`, its tools have different names \
                 of lower-case words, digits and hyphens: {why}"
            ),
            Self::Graph(why) => write!(f, "the parts do not fit together: {why}"),
        }
    }
}

impl std::error::Error for ComposeError {}
