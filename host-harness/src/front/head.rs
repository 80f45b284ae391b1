//! The request head: the request line and the headers.

use std::io;

use bytes::{Buf, BytesMut};
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, Uri, Version};
use httparse::Status;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::request::Stop;

/// Headers a request may have. One more is a 431.
const HEADERS: usize = 128;

/// How much room a read has. A usual head fits in one.
const READ_BYTES: usize = 1024;

/// Reads a head of at most `limit` bytes. What the client sent after it stays in `buf`.
pub(super) async fn read<R>(
    io: &mut R,
    buf: &mut BytesMut,
    limit: usize,
) -> Result<Request<()>, Stop>
where
    R: AsyncRead + Unpin,
{
    let mut room = limit;
    let mut tried = false;
    while room > 0 {
        buf.reserve(READ_BYTES);
        let old = buf.len();
        let new = (&mut *io).take(room as u64).read_buf(buf).await?;
        if new == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        room -= new;
        let line_ended = buf[old..].contains(&b'\n');
        skip_empty_lines(buf);
        // Parsing begins anew each time, so it is not done for every byte that trickles in. The
        // first bytes are parsed to tell at once a peer that does not speak HTTP.
        if buf.is_empty() || (tried && !line_ended) {
            continue;
        }
        tried = true;
        if let Some((head, length)) = parse(buf)? {
            buf.advance(length);
            return Ok(head);
        }
    }
    Err(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE.into())
}

/// Empty lines before the request line are allowed. They count against the limit.
fn skip_empty_lines(buf: &mut BytesMut) {
    loop {
        if buf.starts_with(b"\r\n") {
            buf.advance(2);
        } else if buf.starts_with(b"\n") {
            buf.advance(1);
        } else {
            return;
        }
    }
}

/// The head at the start of `bytes` and its length, or `None` while it is not complete.
fn parse(bytes: &[u8]) -> Result<Option<(Request<()>, usize)>, StatusCode> {
    let mut slots = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut slots);
    let length = match parsed.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        }
        Err(_) => return Err(StatusCode::BAD_REQUEST),
    };
    let head = convert(&parsed).ok_or(StatusCode::BAD_REQUEST)?;
    Ok(Some((head, length)))
}

/// `None` when a part is well-formed to httparse but not to `http`.
fn convert(parsed: &httparse::Request<'_, '_>) -> Option<Request<()>> {
    let mut head = Request::new(());
    *head.method_mut() = Method::from_bytes(parsed.method?.as_bytes()).ok()?;
    *head.uri_mut() = Uri::try_from(parsed.path?).ok()?;
    *head.version_mut() = match parsed.version? {
        0 => Version::HTTP_10,
        _ => Version::HTTP_11,
    };
    for header in parsed.headers.iter() {
        let name = HeaderName::from_bytes(header.name.as_bytes()).ok()?;
        let value = HeaderValue::from_bytes(header.value).ok()?;
        head.headers_mut().try_append(name, value).ok()?;
    }
    Some(head)
}
