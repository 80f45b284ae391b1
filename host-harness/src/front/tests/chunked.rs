//! The chunked transfer coding of a request.

use super::support::*;
use crate::front::Limits;

fn post(body: impl AsRef<[u8]>) -> Vec<u8> {
    let head = &b"POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n"[..];
    [head, body.as_ref()].concat()
}

/// The answer, and the body if the handler was asked.
async fn talk_chunked(limits: Limits, body: impl AsRef<[u8]>) -> (String, Option<bytes::Bytes>) {
    let talk = talk_within(limits, &[&post(body)]).await;
    (talk.answer, talk.request.map(|(_, body)| body))
}

fn small() -> Limits {
    Limits { body_bytes: 8, ..Limits::default() }
}

#[tokio::test(start_paused = true)]
async fn a_chunked_body_split_at_every_byte_is_decoded() {
    let request =
        post("5;name=\"v;w\"\r\nhello\r\n00A \t; x\r\n, world\r\n!\r\n0\r\na: b\r\nc\r\n\r\n");
    for at in 1..request.len() {
        let talk = talk(&[&request[..at], &request[at..]]).await;
        assert_eq!(talk.answer, OK, "split at {at}");
        assert_eq!(talk.request.unwrap().1, "hello, world\r\n!");
    }
}

#[tokio::test(start_paused = true)]
async fn a_chunked_body_that_comes_byte_by_byte_is_decoded() {
    let request = post("3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n");
    let pieces: Vec<_> = request.chunks(1).collect();
    assert_eq!(talk(&pieces).await.request.unwrap().1, "abcde");
}

#[tokio::test(start_paused = true)]
async fn a_chunked_body_may_be_empty() {
    let (answer, body) = talk_chunked(small(), "0\r\n\r\n").await;
    assert_eq!(answer, OK);
    assert!(body.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn garbage_after_the_last_chunk_is_not_part_of_it() {
    let (answer, body) = talk_chunked(small(), "1\r\na\r\n0\r\n\r\n1\r\nb\r\n").await;
    assert_eq!(answer, OK);
    assert_eq!(body.unwrap(), "a");
}

#[tokio::test(start_paused = true)]
async fn chunks_of_exactly_the_limit_are_accepted() {
    let (answer, body) = talk_chunked(small(), "5\r\n12345\r\n3\r\n678\r\n0\r\n\r\n").await;
    assert_eq!(answer, OK);
    assert_eq!(body.unwrap(), "12345678");
}

#[tokio::test(start_paused = true)]
async fn a_chunk_that_goes_over_the_limit_is_refused_from_its_size_line() {
    for body in ["9\r\n", "8\r\n12345678\r\n1\r\n", "ffffffffffffffff\r\n"] {
        let (answer, asked) = talk_chunked(small(), body).await;
        assert_eq!(answer, refusal("413 Payload Too Large"), "{body}");
        assert!(asked.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn many_small_chunks_are_within_the_limit() {
    let body = "1\r\nx\r\n".repeat(100_000) + "0\r\n\r\n";
    let (answer, body) = talk_chunked(Limits::default(), body).await;
    assert_eq!(answer, OK);
    assert_eq!(body.unwrap().len(), 100_000);
}

#[tokio::test(start_paused = true)]
async fn malformed_chunks_are_refused() {
    for body in [
        "\r\n",
        "g\r\n",
        "-1\r\n",
        "+1\r\n",
        "0x1\r\n",
        ";x\r\n",
        " 1\r\n",
        "1 1\r\n",
        "1\n",
        "1\rx",
        "1;x\n",
        "1\r\nab",
        "1\r\na\n",
        "1\r\na\rx",
        "0\r\n\n",
        "0\r\na: b\n",
        "0\r\na: b\rx",
        "0\r\n\rx",
        "00000000000000001\r\n",
    ] {
        let (answer, asked) = talk_chunked(Limits::default(), body).await;
        assert_eq!(answer, refusal("400 Bad Request"), "{body:?}");
        assert!(asked.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn extensions_and_trailers_are_bounded_together() {
    let body = |trailer: usize| {
        let extension = "e".repeat(8191);
        let trailer = "t".repeat(trailer);
        format!("1;{extension}\r\na\r\n0\r\n{trailer}\r\n\r\n")
    };
    let (answer, _) = talk_chunked(Limits::default(), body(8192)).await;
    assert_eq!(answer, OK);
    let (answer, _) = talk_chunked(Limits::default(), body(8193)).await;
    assert_eq!(answer, refusal("400 Bad Request"));
}
