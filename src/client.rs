//! An answer whose body is on its way.

use protocol::{Connection, Instant, Session};
use wasi::http::types::OutgoingBody;
use wasi::io::poll::Pollable;
use wasi::io::streams::{OutputStream, StreamError};

/// A client that is being answered. Its fields are in the order in which WASI lets go of
/// them: what was made from another first.
pub(crate) struct Client {
    /// Made when it is first waited for.
    pollable: Option<Pollable>,
    stream: OutputStream,
    body: OutgoingBody,
    answer: Answer,
}

enum Answer {
    /// Bytes of which so many are written.
    Bytes {
        bytes: Vec<u8>,
        written: usize,
    },
    Stream(Box<Connection>),
}

impl Client {
    pub(crate) fn of_bytes(bytes: Vec<u8>, stream: OutputStream, body: OutgoingBody) -> Self {
        Self { pollable: None, stream, body, answer: Answer::Bytes { bytes, written: 0 } }
    }

    pub(crate) fn of_connection(
        connection: Connection,
        stream: OutputStream,
        body: OutgoingBody,
    ) -> Self {
        Self { pollable: None, stream, body, answer: Answer::Stream(Box::new(connection)) }
    }

    /// Writes what the client lacks, as far as its stream takes it without waiting.
    ///
    /// # Errors
    ///
    /// The client is gone.
    pub(crate) fn write(&mut self, session: &mut Session, now: Instant) -> Result<(), StreamError> {
        while self.wants_write(session, now) {
            // A write beyond the permit would trap.
            let permit = usize::try_from(self.stream.check_write()?).unwrap_or(usize::MAX);
            if permit == 0 {
                break;
            }
            let bytes = match &mut self.answer {
                Answer::Stream(connection) => session.take(connection, now, permit),
                Answer::Bytes { bytes, written } => {
                    let start = *written;
                    *written = bytes.len().min(start + permit);
                    &bytes[start..*written]
                }
            };
            if !bytes.is_empty() {
                self.stream.write(bytes)?;
            }
        }
        Ok(())
    }

    /// Whether there is something to write at `now`.
    pub(crate) fn wants_write(&self, session: &Session, now: Instant) -> bool {
        match &self.answer {
            Answer::Stream(connection) => connection.wants_write(session, now),
            Answer::Bytes { bytes, written } => *written < bytes.len(),
        }
    }

    /// Whether all is written and the body can end.
    pub(crate) fn is_finished(&self) -> bool {
        match &self.answer {
            Answer::Stream(connection) => connection.is_finished(),
            Answer::Bytes { bytes, written } => *written == bytes.len(),
        }
    }

    pub(crate) fn next_heartbeat(&self) -> Option<Instant> {
        match &self.answer {
            Answer::Stream(connection) => connection.next_heartbeat(),
            Answer::Bytes { .. } => None,
        }
    }

    /// Ready when the stream takes bytes again. To be waited for only while there are some: a
    /// stream that nothing was written to is always ready.
    pub(crate) fn subscribe(&mut self) {
        self.pollable.get_or_insert_with(|| self.stream.subscribe());
    }

    pub(crate) fn pollable(&self) -> Option<&Pollable> {
        self.pollable.as_ref()
    }

    /// Ends the body. Without this the response counts as aborted, and what was written is lost.
    pub(crate) fn finish(self) {
        let Self { pollable, stream, body, .. } = self;
        drop(pollable);
        drop(stream);
        // It fails where the client is gone, or the length was not the announced one: both end it.
        let _ = OutgoingBody::finish(body, None);
    }
}
