//! A watch of a scripted server, from its request to its exit code.

use super::server::{HEAD, Watched, after_greeting, watched, watched_on_a_socket};
use super::*;
use crate::watch::{watch, watch_on};
use std::io::{self, ErrorKind, Write};
use tokio::io::AsyncWriteExt;

/// A stream with something of everything, and what is shown of it.
fn story() -> (String, &'static str) {
    let tool = artifact(r#"{"tool_name":"t","content":"a\n🦀","is_error":false,"duration_ms":1}"#);
    let unknown = frame("usage", r#"{"tokens":1}"#) + ":heartbeat\n\n";
    let frames = [ACK, &working(1), &text("é "), &unknown, &tool, &completed("é done")].concat();
    let shown = "[working]  inference turn 1\né [artifact] tool: t [ok, 1ms] | a\n  🦀\n\
                 [completed]\n  é done\n\n";
    (frames, shown)
}

fn closed(out: &str) -> Watched {
    let err = after_greeting("capsule:1", "[murmur] capsule closed\n");
    Watched { code: 0, out: out.into(), err }
}

fn lost(out: &str, place: &str) -> Watched {
    let rest = format!(
        "error[E-IO-003]: connection to capsule:1 lost {place} — the capsule may still be \
         running; run mur watch again to reattach\n"
    );
    Watched { code: 1, out: out.into(), err: after_greeting("capsule:1", &rest) }
}

#[tokio::test]
async fn a_stream_cut_at_any_byte_is_shown_the_same() {
    let (frames, shown) = story();
    let answer = format!("{HEAD}{frames}{CLOSED}");
    for at in 0..=answer.len() {
        let (before, after) = answer.as_bytes().split_at(at);
        assert_eq!(watched(&[before, after]).await, closed(shown), "at {at}");
    }
}

#[tokio::test]
async fn a_server_that_writes_crlf_and_chunks_is_shown_the_same() {
    let (frames, shown) = story();
    let frames = format!("{frames}{CLOSED}").replace('\n', "\r\n");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    for size in [1, 2, 3, 7, 100, 10_000] {
        let mut answer = head.as_bytes().to_vec();
        for chunk in frames.as_bytes().chunks(size) {
            answer.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            answer.extend_from_slice(chunk);
            answer.extend_from_slice(b"\r\n");
        }
        answer.extend_from_slice(b"0\r\n\r\n");
        let pieces: Vec<_> = answer.chunks(5).collect();
        assert_eq!(watched(&pieces).await, closed(shown), "chunks of {size}");
    }
}

#[tokio::test]
async fn a_connection_lost_in_any_way_is_told_with_its_last_id() {
    let (frames, shown) = story();
    let rest = [format!("{frames}id: 9\nevent: text\ndata: {{\"text\":\"no\"}}\n")].concat();
    for head in [
        HEAD.to_owned(),
        // The end is in order for HTTP, and is none for the stream.
        format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", rest.len()),
        "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n".to_owned(),
    ] {
        let answer = format!("{head}{rest}");
        assert_eq!(watched(&[answer.as_bytes()]).await, lost(shown, "after event id 3"));
    }
    let chunk = format!("{HEAD}{ACK}");
    assert_eq!(watched(&[chunk.as_bytes()]).await, lost("", "before any event"));
    assert_eq!(watched(&[HEAD.as_bytes()]).await, lost("", "before any event"));
}

#[tokio::test]
async fn a_connection_that_ends_before_the_head_was_lost_before_any_event() {
    for answer in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\n"] {
        let watched = watched(&[answer.as_bytes()]).await;
        assert_eq!(
            watched.err,
            "error[E-IO-003]: connection to capsule:1 lost before any event — the capsule may \
             still be running; run mur watch again to reattach\n"
        );
        assert_eq!((watched.code, watched.out.as_str()), (1, ""));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_given_up_after_30_s() {
    let (client, _server) = tokio::io::duplex(1 << 20);
    let (address, mut err) = ("capsule:1".parse().unwrap(), Vec::new());
    let code = watch_on(client, &address, Style::Exact, io::sink(), &mut err).await;
    let err = String::from_utf8(err).unwrap();
    assert_eq!((code, err.as_str()), (1, "error[E-IO-003]: capsule:1: no answer within 30 s\n"));
}

#[tokio::test]
async fn an_answer_that_is_not_200_gives_its_status_line() {
    for line in ["HTTP/1.1 404 Not Found", "HTTP/1.1 503", "HTTP/1.0 302 Found", "HTTP/1.1 204 No"]
    {
        let answer = format!("{line}\r\ncontent-length: 0\r\n\r\n");
        let err = format!("error[E-IO-003]: capsule returned non-200 response: {line}\n");
        let expected = Watched { code: 1, out: String::new(), err };
        assert_eq!(watched(&[answer.as_bytes()]).await, expected);
    }
}

#[tokio::test]
async fn an_answer_that_is_no_event_stream_is_told() {
    for (answer, told) in [
        ("SSH-2.0-x\r\n", "what answers does not speak HTTP/1.1; is this a capsule's address?"),
        (
            "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n\r\n<html>",
            "the answer is text/html, not an event stream",
        ),
    ] {
        let err = format!("error[E-IO-003]: {told}\n");
        let expected = Watched { code: 1, out: String::new(), err };
        assert_eq!(watched(&[answer.as_bytes()]).await, expected);
    }
}

#[tokio::test]
async fn the_request_is_a_stream_watch_that_replays_from_0() {
    let answer = format!("{HEAD}{ACK}{CLOSED}");
    let (watched, label, request) = watched_on_a_socket(answer.as_bytes(), false).await;
    let err = after_greeting(&label, "[murmur] capsule closed\n");
    assert_eq!(watched, Watched { code: 0, out: String::new(), err });
    assert_eq!(
        request,
        format!(
            "POST / HTTP/1.1\r\nHost: {label}\r\naccept: text/event-stream\r\n\
             content-type: application/json\r\nlast-event-id: 0\r\nContent-Length: 60\r\n\
             Connection: close\r\n\r\n\
             {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stream/watch\",\"params\":{{}}}}"
        )
    );
}

#[tokio::test]
async fn a_reset_connection_is_a_lost_one() {
    let (watched, label, _) = watched_on_a_socket(b"", true).await;
    let told = format!("error[E-IO-003]: connection to {label} lost before any event — ");
    assert!(watched.err.starts_with(&told), "{watched:?}");
    assert_eq!(watched.code, 1);
}

#[tokio::test]
async fn a_connection_that_cannot_be_made_is_told() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let label = listener.local_addr().unwrap().to_string();
    drop(listener);
    let mut err = Vec::new();
    let code = watch(&label.parse().unwrap(), Style::Exact, io::sink(), &mut err).await;
    let err = String::from_utf8(err).unwrap();
    assert!(err.starts_with(&format!("error[E-IO-003]: cannot connect to {label}: ")), "{err}");
    assert_eq!((code, err.lines().count()), (1, 1));
}

struct Broken(ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_reader_that_has_seen_enough_is_no_error_and_a_full_disk_is() {
    for (kind, code, lines) in [(ErrorKind::BrokenPipe, 0, 1), (ErrorKind::StorageFull, 1, 2)] {
        let (client, mut server) = tokio::io::duplex(1 << 20);
        // It stays open.
        server.write_all(format!("{HEAD}{}", text("a")).as_bytes()).await.unwrap();
        let (address, mut err) = ("capsule:1".parse().unwrap(), Vec::new());
        let ended = watch_on(client, &address, Style::Exact, Broken(kind), &mut err).await;
        let err = String::from_utf8(err).unwrap();
        assert_eq!((ended, err.lines().count()), (code, lines), "{err}");
        drop(server);
    }
}
