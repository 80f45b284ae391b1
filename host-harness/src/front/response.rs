//! The answer's bytes: the event stream, every other answer, the refusals.

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::task::Poll;

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER,
    TRANSFER_ENCODING,
};
use http::response::Parts;
use http::{HeaderMap, HeaderName, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Limited};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use super::Limits;

/// The headers of an event stream, as the protocol page has them ("Endpoints"), to the byte.
const EVENT_STREAM_HEADERS: &[u8] =
    b"content-type: text/event-stream\r\ncache-control: no-cache\r\nconnection: keep-alive\r\n";

/// A body without a content length is gathered to count it, up to this size. A longer one is a 500.
const GATHERED_BYTES: usize = 1024 * 1024;

/// Writes the handler's answer, without its body for a `HEAD` request.
///
/// An error says that the client is gone, or does not read. A body that fails in the middle only
/// ends early.
pub(super) async fn write<W, B>(
    to_client: &mut W,
    response: Response<B>,
    head_only: bool,
    limits: &Limits,
) -> io::Result<()>
where
    W: AsyncWrite + Unpin,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    if response.status() == StatusCode::OK && is_event_stream(response.headers()) {
        let (head, body) = response.into_parts();
        let body = pin!(body);
        let body = Source::new(body, if head_only { 0 } else { u64::MAX });
        return write_event_stream(to_client, &head, body).await;
    }
    let written = timeout(limits.answer_timeout, write_whole(to_client, response, head_only));
    written.await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// Writes an answer that is no stream.
async fn write_whole<W, B>(
    to_client: &mut W,
    response: Response<B>,
    head_only: bool,
) -> io::Result<()>
where
    W: AsyncWrite + Unpin,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    let (head, body) = response.into_parts();
    // An interim status is no answer, and the client would wait for one.
    if head.status.is_informational() {
        return refuse(to_client, StatusCode::INTERNAL_SERVER_ERROR).await;
    }
    let bodiless = head_only
        || head.status == StatusCode::NO_CONTENT
        || head.status == StatusCode::NOT_MODIFIED;
    if let Some(length) = declared_length(&head.headers) {
        let body = pin!(body);
        let body = Source::new(body, if bodiless { 0 } else { length });
        return write_declared(to_client, &plain_head(&head, length), body).await;
    }
    match Limited::new(body, GATHERED_BYTES).collect().await {
        Ok(body) => {
            let body = body.to_bytes();
            let mut answer = plain_head(&head, body.len() as u64);
            if !bodiless {
                answer.extend_from_slice(&body);
            }
            send(to_client, &answer).await
        }
        Err(error) => {
            tracing::debug!(%error, "the answer's body could not be gathered");
            refuse(to_client, StatusCode::INTERNAL_SERVER_ERROR).await
        }
    }
}

/// Writes a complete answer that is only a status.
pub(super) async fn refuse<W>(to_client: &mut W, status: StatusCode) -> io::Result<()>
where
    W: AsyncWrite + Unpin,
{
    let (mut head, ()) = Response::new(()).into_parts();
    head.status = status;
    if status == StatusCode::SERVICE_UNAVAILABLE {
        head.headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    send(to_client, &plain_head(&head, 0)).await
}

/// The head goes out at once, with the first frame when that is ready too.
async fn write_event_stream<W, B>(
    to_client: &mut W,
    head: &Parts,
    mut body: Source<'_, B>,
) -> io::Result<()>
where
    W: AsyncWrite + Unpin,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    let mut start = event_stream_head(head);
    if let Poll::Ready(Some(first)) = poll_once(body.next()).await {
        start.extend_from_slice(&first);
    }
    send(to_client, &start).await?;
    drop(start);
    body.pump(to_client).await
}

/// The head waits for the first of the body, so that a body that fails before it is a 500.
async fn write_declared<W, B>(
    to_client: &mut W,
    head: &[u8],
    mut body: Source<'_, B>,
) -> io::Result<()>
where
    W: AsyncWrite + Unpin,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    let first = body.next().await.unwrap_or_default();
    if body.failed {
        return refuse(to_client, StatusCode::INTERNAL_SERVER_ERROR).await;
    }
    send(to_client, &[head, &first].concat()).await?;
    drop(first);
    body.pump(to_client).await
}

async fn send<W: AsyncWrite + Unpin>(to_client: &mut W, bytes: &[u8]) -> io::Result<()> {
    to_client.write_all(bytes).await?;
    to_client.flush().await
}

/// The data of a body, of which so many bytes are wanted.
struct Source<'b, B> {
    body: Pin<&'b mut B>,
    left: u64,
    failed: bool,
}

impl<'b, B> Source<'b, B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    fn new(body: Pin<&'b mut B>, left: u64) -> Self {
        let failed = false;
        Self { body, left, failed }
    }

    /// The next data that is not empty. After the end, which may be a failure, always `None`.
    /// Dropping the future loses nothing.
    async fn next(&mut self) -> Option<Bytes> {
        while self.left > 0 {
            match self.body.frame().await {
                Some(Ok(frame)) => {
                    // Trailers have no place in either framing.
                    let mut data = frame.into_data().unwrap_or_default();
                    data.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
                    self.left -= data.len() as u64;
                    if !data.is_empty() {
                        return Some(data);
                    }
                }
                Some(Err(error)) => {
                    let error = error.into();
                    tracing::debug!(error, "the answer's body failed");
                    self.failed = true;
                    self.left = 0;
                }
                None => self.left = 0,
            }
        }
        None
    }

    /// Writes what there is until the end, each frame before the next is asked for.
    async fn pump<W: AsyncWrite + Unpin>(mut self, to_client: &mut W) -> io::Result<()> {
        while let Some(data) = self.next().await {
            send(to_client, &data).await?;
        }
        Ok(())
    }
}

async fn poll_once<F: Future>(future: F) -> Poll<F::Output> {
    let mut future = pin!(future);
    poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await
}

fn event_stream_head(head: &Parts) -> Vec<u8> {
    let mut bytes = status_line(head.status);
    bytes.extend_from_slice(EVENT_STREAM_HEADERS);
    push_headers(&mut bytes, &head.headers, &[CONTENT_TYPE, CACHE_CONTROL]);
    bytes.extend_from_slice(b"\r\n");
    bytes
}

fn plain_head(head: &Parts, length: u64) -> Vec<u8> {
    let mut bytes = status_line(head.status);
    push_headers(&mut bytes, &head.headers, &[]);
    // RFC 9110, 8.6: a 204 has no content length, not even zero.
    if head.status != StatusCode::NO_CONTENT {
        bytes.extend_from_slice(format!("content-length: {length}\r\n").as_bytes());
    }
    bytes.extend_from_slice(b"connection: close\r\n\r\n");
    bytes
}

fn status_line(status: StatusCode) -> Vec<u8> {
    let reason = status.canonical_reason().unwrap_or_default();
    format!("HTTP/1.1 {} {reason}\r\n", status.as_u16()).into_bytes()
}

/// The handler's headers, but for those of the framing, which is the front's, and `besides`.
fn push_headers(bytes: &mut Vec<u8>, headers: &HeaderMap, besides: &[HeaderName]) {
    let framing = [CONTENT_LENGTH, CONNECTION, TRANSFER_ENCODING];
    for (name, value) in headers {
        if framing.contains(name) || besides.contains(name) {
            continue;
        }
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| {
        let media_type = value.as_bytes().split(|&byte| byte == b';').next();
        media_type.is_some_and(|name| name.trim_ascii().eq_ignore_ascii_case(b"text/event-stream"))
    })
}

/// The length the handler announced. One that cannot be read counts as none: then it is counted.
fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
