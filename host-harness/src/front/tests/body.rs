//! The request body: its framing, its limits, `Expect`.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::time::Instant;

use super::support::*;
use crate::front::Limits;
use crate::front::body::Gathered;

/// A request with these header lines, each ended by `\r\n`, and this body.
fn post(headers: &str, body: &str) -> Vec<u8> {
    format!("POST / HTTP/1.1\r\n{headers}\r\n{body}").into_bytes()
}

async fn answer(headers: &str, body: &str) -> String {
    talk(&[&post(headers, body)]).await.answer
}

fn small() -> Limits {
    Limits { body_bytes: 8, ..Limits::default() }
}

#[tokio::test(start_paused = true)]
async fn a_body_of_its_content_length_reaches_the_handler_split_at_every_byte() {
    let request = post("content-length: 5\r\n", "hello");
    for at in 1..request.len() {
        let talk = talk(&[&request[..at], &request[at..]]).await;
        assert_eq!(talk.answer, OK);
        assert_eq!(talk.request.unwrap().1, "hello", "split at {at}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_body_headers_the_body_is_empty_and_nothing_is_awaited() {
    let talk = talk(&[&post("", "")]).await;
    assert_eq!(talk.answer, OK);
    assert!(talk.request.unwrap().1.is_empty());
}

#[tokio::test(start_paused = true)]
async fn garbage_after_the_body_is_not_part_of_it() {
    let talk = talk(&[&post("content-length: 5\r\n", "hello\0\x01GET / HTTP")]).await;
    assert_eq!(talk.answer, OK);
    assert_eq!(talk.request.unwrap().1, "hello");
}

#[tokio::test(start_paused = true)]
async fn identical_content_lengths_are_one() {
    let twice = "content-length: 5\r\nContent-Length: 5\r\n";
    assert_eq!(answer(twice, "hello").await, OK);
    assert_eq!(answer("content-length: 5, 5\r\n", "hello").await, OK);
}

#[tokio::test(start_paused = true)]
async fn differing_or_non_numeric_content_lengths_are_refused() {
    for headers in [
        "content-length: 5\r\ncontent-length: 6\r\n",
        "content-length: 5, 6\r\n",
        "content-length: \r\n",
        "content-length: 5,\r\n",
        "content-length: +5\r\n",
        "content-length: -5\r\n",
        "content-length: 0x5\r\n",
        "content-length: 5 5\r\n",
        "content-length: five\r\n",
    ] {
        let answer = answer(headers, "hello").await;
        assert_eq!(answer, refusal("400 Bad Request"), "{headers}");
    }
}

#[tokio::test(start_paused = true)]
async fn content_length_and_transfer_encoding_together_are_refused() {
    let headers = "content-length: 5\r\ntransfer-encoding: chunked\r\n";
    assert_eq!(answer(headers, "").await, refusal("400 Bad Request"));
}

#[tokio::test(start_paused = true)]
async fn a_coding_other_than_chunked_is_not_implemented() {
    for coding in ["gzip", "gzip, chunked", "chunked, chunked", "identity"] {
        let headers = format!("transfer-encoding: {coding}\r\n");
        let answer = answer(&headers, "").await;
        assert_eq!(answer, refusal("501 Not Implemented"), "{coding}");
    }
    let empty = answer("transfer-encoding: \r\n", "").await;
    assert_eq!(empty, refusal("400 Bad Request"));
}

#[tokio::test(start_paused = true)]
async fn a_body_of_exactly_the_limit_is_accepted() {
    let request = post("content-length: 8\r\n", "12345678");
    let talk = talk_within(small(), &[&request]).await;
    assert_eq!(talk.request.unwrap().1, "12345678");
    assert_eq!(Limits::default().body_bytes, 4 * 1024 * 1024);
}

#[tokio::test(start_paused = true)]
async fn a_content_length_over_the_limit_is_refused_before_any_of_the_body() {
    for length in ["9", "18446744073709551616", "99999999999999999999999999"] {
        let start = Instant::now();
        let request = post(&format!("content-length: {length}\r\n"), "");
        let (mut client, _task) = connect(small(), Script::ok());
        client.write_all(&request).await.unwrap();
        let answer = read_all(&mut client).await;
        assert_eq!(answer, refusal("413 Payload Too Large"), "{length}");
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_not_complete_in_time_is_a_timeout() {
    for request in [
        post("content-length: 5\r\n", "hell"),
        post("transfer-encoding: chunked\r\n", "5\r\nhello\r\n0\r\n"),
    ] {
        let start = Instant::now();
        let (mut client, _task) = connect(Limits::default(), Script::ok());
        client.write_all(&request).await.unwrap();
        assert_eq!(read_all(&mut client).await, refusal("408 Request Timeout"));
        assert_eq!(start.elapsed(), Duration::from_secs(30));
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_ends_early_is_closed_without_a_word() {
    for request in [
        post("content-length: 5\r\n", "hell"),
        post("content-length: 5\r\n", ""),
        post("transfer-encoding: chunked\r\n", "5\r\nhello\r\n0\r\n"),
    ] {
        assert_eq!(talk_and_end(&request).await, "");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_expects_it_gets_100_continue_before_its_body() {
    for (framing, body) in
        [("content-length: 5", "hello"), ("transfer-encoding: chunked", "5\r\nhello\r\n0\r\n\r\n")]
    {
        let headers = format!("{framing}\r\nExpect: 100-Continue\r\n");
        let (mut client, _task) = connect(Limits::default(), Script::ok());
        client.write_all(&post(&headers, "")).await.unwrap();
        expect(&mut client, "HTTP/1.1 100 Continue\r\n\r\n").await;
        client.write_all(body.as_bytes()).await.unwrap();
        assert_eq!(read_all(&mut client).await, OK);
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_wholly_there_gets_no_100_continue() {
    for (framing, body) in [
        ("content-length: 5", "hello"),
        ("content-length: 0", ""),
        ("transfer-encoding: chunked", "5\r\nhello\r\n0\r\n\r\n"),
    ] {
        let headers = format!("{framing}\r\nexpect: 100-continue\r\n");
        assert_eq!(answer(&headers, body).await, OK);
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_partly_there_gets_100_continue() {
    let headers = "content-length: 5\r\nexpect: 100-continue\r\n";
    let talk = talk(&[&post(headers, "he"), b"llo"]).await;
    assert_eq!(
        talk.answer,
        format!("HTTP/1.1 100 Continue\r\n\r\n{OK}"),
        "RFC 9110, 10.1.1 would allow to omit it"
    );
}

#[tokio::test(start_paused = true)]
async fn a_body_refused_from_its_length_gets_no_100_continue() {
    let request = post("content-length: 9\r\nexpect: 100-continue\r\n", "");
    let answer = talk_within(small(), &[&request]).await.answer;
    assert_eq!(answer, refusal("413 Payload Too Large"));
}

#[tokio::test(start_paused = true)]
async fn another_expectation_fails() {
    for value in ["100-continues", "", "100-continue\r\nexpect: more"] {
        let headers = format!("content-length: 5\r\nexpect: {value}\r\n");
        let answer = answer(&headers, "hello").await;
        assert_eq!(answer, refusal("417 Expectation Failed"), "{value}");
    }
}

#[tokio::test(start_paused = true)]
async fn http_1_0_has_no_expectations() {
    for value in ["100-continue", "other"] {
        let head = format!("POST / HTTP/1.0\r\ncontent-length: 1\r\nexpect: {value}\r\n\r\n");
        assert_eq!(talk(&[head.as_bytes(), b"x"]).await.answer, OK);
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_holds_memory_as_it_comes_and_never_above_its_limit() {
    let mut gathered = Gathered::up_to(1000);
    assert_eq!(gathered.capacity(), 0);
    for length in (10..=1000).step_by(10) {
        gathered.append(b"0123456789");
        assert!(gathered.capacity() <= 1000.min(2 * length), "at {length}");
    }
    assert_eq!(gathered.room(), 0);
}
