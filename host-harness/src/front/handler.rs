//! What answers a request: the capsule.

use std::error::Error;
use std::fmt;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;

/// Answers one request. Implemented by the capsule's handle.
///
/// The request has every header as it was sent, repeated ones in order, and its whole body,
/// decoded. Of the answer the front takes the status, the headers and the body; `connection`,
/// `transfer-encoding` and the place of `content-length` are the front's.
///
/// A handler that fails answers with a 500 of its own. A body that fails before any of it is
/// written becomes a 500 too, unless it is an event stream, whose head does not wait.
pub trait Handler: Clone + Send + Sync + 'static {
    /// The answer's body. Dropped as soon as the client is known to be gone; not polled while
    /// the client is slow to read.
    type Body: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static;

    /// Answers `request`.
    ///
    /// # Errors
    ///
    /// [`HandlerGone`] when there is nobody to answer any more. The client gets a 503.
    fn handle(
        &self,
        request: Request<Full<Bytes>>,
    ) -> impl Future<Output = Result<Response<Self::Body>, HandlerGone>> + Send;
}

/// The capsule behind a [`Handler`] has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandlerGone;

impl fmt::Display for HandlerGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the capsule has ended")
    }
}

impl Error for HandlerGone {}
