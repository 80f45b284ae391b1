//! A caller that reads a stream.

use super::{Client, STREAM_HEAD};

/// The comment of a quiet stream.
const KEEPALIVE: &str = ": keepalive\n\n";

/// A connection that a stream was asked for on. Dropping it closes the connection.
pub(crate) struct Caller {
    pub(crate) client: Client,
    /// Known from the first frame on.
    stream_id: Option<String>,
}

impl Caller {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, stream_id: None }
    }

    /// Reads the head, to the byte.
    pub(crate) async fn head(&mut self) {
        self.client.expect(STREAM_HEAD).await;
    }

    /// Reads one frame, to the byte: its event's name, the envelope's type, its payload.
    pub(crate) async fn frame(&mut self, event: &str, envelope_type: &str, payload: &str) {
        let start = format!("event: {event}\ndata: {{\"stream_id\":\"");
        self.client.expect(start).await;
        let id = self.client.read_until("\"").await;
        assert_eq!(self.stream_id.get_or_insert_with(|| id.clone()), &id, "it is one stream's");
        let rest = format!(",\"type\":\"{envelope_type}\",\"payload\":{payload}}}\n\n");
        self.client.expect(rest).await;
    }

    /// Reads a `task.status`.
    pub(crate) async fn status(&mut self, payload: &str) {
        self.frame("task.status", "status_update", payload).await;
    }

    /// Reads a `task.done` and the end.
    pub(crate) async fn done(&mut self, payload: &str) {
        self.frame("task.done", "done", payload).await;
        self.end().await;
    }

    /// Reads a `task.error` of the gateway's own and the end.
    pub(crate) async fn error(&mut self, code: i32, message: &str) {
        let payload = format!(r#"{{"code":{code},"message":"{message}"}}"#);
        self.frame("task.error", "error", &payload).await;
        self.end().await;
    }

    /// Reads a keepalive.
    pub(crate) async fn keepalive(&mut self) {
        self.client.expect(KEEPALIVE).await;
    }

    /// Reads the end.
    pub(crate) async fn end(&mut self) {
        self.client.expect_end().await;
    }

    /// What the frames say that the stream is called.
    pub(crate) fn stream_id(&self) -> &str {
        self.stream_id.as_deref().expect("a frame was read")
    }
}
