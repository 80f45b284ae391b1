//! Where a body ends.

use super::{answered, failure};
use crate::client::Error;

const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n";

/// The body of an answer that comes in these pieces, and how it ended.
async fn body(pieces: &[&[u8]]) -> (String, Result<(), Error>) {
    let mut response = answered(pieces).await.unwrap();
    let mut body = Vec::new();
    let end = loop {
        match response.piece().await {
            Ok(Some(piece)) => body.extend_from_slice(&piece),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    // It stays that way.
    assert_eq!(response.piece().await.is_ok(), end.is_ok());
    (String::from_utf8(body).unwrap(), end)
}

#[tokio::test]
async fn a_body_ends_with_its_length_its_last_chunk_or_the_connection() {
    for (head, encoded, decoded) in [
        ("content-length: 5\r\n", "hello, and more", "hello"),
        ("content-length: 5, 5\r\ncontent-length: 5\r\n", "hello", "hello"),
        ("content-length: 0\r\n", "more", ""),
        ("", "hello\r\n\r\n", "hello\r\n\r\n"),
        ("", "", ""),
        (
            "transfer-encoding: chunked\r\n",
            "5;x=y\r\nhello\r\n2\r\n, \r\n0\r\na: b\r\n\r\nmore",
            "hello, ",
        ),
        ("transfer-encoding: chunked\r\ncontent-length: 1\r\n", "2\r\nok\r\n0\r\n\r\n", "ok"),
    ] {
        let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\n{encoded}");
        for at in 0..answer.len() {
            let (before, after) = answer.as_bytes().split_at(at);
            let (body, end) = body(&[before, after]).await;
            assert_eq!((body.as_str(), end.is_ok()), (decoded, true), "{answer:?} at {at}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_has_no_body_by_its_status_ends_at_once() {
    for status in ["204 No Content", "304 Not Modified"] {
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 5\r\n\r\nhello");
        assert_eq!(body(&[answer.as_bytes()]).await.0, "");
    }
}

#[tokio::test]
async fn a_body_that_ends_early_gives_what_came_and_then_an_error() {
    for (answer, came) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nhello".to_owned(), "hello"),
        (format!("{CHUNKED}5\r\nhello\r\n"), "hello"),
        (format!("{CHUNKED}5\r\nhel"), "hel"),
        (format!("{CHUNKED}5\r\nhello\r\n0\r\n"), "hello"),
    ] {
        let (body, end) = body(&[answer.as_bytes()]).await;
        assert_eq!(body, came);
        assert!(matches!(end, Err(Error::BodyCutShort)), "{end:?}");
    }
}

#[tokio::test]
async fn a_malformed_chunk_gives_what_was_good_and_then_an_error() {
    for chunks in ["5\r\nhello\r\nx\r\n", "5\r\nhello!\r\n"] {
        let (body, end) = body(&[CHUNKED.as_bytes(), chunks.as_bytes()]).await;
        assert_eq!(body, "hello");
        assert!(matches!(end, Err(Error::BodyMalformed)), "{end:?}");
    }
}

#[tokio::test]
async fn a_framing_that_is_not_understood_is_told_from_the_head() {
    for (header, told) in [
        ("content-length: x", "the answer has a content-length that is no number"),
        ("content-length: +5", "the answer has a content-length that is no number"),
        ("content-length: 5, 6", "the answer has a content-length that is no number"),
        (
            "transfer-encoding: gzip, chunked",
            "the answer has a transfer-encoding other than chunked",
        ),
        (
            "transfer-encoding: chunked, chunked",
            "the answer has a transfer-encoding other than chunked",
        ),
        ("transfer-encoding: ", "the answer has a transfer-encoding other than chunked"),
    ] {
        let answer = format!("HTTP/1.1 200 OK\r\n{header}\r\n\r\n");
        assert_eq!(failure(&[answer.as_bytes()]).await, told);
    }
}

#[tokio::test]
async fn a_piece_is_given_as_soon_as_it_comes() {
    let (client, mut server) = tokio::io::duplex(1 << 20);
    let address = "localhost".parse().unwrap();
    use tokio::io::AsyncWriteExt;
    server.write_all(CHUNKED.as_bytes()).await.unwrap();
    let request = crate::client::Request::get("/");
    let mut response = crate::client::send_on(client, &address, &request).await.unwrap();
    for piece in ["one", "two"] {
        server.write_all(format!("3\r\n{piece}\r\n").as_bytes()).await.unwrap();
        assert_eq!(response.piece().await.unwrap().unwrap(), piece);
    }
}

#[tokio::test]
async fn a_whole_body_is_bounded() {
    let answer = b"HTTP/1.1 200 OK\r\n\r\nhello";
    assert_eq!(answered(&[answer]).await.unwrap().body(5).await.unwrap(), b"hello");
    let error = answered(&[answer]).await.unwrap().body(4).await.unwrap_err();
    assert_eq!(error.to_string(), "the answer's body has more than 4 bytes");
}
