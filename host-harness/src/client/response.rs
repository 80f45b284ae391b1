//! The answer: its head, and its body in pieces.

use super::Error;
use super::framing::Framing;
use super::head::{self, Head};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::net::TcpStream;

/// How much is read at once.
const READ_BYTES: usize = 8 * 1024;

/// An answer whose head was read. Dropping it closes the connection.
pub struct Response<S = TcpStream> {
    io: S,
    head: Head,
    framing: Framing,
    /// What was read and not decoded yet.
    unread: BytesMut,
}

impl<S: AsyncRead + Unpin> Response<S> {
    pub(super) async fn read_head(mut io: S) -> Result<Self, Error> {
        let mut unread = BytesMut::with_capacity(READ_BYTES);
        let head = head::read(&mut io, &mut unread).await?;
        let framing = Framing::of(&head)?;
        Ok(Self { io, head, framing, unread })
    }

    /// The next piece of the body, never empty, as soon as there is one; `None` at its end.
    ///
    /// Dropping the future loses nothing: the next call goes on.
    ///
    /// # Errors
    ///
    /// The connection broke, ended before the body did, or what came is not in the coding that the
    /// head announced. A body without a length ends with the connection, which is no error.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            if matches!(self.framing, Framing::Complete) {
                return Ok(None);
            }
            let piece = self.framing.decode(&mut self.unread)?;
            if !piece.is_empty() {
                return Ok(Some(piece));
            }
            if matches!(self.framing, Framing::Complete | Framing::Malformed) {
                continue;
            }
            self.unread.reserve(READ_BYTES);
            if self.io.read_buf(&mut self.unread).await.map_err(Error::Receive)? == 0 {
                self.framing.end()?;
            }
        }
    }

    /// The rest of the body, of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// Those of [`Response::piece`], and [`Error::BodyTooLarge`].
    pub async fn body(&mut self, limit: usize) -> Result<Vec<u8>, Error> {
        let mut body = Vec::new();
        while let Some(piece) = self.piece().await? {
            if piece.len() > limit - body.len() {
                return Err(Error::BodyTooLarge(limit));
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}

impl<S> Response<S> {
    /// The status.
    pub fn status(&self) -> StatusCode {
        self.head.status
    }

    /// The status line as it came, without its line end: `HTTP/1.1 404 Not Found`.
    pub fn status_line(&self) -> &str {
        &self.head.status_line
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }
}
