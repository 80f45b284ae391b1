//! An agent that does what a test tells it to, piece by piece.

use super::wire::Wire;
use super::{PATIENCE, SIMULATED_PATIENCE};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

/// The head of an event stream that ends with its connection.
pub(crate) const EVENT_STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// An agent, and the connections to it that were not looked at yet.
pub(crate) struct Agent {
    pub(super) listener: Listener,
}

pub(super) enum Listener {
    Simulated(UnboundedReceiver<DuplexStream>),
    Socket(TcpListener),
}

impl Agent {
    /// The next request, read whole.
    pub(crate) async fn request(&mut self) -> Exchange {
        let mut exchange = self.connection().await;
        exchange.read().await;
        exchange
    }

    /// The next connection, of which nothing was read.
    pub(crate) async fn connection(&mut self) -> Exchange {
        let (wire, patience) = match &mut self.listener {
            Listener::Simulated(accepted) => {
                let accepted = timeout(SIMULATED_PATIENCE, accepted.recv()).await;
                let accepted = accepted.expect("no request came").expect("the gateway is there");
                (Wire::Simulated(accepted), SIMULATED_PATIENCE)
            }
            Listener::Socket(listener) => {
                let accepted = timeout(PATIENCE, listener.accept()).await;
                let (accepted, _) = accepted.expect("no request came").unwrap();
                accepted.set_nodelay(true).unwrap();
                (Wire::Socket(accepted), PATIENCE)
            }
        };
        let (line, headers, body) = Default::default();
        Exchange { line, headers, body, wire, patience }
    }

    /// The next request, accepted as an event stream.
    pub(crate) async fn accept(&mut self) -> Exchange {
        let mut exchange = self.request().await;
        exchange.send(EVENT_STREAM).await;
        exchange
    }

    /// Expects that no connection came that was not looked at.
    pub(crate) fn expect_no_request(&mut self) {
        let Listener::Simulated(accepted) = &mut self.listener else {
            panic!("only in simulated time");
        };
        assert!(accepted.try_recv().is_err(), "a request came");
    }
}

/// A request to an agent, and what it answers. Dropping it ends the connection.
pub(crate) struct Exchange {
    /// The request line.
    pub(crate) line: String,
    /// The headers, names in lower case, in their order.
    pub(crate) headers: Vec<(String, String)>,
    /// The body, decoded.
    pub(crate) body: String,
    wire: Wire,
    patience: Duration,
}

impl Exchange {
    async fn read(&mut self) {
        let wire = &mut self.wire;
        let reading = async {
            let mut received = Vec::new();
            let head = read_through(wire, &mut received, b"\r\n\r\n").await;
            let head = String::from_utf8(head).unwrap();
            let mut lines = head.trim_end().split("\r\n");
            let line = lines.next().unwrap().to_owned();
            let header = |line: &str| {
                let (name, value) = line.split_once(':').unwrap();
                (name.to_ascii_lowercase(), value.trim().to_owned())
            };
            let headers: Vec<_> = lines.map(header).collect();
            let body = read_body(wire, received, &headers).await;
            (line, headers, String::from_utf8(body).unwrap())
        };
        let read = timeout(self.patience, reading).await;
        (self.line, self.headers, self.body) = read.expect("the request does not end");
    }

    /// All values of a header.
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        let named = self.headers.iter().filter(|(found, _)| found == name);
        named.map(|(_, value)| value.as_str()).collect()
    }

    /// Sends bytes of the answer.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes).await.expect("the gateway has closed the connection");
    }

    /// The same where the gateway may have closed the connection.
    pub(crate) async fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let io = self.wire.io();
        let sent = async {
            io.write_all(bytes.as_ref()).await?;
            io.flush().await
        };
        timeout(self.patience, sent).await.expect("the gateway reads no more")
    }

    /// Sends an event with this data.
    pub(crate) async fn event(&mut self, data: &str) {
        self.send(format!("data: {data}\n\n")).await;
    }

    /// Sends an event of this envelope type with this payload.
    pub(crate) async fn envelope(&mut self, envelope_type: &str, payload: &str) {
        self.event(&format!(r#"{{"type":"{envelope_type}","payload":{payload}}}"#)).await;
    }

    /// Answers whole: a status line without its version, a content type, a body.
    pub(crate) async fn answer(&mut self, status: &str, content_type: &str, body: &str) {
        let length = body.len();
        self.send(format!(
            "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\
             \r\n{body}"
        ))
        .await;
    }

    /// Answers 200 with this JSON.
    pub(crate) async fn answer_json(&mut self, json: &str) {
        self.answer("200 OK", "application/json", json).await;
    }

    /// Waits until the gateway has closed the connection, and sent nothing more on it.
    pub(crate) async fn closed(&mut self) {
        let mut more = Vec::new();
        let read = timeout(self.patience, self.wire.io().read_to_end(&mut more)).await;
        // A reset is an end as well.
        let _ = read.expect("the gateway does not close the connection");
        assert!(more.is_empty(), "the gateway sent more: {}", String::from_utf8_lossy(&more));
    }

    /// Breaks the connection, which is a socket's.
    pub(crate) fn reset(self) {
        self.wire.reset();
    }
}

async fn read_body(
    wire: &mut Wire,
    mut received: Vec<u8>,
    headers: &[(String, String)],
) -> Vec<u8> {
    let value = |name| headers.iter().find(|(found, _)| found == name).map(|(_, value)| value);
    if let Some(length) = value("content-length") {
        let length = length.parse().unwrap();
        return read_exactly(wire, &mut received, length).await;
    }
    let mut body = Vec::new();
    if value("transfer-encoding").is_none_or(|coding| coding != "chunked") {
        return body;
    }
    loop {
        let line = read_through(wire, &mut received, b"\r\n").await;
        let size = std::str::from_utf8(&line).unwrap().trim_end();
        let size = usize::from_str_radix(size, 16).unwrap();
        let chunk = read_exactly(wire, &mut received, size + 2).await;
        body.extend_from_slice(&chunk[..size]);
        if size == 0 {
            return body;
        }
    }
}

async fn read_through(wire: &mut Wire, received: &mut Vec<u8>, end: &[u8]) -> Vec<u8> {
    loop {
        if let Some(at) = received.windows(end.len()).position(|bytes| bytes == end) {
            return received.drain(..at + end.len()).collect();
        }
        read_some(wire, received).await;
    }
}

async fn read_exactly(wire: &mut Wire, received: &mut Vec<u8>, length: usize) -> Vec<u8> {
    while received.len() < length {
        read_some(wire, received).await;
    }
    received.drain(..length).collect()
}

async fn read_some(wire: &mut Wire, received: &mut Vec<u8>) {
    let read = wire.io().read_buf(received).await.unwrap();
    assert!(read > 0, "the request ended in its middle");
}
