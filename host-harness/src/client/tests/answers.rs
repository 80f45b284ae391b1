//! The request, and the head of the answer.

use super::{answered, failure, settle};
use crate::client::{ANSWER_TIME, Request, send, send_on};
use http::header::{ACCEPT, HeaderValue};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, timeout};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n";

#[tokio::test]
async fn a_request_says_what_it_was_told_and_where_its_body_ends() {
    let address = "http://[::1]:7/".parse().unwrap();
    for (request, expected) in [
        (
            Request::get("/.well-known/agent-card.json"),
            "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: [::1]:7\r\nConnection: close\r\n\r\n",
        ),
        (
            Request::post("é".as_bytes()).header(ACCEPT, HeaderValue::from_static("a/b")),
            "POST / HTTP/1.1\r\nHost: [::1]:7\r\naccept: a/b\r\nContent-Length: 2\r\n\
             Connection: close\r\n\r\né",
        ),
        (
            Request::post(b""),
            "POST / HTTP/1.1\r\nHost: [::1]:7\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        ),
    ] {
        let (client, mut server) = tokio::io::duplex(1 << 20);
        server.write_all(OK).await.unwrap();
        drop(send_on(client, &address, &request).await.unwrap());
        let mut sent = String::new();
        server.read_to_string(&mut sent).await.unwrap();
        assert_eq!(sent, expected);
    }
}

#[tokio::test]
async fn every_status_is_an_answer_and_its_line_is_kept_as_it_came() {
    for line in ["HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found", "HTTP/1.0 503", "HTTP/1.1 101 Other"]
    {
        for end in ["\r\n", "\n"] {
            let head = format!("{line}{end}a: b{end}{end}");
            let mut response = answered(&[head.as_bytes()]).await.unwrap();
            assert_eq!(response.status_line(), line);
            assert_eq!(response.status().as_str(), &line[9..12]);
            assert_eq!(response.headers()["A"], "b");
            assert_eq!(response.piece().await.unwrap(), None);
        }
    }
}

#[tokio::test]
async fn a_head_may_come_in_any_pieces_and_after_interim_answers() {
    let answer = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
                   HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n\r\nbody";
    for at in 0..answer.len() {
        let (head, tail) = answer.split_at(at);
        let mut response = answered(&[head, tail]).await.unwrap();
        assert_eq!(response.status_line(), "HTTP/1.1 200 OK");
        assert_eq!(response.headers().len(), 1);
        assert_eq!(response.body(4).await.unwrap(), b"body");
    }
    let bytes: Vec<_> = answer.chunks(1).collect();
    assert_eq!(answered(&bytes).await.unwrap().body(4).await.unwrap(), b"body");
}

#[tokio::test]
async fn a_head_of_64_kib_is_read_and_a_larger_one_is_not() {
    let head = |length: usize| {
        let frame = "HTTP/1.1 200 OK\r\na: \r\n\r\n";
        format!("HTTP/1.1 200 OK\r\na: {}\r\n\r\n", "x".repeat(length - frame.len()))
    };
    assert!(answered(&[head(64 * 1024).as_bytes()]).await.is_ok());
    let told = "the answer's head has more than 65536 bytes";
    assert_eq!(failure(&[head(64 * 1024 + 1).as_bytes()]).await, told);
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(129));
    assert_eq!(failure(&[many.as_bytes()]).await, "the answer's head has more than 128 headers");
}

#[tokio::test]
async fn what_is_no_answer_is_told() {
    let not_http = "what answers does not speak HTTP/1.1; is this a capsule's address?";
    assert_eq!(failure(&[b"SSH-2.0-OpenSSH"]).await, not_http);
    assert_eq!(failure(&[b"HTTP/2 200 OK\r\n\r\n"]).await, not_http);
    assert_eq!(failure(&[b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n"]).await, not_http);
    assert_eq!(failure(&[]).await, "the connection was closed without an answer");
    let cut = "the connection was closed in the middle of the answer's head";
    assert_eq!(failure(&[b"HTTP/1.1 200 OK\r\n"]).await, cut);
    assert_eq!(failure(&[b"HTTP/1.1 100 Continue\r\n\r\n"]).await, cut);
}

#[tokio::test]
async fn an_answer_counts_even_if_the_request_could_not_be_sent() {
    let (client, mut server) = tokio::io::duplex(64);
    let address = "localhost".parse().unwrap();
    let refusing = tokio::spawn(async move {
        server.write_all(b"HTTP/1.1 413 Payload Too Large\r\n\r\n").await.unwrap();
        settle().await;
    });
    let response = send_on(client, &address, &Request::post(&[b'x'; 1000])).await.unwrap();
    assert_eq!(response.status_line(), "HTTP/1.1 413 Payload Too Large");
    refusing.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_waited_for_30_s() {
    for said in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n"] {
        let (client, mut server) = tokio::io::duplex(1 << 20);
        server.write_all(said.as_bytes()).await.unwrap();
        let (address, began) = ("capsule:1".parse().unwrap(), Instant::now());
        let error = send_on(client, &address, &Request::get("/")).await.err().unwrap();
        assert_eq!(error.to_string(), "capsule:1: no answer within 30 s");
        assert!(!error.is_lost_connection());
        assert_eq!(began.elapsed(), ANSWER_TIME);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_even_read_is_waited_for_30_s() {
    let (client, _server) = tokio::io::duplex(64);
    let address = "capsule:1".parse().unwrap();
    let error = send_on(client, &address, &Request::post(&[b'x'; 1000])).await.err().unwrap();
    assert_eq!(error.to_string(), "capsule:1: no answer within 30 s");
}

#[tokio::test(start_paused = true)]
async fn a_stream_may_be_silent_for_ever() {
    let (client, mut server) = tokio::io::duplex(1 << 20);
    server.write_all(OK).await.unwrap();
    let address = "capsule:1".parse().unwrap();
    let mut response = send_on(client, &address, &Request::get("/")).await.unwrap();
    let day = Duration::from_secs(24 * 60 * 60);
    assert!(timeout(day, response.piece()).await.is_err());
    server.write_all(b"late").await.unwrap();
    assert_eq!(response.piece().await.unwrap().unwrap(), "late");
}

#[tokio::test]
async fn a_refused_connection_names_the_address_and_what_to_look_at() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    drop(taken);
    let error = send(&address.parse().unwrap(), &Request::get("/")).await.err().unwrap();
    let told = error.to_string();
    assert!(told.starts_with(&format!("cannot connect to {address}: ")), "{told}");
    assert!(told.ends_with("; is the capsule running, and is this its address?"), "{told}");
    assert!(!error.is_lost_connection());
}
