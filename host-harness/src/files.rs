//! Files that a user names: only regular ones are read, and no more than a file of their kind may
//! hold. A device or a pipe would be read without end, or waited for.

use crate::Error;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Bytes that a component's file may have: 256 MiB, far more than any needs.
pub const COMPONENT_BYTES: u64 = 256 * 1024 * 1024;

const MIB: u64 = 1024 * 1024;

/// How WebAssembly begins, and what says then that it is a component or a core module.
const MAGIC: &[u8] = b"\0asm";
const COMPONENT: &[u8] = b"\x0d\0\x01\0";
const CORE_MODULE: &[u8] = b"\x01\0\0\0";

/// Why a file is not read. Displayed, it goes on after the file's name.
#[derive(Debug)]
pub enum FileError {
    /// The system says why.
    Unreadable(io::Error),
    /// It is a directory.
    Directory,
    /// It is a device, a pipe or a socket.
    NotRegular,
    /// It has more than so many bytes.
    TooLarge(u64),
}

/// Why the contents of a file are no component. Displayed, it goes on after the file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAComponent {
    /// They do not begin as WebAssembly does.
    NotWasm,
    /// They are a module that was not made into a component.
    CoreModule,
    /// They are of a version of the format that this program does not know.
    Version,
}

/// Reads the regular file at `path`, of at most `most` bytes.
///
/// # Errors
///
/// See [`FileError`].
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    // Before it is opened: opening a pipe waits for whoever writes it.
    let kind = fs::metadata(path).map_err(FileError::Unreadable)?.file_type();
    if kind.is_dir() {
        return Err(FileError::Directory);
    }
    if !kind.is_file() {
        return Err(FileError::NotRegular);
    }
    let mut bytes = Vec::new();
    File::open(path)
        // One byte more than allowed tells a file that is too large, whatever its metadata says.
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
        .map_err(FileError::Unreadable)?;
    if bytes.len() as u64 > most {
        return Err(FileError::TooLarge(most));
    }
    Ok(bytes)
}

/// Reads the file of a component, of at most [`COMPONENT_BYTES`].
///
/// # Errors
///
/// [`Error::ReadComponent`], [`Error::NotAComponent`].
pub fn read_component(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = read(path, COMPONENT_BYTES);
    let bytes = bytes.map_err(|error| Error::ReadComponent(path.to_owned(), error))?;
    match not_a_component(&bytes) {
        Some(why) => Err(Error::NotAComponent(path.to_owned(), why)),
        None => Ok(bytes),
    }
}

fn not_a_component(bytes: &[u8]) -> Option<NotAComponent> {
    match bytes.strip_prefix(MAGIC) {
        None => Some(NotAComponent::NotWasm),
        Some(rest) if rest.starts_with(COMPONENT) => None,
        Some(rest) if rest.starts_with(CORE_MODULE) => Some(NotAComponent::CoreModule),
        Some(_) => Some(NotAComponent::Version),
    }
}

/// An error of another library as one line, which those of parsers are not always.
pub(crate) fn one_line(error: impl fmt::Display) -> String {
    format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ")
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Self::Directory => f.write_str("is a directory, not a file"),
            Self::NotRegular => f.write_str("is not a regular file"),
            Self::TooLarge(most) => {
                write!(f, "is larger than {} MiB, the most that it may hold", most / MIB)
            }
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(error) => Some(error),
            Self::Directory | Self::NotRegular | Self::TooLarge(_) => None,
        }
    }
}

impl fmt::Display for NotAComponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not a WebAssembly component: ")?;
        f.write_str(match self {
            Self::NotWasm => {
                "it does not begin as WebAssembly does; give a .wasm file that was built for the \
                 target wasm32-wasip2"
            }
            Self::CoreModule => {
                "it is a core module; make a component of it with `wasm-tools component new`, or \
                 build it for the target wasm32-wasip2"
            }
            Self::Version => {
                "it is of an unknown version of the format; build it for the target wasm32-wasip2"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_have_as_many_bytes_as_the_limit_and_no_more() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), [b'x'; 10]).unwrap();
        assert_eq!(read(file.path(), 10).unwrap(), [b'x'; 10]);
        assert!(matches!(read(file.path(), 9), Err(FileError::TooLarge(9))));
        let told = FileError::TooLarge(COMPONENT_BYTES).to_string();
        assert_eq!(told, "is larger than 256 MiB, the most that it may hold");
    }

    #[test]
    fn a_component_is_told_from_what_is_none_by_its_first_bytes() {
        for (bytes, why) in [
            (b"".as_slice(), Some(NotAComponent::NotWasm)),
            (b"(component)", Some(NotAComponent::NotWasm)),
            (b"\0asm", Some(NotAComponent::Version)),
            (b"\0asm\x0e\0\x01\0", Some(NotAComponent::Version)),
            (b"\0asm\x01\0\0\0", Some(NotAComponent::CoreModule)),
            (b"\0asm\x0d\0\x01\0", None),
        ] {
            assert_eq!(not_a_component(bytes), why, "{bytes:?}");
        }
    }

    #[test]
    fn an_error_of_several_lines_becomes_one() {
        assert_eq!(one_line("bad number [\n    0x0,\n    0x61,\n]"), "bad number [ 0x0, 0x61, ]");
    }
}
