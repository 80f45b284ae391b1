//! A caller's request.

use crate::wait::Signal;
use wasi::http::types::{IncomingRequest, Method};
use wasi::io::streams::StreamError;

/// How much of a body is read in one call, in bytes.
const READ_BYTES: u64 = 64 * 1024;

/// Why there is no body.
pub(crate) enum NoBody {
    TooLong,
    /// It broke off: nobody is left to answer.
    Broken,
}

/// The method's name.
pub(crate) fn method(request: &IncomingRequest) -> String {
    match request.method() {
        Method::Get => "GET".into(),
        Method::Post => "POST".into(),
        Method::Delete => "DELETE".into(),
        Method::Head => "HEAD".into(),
        Method::Put => "PUT".into(),
        Method::Patch => "PATCH".into(),
        Method::Options => "OPTIONS".into(),
        Method::Connect => "CONNECT".into(),
        Method::Trace => "TRACE".into(),
        Method::Other(name) => name,
    }
}

/// The URL under which the caller reaches the gateway, as far as it said.
pub(crate) fn base_url(request: &IncomingRequest) -> String {
    format!("http://{}", request.authority().unwrap_or_default())
}

/// The whole body, of at most `max_bytes`.
pub(crate) async fn body(request: &IncomingRequest, max_bytes: u64) -> Result<Vec<u8>, NoBody> {
    let body = request.consume().map_err(|()| NoBody::Broken)?;
    let stream = body.stream().map_err(|()| NoBody::Broken)?;
    let arrived = Signal::new(stream.subscribe());
    let mut received = Vec::new();
    loop {
        match stream.read(READ_BYTES) {
            Ok(bytes) if bytes.is_empty() => arrived.ready().await,
            Ok(bytes) => received.extend_from_slice(&bytes),
            Err(StreamError::Closed) => return Ok(received),
            Err(StreamError::LastOperationFailed(_)) => return Err(NoBody::Broken),
        }
        if received.len() as u64 > max_bytes {
            return Err(NoBody::TooLong);
        }
    }
}
