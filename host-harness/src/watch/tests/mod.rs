//! The watch on recorded streams, and against a scripted server.

mod endings;
mod network;
mod server;
mod stateless;
mod status_line;
mod terminal;
mod threaded;
mod tolerance;
mod wrapping;

use super::{Ended, Style, Watch};
use protocol::sse::{Item, Reader};
use std::ops::ControlFlow;

const ACK: &str = "event: connection-ack\n\
    data: {\"role\":\"observer\",\"conversation_mode\":\"stateless\"}\n\n";
const THREADED: &str = "event: connection-ack\n\
    data: {\"role\":\"observer\",\"conversation_mode\":\"threaded\"}\n\n";
const CLOSED: &str = "event: capsule-closed\ndata: {}\n\n";
const TASK: &str = "tsk_0199c4e2f1b7712a9d3e4f5061728394";
const CONTEXT: &str = "ctx_0199c4e2f1b7712a9d3e4f50617283a1";

/// What a watch wrote.
#[derive(Debug, PartialEq)]
struct Shown {
    out: String,
    err: String,
    ended: Option<Ended>,
}

/// What a watch writes of a stream that has not ended, unless by itself.
fn show(style: Style, stream: &str) -> Shown {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut watch = Watch::new("the label", style, &mut out, &mut err);
    let (mut reader, mut input, mut ended) = (Reader::new(), stream.as_bytes(), None);
    while let Some(item) = reader.read(&mut input).unwrap() {
        if let Item::Event(event) = item
            && let ControlFlow::Break(how) = watch.event(&event).unwrap()
        {
            ended = Some(how);
            break;
        }
    }
    drop(watch);
    Shown { out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap(), ended }
}

/// The standard output, for a pipe.
fn exact(stream: &str) -> String {
    let shown = show(Style::Exact, stream);
    assert_eq!((shown.err.as_str(), shown.ended), ("", None));
    shown.out
}

fn frame(event: &str, data: &str) -> String {
    format!("id: 3\nevent: {event}\ndata: {data}\n\n")
}

/// A `status` of the task and the context above.
fn status(status: &str, is_final: bool) -> String {
    status_of(TASK, Some(CONTEXT), status, is_final)
}

fn status_of(task: &str, context: Option<&str>, status: &str, is_final: bool) -> String {
    let context = context.map_or(String::new(), |id| format!("\"context_id\":\"{id}\","));
    let data = format!("{{\"id\":\"{task}\",{context}\"status\":{status},\"final\":{is_final}}}");
    frame("status", &data)
}

fn working(turn: u64) -> String {
    status(&format!(r#"{{"state":"working","message":"inference turn {turn}"}}"#), false)
}

fn completed(response: &str) -> String {
    let response = serde_json::Value::from(response);
    let body =
        format!(r#"{{"state":"completed","message":"session ended","response":{response}}}"#);
    status(&body, true)
}

fn text(text: &str) -> String {
    let text = serde_json::Value::from(text);
    frame("text", &format!(r#"{{"id":"{TASK}","text":{text},"final":false}}"#))
}

fn artifact(artifact: &str) -> String {
    frame("artifact", &format!(r#"{{"id":"{TASK}","artifact":{artifact}}}"#))
}
