//! How agents are reached.

use bytes::Bytes;
use http::Uri;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Incoming;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::DuplexStream;
use tokio::task::JoinSet;
use wasmtime_wasi_http::io::TokioIo;
use wasmtime_wasi_http::{Error, RequestOptions, WasiHttpHooks, default_send_request};

/// The most that a body's stream takes in one write, in bytes.
const WRITE_BYTES: usize = 64 * 1024;

/// Reaches agents in another way than through TCP.
pub trait Connect: Send + Sync + 'static {
    /// The gateway's end of a connection to `authority`, the host and port of the agent's URL.
    ///
    /// # Errors
    ///
    /// The agent cannot be reached.
    fn connect(&self, authority: &str) -> io::Result<DuplexStream>;
}

/// Outgoing HTTP of the gateway's component.
pub(super) struct Egress(pub(super) Option<Arc<dyn Connect>>);

type WasiBody = UnsyncBoxBody<Bytes, Error>;
type Transmitted = Box<dyn Future<Output = Result<(), Error>> + Send>;
type Sent = Result<(http::Response<WasiBody>, Transmitted), Error>;

impl WasiHttpHooks for Egress {
    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        WRITE_BYTES
    }

    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Transmitted,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        match self.0.clone() {
            Some(connect) => Box::new(send_through(connect, request)),
            None => Box::new(async move {
                let (response, transmitted) = default_send_request(request, options).await?;
                let transmitted: Transmitted = Box::new(transmitted);
                Ok((response.map(BodyExt::boxed_unsync), transmitted))
            }),
        }
    }
}

async fn send_through(connect: Arc<dyn Connect>, mut request: http::Request<WasiBody>) -> Sent {
    let uri = request.uri();
    let authority = uri.authority().ok_or(Error::HttpRequestUriInvalid)?;
    let stream = connect.connect(authority.as_str()).map_err(Error::Connect)?;
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = path.parse::<Uri>().map_err(|_| Error::HttpRequestUriInvalid)?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    // With the answer's body the connection goes, and before that with this future.
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "an agent's connection broke");
        }
    });
    let response = sender.send_request(request).await?;
    let body = |incoming| ConnectionBody { incoming, _driver: driver }.boxed_unsync();
    Ok((response.map(body), Box::new(std::future::ready(Ok(())))))
}

/// A body with the connection that it comes through.
struct ConnectionBody {
    incoming: Incoming,
    _driver: JoinSet<()>,
}

impl Body for ConnectionBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let frame = ready!(Pin::new(&mut self.incoming).poll_frame(cx));
        Poll::Ready(frame.map(|frame| frame.map_err(Error::from)))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
