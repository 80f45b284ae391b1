//! Standard output, which may go away or be full.

use super::CliResult;
use std::io::{self, ErrorKind, Write};

/// Writes to standard output.
pub(super) fn write(bytes: &[u8]) -> CliResult {
    written(io::stdout().lock().write_all(bytes))
}

/// What came of writing to standard output, once all of it is out. A reader that has seen enough,
/// as `head` has, is no error.
pub(super) fn written(result: io::Result<()>) -> CliResult {
    match result.and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("the output could not be written: {error}").into())
        }
        _ => Ok(()),
    }
}
