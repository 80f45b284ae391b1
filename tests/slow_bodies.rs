//! Request bodies that come into the component piece by piece, as behind another HTTP server, and
//! not whole as from a socket.

use crate::support::{
    ACK, QUEUE, STREAM_HEAD, Served, TaskFrames, WATCH, builder, json_answer, post, stream_body,
};
use bytes::Bytes;
use host_harness::CapsuleHandle;
use host_harness::front::{HandlerGone, Limits};
use http::{Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use wasmtime_wasi_http::Error;
use wasmtime_wasi_http::p2::body::HyperOutgoingBody;

type Answer = Result<Response<HyperOutgoingBody>, HandlerGone>;

/// A request's body from the sending side. Dropping it ends the body.
struct Pieces(mpsc::UnboundedSender<Result<Frame<Bytes>, Error>>);

impl Pieces {
    fn send(&self, piece: &str) {
        self.0.send(Ok(Frame::data(Bytes::copy_from_slice(piece.as_bytes())))).unwrap();
    }

    fn break_off(self) {
        self.0.send(Err(Error::ConnectionTerminated)).unwrap();
    }
}

struct PiecesBody(mpsc::UnboundedReceiver<Result<Frame<Bytes>, Error>>);

impl Body for PiecesBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        self.0.poll_recv(cx)
    }
}

/// Gives the capsule a request whose body is sent through what is answered.
fn request(capsule: &CapsuleHandle) -> (Pieces, JoinHandle<Answer>) {
    let (pieces, body) = mpsc::unbounded_channel();
    let request = Request::post("/").header("content-type", "application/json");
    let request = request.body(PiecesBody(body)).unwrap();
    let capsule = capsule.clone();
    (Pieces(pieces), tokio::spawn(async move { capsule.request(request).await }))
}

/// The next data of an answer's body.
async fn next(body: &mut HyperOutgoingBody) -> String {
    let frame = body.frame().await.expect("the body goes on").unwrap();
    String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn a_body_may_come_in_pieces_with_time_between_them() {
    let served = Served::on_a_socket(builder()).await;
    let (pieces, answer) = request(&served);
    for piece in WATCH.as_bytes().chunks(9) {
        pieces.send(std::str::from_utf8(piece).unwrap());
        // The component has the request, and waits for the rest of it.
        served.until(|stats| stats.pending_requests == 1).await;
    }
    assert!(!answer.is_finished());
    drop(pieces);
    let mut answer = answer.await.unwrap().unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    assert_eq!(answer.headers()["cache-control"], "no-cache");
    assert_eq!(next(answer.body_mut()).await, ACK);
    assert_eq!(served.stats().await.unwrap().pending_requests, 0);
}

#[tokio::test]
async fn a_body_on_its_way_holds_nobody_up() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let slow: Vec<_> = (0..10).map(|_| request(&served)).collect();
    for (pieces, _) in &slow {
        pieces.send("{");
    }
    served.until(|stats| stats.pending_requests == 10).await;
    // Others are answered, frames are written, and a task runs meanwhile.
    let mut watcher = served.watch().await;
    served
        .send(post("[]"))
        .await
        .expect_all(json_answer(
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#,
        ))
        .await;
    let mut submitter = served.submit("hello").await;
    served.run_task("hi").await;
    let run = TaskFrames::nth(0).run("hi");
    submitter.expect_all(&run).await;
    watcher.expect(&run).await;
    // The slow ones end in another order than they began.
    for (pieces, answer) in slow.into_iter().rev() {
        pieces.send(&WATCH[1..]);
        drop(pieces);
        let mut answer = answer.await.unwrap().unwrap();
        assert!(next(answer.body_mut()).await.starts_with(ACK));
    }
}

#[tokio::test]
async fn a_connection_opens_when_its_request_is_complete() {
    let served = Served::on_a_socket(builder().task_acceptance(QUEUE)).await;
    let (pieces, answer) = request(&served);
    pieces.send(&stream_body("slow")[..20]);
    served.until(|stats| stats.pending_requests == 1).await;
    let mut quick = served.submit("quick").await;
    served.run_task("quick").await;
    quick.expect_all(TaskFrames::nth(0).run("quick")).await;
    pieces.send(&stream_body("slow")[20..]);
    drop(pieces);
    let answer = answer.await.unwrap().unwrap();
    assert_eq!(served.next_task().await.text(), "slow");
    // It asked for no replay: nothing of the task before is in it.
    served.feed().close().await.unwrap();
    assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), "");
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_by_the_component() {
    let limits = Limits { body_bytes: 1000, ..Limits::default() };
    let served = Served::on_a_socket(builder().limits(limits)).await;
    let fits = format!("{WATCH}{}", " ".repeat(1000 - WATCH.len()));

    let (pieces, answer) = request(&served);
    pieces.send(&fits);
    drop(pieces);
    assert_eq!(answer.await.unwrap().unwrap().status(), StatusCode::OK);

    let (pieces, answer) = request(&served);
    pieces.send(&fits);
    served.until(|stats| stats.pending_requests == 1).await;
    assert!(!answer.is_finished());
    pieces.send(" ");
    // It is answered although the body goes on.
    let answer = answer.await.unwrap().unwrap();
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(answer.headers()["content-length"], "0");
    assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), "");
    assert_eq!(served.stats().await.unwrap().pending_requests, 0);
    drop(pieces);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_answered_by_nobody_and_frees_its_request() {
    let served = Served::on_a_socket(builder()).await;
    let (pieces, answer) = request(&served);
    pieces.send(&WATCH[..20]);
    served.until(|stats| stats.pending_requests == 1).await;
    pieces.break_off();
    assert_eq!(answer.await.unwrap().err(), Some(HandlerGone));
    let stats = served.until(|stats| stats.pending_requests == 0).await;
    assert_eq!(stats.connections, 0);
    served.watch().await;
}

#[tokio::test]
async fn an_empty_body_is_not_found_once_it_has_ended() {
    let served = Served::on_a_socket(builder()).await;
    let (pieces, answer) = request(&served);
    served.until(|stats| stats.pending_requests == 1).await;
    drop(pieces);
    assert_eq!(answer.await.unwrap().unwrap().status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_request_to_another_path_does_not_wait_for_its_body() {
    let served = Served::on_a_socket(builder()).await;
    let (_pieces, body) = mpsc::unbounded_channel();
    let elsewhere = Request::post("/nowhere").header("content-type", "application/json");
    let answer = served.request(elsewhere.body(PiecesBody(body)).unwrap()).await.unwrap();
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    assert_eq!(served.stats().await.unwrap().pending_requests, 0);
}

#[tokio::test]
async fn a_request_on_its_way_ends_with_the_capsule() {
    let served = Served::on_a_socket(builder()).await;
    let (pieces, answer) = request(&served);
    pieces.send(&WATCH[..20]);
    served.until(|stats| stats.pending_requests == 1).await;
    let handle = served.handle();
    served.stop().await;
    assert_eq!(answer.await.unwrap().err(), Some(HandlerGone));
    let (_pieces, late) = request(&handle);
    assert_eq!(late.await.unwrap().err(), Some(HandlerGone));
}

#[tokio::test]
async fn a_client_that_lets_go_of_its_answer_is_freed() {
    let served = Served::on_a_socket(builder()).await;
    let (pieces, answer) = request(&served);
    pieces.send(WATCH);
    drop(pieces);
    let answer = answer.await.unwrap().unwrap();
    served.until(|stats| stats.connections == 1).await;
    drop(answer);
    let mut submitter = served.submit("hello").await;
    served.run_task("hi").await;
    submitter.expect(TaskFrames::nth(0).run("hi")).await;
    submitter.expect_end().await;
    served.until(|stats| stats.connections == 0).await;
    served.send(post(WATCH)).await.expect(STREAM_HEAD).await;
}
