//! The HTTP/1.1 front: one request a connection, and every answer closes it.
//!
//! A guest of WASI HTTP chooses neither the framing of its answer nor its `connection` header,
//! and the capsule's stream has an exact head whose body is delimited by the close. So the host
//! reads the request and writes the answer itself. Nothing here knows wasmtime: the front is
//! generic over the stream and over the [`Handler`].
//!
//! | File | What is in it |
//! |---|---|
//! | `accept.rs` | the accept loop, one task a connection |
//! | `limits.rs` | what a client may send, and how long it may take |
//! | `room.rs` | the memory that all bodies share |
//! | `request.rs` | a whole request, or the reason why there is none |
//! | `head.rs` | the request line and the headers |
//! | `body.rs` | the body: how it is framed, gathering it, `100 Continue` |
//! | `chunked.rs` | the chunked coding, decoded as it comes |
//! | `handler.rs` | what answers: the capsule |
//! | `response.rs` | the answer's bytes: the event stream, every other answer, the refusals |

mod accept;
pub(crate) mod body;
pub(crate) mod chunked;
mod handler;
mod head;
mod limits;
mod request;
mod response;
mod room;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;

pub use accept::accept_loop;
pub use handler::{Handler, HandlerGone};
pub use limits::Limits;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use request::Stop;
use room::Room;

/// What the connections of a socket share: their limits, and the memory of their bodies. Cheap to
/// clone.
#[derive(Clone, Debug)]
pub struct Front {
    limits: Limits,
    bodies: Arc<Semaphore>,
}

impl Front {
    /// A front with these limits.
    pub fn new(limits: Limits) -> Self {
        let bodies = Semaphore::new(limits.bodies_bytes.min(Semaphore::MAX_PERMITS));
        Self { limits, bodies: Arc::new(bodies) }
    }

    /// Reads one request from `io`, has `handler` answer it, writes the answer and closes.
    ///
    /// Returns when the connection is done, however it ended; nothing a client does is an error of
    /// the caller's. Dropping the future closes the connection at once.
    pub async fn serve_connection<S, H>(&self, mut io: S, handler: &H)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
        H: Handler,
    {
        match self.answer(&mut io, handler).await {
            Ok(()) => close(&mut io, &self.limits).await,
            Err(error) => tracing::debug!(%error, "the client is gone"),
        }
    }

    /// Says that there are too many connections, and closes.
    async fn refuse_connection<S: AsyncRead + AsyncWrite + Unpin>(&self, mut io: S) {
        if response::refuse(&mut io, StatusCode::SERVICE_UNAVAILABLE).await.is_ok() {
            close(&mut io, &self.limits).await;
        }
    }

    /// The request and its answer. An error says that the client is not there to read more.
    async fn answer<S, H>(&self, io: &mut S, handler: &H) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
        H: Handler,
    {
        let mut room = Room::of(&self.bodies);
        let request = match request::read(io, &self.limits, &mut room).await {
            Ok(request) => request,
            Err(Stop::Refuse(status)) => {
                tracing::debug!(%status, "request refused");
                return response::refuse(io, status).await;
            }
            Err(Stop::Gone(error)) => return Err(error),
        };
        let head_only = request.method() == Method::HEAD;
        // Whatever loses here and below is dropped: with a client that is gone, its request and its
        // answer go at once.
        let response = tokio::select! {
            gone = client_gone(io, &self.limits) => return Err(gone),
            response = handler.handle(request) => response,
        };
        drop(room);
        let response = match response {
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(%error, "request not answered");
                return response::refuse(io, StatusCode::SERVICE_UNAVAILABLE).await;
            }
        };
        let (mut from_client, mut to_client) = tokio::io::split(io);
        tokio::select! {
            gone = client_gone(&mut from_client, &self.limits) => Err(gone),
            sent = response::write(&mut to_client, response, head_only, &self.limits) => sent,
        }
    }
}

/// How long a client that ended its side has for its answer, where that says that it is gone.
const HALF_CLOSED: Duration = Duration::from_millis(500);

/// Waits for the connection to break. What the client still sends is discarded. The end of what it
/// sends is only a half-close, and it may go on reading, unless [`Limits::half_close`] says no.
async fn client_gone(from_client: &mut (impl AsyncRead + Unpin), limits: &Limits) -> io::Error {
    let mut discarded = [0; 256];
    loop {
        match from_client.read(&mut discarded).await {
            Ok(0) if limits.half_close => std::future::pending().await,
            Ok(0) => {
                sleep(HALF_CLOSED).await;
                return io::ErrorKind::UnexpectedEof.into();
            }
            Ok(_) => {}
            Err(error) => return error,
        }
    }
}

/// Ends the answer, then lingers: closing a socket with unread bytes resets the connection, and
/// a reset can overtake an answer that the client has not read yet.
async fn close<S: AsyncRead + AsyncWrite + Unpin>(io: &mut S, limits: &Limits) {
    let linger = async {
        io.shutdown().await?;
        let mut unread = io.take(limits.linger_bytes as u64);
        tokio::io::copy(&mut unread, &mut tokio::io::sink()).await
    };
    if let Ok(Err(error)) = timeout(limits.linger, linger).await {
        tracing::debug!(%error, "connection broken while closing");
    }
}
