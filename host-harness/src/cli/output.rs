//! Standard output, which may go away.

use std::io::{self, ErrorKind, Write};

/// Writes to standard output. A reader that has seen enough, as `head` has, is no error.
pub(super) fn write(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
