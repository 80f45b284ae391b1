//! Random sessions against a naive model: every byte that every connection gets, and when it ends.
#![allow(clippy::expect_used)]

mod naive;
mod ops;
#[path = "../support/mod.rs"]
mod support;

use naive::Model;
use ops::{Op, Request, op};
use proptest::prelude::*;
use protocol::door::{Message, Submitted, submit};
use protocol::{Answer, Attempt, Connection, Inference, Instant, LastEventId, Session};
use support::{Says, answer, session, task, text, thinking, tool_result};
use uuid::Uuid;

/// The code under test and the model, side by side.
struct Pair {
    session: Session,
    connections: Vec<Connection>,
    attempt: Option<Attempt>,
    inference: Option<Inference>,
    model: Model,
    now: u64,
    /// Frames that clients lost before they disconnected.
    lost: u64,
}

impl Pair {
    fn new() -> Self {
        Self {
            session: session(),
            connections: Vec::new(),
            attempt: None,
            inference: None,
            model: Model::default(),
            now: 0,
            lost: 0,
        }
    }

    fn apply(&mut self, op: &Op) {
        match *op {
            Op::Begin => {
                let name = self.model.begin();
                self.attempt = Some(Attempt::begin(&mut self.session, task(&name)));
                self.inference = None;
            }
            Op::BeginTurn => {
                self.model.begin_turn();
                let session = &mut self.session;
                self.inference = self.attempt.as_mut().map(|attempt| attempt.begin_turn(session));
            }
            Op::InferenceReturned => {
                self.model.inference_returned();
                if let (Some(attempt), Some(call)) = (&mut self.attempt, self.inference.take()) {
                    attempt.inference_returned(&mut self.session, call);
                }
            }
            Op::Text(length) => {
                self.model.chunk("text", &"x".repeat(length));
                self.session.emit_chunk(&text(&"x".repeat(length)));
            }
            Op::Thinking(length) => {
                self.model.chunk("thinking", &"y".repeat(length));
                self.session.emit_chunk(&thinking(&"y".repeat(length)));
            }
            Op::Artifact(length) => self.artifact(&"z".repeat(length)),
            Op::Burst(count) => (0..count).for_each(|_| self.artifact("")),
            Op::InputWait { answered } => {
                self.model.input_wait(answered);
                if let Some(attempt) = &self.attempt {
                    let wait = attempt.wait_for_input(&mut self.session, "?");
                    if answered {
                        wait.resumed(&mut self.session);
                    } else {
                        wait.timed_out(&mut self.session);
                    }
                }
            }
            Op::Completed(length) => {
                let reply = "r".repeat(length);
                self.model.completed(&reply);
                self.end(|attempt, session| attempt.completed(session, &reply));
            }
            Op::Failed => {
                self.model.end(r#""state":"failed","message":"session ended""#);
                self.end(|attempt, session| attempt.failed(session, "session ended"));
            }
            Op::Canceled => {
                self.model.end(r#""state":"canceled","message":"task canceled""#);
                self.end(Attempt::canceled);
            }
            Op::Abandon => {
                self.model.abandon();
                self.end(Attempt::abandon);
            }
            Op::CancelQueued => {
                self.model.cancel_queued();
                self.session.cancel_queued(&task("q"));
            }
            Op::Connect(request, last) => self.connect(request, last),
            Op::Read { client, permit } if !self.connections.is_empty() => {
                self.read(client % self.connections.len(), permit);
            }
            Op::Disconnect(client) if !self.connections.is_empty() => {
                let client = client % self.connections.len();
                // What it lost shows when it is asked for bytes.
                self.read(client, usize::MAX);
                self.connections.remove(client);
                self.lost += self.model.clients.remove(client).lost;
            }
            Op::Read { .. } | Op::Disconnect(_) => {}
            Op::Advance(milliseconds) => self.now += milliseconds * 1_000_000,
            Op::Close => {
                self.model.close();
                self.session.close();
            }
        }
        assert_eq!(self.session.frames_written(), self.model.log.len() as u64);
        assert_eq!(self.session.replay_buffer_size().0, self.model.log.len().min(512));
        assert_eq!(self.session.is_closed(), self.model.closed);
    }

    fn end(&mut self, end: impl FnOnce(Attempt, &mut Session)) {
        self.inference = None;
        if let Some(attempt) = self.attempt.take() {
            end(attempt, &mut self.session);
        }
    }

    fn artifact(&mut self, content: &str) {
        self.model.artifact(content);
        if let Some(attempt) = &mut self.attempt {
            attempt.artifact(&mut self.session, &tool_result(content));
        }
    }

    fn connect(&mut self, request: Request, last: LastEventId) {
        let is_watch = matches!(request, Request::Watch);
        let from = match last {
            LastEventId::Id(id) => Some(id),
            LastEventId::Absent | LastEventId::NotANumber => is_watch.then_some(0),
        };
        self.model.open(is_watch, from, self.now);
        let client = self.model.clients.last_mut().expect("just opened");
        let now = Instant(self.now);
        if is_watch {
            self.connections.push(self.session.open_watch(now, last));
            return;
        }
        let mut stream = self.session.open_stream(now, last);
        let message = || Message {
            message_id: "m".to_owned(),
            role: "user".to_owned(),
            text: String::new(),
            context_id: Some("c".to_owned()),
        };
        let (params, says) = match request {
            Request::Stream(says) => (Ok(message()), says),
            Request::Watch | Request::Bad => {
                let body = br#"{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{}}"#;
                let Answer::Stream(params) = answer(body, true) else { unreachable!() };
                (params, Submitted::Accepted)
            }
        };
        match (&params, says) {
            (Err(_), _) => client.last_frame(
                "event: error\ndata: {\"error\":\"Invalid params: missing field `messageId`\"}\n\n",
            ),
            (_, Submitted::Busy) => client.last_frame(
                "id: 0\nevent: status\ndata: {\"id\":\"tsk_00000000000000000000000000000000\",\"context_id\":\"c\",\"status\":{\"state\":\"rejected\",\"message\":\"task rejected: capsule is busy\"},\"final\":true}\n\n",
            ),
            (_, Submitted::QueueFailed) => client.last_frame(
                "event: error\ndata: {\"error\":\"internal error: queue send failed\"}\n\n",
            ),
            (_, Submitted::Accepted) => {}
        }
        submit(&mut stream, params, Uuid::nil, &mut Says(says));
        self.connections.push(stream);
    }

    /// Lets one client take `permit` bytes, and compares.
    fn read(&mut self, client: usize, permit: usize) {
        let (now, connection) = (Instant(self.now), &mut self.connections[client]);
        let was_finished = connection.is_finished();
        let wants_write = connection.wants_write(&self.session, now);
        let before = &self.model.clients[client];
        assert_eq!(wants_write, before.wants_write(self.model.closed, self.now));
        assert_eq!(connection.next_heartbeat().map(|at| at.0), before.next_heartbeat());
        let expected = self.model.read(client, self.now, permit);
        let mut got = Vec::new();
        while got.len() < expected.len() {
            let bytes = self.session.take(connection, now, permit - got.len());
            assert!(!bytes.is_empty(), "a part of {expected:?} is missing");
            got.extend_from_slice(bytes);
        }
        assert_eq!(String::from_utf8_lossy(&got), String::from_utf8_lossy(&expected));
        // As a writer does, ask once more only if there is something left to say, if just the end.
        if permit > got.len() && connection.wants_write(&self.session, now) {
            assert_eq!(self.session.take(connection, now, permit - got.len()), b"");
        }
        let after = &self.model.clients[client];
        assert_eq!(connection.is_finished(), after.is_finished());
        if permit > 0 {
            let finished_now = connection.is_finished() && !was_finished;
            assert_eq!(wants_write, !got.is_empty() || finished_now);
        }
    }

    /// In the end every client takes all it lacks.
    fn drain(mut self) {
        for client in 0..self.connections.len() {
            self.read(client, usize::MAX);
        }
        let lost = self.model.clients.iter().map(|client| client.lost).sum::<u64>() + self.lost;
        assert_eq!(self.session.frames_dropped(), lost);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_connection_gets_what_the_model_says(ops in prop::collection::vec(op(), 1..100)) {
        let mut pair = Pair::new();
        for op in &ops {
            pair.apply(op);
        }
        pair.drain();
    }
}
