//! An answer whose body is on its way.

use crate::waiting::Share;
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
    pub(crate) share: Share,
    /// Whether it did not take anything while it had the time to.
    pub(crate) stalled: bool,
}

/// What a client is answered.
pub(crate) enum Answer {
    /// Bytes of which so many are written.
    Bytes {
        bytes: Vec<u8>,
        written: usize,
    },
    Stream(Box<Connection>),
}

impl Answer {
    pub(crate) fn bytes(bytes: Vec<u8>) -> Self {
        Self::Bytes { bytes, written: 0 }
    }

    /// How many bytes wait to be written that no other client shares.
    pub(crate) fn own_bytes(&self) -> usize {
        match self {
            Self::Bytes { bytes, .. } => bytes.len(),
            Self::Stream(connection) => connection.own_bytes(),
        }
    }
}

impl Client {
    pub(crate) fn new(
        answer: Answer,
        share: Share,
        stream: OutputStream,
        body: OutgoingBody,
    ) -> Self {
        Self { pollable: None, stream, body, answer, share, stalled: false }
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
                self.stalled = false;
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

    /// Whether it has to be given up: see [`Connection::is_overtaken`].
    pub(crate) fn is_overtaken(&self, session: &Session) -> bool {
        match &self.answer {
            Answer::Stream(connection) => connection.is_overtaken(session),
            Answer::Bytes { .. } => false,
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
