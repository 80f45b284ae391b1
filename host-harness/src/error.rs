//! What can go wrong with a capsule.

use crate::files::{FileError, NotAComponent, one_line};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// An error of the library.
#[derive(Debug)]
pub enum Error {
    /// The component's file could not be read.
    ReadComponent(PathBuf, FileError),
    /// The file is there, and no component.
    NotAComponent(PathBuf, NotAComponent),
    /// It is no component that this host can run: not WebAssembly, or of another world.
    LoadComponent(wasmtime::Error),
    /// It is no component that this host can call as a driver or tool.
    LoadPart(PathBuf, wasmtime::Error),
    /// It does not export what a driver or tool is called by.
    NothingToCall(PathBuf),
    /// It is to be the driver, and asks for input, which only a tool may do.
    DriverAsks(PathBuf),
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
                write!(f, "the component {} {error}", path.display())
            }
            Self::NotAComponent(path, why) => write!(f, "{} {why}", path.display()),
            Self::LoadComponent(error) => write!(
                f,
                "the component cannot be run, it has to be of the world \
                 murmur:capsule-stream/capsule-stream@0.1.0: {}",
                one_line(error)
            ),
            Self::LoadPart(path, error) => write!(
                f,
                "{} cannot be called as a driver or tool, it has to export \
                 murmur:tool/run@0.1.0 and to import nothing but WASI 0.2, murmur:text/chunks@0.1.0 \
                 and, as a tool, murmur:task/task@0.1.0: {}",
                path.display(),
                one_line(error)
            ),
            Self::NothingToCall(path) => write!(
                f,
                "{} does not export murmur:tool/run@0.1.0, by which a driver or tool is called; \
                 its world has to be that of wit/driver.wit or wit/tool.wit",
                path.display()
            ),
            Self::DriverAsks(path) => write!(
                f,
                "{} cannot be the driver: it asks for input (it imports murmur:task/task), which \
                 only a tool may do; give it as --tool NAME=FILE, beside a driver of the world of \
                 wit/driver.wit",
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
            Self::ReadComponent(_, error) => Some(error),
            Self::Listen(_, error) => Some(error),
            Self::NotAComponent(..)
            | Self::LoadComponent(_)
            | Self::LoadPart(..)
            | Self::NothingToCall(_)
            | Self::DriverAsks(_)
            | Self::Trapped(_)
            | Self::Stopped => None,
        }
    }
}
