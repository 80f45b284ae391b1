//! HTTP to agents.

use crate::wait::Signal;
use protocol::a2a::registry::AgentUrl;
use wasi::http::outgoing_handler;
use wasi::http::types::{
    ErrorCode, Fields, IncomingBody, IncomingResponse, Method, OutgoingBody, OutgoingRequest,
    RequestOptions, Scheme,
};
use wasi::io::streams::{InputStream, StreamError};

/// How much of an answer is read in one call, in bytes.
const READ_BYTES: u64 = 64 * 1024;

/// How long a connection may take, in nanoseconds.
const CONNECT_TIMEOUT: u64 = 10_000_000_000;
/// The other timeouts are the gateway's own: more than a year, in nanoseconds.
const NEVER: u64 = 1 << 55;

/// The answer of an agent. Its fields are in the order in which WASI lets go of them: what was made
/// from another first. Dropping it closes the connection.
pub(crate) struct Response {
    arrived: Signal,
    stream: InputStream,
    _body: IncomingBody,
    response: IncomingResponse,
}

/// What has come of an answer.
pub(crate) enum Read {
    Bytes(Vec<u8>),
    /// Nothing yet.
    Nothing,
    /// Its end.
    End,
    /// The connection broke before.
    Broken,
}

/// Why there is no whole answer.
pub(crate) enum NotWhole {
    TooLarge,
    Broken,
}

/// Sends a POST, and waits for the head of the answer. Dropping the future closes the connection.
///
/// # Errors
///
/// Why there is no answer.
pub(crate) async fn post(
    url: &AgentUrl,
    headers: &[(String, Vec<u8>)],
    body: &[u8],
) -> Result<Response, String> {
    let (request, outgoing) = request(url, headers, body).ok_or("the request cannot be made")?;
    let options = RequestOptions::new();
    let _ = options.set_connect_timeout(Some(CONNECT_TIMEOUT));
    let _ = options.set_first_byte_timeout(Some(NEVER));
    let _ = options.set_between_bytes_timeout(Some(NEVER));
    let answer = outgoing_handler::handle(request, Some(options)).map_err(describe)?;
    // It fails where the agent answers before it has read everything: the answer says why.
    write(outgoing, body).await;
    Signal::new(answer.subscribe()).ready().await;
    let response = match answer.get() {
        Some(Ok(Ok(response))) => response,
        Some(Ok(Err(error))) => return Err(describe(error)),
        Some(Err(())) | None => return Err("no answer".into()),
    };
    let body = response.consume().map_err(|()| "no body")?;
    let stream = body.stream().map_err(|()| "no body")?;
    Ok(Response { arrived: Signal::new(stream.subscribe()), stream, _body: body, response })
}

fn request(
    url: &AgentUrl,
    headers: &[(String, Vec<u8>)],
    body: &[u8],
) -> Option<(OutgoingRequest, OutgoingBody)> {
    let fields = Fields::from_list(headers).ok()?;
    fields.set("content-length", &[body.len().to_string().into_bytes()]).ok()?;
    let request = OutgoingRequest::new(fields);
    let scheme = if url.is_https() { Scheme::Https } else { Scheme::Http };
    request.set_method(&Method::Post).ok()?;
    request.set_scheme(Some(&scheme)).ok()?;
    request.set_authority(Some(url.authority())).ok()?;
    request.set_path_with_query(Some(&url.path_with_query())).ok()?;
    let body = request.body().ok()?;
    Some((request, body))
}

async fn write(outgoing: OutgoingBody, mut bytes: &[u8]) {
    let Ok(stream) = outgoing.write() else {
        return;
    };
    let writable = Signal::new(stream.subscribe());
    while !bytes.is_empty() {
        let Ok(permit) = stream.check_write() else {
            break;
        };
        let length = bytes.len().min(usize::try_from(permit).unwrap_or(usize::MAX));
        if length == 0 {
            writable.ready().await;
            continue;
        }
        let (now, later) = bytes.split_at(length);
        if stream.write(now).is_err() {
            break;
        }
        bytes = later;
    }
    drop(writable);
    drop(stream);
    let _ = OutgoingBody::finish(outgoing, None);
}

impl Response {
    pub(crate) fn status(&self) -> u16 {
        self.response.status()
    }

    pub(crate) fn content_types(&self) -> Vec<Vec<u8>> {
        self.response.headers().get("content-type")
    }

    /// What has come, without waiting.
    pub(crate) fn read(&self) -> Read {
        match self.stream.read(READ_BYTES) {
            Ok(bytes) if bytes.is_empty() => Read::Nothing,
            Ok(bytes) => Read::Bytes(bytes),
            Err(StreamError::Closed) => Read::End,
            Err(StreamError::LastOperationFailed(_)) => Read::Broken,
        }
    }

    /// Ready when there is more to read.
    pub(crate) fn arrived(&self) -> &Signal {
        &self.arrived
    }

    /// Everything up to the end, if that is no more than `max_bytes`.
    pub(crate) async fn whole(&self, max_bytes: u64) -> Result<Vec<u8>, NotWhole> {
        let mut received = Vec::new();
        loop {
            match self.read() {
                Read::Bytes(bytes) => received.extend_from_slice(&bytes),
                Read::Nothing => self.arrived.ready().await,
                Read::End => return Ok(received),
                Read::Broken => return Err(NotWhole::Broken),
            }
            if received.len() as u64 > max_bytes {
                return Err(NotWhole::TooLarge);
            }
        }
    }
}

/// Why an agent cannot be reached, for a person.
fn describe(error: ErrorCode) -> String {
    match error {
        ErrorCode::ConnectionRefused => "connection refused".into(),
        ErrorCode::ConnectionTimeout => "connection timed out".into(),
        ErrorCode::ConnectionTerminated => "connection closed".into(),
        ErrorCode::HttpResponseIncomplete => "its answer broke off".into(),
        ErrorCode::DnsError(_) | ErrorCode::DnsTimeout => "its name cannot be resolved".into(),
        ErrorCode::HttpProtocolError => "it closed the connection, or its answer is no HTTP".into(),
        ErrorCode::TlsCertificateError
        | ErrorCode::TlsProtocolError
        | ErrorCode::TlsAlertReceived(_) => "no TLS connection".into(),
        ErrorCode::InternalError(Some(why)) => why,
        other => format!("{other:?}"),
    }
}
