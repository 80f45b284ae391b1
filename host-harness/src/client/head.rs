//! The head of an answer: the status line and the headers.

use super::Error;
use bytes::{Buf, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use httparse::Status;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes that a head may have, and with it the interim answers before it.
pub(super) const HEAD_BYTES: usize = 64 * 1024;

/// Headers that an answer may have.
pub(super) const HEADERS: usize = 128;

pub(super) struct Head {
    pub(super) status: StatusCode,
    pub(super) status_line: String,
    pub(super) headers: HeaderMap,
}

/// Reads the head of the final answer. What came after it stays in `buf`.
pub(super) async fn read(
    io: &mut (impl AsyncRead + Unpin),
    buf: &mut BytesMut,
) -> Result<Head, Error> {
    let mut room = HEAD_BYTES;
    let mut nothing_came = true;
    while room > 0 {
        let old = buf.len();
        let new = (&mut *io).take(room as u64).read_buf(buf).await.map_err(Error::Receive)?;
        if new == 0 {
            return Err(if nothing_came { Error::NoAnswer } else { Error::HeadCutShort });
        }
        room -= new;
        // Parsing begins anew each time, so it is not done for every byte that trickles in. The
        // first bytes are parsed to tell at once a peer that does not speak HTTP.
        if nothing_came || buf.iter().skip(old).any(|&byte| byte == b'\n') {
            nothing_came = false;
            while let Some((head, length)) = parse(buf)? {
                buf.advance(length);
                // An interim answer, such as `100 Continue`.
                if !head.status.is_informational() || head.status == StatusCode::SWITCHING_PROTOCOLS
                {
                    return Ok(head);
                }
            }
        }
    }
    Err(Error::HeadTooLarge)
}

/// The head at the start of `bytes` and its length, or `None` while it is not complete.
fn parse(bytes: &[u8]) -> Result<Option<(Head, usize)>, Error> {
    let mut slots = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Response::new(&mut slots);
    let length = match parsed.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Error::TooManyHeaders),
        Err(_) => return Err(Error::NotHttp),
    };
    let head = convert(&parsed, bytes.get(..length).unwrap_or_default()).ok_or(Error::NotHttp)?;
    Ok(Some((head, length)))
}

/// `None` when a part is well-formed to httparse but not to `http`.
fn convert(parsed: &httparse::Response<'_, '_>, bytes: &[u8]) -> Option<Head> {
    let mut headers = HeaderMap::new();
    for header in parsed.headers.iter() {
        let name = HeaderName::from_bytes(header.name.as_bytes()).ok()?;
        let value = HeaderValue::from_bytes(header.value).ok()?;
        headers.try_append(name, value).ok()?;
    }
    let first_line = bytes.trim_ascii_start().split(|&byte| byte == b'\n').next()?;
    let status_line = String::from_utf8_lossy(first_line.trim_ascii_end()).into_owned();
    Some(Head { status: StatusCode::from_u16(parsed.code?).ok()?, status_line, headers })
}
