//! A scripted server, and a watch of it.

use crate::watch::{Style, watch, watch_on};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::yield_now;

/// The head that a capsule writes.
pub(super) const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
    cache-control: no-cache\r\nconnection: keep-alive\r\n\r\n";

/// How a watch of a server ended.
#[derive(Debug, PartialEq)]
pub(super) struct Watched {
    pub(super) code: u8,
    pub(super) out: String,
    pub(super) err: String,
}

/// Watches a server that writes these pieces, each of which is read by itself, and closes. Its
/// address is `capsule:1`.
pub(super) async fn watched(pieces: &[&[u8]]) -> Watched {
    let (client, mut server) = tokio::io::duplex(1 << 20);
    let pieces: Vec<_> = pieces.iter().map(|piece| piece.to_vec()).collect();
    tokio::spawn(async move {
        let mut request = [0; 1024];
        assert!(server.read(&mut request).await.unwrap() > 0);
        for piece in pieces {
            // A watch that has ended does not read the rest.
            if server.write_all(&piece).await.is_err() {
                return;
            }
            for _ in 0..8 {
                yield_now().await;
            }
        }
    });
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let address = "capsule:1".parse().unwrap();
    let code = watch_on(client, &address, Style::Exact, &mut out, &mut err).await;
    Watched { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// What is said of the connection to `capsule:1`, after the greeting.
pub(super) fn after_greeting(label: &str, rest: &str) -> String {
    format!(
        "[murmur] watching {label} — Ctrl-C ends the watch, not the capsule; use `mur stop` to \
         end the capsule\n{rest}"
    )
}

/// Watches a server on a socket, which reads a request, writes `answer` and closes, or resets the
/// connection. Gives the server's address and the request as well.
pub(super) async fn watched_on_a_socket(answer: &[u8], reset: bool) -> (Watched, String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let label = listener.local_addr().unwrap().to_string();
    let answer = answer.to_vec();
    let server = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut request = [0; 1024];
        // Unread bytes make the close a reset.
        let room = if reset { 10 } else { request.len() };
        let length = connection.read(&mut request[..room]).await.unwrap();
        connection.write_all(&answer).await.unwrap();
        String::from_utf8(request[..length].to_vec()).unwrap()
    });
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let address = label.parse().unwrap();
    let code = watch(&address, Style::Exact, &mut out, &mut err).await;
    let watched = Watched {
        code,
        out: String::from_utf8(out).unwrap(),
        err: String::from_utf8(err).unwrap(),
    };
    (watched, label, server.await.unwrap())
}
