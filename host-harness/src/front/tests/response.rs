//! The bytes of the answer.

use http::Response;
use http::response::Builder;
use http_body::Frame;
use tokio::io::AsyncWriteExt;

use super::support::*;
use crate::front::{HandlerGone, Limits};

const GET: &[u8] = b"GET / HTTP/1.1\r\n\r\n";
const HEAD: &[u8] = b"HEAD / HTTP/1.1\r\n\r\n";

async fn ask(request: &[u8], handler: Script) -> String {
    let (mut client, _task) = connect(Limits::default(), handler);
    client.write_all(request).await.unwrap();
    read_all(&mut client).await
}

async fn written(response: Builder, body: TestBody) -> String {
    ask(GET, Script::once(response.body(body).unwrap())).await
}

fn status(code: u16) -> Builder {
    Response::builder().status(code)
}

/// What the front wrote, write by write, of a stream whose first frame may be there already.
async fn writes(first: Option<&'static str>) -> Vec<String> {
    let (frames, response) = event_stream();
    if let Some(first) = first {
        frames.send(data(first)).await.unwrap();
    }
    let (mut client, server) = tokio::io::duplex(4096);
    let (wire, _reset) = Wire::new(server);
    let writes = std::sync::Arc::clone(&wire.writes);
    let _task = spawn(wire, Limits::default(), Script::once(response));
    client.write_all(GET).await.unwrap();
    settle().await;
    for frame in ["two\n\n", "three\n\n"] {
        frames.send(data(frame)).await.unwrap();
        settle().await;
    }
    drop(frames);
    read_all(&mut client).await;
    writes.lock().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn the_head_of_an_event_stream_is_the_pages_to_the_byte() {
    let response = status(200).header("content-type", "text/event-stream");
    let answer = written(response, full("event: x\ndata: {}\n\n")).await;
    assert_eq!(answer, format!("{EVENT_STREAM}event: x\ndata: {{}}\n\n"));
}

#[tokio::test(start_paused = true)]
async fn the_head_of_an_event_stream_does_not_depend_on_what_the_handler_says_of_it() {
    let response = status(200)
        .header("cache-control", "no-store")
        .header("connection", "close")
        .header("x-one", "1")
        .header("content-type", "Text/Event-Stream; charset=utf-8")
        .header("transfer-encoding", "chunked")
        .header("content-length", "3")
        .header("x-two", "2")
        .header("X-One", "3");
    let head = EVENT_STREAM.strip_suffix("\r\n").unwrap();
    assert_eq!(
        written(response, full("data")).await,
        format!("{head}x-one: 1\r\nx-one: 3\r\nx-two: 2\r\n\r\ndata")
    );
}

#[tokio::test(start_paused = true)]
async fn the_head_goes_out_before_the_first_frame() {
    assert_eq!(writes(None).await, [EVENT_STREAM, "two\n\n", "three\n\n"]);
}

#[tokio::test(start_paused = true)]
async fn a_first_frame_that_is_ready_goes_out_with_the_head() {
    let first = format!("{EVENT_STREAM}one\n\n");
    let expected = [first.as_str(), "two\n\n", "three\n\n"];
    assert_eq!(writes(Some("one\n\n")).await, expected);
}

#[tokio::test(start_paused = true)]
async fn trailers_of_the_handler_are_ignored() {
    let (frames, response) = event_stream();
    let (mut client, _task) = connect(Limits::default(), Script::once(response));
    client.write_all(GET).await.unwrap();
    let trailers = http::HeaderMap::from_iter([(http::header::AGE, 1.into())]);
    frames.send(data("one")).await.unwrap();
    frames.send(Ok(Frame::trailers(trailers))).await.unwrap();
    frames.send(data("")).await.unwrap();
    frames.send(data("two")).await.unwrap();
    drop(frames);
    let answer = read_all(&mut client).await;
    assert_eq!(answer, format!("{EVENT_STREAM}onetwo"));
}

#[tokio::test(start_paused = true)]
async fn an_event_stream_that_fails_is_closed_after_what_was_written() {
    let (frames, response) = event_stream();
    let (mut client, task) = connect(Limits::default(), Script::once(response));
    client.write_all(GET).await.unwrap();
    frames.send(data("one")).await.unwrap();
    frames.send(Err("trap".into())).await.unwrap();
    let answer = read_all(&mut client).await;
    assert_eq!(answer, format!("{EVENT_STREAM}one"));
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_event_stream_that_fails_at_once_still_has_its_head() {
    let (frames, response) = event_stream();
    frames.send(Err("trap".into())).await.unwrap();
    assert_eq!(ask(GET, Script::once(response)).await, EVENT_STREAM);
}

#[tokio::test(start_paused = true)]
async fn a_json_answer_has_its_type_its_length_and_the_close_in_that_order() {
    for response in [
        status(200).header("content-length", "2").header("content-type", "application/json"),
        status(200)
            .header("connection", "keep-alive")
            .header("content-type", "application/json")
            .header("transfer-encoding", "chunked"),
        status(200).header("content-length", "two").header("content-type", "application/json"),
    ] {
        assert_eq!(written(response, full("{}")).await, OK);
    }
}

#[tokio::test(start_paused = true)]
async fn the_handlers_headers_are_kept_in_order_as_bytes() {
    let value = http::HeaderValue::from_bytes(b"caf\xc3\xa9").unwrap();
    let response = status(405).header("B-One", "1").header("a-two", value).header("b-one", "3");
    assert_eq!(
        written(response, full("no")).await,
        "HTTP/1.1 405 Method Not Allowed\r\nb-one: 1\r\nb-one: 3\r\na-two: caf\u{e9}\r\n\
         content-length: 2\r\nconnection: close\r\n\r\nno"
    );
}

#[tokio::test(start_paused = true)]
async fn a_status_without_a_name_has_an_empty_reason() {
    let answer = written(status(599), full("")).await;
    assert_eq!(answer, refusal("599 "));
}

#[tokio::test(start_paused = true)]
async fn a_404_without_a_body_is_complete_with_its_head() {
    for response in [status(404), status(404).header("content-length", "0")] {
        let answer = written(response, full("")).await;
        assert_eq!(
            answer,
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_longer_than_its_announced_length_is_cut() {
    let response = status(200).header("content-length", "3");
    assert_eq!(
        written(response, full("abcdef")).await,
        "HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: close\r\n\r\nabc"
    );
}

#[tokio::test(start_paused = true)]
async fn a_body_of_its_announced_length_ends_the_answer_though_it_stays_open() {
    let (frames, body) = scripted_body();
    let response = status(200).header("content-length", "6");
    let script = Script::once(response.body(body).unwrap());
    let (mut client, task) = connect(Limits::default(), script);
    client.write_all(GET).await.unwrap();
    frames.send(data("abc")).await.unwrap();
    frames.send(data("def")).await.unwrap();
    assert!(read_all(&mut client).await.ends_with("\r\n\r\nabcdef"));
    frames.closed().await;
    drop(client);
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_body_too_long_to_count_is_an_error_of_the_server() {
    const MEGABYTE: usize = 1024 * 1024;
    let exact: &'static str = "x".repeat(MEGABYTE).leak();
    let over: &'static str = "x".repeat(MEGABYTE + 1).leak();
    let answer = written(status(200), full(exact)).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\ncontent-length: 1048576\r\n"));
    let answer = written(status(200), full(over)).await;
    assert_eq!(answer, refusal("500 Internal Server Error"));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_fails_before_its_first_byte_is_an_error_of_the_server() {
    for response in [status(200), status(200).header("content-length", "2")] {
        let (frames, body) = scripted_body();
        frames.send(Err("trap".into())).await.unwrap();
        let answer = written(response, body).await;
        assert_eq!(answer, refusal("500 Internal Server Error"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_is_gone_is_a_503() {
    let answer = ask(GET, Script::new(|| Err(HandlerGone))).await;
    assert_eq!(answer, BUSY);
}

#[tokio::test(start_paused = true)]
async fn an_interim_status_is_no_answer() {
    let answer = written(status(101), full("")).await;
    assert_eq!(answer, refusal("500 Internal Server Error"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_head_has_no_body() {
    for response in [status(200), status(200).header("content-length", "2")] {
        let script = Script::once(response.body(full("{}")).unwrap());
        assert_eq!(
            ask(HEAD, script).await,
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n"
        );
    }
    let (frames, response) = event_stream();
    assert_eq!(ask(HEAD, Script::once(response)).await, EVENT_STREAM);
    drop(frames);
}

#[tokio::test(start_paused = true)]
async fn a_204_has_neither_body_nor_length() {
    let response = status(204).header("content-length", "2");
    assert_eq!(
        written(response, full("{}")).await,
        "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"
    );
}
