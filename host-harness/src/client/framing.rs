//! Where a body ends: at its length, at its last chunk, or with the connection (RFC 9112,
//! section 6.3).

use super::Error;
use super::head::Head;
use crate::front::body::Gathered;
use crate::front::chunked::Chunked;
use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, StatusCode};

/// What is known of the rest of a body.
pub(super) enum Framing {
    /// So many bytes are missing.
    Length(u64),
    /// It goes on until its last chunk.
    Chunked(Box<Chunked>),
    /// It goes on until the connection ends.
    Close,
    /// It has ended.
    Complete,
    /// A chunk was malformed.
    Malformed,
}

impl Framing {
    pub(super) fn of(head: &Head) -> Result<Self, Error> {
        if matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
            return Ok(Self::Complete);
        }
        if head.headers.contains_key(TRANSFER_ENCODING) {
            return if only_chunked(&head.headers) {
                Ok(Self::Chunked(Box::default()))
            } else {
                Err(Error::TransferEncoding)
            };
        }
        Ok(match content_length(&head.headers)? {
            Some(0) => Self::Complete,
            Some(length) => Self::Length(length),
            None => Self::Close,
        })
    }

    /// Takes what is in `input` and gives what it decodes to.
    pub(super) fn decode(&mut self, input: &mut BytesMut) -> Result<Bytes, Error> {
        match self {
            Self::Length(missing) => {
                let taken = usize::try_from(*missing).map_or(input.len(), |n| n.min(input.len()));
                *missing -= taken as u64;
                if *missing == 0 {
                    *self = Self::Complete;
                }
                Ok(input.split_to(taken).freeze())
            }
            Self::Chunked(chunked) => {
                let mut decoded = Gathered::up_to(usize::MAX);
                match chunked.push(&input.split(), &mut decoded) {
                    Ok(false) => {}
                    Ok(true) => *self = Self::Complete,
                    // What was good comes first.
                    Err(_) => *self = Self::Malformed,
                }
                Ok(decoded.bytes.into())
            }
            Self::Close => Ok(input.split().freeze()),
            Self::Complete => Ok(Bytes::new()),
            Self::Malformed => Err(Error::BodyMalformed),
        }
    }

    /// What the end of the connection means.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        match self {
            Self::Close | Self::Complete => {
                *self = Self::Complete;
                Ok(())
            }
            Self::Length(_) | Self::Chunked(_) => Err(Error::BodyCutShort),
            Self::Malformed => Err(Error::BodyMalformed),
        }
    }
}

/// The content length, which may be repeated but not contradicted.
fn content_length(headers: &HeaderMap) -> Result<Option<u64>, Error> {
    let mut length = None;
    for value in headers.get_all(CONTENT_LENGTH) {
        for item in value.as_bytes().split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
            // A sign is no digit, though `parse` takes one.
            let digits = item.iter().all(u8::is_ascii_digit);
            let number = str::from_utf8(item).ok().and_then(|text| text.parse().ok());
            let number = number.filter(|_| digits).ok_or(Error::ContentLength)?;
            if length.replace(number).is_some_and(|before| before != number) {
                return Err(Error::ContentLength);
            }
        }
    }
    Ok(length)
}

/// Whether `transfer-encoding` names the chunked coding, once, and no other.
fn only_chunked(headers: &HeaderMap) -> bool {
    let mut codings = headers
        .get_all(TRANSFER_ENCODING)
        .iter()
        .flat_map(|value| value.as_bytes().split(|&byte| byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|coding| !coding.is_empty());
    codings.next().is_some_and(|coding| coding.eq_ignore_ascii_case(b"chunked"))
        && codings.next().is_none()
}
