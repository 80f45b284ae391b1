//! The request body: how it is framed, gathering it, `100 Continue`.

use std::io;

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, StatusCode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::chunked::Chunked;
use super::request::Stop;
use super::room::Room;

/// How much is read at once.
const READ_BYTES: usize = 8 * 1024;

/// Reads the rest of a body of which `buf` may hold the beginning.
///
/// `100 Continue` is written when the client expects it and the body is not wholly there.
pub(super) async fn read<S>(
    io: &mut S,
    mut buf: BytesMut,
    mut incoming: Incoming,
    expects_continue: bool,
    room: &mut Room,
) -> Result<Bytes, Stop>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut complete = incoming.push(&buf)?;
    room.hold(incoming.gathered.bytes.capacity())?;
    if !complete && expects_continue {
        io.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        io.flush().await?;
    }
    while !complete {
        buf.clear();
        buf.reserve(READ_BYTES);
        if io.read_buf(&mut buf).await? == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        complete = incoming.push(&buf)?;
        room.hold(incoming.gathered.bytes.capacity())?;
    }
    Ok(incoming.gathered.bytes.into())
}

/// A body on its way in.
pub(super) struct Incoming {
    framing: Framing,
    gathered: Gathered,
}

/// How the end of the body is known.
enum Framing {
    /// By its length; these bytes are missing.
    Length(usize),
    /// By its last chunk.
    Chunked(Chunked),
}

impl Incoming {
    /// The body these headers announce, of at most `limit` bytes; none announced is an empty one.
    pub(super) fn new(headers: &HeaderMap, limit: usize) -> Result<Self, StatusCode> {
        let length = content_length(headers)?;
        if headers.contains_key(TRANSFER_ENCODING) {
            if length.is_some() {
                return Err(StatusCode::BAD_REQUEST);
            }
            only_chunked(headers)?;
            return Ok(Self {
                framing: Framing::Chunked(Chunked::default()),
                gathered: Gathered::up_to(limit),
            });
        }
        let length = length.unwrap_or(0);
        match usize::try_from(length) {
            Ok(length) if length <= limit => {
                Ok(Self { framing: Framing::Length(length), gathered: Gathered::up_to(length) })
            }
            _ => Err(StatusCode::PAYLOAD_TOO_LARGE),
        }
    }

    /// Takes what came; true when the body is complete. What comes after its end is ignored.
    fn push(&mut self, input: &[u8]) -> Result<bool, StatusCode> {
        match &mut self.framing {
            Framing::Length(missing) => {
                let taken = input.len().min(*missing);
                self.gathered.append(&input[..taken]);
                *missing -= taken;
                Ok(*missing == 0)
            }
            Framing::Chunked(chunked) => chunked.push(input, &mut self.gathered),
        }
    }
}

/// The bytes of a body so far. They grow as they come, never by what the client only announces,
/// and hold no more than the most they can become.
pub(crate) struct Gathered {
    pub(crate) bytes: Vec<u8>,
    limit: usize,
}

impl Gathered {
    /// Nothing yet, and at most `limit` bytes in the end.
    pub(crate) fn up_to(limit: usize) -> Self {
        let bytes = Vec::new();
        Self { bytes, limit }
    }

    /// How many more bytes there may be.
    pub(super) fn room(&self) -> usize {
        self.limit - self.bytes.len()
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Adds `more`, which the caller has measured against [`Gathered::room`].
    pub(super) fn append(&mut self, more: &[u8]) {
        let needed = self.bytes.len() + more.len();
        if needed > self.bytes.capacity() {
            // Doubling as a `Vec` does, but not past the limit.
            let target = needed.max(self.limit.min(self.bytes.capacity() * 2));
            self.bytes.reserve_exact(target - self.bytes.len());
        }
        self.bytes.extend_from_slice(more);
    }
}

/// The content length, which may be repeated but not contradicted. More than a `u64` holds is as
/// good as its maximum: over any limit.
fn content_length(headers: &HeaderMap) -> Result<Option<u64>, StatusCode> {
    let mut length = None;
    for value in headers.get_all(CONTENT_LENGTH) {
        for item in value.as_bytes().split(|&byte| byte == b',') {
            let item = item.trim_ascii();
            if item.is_empty() || !item.iter().all(u8::is_ascii_digit) {
                return Err(StatusCode::BAD_REQUEST);
            }
            let item = item.iter().fold(0_u64, |sum, digit| {
                sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
            });
            if length.replace(item).is_some_and(|before| before != item) {
                return Err(StatusCode::BAD_REQUEST);
            }
        }
    }
    Ok(length)
}

/// Whether `transfer-encoding` names the chunked coding, once, and no other.
fn only_chunked(headers: &HeaderMap) -> Result<(), StatusCode> {
    let mut codings = headers
        .get_all(TRANSFER_ENCODING)
        .iter()
        .flat_map(|value| value.as_bytes().split(|&byte| byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|coding| !coding.is_empty());
    match (codings.next(), codings.next()) {
        (None, _) => Err(StatusCode::BAD_REQUEST),
        (Some(coding), None) if coding.eq_ignore_ascii_case(b"chunked") => Ok(()),
        _ => Err(StatusCode::NOT_IMPLEMENTED),
    }
}
