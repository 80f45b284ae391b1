//! The request head.

use std::time::Duration;

use http::{Method, Version};
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, advance};

use super::support::*;
use crate::front::Limits;

const HEAD: &[u8] =
    b"POST /a?b=c HTTP/1.1\r\nHost: x\r\nX-Twice: 1\r\nX-Other: 2\r\nx-twice: 3\r\n\r\n";

/// A head of `size` bytes.
fn head_of(size: usize) -> Vec<u8> {
    let mut head = b"GET / HTTP/1.1\r\nx: ".to_vec();
    head.resize(size - 4, b'v');
    head.extend_from_slice(b"\r\n\r\n");
    head
}

#[tokio::test(start_paused = true)]
async fn the_handler_gets_method_target_version_and_every_header_in_order() {
    let (parts, body) = talk(&[HEAD]).await.request.unwrap();
    assert_eq!(parts.method, Method::POST);
    assert_eq!(parts.uri, "/a?b=c");
    assert_eq!(parts.version, Version::HTTP_11);
    let twice: Vec<_> = parts.headers.get_all("x-twice").iter().collect();
    assert_eq!(twice, ["1", "3"]);
    assert_eq!(parts.headers["host"], "x");
    assert_eq!(parts.headers.len(), 4);
    assert!(body.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_head_split_at_every_byte_is_read() {
    for at in 1..HEAD.len() {
        let talk = talk(&[&HEAD[..at], &HEAD[at..]]).await;
        assert_eq!(talk.answer, OK, "split at {at}");
        assert_eq!(talk.request.unwrap().0.headers.len(), 4);
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_that_comes_byte_by_byte_is_read() {
    let pieces: Vec<_> = HEAD.chunks(1).collect();
    assert_eq!(talk(&pieces).await.answer, OK);
}

#[tokio::test(start_paused = true)]
async fn an_absolute_target_is_accepted() {
    let talk = talk(&[b"GET http://host:1/p?q HTTP/1.0\r\n\r\n"]).await;
    let (parts, _) = talk.request.unwrap();
    assert_eq!(parts.uri, "http://host:1/p?q");
    assert_eq!(parts.version, Version::HTTP_10);
}

#[tokio::test(start_paused = true)]
async fn header_values_are_bytes() {
    let talk = talk(&[b"GET / HTTP/1.1\r\nx: caf\xe9\xff\r\n\r\n"]).await;
    assert_eq!(talk.request.unwrap().0.headers["x"].as_bytes(), b"caf\xe9\xff");
}

#[tokio::test(start_paused = true)]
async fn empty_lines_before_the_request_line_are_skipped() {
    assert_eq!(talk(&[b"\r", b"\n\r\n", b"\nGET / HTTP/1.1\r\n\r\n"]).await.answer, OK);
}

#[tokio::test(start_paused = true)]
async fn a_malformed_head_is_refused() {
    for head in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET /\r\n\r\n",
        b"GET / HTTP/2.0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"G@T / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nx : 1\r\n\r\n",
        b"GET / HTTP/1.1\r\nx: a\r\n folded\r\n\r\n",
        b"GET / HTTP/1.1\r\nx: a\0b\r\n\r\n",
    ] {
        let talk = talk(&[head]).await;
        assert_eq!(talk.answer, refusal("400 Bad Request"), "{head:?}");
        assert!(talk.request.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_target_that_is_no_uri_is_refused() {
    for target in ["http://", "http://[/", "/\\[{<>^`\u{e9}:@:/ "] {
        let head = format!("GET {target} HTTP/1.1\r\n\r\n");
        let answer = talk(&[head.as_bytes()]).await.answer;
        assert_eq!(answer, refusal("400 Bad Request"), "{target}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_of_exactly_the_limit_is_accepted_and_one_byte_more_is_not() {
    let limit = Limits::default().head_bytes;
    assert_eq!(limit, 65536);
    assert_eq!(talk(&[&head_of(limit)]).await.answer, OK);
    let over = talk(&[&head_of(limit + 1)]).await;
    assert_eq!(over.answer, refusal("431 Request Header Fields Too Large"));
    assert!(over.request.is_none());
}

#[tokio::test(start_paused = true)]
async fn empty_lines_count_against_the_limit() {
    let answer = talk(&[&b"\r\n".repeat(40_000)]).await.answer;
    assert_eq!(answer, refusal("431 Request Header Fields Too Large"));
}

#[tokio::test(start_paused = true)]
async fn a_hundred_and_twenty_eight_headers_are_accepted_and_one_more_is_not() {
    let head = |count| format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(count));
    assert_eq!(talk(&[head(128).as_bytes()]).await.answer, OK);
    assert_eq!(
        talk(&[head(129).as_bytes()]).await.answer,
        refusal("431 Request Header Fields Too Large")
    );
}

#[tokio::test(start_paused = true)]
async fn a_head_that_is_not_complete_in_time_is_a_timeout() {
    for begun in [&b""[..], b"\r\n", b"GET / HTTP/1.1\r\nx: y\r\n"] {
        let start = Instant::now();
        let (mut client, _task) = connect(Limits::default(), Script::ok());
        client.write_all(begun).await.unwrap();
        assert_eq!(read_all(&mut client).await, refusal("408 Request Timeout"));
        assert_eq!(start.elapsed(), Duration::from_secs(10));
    }
}

#[tokio::test(start_paused = true)]
async fn bytes_that_trickle_in_do_not_extend_the_time_for_the_head() {
    let (mut client, _task) = connect(Limits::default(), Script::ok());
    client.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
    for _ in 0..9 {
        settle().await;
        advance(Duration::from_secs(1)).await;
        client.write_all(b"x: y\r\n").await.unwrap();
    }
    settle().await;
    advance(Duration::from_millis(1001)).await;
    settle().await;
    client.write_all(b"\r\n").await.unwrap();
    assert_eq!(read_all(&mut client).await, refusal("408 Request Timeout"));
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_ends_before_or_in_the_head_is_closed_without_a_word() {
    for at in 0..HEAD.len() {
        assert_eq!(talk_and_end(&HEAD[..at]).await, "", "ended at {at}");
    }
    assert_eq!(talk_and_end(HEAD).await, OK);
}
