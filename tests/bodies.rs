//! Request bodies over a socket (`capsule-stream-details.md`, section 1).

use crate::support::{
    ACK, NOT_FOUND, STREAM_HEAD, Served, WATCH, builder, json_answer, post, post_with,
    stream_body_of,
};
use std::fmt::Write;

const PARSE_ERROR: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
const TOO_LARGE: &str =
    "HTTP/1.1 413 Payload Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
/// The limit of a body.
const LIMIT: usize = 4 * 1024 * 1024;

/// The head of a JSON request without a content length.
fn head(headers: &str) -> String {
    format!("POST / HTTP/1.1\r\nHost: capsule\r\nContent-Type: application/json\r\n{headers}\r\n")
}

/// The body of a watch, filled up with white space.
fn watch_of_length(length: usize) -> String {
    format!("{WATCH}{}", " ".repeat(length - WATCH.len()))
}

/// A chunked body in pieces of `size` bytes.
fn chunked(body: &str, size: usize) -> String {
    let mut chunked = String::new();
    for piece in body.as_bytes().chunks(size) {
        let piece = std::str::from_utf8(piece).unwrap();
        write!(chunked, "{:x}\r\n{piece}\r\n", piece.len()).unwrap();
    }
    chunked + "0\r\n\r\n"
}

#[tokio::test]
async fn a_chunked_body_is_a_body() {
    let served = Served::on_a_socket(builder()).await;
    let head = head("Transfer-Encoding: chunked\r\n");
    for size in [1, 7, WATCH.len()] {
        let mut watcher = served.send(format!("{head}{}", chunked(WATCH, size))).await;
        watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
    }
    served.send(format!("{head}0\r\n\r\n")).await.expect_all(NOT_FOUND).await;
}

#[tokio::test]
async fn a_request_may_come_in_many_small_writes() {
    let served = Served::on_a_socket(builder()).await;
    let chunked = head("Transfer-Encoding: chunked\r\n") + &chunked(WATCH, 5);
    for request in [post(WATCH), chunked] {
        let mut watcher = served.connect().await;
        for byte in request.as_bytes() {
            watcher.send([*byte]).await;
        }
        watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
    }
}

#[tokio::test]
async fn a_client_that_expects_100_continue_gets_it_before_it_sends_its_body() {
    let served = Served::on_a_socket(builder()).await;
    let request = post_with("Expect: 100-continue\r\n", WATCH);
    let (head, body) = request.split_at(request.len() - WATCH.len());
    let mut watcher = served.send(head).await;
    watcher.expect("HTTP/1.1 100 Continue\r\n\r\n").await;
    watcher.send(body).await;
    watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
    // One that does not wait for it does not need it.
    let mut hasty = served.send(request).await;
    let answer = format!("{STREAM_HEAD}{ACK}");
    hasty.expect(answer).await;
}

#[tokio::test]
async fn a_body_of_4_mib_is_taken_and_one_of_a_byte_more_is_not() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.send(post(&watch_of_length(LIMIT))).await;
    watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
    // It is refused by its length, before any of it was sent.
    let too_long = format!("Content-Length: {}\r\n", LIMIT + 1);
    served.send(head(&too_long)).await.expect_all(TOO_LARGE).await;
    let endless = "Content-Length: 99999999999999999999999999\r\n";
    served.send(head(endless)).await.expect_all(TOO_LARGE).await;
}

#[tokio::test]
async fn a_chunked_body_has_the_same_limit() {
    let served = Served::on_a_socket(builder()).await;
    let head = head("Transfer-Encoding: chunked\r\n");
    let body = chunked(&watch_of_length(LIMIT), 1024 * 1024);
    let mut watcher = served.send(format!("{head}{body}")).await;
    watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
    // The chunk that goes over the limit is refused by its size.
    let full = body.strip_suffix("0\r\n\r\n").unwrap();
    let mut client = served.send(format!("{head}{full}1\r\n")).await;
    client.expect_all(TOO_LARGE).await;
}

#[tokio::test]
async fn a_body_that_ends_too_early_is_closed_without_a_word() {
    let served = Served::on_a_socket(builder()).await;
    let request = post(WATCH);
    let mut client = served.send(&request[..request.len() - 1]).await;
    client.end().await;
    client.expect_end().await;
    assert_eq!(served.stats().await.unwrap().pending_requests, 0);
}

#[tokio::test]
async fn a_client_that_ends_its_side_still_gets_its_stream() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.send(post(WATCH)).await;
    watcher.end().await;
    watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
    served.close().await;
    watcher.expect_all("event: capsule-closed\ndata: {}\n\n").await;
}

#[tokio::test]
async fn nesting_10_000_deep_is_a_parse_error_and_the_capsule_lives_on() {
    let served = Served::on_a_socket(builder()).await;
    let depth = 10_000;
    let arrays = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    let in_params = stream_body_of(&arrays);
    let in_message = stream_body_of(&format!(r#"{{"message":{objects}}}"#));
    let open = "[".repeat(depth);
    for body in [arrays, objects, in_params, in_message, open] {
        served.send(post(&body)).await.expect_all(json_answer(PARSE_ERROR)).await;
    }
    served.watch().await;
}

#[tokio::test]
async fn nesting_128_deep_is_taken() {
    let served = Served::on_a_socket(builder()).await;
    let params = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let watch = |depth| WATCH.replace("{}", &params(depth));
    // The envelope is the first level.
    let mut watcher = served.send(post(&watch(127))).await;
    watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
    served.send(post(&watch(128))).await.expect_all(json_answer(PARSE_ERROR)).await;
}
