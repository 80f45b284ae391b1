//! Connections of agents, in memory or on a socket, and one that shows how it is written to.

use crate::shared::client::Stream;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::net::TcpStream;

/// The agent's end of a connection.
pub(super) enum Wire {
    Simulated(DuplexStream),
    Socket(TcpStream),
}

impl Wire {
    pub(super) fn io(&mut self) -> &mut dyn Stream {
        match self {
            Self::Simulated(io) => io,
            Self::Socket(io) => io,
        }
    }

    /// Breaks the connection: the other side sees an error, not an end.
    pub(super) fn reset(self) {
        match self {
            Self::Simulated(_) => panic!("only a socket can be reset"),
            Self::Socket(io) => io.set_zero_linger().unwrap(),
        }
    }
}

/// A server's end of a connection, which keeps what each write to it held.
pub(crate) struct Writes {
    io: DuplexStream,
    writes: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Writes {
    pub(crate) fn new(io: DuplexStream) -> (Self, Arc<Mutex<Vec<Vec<u8>>>>) {
        let writes = Arc::default();
        (Self { io, writes: Arc::clone(&writes) }, writes)
    }
}

impl AsyncRead for Writes {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl AsyncWrite for Writes {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(cx, bytes);
        if let Poll::Ready(Ok(length)) = written {
            self.writes.lock().unwrap().push(bytes[..length].to_vec());
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
