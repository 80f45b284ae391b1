//! The bytes that clients are expected to get, written out independently of the implementation.

/// The head of both event streams.
pub(crate) const STREAM_HEAD: &str = "HTTP/1.1 200 OK\r\n\
    content-type: text/event-stream\r\n\
    cache-control: no-cache\r\n\
    connection: keep-alive\r\n\r\n";

/// The whole answer to a request that leads nowhere.
pub(crate) const NOT_FOUND: &str =
    "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// The first frame of a watch on a stateless capsule.
pub(crate) const ACK: &str = "event: connection-ack\n\
    data: {\"role\":\"observer\",\"conversation_mode\":\"stateless\"}\n\n";

/// The last frame of a watch on a capsule that closed its stream.
pub(crate) const CLOSED: &str = "event: capsule-closed\ndata: {}\n\n";

/// A heartbeat.
pub(crate) const BEAT: &str = ":heartbeat\n\n";

/// A `gap` frame.
pub(crate) fn gap(first_available_id: u64) -> String {
    format!("event: gap\ndata: {{\"first_available_id\":{first_available_id}}}\n\n")
}

/// The whole answer that carries this JSON.
pub(crate) fn json_answer(json: &str) -> String {
    let length = json.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{json}"
    )
}

/// The `number`th UUID, from 0, that a capsule with `FixedIds::default()` mints: version 7, at the
/// start of 2026, with the random bytes 0 to 250 over and over.
pub(crate) fn minted(number: usize) -> String {
    let random = |at: usize| ((10 * number + at) % 251) as u8;
    let mut uuid = 1_767_225_600_000_u64.to_be_bytes()[2..].to_vec();
    uuid.extend([0x70 | random(0) & 0x0f, random(1), 0x80 | random(2) & 0x3f]);
    uuid.extend((3..10).map(random));
    uuid.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The frames of one task.
#[derive(Debug, Clone)]
pub(crate) struct TaskFrames {
    pub(crate) task: String,
    pub(crate) context: String,
}

impl TaskFrames {
    /// Of the capsule's `number`th task, from 0, if no message named a context.
    pub(crate) fn nth(number: usize) -> Self {
        Self {
            task: format!("tsk_{}", minted(2 * number)),
            context: format!("ctx_{}", minted(2 * number + 1)),
        }
    }

    /// Of a task that [`Served::run_task`](super::Served::run_task) runs: ids 0 to 3.
    pub(crate) fn run(&self, reply: &str) -> String {
        [self.working(0, 1), self.text(1, reply), self.final_text(2, ""), self.completed(3, reply)]
            .concat()
    }

    pub(crate) fn working(&self, id: u64, turn: u64) -> String {
        self.status(id, "working", &format!("inference turn {turn}"), false)
    }

    pub(crate) fn completed(&self, id: u64, response: &str) -> String {
        let (task, context) = (&self.task, &self.context);
        frame(
            id,
            "status",
            &format!(
                r#"{{"id":"{task}","context_id":"{context}","status":{{"state":"completed","message":"session ended","response":"{response}"}},"final":true}}"#
            ),
        )
    }

    pub(crate) fn failed(&self, id: u64, message: &str) -> String {
        self.status(id, "failed", message, true)
    }

    pub(crate) fn canceled(&self, id: u64) -> String {
        self.status(id, "canceled", "task canceled", true)
    }

    pub(crate) fn canceled_before_start(&self, id: u64) -> String {
        self.status(id, "canceled", "task canceled before it started", true)
    }

    pub(crate) fn rejected(&self) -> String {
        self.status(0, "rejected", "task rejected: capsule is busy", true)
    }

    /// A status of an input wait, which has no context id.
    pub(crate) fn input_wait(&self, id: u64, state: &str, message: &str, last: bool) -> String {
        let task = &self.task;
        frame(
            id,
            "status",
            &format!(
                r#"{{"id":"{task}","status":{{"state":"{state}","message":"{message}"}},"final":{last}}}"#
            ),
        )
    }

    pub(crate) fn text(&self, id: u64, text: &str) -> String {
        self.piece(id, "text", text, false)
    }

    pub(crate) fn final_text(&self, id: u64, text: &str) -> String {
        self.piece(id, "text", text, true)
    }

    pub(crate) fn thinking(&self, id: u64, text: &str) -> String {
        self.piece(id, "thinking", text, false)
    }

    /// An `artifact` frame with this JSON under `artifact`.
    pub(crate) fn artifact(&self, id: u64, artifact: &str) -> String {
        let task = &self.task;
        frame(id, "artifact", &format!(r#"{{"id":"{task}","artifact":{artifact}}}"#))
    }

    fn status(&self, id: u64, state: &str, message: &str, last: bool) -> String {
        let (task, context) = (&self.task, &self.context);
        frame(
            id,
            "status",
            &format!(
                r#"{{"id":"{task}","context_id":"{context}","status":{{"state":"{state}","message":"{message}"}},"final":{last}}}"#
            ),
        )
    }

    fn piece(&self, id: u64, event: &str, text: &str, last: bool) -> String {
        let task = &self.task;
        frame(id, event, &format!(r#"{{"id":"{task}","text":"{text}","final":{last}}}"#))
    }
}

fn frame(id: u64, event: &str, data: &str) -> String {
    format!("id: {id}\nevent: {event}\ndata: {data}\n\n")
}
