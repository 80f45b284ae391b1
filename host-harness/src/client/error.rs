//! What can go wrong with a request.

use super::head::{HEAD_BYTES, HEADERS};
use super::{ANSWER_TIME, Address};
use std::fmt;
use std::io;

/// Why there is no answer, or not all of it.
#[derive(Debug)]
pub enum Error {
    /// No connection could be made.
    Connect(Address, io::Error),
    /// No connection was made within [`ANSWER_TIME`].
    ConnectTimeout(Address),
    /// A connection was made, and no answer came within [`ANSWER_TIME`], or not all of a call's.
    AnswerTimeout(Address),
    /// The connection broke while the request was sent.
    Send(io::Error),
    /// The connection broke while the answer was read.
    Receive(io::Error),
    /// The connection was closed without a byte of an answer.
    NoAnswer,
    /// The connection was closed inside the head of the answer.
    HeadCutShort,
    /// The head of the answer has more than 64 KiB.
    HeadTooLarge,
    /// The head of the answer has more than 128 headers.
    TooManyHeaders,
    /// What came is no head of an HTTP/1 answer.
    NotHttp,
    /// The `content-length` of the answer is no number, or several.
    ContentLength,
    /// The `transfer-encoding` of the answer is not `chunked` alone.
    TransferEncoding,
    /// The connection was closed inside the body of the answer.
    BodyCutShort,
    /// The body is not in the chunked coding that the head announced.
    BodyMalformed,
    /// The body has more than so many bytes.
    BodyTooLarge(usize),
}

impl Error {
    /// Whether a connection was made and ended, for no fault in what was said on it.
    pub fn is_lost_connection(&self) -> bool {
        matches!(
            self,
            Self::Send(_)
                | Self::Receive(_)
                | Self::NoAnswer
                | Self::HeadCutShort
                | Self::BodyCutShort
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(address, error) => write!(
                f,
                "cannot connect to {address}: {error}; is the capsule running, and is this its \
                 address?"
            ),
            Self::ConnectTimeout(address) => write!(
                f,
                "cannot connect to {address}: no answer within {} s; is this its address?",
                ANSWER_TIME.as_secs()
            ),
            Self::AnswerTimeout(address) => {
                write!(f, "{address}: no answer within {} s", ANSWER_TIME.as_secs())
            }
            Self::Send(error) => write!(f, "the request could not be sent: {error}"),
            Self::Receive(error) => write!(f, "the connection broke: {error}"),
            Self::NoAnswer => f.write_str("the connection was closed without an answer"),
            Self::HeadCutShort => {
                f.write_str("the connection was closed in the middle of the answer's head")
            }
            Self::HeadTooLarge => write!(f, "the answer's head has more than {HEAD_BYTES} bytes"),
            Self::TooManyHeaders => {
                write!(f, "the answer's head has more than {HEADERS} headers")
            }
            Self::NotHttp => {
                f.write_str("what answers does not speak HTTP/1.1; is this a capsule's address?")
            }
            Self::ContentLength => f.write_str("the answer has a content-length that is no number"),
            Self::TransferEncoding => {
                f.write_str("the answer has a transfer-encoding other than chunked")
            }
            Self::BodyCutShort => {
                f.write_str("the connection was closed in the middle of the answer's body")
            }
            Self::BodyMalformed => f.write_str("the answer's chunked body is malformed"),
            Self::BodyTooLarge(limit) => {
                write!(f, "the answer's body has more than {limit} bytes")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Connect(_, error) | Self::Send(error) | Self::Receive(error) => Some(error),
            _ => None,
        }
    }
}
