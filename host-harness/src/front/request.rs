//! A whole request, or the reason why there is none.

use std::io;

use bytes::{Bytes, BytesMut};
use http::header::EXPECT;
use http::{Request, StatusCode, Version};
use http_body_util::Full;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::body::{self, Incoming};
use super::room::Room;
use super::{Limits, head};

/// Why a request does not reach the handler.
#[derive(Debug)]
pub(super) enum Stop {
    /// The client is told with this status.
    Refuse(StatusCode),
    /// The client is gone, or ended in the middle of its request: closed without a word.
    Gone(io::Error),
}

impl From<StatusCode> for Stop {
    fn from(status: StatusCode) -> Self {
        Self::Refuse(status)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Gone(error)
    }
}

/// Reads a request, head and body, and answers its `Expect`.
///
/// `room` is where the body has its place. The read buffer does not outlive this function: a
/// connection that streams holds none.
pub(super) async fn read<S>(
    io: &mut S,
    limits: &Limits,
    room: &mut Room,
) -> Result<Request<Full<Bytes>>, Stop>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut buf = BytesMut::new();
    let head = timeout(limits.head_timeout, head::read(io, &mut buf, limits.head_bytes))
        .await
        .unwrap_or(Err(StatusCode::REQUEST_TIMEOUT.into()))?;
    let incoming = Incoming::new(head.headers(), limits.body_bytes)?;
    let expects_continue = expects_continue(&head)?;
    let body = timeout(limits.body_timeout, body::read(io, buf, incoming, expects_continue, room))
        .await
        .unwrap_or(Err(StatusCode::REQUEST_TIMEOUT.into()))?;
    Ok(head.map(|()| Full::new(body)))
}

/// Whether the client waits for `100 Continue`. HTTP/1.0 has no `Expect`: there it means nothing.
fn expects_continue(head: &Request<()>) -> Result<bool, StatusCode> {
    if head.version() < Version::HTTP_11 {
        return Ok(false);
    }
    let mut expects = false;
    for value in head.headers().get_all(EXPECT) {
        if !value.as_bytes().eq_ignore_ascii_case(b"100-continue") {
            return Err(StatusCode::EXPECTATION_FAILED);
        }
        expects = true;
    }
    Ok(expects)
}
