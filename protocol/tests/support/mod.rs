//! What the tests of the protocol share: names, clocks, readers. No rule of the page lives here.
#![allow(dead_code, clippy::unwrap_used)]

use protocol::{
    Answer, Artifact, Attempt, Chunk, Connection, ContextId, HookArtifact, Instant, LastEventId,
    Session, Settings, Submission, Submitted, Task, TaskId, TaskSnapshot, Tasks, door,
};
use uuid::Uuid;

/// The first frame of a watch on a session with the default settings.
pub(crate) const ACK: &str = "event: connection-ack\n\
     data: {\"role\":\"observer\",\"conversation_mode\":\"stateless\"}\n\n";
/// The last frame of a watch on a closed session.
pub(crate) const CLOSED: &str = "event: capsule-closed\ndata: {}\n\n";
/// A heartbeat.
pub(crate) const BEAT: &str = ":heartbeat\n\n";
/// The lines of a [`short_task`] (see [`lines`]).
pub(crate) const SHORT_TASK: [&str; 3] =
    ["0 status inference turn 1", "1 text \"ok\" final", "2 status session ended"];
/// Launch.
pub(crate) const LAUNCH: Instant = Instant(0);

/// An agent loop that says this to every submission, and knows no task.
pub(crate) struct Says(pub(crate) Submitted);

impl Tasks for Says {
    fn submit(&mut self, _: Submission) -> Submitted {
        self.0
    }

    fn answer(&mut self, _: &str) -> Option<TaskSnapshot> {
        None
    }

    fn get(&mut self, _: Option<&TaskId>) -> Option<TaskSnapshot> {
        None
    }

    fn cancel(&mut self, _: &TaskId) -> Option<TaskSnapshot> {
        None
    }
}

/// The door's answer, where every task is accepted and none is known.
pub(crate) fn answer(body: &[u8], accepts_tasks: bool) -> Answer {
    door::answer(body, accepts_tasks, Uuid::nil, &mut Says(Submitted::Accepted))
}

/// A session with the default settings, at launch.
pub(crate) fn session() -> Session {
    Session::new(Settings::default())
}

/// A task with short ids: `tsk_a` in `ctx_a`.
pub(crate) fn task(name: &str) -> Task {
    Task {
        id: TaskId::from(format!("tsk_{name}")),
        context_id: ContextId::from(format!("ctx_{name}")),
    }
}

/// The task of the page's examples.
pub(crate) fn task_of_the_page() -> Task {
    Task {
        id: TaskId::from("tsk_0199c4e2f1b7712a9d3e4f5061728394".to_owned()),
        context_id: ContextId::from("ctx_0199c4e2f1b7712a9d3e4f50617283a1".to_owned()),
    }
}

/// A point in time, in milliseconds after launch.
pub(crate) fn ms(milliseconds: u64) -> Instant {
    Instant(milliseconds * 1_000_000)
}

/// A point in time, in seconds after launch.
pub(crate) fn seconds(seconds: u64) -> Instant {
    ms(seconds * 1_000)
}

/// A text chunk.
pub(crate) fn text(chunk: &str) -> Chunk {
    Chunk::Text(chunk.to_owned())
}

/// A thinking chunk.
pub(crate) fn thinking(chunk: &str) -> Chunk {
    Chunk::Thinking(chunk.to_owned())
}

/// The result of a tool that went well.
pub(crate) fn tool_result(content: &str) -> Artifact {
    Artifact {
        tool_name: "t".to_owned(),
        content: content.to_owned(),
        fence_source: Some("tool:t".to_owned()),
        tool_call_id: Some("c".to_owned()),
        is_error: false,
        duration_ms: 1,
        exit_code: None,
        truncated: false,
    }
}

/// A hook's artifact.
pub(crate) fn hook_artifact(content: &str) -> HookArtifact {
    HookArtifact { hook_name: "h".to_owned(), content: content.to_owned() }
}

/// Publishes `count` artifacts, so that ids run on by one.
pub(crate) fn artifacts(session: &mut Session, attempt: &mut Attempt, count: usize) {
    for _ in 0..count {
        attempt.artifact(session, &tool_result(""));
    }
}

/// Runs a whole task of three frames: ids 0, 1, 2.
pub(crate) fn short_task(session: &mut Session, name: &str) {
    let mut attempt = Attempt::begin(session, task(name));
    let call = attempt.begin_turn(session);
    attempt.inference_returned(session, call);
    attempt.completed(session, "ok");
}

/// Everything a connection lacks at `now`, taken as a writer would that is never held up.
pub(crate) fn read_at(session: &mut Session, connection: &mut Connection, now: Instant) -> String {
    let mut all = Vec::new();
    loop {
        let bytes = session.take(connection, now, usize::MAX);
        if bytes.is_empty() {
            return String::from_utf8(all).unwrap();
        }
        all.extend_from_slice(bytes);
    }
}

/// Everything a connection lacks at launch: no heartbeat is due.
pub(crate) fn read(session: &mut Session, connection: &mut Connection) -> String {
    read_at(session, connection, LAUNCH)
}

/// At most `permit` bytes, in one go.
pub(crate) fn take(session: &mut Session, connection: &mut Connection, permit: usize) -> String {
    String::from_utf8(session.take(connection, LAUNCH, permit).to_vec()).unwrap()
}

/// A `message/stream` without a replay.
pub(crate) fn open_stream(session: &Session) -> Connection {
    session.open_stream(LAUNCH, LastEventId::Absent)
}

/// A `stream/watch`, its acknowledgement and its replay from `0` already read.
pub(crate) fn open_watch(session: &mut Session) -> Connection {
    let mut watch = session.open_watch(LAUNCH, LastEventId::Absent);
    read(session, &mut watch);
    watch
}

/// The live frames that `script` makes a fresh session write, byte for byte.
pub(crate) fn written(script: impl FnOnce(&mut Session)) -> String {
    let mut session = session();
    let mut watch = open_watch(&mut session);
    script(&mut session);
    read(&mut session, &mut watch)
}

/// The live frames that `script` makes a fresh session write, one line each (see [`lines`]).
pub(crate) fn written_lines(script: impl FnOnce(&mut Session)) -> Vec<String> {
    lines(&written(script))
}

/// What a watcher that opens now with this `Last-Event-ID` gets, one line a frame, without the
/// acknowledgement.
pub(crate) fn watch_replay(session: &mut Session, last: LastEventId) -> Vec<String> {
    let mut watch = session.open_watch(LAUNCH, last);
    let all = read(session, &mut watch);
    lines(all.strip_prefix(ACK).unwrap())
}

/// What a `message/stream` that opens now with this `Last-Event-ID` gets, one line a frame.
pub(crate) fn stream_replay(session: &mut Session, last: LastEventId) -> Vec<String> {
    let mut stream = session.open_stream(LAUNCH, last);
    lines(&read(session, &mut stream))
}

/// One line a frame: `ID EVENT SUMMARY`, where the summary is a status' message, a piece's text
/// (`final` behind it if it is), an artifact's content, or a gap's id.
pub(crate) fn lines(stream: &str) -> Vec<String> {
    stream.split_terminator("\n\n").map(line).collect()
}

fn line(frame: &str) -> String {
    if frame.starts_with(':') {
        return frame.to_owned();
    }
    let (mut id, mut event, mut data) = ("-", "", serde_json::Value::Null);
    for field in frame.split('\n') {
        match field.split_once(": ").unwrap() {
            ("id", value) => id = value,
            ("event", value) => event = value,
            ("data", value) => data = serde_json::from_str(value).unwrap(),
            other => panic!("not a field: {other:?}"),
        }
    }
    let summary = match event {
        "status" => data["status"]["message"].as_str().unwrap().to_owned(),
        "text" | "thinking" if data["final"] == true => format!("{} final", data["text"]),
        "text" | "thinking" => data["text"].to_string(),
        "artifact" => data["artifact"]["content"].to_string(),
        _ => data.to_string(),
    };
    format!("{id} {event} {summary}")
}
