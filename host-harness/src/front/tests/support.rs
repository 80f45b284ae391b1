//! A scripted handler, a scripted client, and streams that record or break.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use http_body::{Body, Frame};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, yield_now};

use crate::front::{Front, Handler, HandlerGone, Limits};

pub(super) type BoxError = Box<dyn Error + Send + Sync>;
pub(super) type TestBody = UnsyncBoxBody<Bytes, BoxError>;
pub(super) type Answer = Result<Response<TestBody>, HandlerGone>;
pub(super) type Frames = mpsc::Sender<Result<Frame<Bytes>, BoxError>>;

type Seen = Arc<Mutex<Vec<(Parts, Bytes)>>>;

/// What the scripted handler answers when the test is about the request.
pub(super) const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

pub(super) const EVENT_STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
    cache-control: no-cache\r\nconnection: keep-alive\r\n\r\n";

/// The refusal that a client may try again after.
pub(super) const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n\
    content-length: 0\r\nconnection: close\r\n\r\n";

/// A complete answer that is only a status.
pub(super) fn refusal(status: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

/// Answers what the closure says and remembers what it was asked.
#[derive(Clone)]
pub(super) struct Script {
    answer: Arc<dyn Fn() -> Answer + Send + Sync>,
    pub(super) seen: Seen,
}

impl Script {
    pub(super) fn new(answer: impl Fn() -> Answer + Send + Sync + 'static) -> Self {
        let answer = Arc::new(answer);
        let seen = Seen::default();
        Self { answer, seen }
    }

    /// Answers once, with this.
    pub(super) fn once(answer: Response<TestBody>) -> Self {
        let answer = Mutex::new(Some(answer));
        Self::new(move || Ok(answer.lock().unwrap().take().expect("one request")))
    }

    pub(super) fn ok() -> Self {
        let answer = || Response::builder().header("content-type", "application/json");
        Self::new(move || Ok(answer().body(full("{}")).unwrap()))
    }
}

impl Handler for Script {
    type Body = TestBody;

    async fn handle(&self, request: Request<Full<Bytes>>) -> Answer {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        self.seen.lock().unwrap().push((parts, body));
        (self.answer)()
    }
}

/// Never answers. What it holds for a request goes with the request.
#[derive(Clone)]
pub(super) struct Pending(Arc<Mutex<Option<oneshot::Sender<()>>>>);

impl Pending {
    pub(super) fn new() -> (Self, oneshot::Receiver<()>) {
        let (held, dropped) = oneshot::channel();
        (Self(Arc::new(Mutex::new(Some(held)))), dropped)
    }
}

impl Handler for Pending {
    type Body = TestBody;

    async fn handle(&self, _request: Request<Full<Bytes>>) -> Answer {
        let _held = self.0.lock().unwrap().take();
        std::future::pending().await
    }
}

pub(super) fn full(bytes: &'static str) -> TestBody {
    Full::from(bytes).map_err(BoxError::from).boxed_unsync()
}

pub(super) fn data(bytes: &'static str) -> Result<Frame<Bytes>, BoxError> {
    Ok(Frame::data(Bytes::from_static(bytes.as_bytes())))
}

/// A body that the test writes, one frame at a time. `closed` tells that it was dropped.
pub(super) fn scripted_body() -> (Frames, TestBody) {
    let (frames, body) = mpsc::channel(1);
    (frames, ScriptedBody(body).boxed_unsync())
}

struct ScriptedBody(mpsc::Receiver<Result<Frame<Bytes>, BoxError>>);

impl Body for ScriptedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.0.poll_recv(cx)
    }
}

/// An event stream and the end that writes it.
pub(super) fn event_stream() -> (Frames, Response<TestBody>) {
    let (frames, body) = scripted_body();
    let response = Response::builder().header("content-type", "text/event-stream");
    (frames, response.body(body).unwrap())
}

/// What came of a conversation.
pub(super) struct Talk {
    pub(super) answer: String,
    /// What the handler was asked, if it was.
    pub(super) request: Option<(Parts, Bytes)>,
}

/// Sends `pieces`, each of which the front reads by itself, and reads to the end of the answer.
/// The client keeps its side open.
pub(super) async fn talk(pieces: &[&[u8]]) -> Talk {
    talk_within(Limits::default(), pieces).await
}

pub(super) async fn talk_within(limits: Limits, pieces: &[&[u8]]) -> Talk {
    let script = Script::ok();
    let seen = Arc::clone(&script.seen);
    let (mut client, task) = connect(limits, script);
    for piece in pieces {
        client.write_all(piece).await.unwrap();
        settle().await;
    }
    let answer = read_all(&mut client).await;
    drop(client);
    task.await.unwrap();
    let request = seen.lock().unwrap().pop();
    Talk { answer, request }
}

/// Sends `bytes`, ends the client's side, and reads to the end of the answer.
pub(super) async fn talk_and_end(bytes: &[u8]) -> String {
    let (mut client, _task) = connect(Limits::default(), Script::ok());
    client.write_all(bytes).await.unwrap();
    client.shutdown().await.unwrap();
    read_all(&mut client).await
}

/// A connection to a front with `handler` behind it.
pub(super) fn connect(limits: Limits, handler: Script) -> (DuplexStream, JoinHandle<()>) {
    let (client, server) = tokio::io::duplex(16 * 1024 * 1024);
    (client, spawn(server, limits, handler))
}

pub(super) fn spawn<S>(server: S, limits: Limits, handler: Script) -> JoinHandle<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    spawn_behind(&Front::new(limits), server, handler)
}

pub(super) fn spawn_behind<S>(front: &Front, server: S, handler: Script) -> JoinHandle<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let front = front.clone();
    tokio::spawn(async move { front.serve_connection(server, &handler).await })
}

/// Lets every other task run until it waits.
pub(super) async fn settle() {
    for _ in 0..8 {
        yield_now().await;
    }
}

pub(super) async fn read_all(client: &mut (impl AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    client.read_to_end(&mut bytes).await.unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Reads exactly `expected`.
pub(super) async fn expect(client: &mut (impl AsyncRead + Unpin), expected: &str) {
    let mut bytes = vec![0; expected.len()];
    client.read_exact(&mut bytes).await.unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
}

/// A stream that records each write, and whose reads fail once the test resets it.
pub(super) struct Wire {
    pub(super) inner: DuplexStream,
    pub(super) writes: Arc<Mutex<Vec<String>>>,
    reset: oneshot::Receiver<()>,
}

impl Wire {
    /// Dropping the sender, or sending, is the reset.
    pub(super) fn new(inner: DuplexStream) -> (Self, oneshot::Sender<()>) {
        let (sender, reset) = oneshot::channel();
        let writes = Arc::default();
        let wire = Self { inner, writes, reset };
        (wire, sender)
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if Pin::new(&mut self.reset).poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, buf);
        if let Poll::Ready(Ok(length)) = written {
            let text = String::from_utf8_lossy(&buf[..length]).into_owned();
            self.writes.lock().unwrap().push(text);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
