//! A naive model of the stream, written from the page alone: every frame as a list of bytes, and
//! for every connection its own frames and a queue of 128 that is fed at publish.

use crate::support::{ACK, CLOSED};
use std::collections::VecDeque;

const INTERVAL: u64 = 15_000_000_000;

/// A frame with an id.
#[derive(Clone)]
pub(crate) struct Frame {
    id: u64,
    bytes: Vec<u8>,
    closes: bool,
}

/// The model's connection.
pub(crate) struct Client {
    is_watch: bool,
    opened: u64,
    beats: u64,
    own: VecDeque<Vec<u8>>,
    live: VecDeque<Frame>,
    rest: Vec<u8>,
    ending: bool,
    pub(crate) lost: u64,
}

/// The attempt that runs.
struct Running {
    name: String,
    counter: u64,
    turn: u64,
    in_call: bool,
}

/// The model's session, and its connections.
#[derive(Default)]
pub(crate) struct Model {
    pub(crate) log: Vec<Frame>,
    pub(crate) clients: Vec<Client>,
    pub(crate) closed: bool,
    running: Option<Running>,
    chunk_counter: Option<u64>,
    queued_cancels: u64,
    chunk_emitted: bool,
    tasks: u64,
}

impl Model {
    fn publish(&mut self, id: u64, event: &str, data: &str, closes: bool) {
        let bytes = format!("id: {id}\nevent: {event}\ndata: {data}\n\n").into_bytes();
        let frame = Frame { id, bytes, closes };
        for client in self.clients.iter_mut().filter(|client| !client.ending) {
            client.live.push_back(frame.clone());
            if client.live.len() > 128 {
                client.live.pop_front();
                client.lost += 1;
            }
        }
        self.log.push(frame);
    }

    fn status(&mut self, id: u64, context: bool, body: &str, is_final: bool) {
        let Some(running) = &self.running else { return };
        let name = &running.name;
        let context =
            if context { format!(r#""context_id":"ctx_{name}","#) } else { String::new() };
        let data =
            format!(r#"{{"id":"tsk_{name}",{context}"status":{{{body}}},"final":{is_final}}}"#);
        self.publish(id, "status", &data, is_final);
    }

    /// The next id of the running task's counter.
    fn next(&mut self) -> Option<u64> {
        let running = self.running.as_mut()?;
        running.counter += 1;
        Some(running.counter - 1)
    }

    fn next_chunk(&mut self) -> u64 {
        let id = self.chunk_counter.unwrap_or(4_611_686_018_427_387_903);
        self.chunk_counter = Some(id + 1);
        id
    }

    fn piece(&mut self, event: &str, text: &str, is_final: bool) {
        let Some(name) = self.running.as_ref().map(|running| running.name.clone()) else { return };
        let id = self.next_chunk();
        let data = format!(r#"{{"id":"tsk_{name}","text":"{text}","final":{is_final}}}"#);
        self.publish(id, event, &data, false);
    }

    /// Begins an attempt, and tells the task's name.
    pub(crate) fn begin(&mut self) -> String {
        self.tasks += 1;
        let name = format!("t{}", self.tasks);
        self.chunk_emitted = false;
        if !self.closed {
            let running = Running { name: name.clone(), counter: 0, turn: 0, in_call: false };
            self.running = Some(running);
        }
        name
    }

    pub(crate) fn begin_turn(&mut self) {
        let Some(id) = self.next() else { return };
        let Some(running) = &mut self.running else { return };
        (running.turn, running.in_call) = (running.turn + 1, true);
        let (turn, counter) = (running.turn, running.counter);
        let body = format!(r#""state":"working","message":"inference turn {turn}""#);
        self.status(id, true, &body, false);
        self.chunk_emitted = false;
        self.chunk_counter = Some(counter);
    }

    pub(crate) fn inference_returned(&mut self) {
        if !self.running.as_mut().is_some_and(|running| std::mem::take(&mut running.in_call)) {
            return;
        }
        if self.chunk_emitted {
            self.piece("text", "", true);
        }
        if let (Some(running), Some(chunk)) = (&mut self.running, self.chunk_counter) {
            running.counter = chunk;
        }
    }

    pub(crate) fn chunk(&mut self, event: &str, text: &str) {
        if self.running.is_some() && event == "text" {
            self.chunk_emitted = true;
        }
        self.piece(event, text, false);
    }

    pub(crate) fn artifact(&mut self, content: &str) {
        let Some(id) = self.next() else { return };
        let name = self.running.as_ref().map(|running| running.name.clone()).unwrap_or_default();
        let artifact = format!(
            r#"{{"tool_name":"t","content":"{content}","fence_source":"tool:t","tool_call_id":"c","is_error":false,"duration_ms":1,"exit_code":null,"truncated":false}}"#
        );
        self.publish(
            id,
            "artifact",
            &format!(r#"{{"id":"tsk_{name}","artifact":{artifact}}}"#),
            false,
        );
    }

    pub(crate) fn input_wait(&mut self, answered: bool) {
        let first = 9_223_372_036_854_775_807;
        self.status(first, false, r#""state":"input-required","message":"?""#, false);
        let second = if answered {
            r#""state":"working","message":"resumed""#
        } else {
            r#""state":"failed","message":"input-timeout""#
        };
        self.status(first + 1, false, second, !answered);
    }

    pub(crate) fn completed(&mut self, reply: &str) {
        if self.running.is_some() && !self.chunk_emitted && !reply.is_empty() {
            self.piece("text", reply, true);
            if let (Some(running), Some(chunk)) = (&mut self.running, self.chunk_counter) {
                running.counter = chunk;
            }
        }
        self.end(&format!(r#""state":"completed","message":"session ended","response":"{reply}""#));
    }

    pub(crate) fn end(&mut self, body: &str) {
        if let Some(id) = self.next() {
            self.status(id, true, body, true);
        }
        self.running = None;
    }

    pub(crate) fn abandon(&mut self) {
        self.running = None;
    }

    pub(crate) fn cancel_queued(&mut self) {
        if self.closed {
            return;
        }
        let data = r#"{"id":"tsk_q","context_id":"ctx_q","status":{"state":"canceled","message":"task canceled before it started"},"final":true}"#;
        self.publish(2_305_843_009_213_693_951 + self.queued_cancels, "status", data, true);
        self.queued_cancels += 1;
    }

    pub(crate) fn close(&mut self) {
        self.closed = true;
        self.running = None;
    }

    /// Opens a connection that replays from `from`.
    pub(crate) fn open(&mut self, is_watch: bool, from: Option<u64>, now: u64) {
        let mut own = VecDeque::new();
        if is_watch {
            own.push_back(ACK.as_bytes().to_vec());
        }
        let buffer = &self.log[self.log.len().saturating_sub(512)..];
        if let (Some(from), Some(oldest)) = (from, buffer.first()) {
            let gap = u128::from(oldest.id) > u128::from(from) + 1;
            if gap {
                let id = oldest.id;
                let gap = format!("event: gap\ndata: {{\"first_available_id\":{id}}}\n\n");
                own.push_back(gap.into_bytes());
            }
            let replayed = buffer.iter().filter(|frame| gap || frame.id > from);
            own.extend(replayed.map(|frame| frame.bytes.clone()));
        }
        self.clients.push(Client {
            is_watch,
            opened: now,
            beats: 0,
            own,
            live: VecDeque::new(),
            rest: Vec::new(),
            ending: false,
            lost: 0,
        });
    }

    /// What the client gets that can take `permit` bytes.
    pub(crate) fn read(&mut self, client: usize, now: u64, permit: usize) -> Vec<u8> {
        let closed = self.closed;
        let client = &mut self.clients[client];
        let mut got = Vec::new();
        while got.len() < permit {
            if client.rest.is_empty() {
                match client.next_frame(closed, now) {
                    Some(frame) => client.rest = frame,
                    None => break,
                }
            }
            let size = client.rest.len().min(permit - got.len());
            got.extend(client.rest.drain(..size));
        }
        if client.ending {
            client.live.clear();
        }
        got
    }
}

impl Client {
    fn next_frame(&mut self, closed: bool, now: u64) -> Option<Vec<u8>> {
        if let Some(own) = self.own.pop_front() {
            return Some(own);
        }
        if self.ending {
            return None;
        }
        if self.next_beat() <= now {
            self.beats += 1;
            return Some(b":heartbeat\n\n".to_vec());
        }
        if let Some(frame) = self.live.pop_front() {
            self.ending = frame.closes && !self.is_watch;
            return Some(frame.bytes);
        }
        self.ending = closed;
        (closed && self.is_watch).then(|| CLOSED.as_bytes().to_vec())
    }

    fn next_beat(&self) -> u64 {
        self.opened + INTERVAL * (self.beats + 1)
    }

    /// The connection's last frame, ahead of live ones.
    pub(crate) fn last_frame(&mut self, frame: &str) {
        self.own.push_back(frame.as_bytes().to_vec());
        self.ending = true;
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.ending && self.rest.is_empty() && self.own.is_empty()
    }

    pub(crate) fn wants_write(&self, closed: bool, now: u64) -> bool {
        !self.rest.is_empty()
            || !self.own.is_empty()
            || (!self.ending && (closed || !self.live.is_empty() || self.next_beat() <= now))
    }

    pub(crate) fn next_heartbeat(&self) -> Option<u64> {
        (!self.ending).then(|| self.next_beat())
    }
}
