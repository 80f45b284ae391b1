//! What can go wrong with a capsule.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// An error of the library.
#[derive(Debug)]
pub enum Error {
    /// The component's file could not be read.
    ReadComponent(PathBuf, io::Error),
    /// It is no component that this host can run: not WebAssembly, or of another world.
    LoadComponent(wasmtime::Error),
    /// It is no component that this host can call as a driver or tool.
    LoadPart(PathBuf, wasmtime::Error),
    /// The address could not be listened on.
    Listen(String, io::Error),
    /// The component trapped. The capsule is gone.
    Trapped(wasmtime::Error),
    /// The capsule was stopped before this could be done.
    Stopped,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadComponent(path, error) => {
                write!(f, "the component {} could not be read: {error}", path.display())
            }
            Self::LoadComponent(error) => write!(
                f,
                "the component cannot be run, it has to be of the world \
                 murmur:capsule-stream/capsule-stream@0.1.0: {error:#}"
            ),
            Self::LoadPart(path, error) => write!(
                f,
                "{} cannot be called as a driver or tool, it has to export \
                 murmur:tool/run@0.1.0 and to import nothing but WASI 0.2, murmur:text/chunks@0.1.0 \
                 and, as a tool, murmur:task/task@0.1.0: {error:#}",
                path.display()
            ),
            Self::Listen(address, error) => write!(f, "cannot listen on {address}: {error}"),
            Self::Trapped(error) => write!(f, "the component trapped: {error:#}"),
            Self::Stopped => f.write_str("the capsule was stopped"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::ReadComponent(_, error) | Self::Listen(_, error) => Some(error),
            Self::LoadComponent(_) | Self::LoadPart(..) | Self::Trapped(_) | Self::Stopped => None,
        }
    }
}
