//! A Murmur capsule as the agent (details page, section 5, last paragraph).

use proptest::prelude::*;
use protocol::a2a::capsule::{cancel_request, watch_request};
use protocol::a2a::{AgentKind, AgentStream, EnvelopeMode, Step};
use protocol::{ContextId, TaskId};

const ACK: &str =
    "event: connection-ack\ndata: {\"role\":\"observer\",\"conversation_mode\":\"stateless\"}\n\n";
const EARLY: &str = r#"error {"code":-32603,"message":"internal error: agent stream ended before a terminal event"}"#;

fn frame(id: u64, event: &str, data: &str) -> String {
    format!("id: {id}\nevent: {event}\ndata: {data}\n\n")
}

fn status_data(task: &str, context: &str, state: &str, message: &str) -> String {
    let is_final = !matches!(state, "working" | "input-required");
    let context = match context {
        "" => String::new(),
        context => format!(r#""context_id":"{context}","#),
    };
    format!(
        r#"{{"id":"{task}",{context}"status":{{"state":"{state}","message":"{message}"}},"final":{is_final}}}"#
    )
}

fn status(id: u64, task: &str, context: &str, state: &str, message: &str) -> String {
    frame(id, "status", &status_data(task, context, state, message))
}

fn turn(task: &str, context: &str) -> String {
    status(0, task, context, "working", "inference turn 1")
}

fn completed(task: &str, context: &str) -> String {
    status(9, task, context, "completed", "session ended")
}

fn text_data(task: &str, text: &str) -> String {
    format!(r#"{{"id":"{task}","text":"{text}","final":false}}"#)
}

fn text(task: &str, text: &str) -> String {
    frame(1, "text", &text_data(task, text))
}

fn steps(stream: &mut AgentStream) -> Vec<String> {
    std::iter::from_fn(|| stream.next_step())
        .map(|step| match step {
            Step::Submit => "submit".to_owned(),
            Step::OpenWatch { last_event_id } => format!("watch {last_event_id}"),
            Step::Envelope(envelope) => {
                format!("{} {}", envelope.envelope_type(), envelope.payload())
            }
        })
        .collect()
}

/// A capsule that was recognised or is about to be, with the context that the caller gave.
fn unstated(context: Option<&str>) -> AgentStream {
    let context = context.map(|id| ContextId::from(id.to_owned()));
    let mut stream = AgentStream::new(AgentKind::Unstated, context, EnvelopeMode::Nested, 10_000);
    assert_eq!(steps(&mut stream), ["submit"]);
    stream
}

/// A stated capsule whose watch is open and whose request went out, in context `ctx`.
fn stated() -> AgentStream {
    let mut stream = opening();
    assert!(stream.watch_bytes(ACK.as_bytes()));
    assert_eq!(steps(&mut stream), ["submit"]);
    stream
}

fn opening() -> AgentStream {
    let context = Some(ContextId::from("ctx".to_owned()));
    let mut stream =
        AgentStream::new(AgentKind::MurmurCapsule, context, EnvelopeMode::Flat, 10_000);
    assert_eq!(steps(&mut stream), ["watch 18446744073709551615"]);
    stream
}

fn watch(stream: &mut AgentStream, bytes: &str) -> Vec<String> {
    stream.watch_bytes(bytes.as_bytes());
    steps(stream)
}

fn submit(stream: &mut AgentStream, bytes: &str) -> Vec<String> {
    stream.submit_bytes(bytes.as_bytes());
    steps(stream)
}

fn task_error(message: &str) -> String {
    format!(r#"error {{"code":-32603,"message":"{message}"}}"#)
}

#[test]
fn each_frame_becomes_what_the_page_says() {
    let artifact = r#"{"id":"own","artifact":{"tool_name":"t"}}"#;
    let thought = text_data("own", "hm");
    let input = status_data("own", "", "input-required", "which?");
    let resumed = status_data("own", "", "working", "resumed");
    for recognised in [false, true] {
        let mut stream = if recognised { unstated(None) } else { stated() };
        let mut feed = |bytes: &str| match recognised {
            true => submit(&mut stream, bytes),
            false => watch(&mut stream, bytes),
        };
        let working = status_data("own", "ctx", "working", "inference turn 1");
        let table = [
            (turn("own", "ctx"), format!("status_update {working}")),
            (frame(1, "artifact", artifact), format!("artifact {artifact}")),
            (text("own", "hi"), format!("text {}", text_data("own", "hi"))),
            (frame(2, "thinking", &thought), format!("thinking {thought}")),
            (frame(3, "status", &input), format!("status_update {input}")),
            (frame(4, "status", &resumed), format!("status_update {resumed}")),
        ];
        for (bytes, expected) in table {
            assert_eq!(feed(&bytes), [expected]);
        }
        let nothing = [
            ":heartbeat\n\n",
            "event: gap\ndata: {\"first_available_id\":37}\n\n",
            "event: capsule-closed\ndata: {}\n\n",
            "event: new\ndata: {\"id\":\"own\"}\n\n",
            "event: text\ndata: nonsense\n\n",
            ACK,
        ];
        for bytes in nothing {
            assert_eq!(feed(bytes), [""; 0], "{bytes}");
        }
        let done = format!("done {}", status_data("own", "ctx", "completed", "session ended"));
        assert_eq!(feed(&completed("own", "ctx")), [done]);
        // A reopened task is past the end.
        assert_eq!(feed(&turn("own", "ctx")), [""; 0]);
        assert!(stream.is_finished() && stream.is_capsule());
    }
}

#[test]
fn a_task_that_did_not_complete_is_an_error() {
    for state in ["failed", "canceled", "rejected", "something-new"] {
        let mut stream = stated();
        watch(&mut stream, &turn("own", "ctx"));
        let last = status(3, "own", "ctx", state, "why");
        assert_eq!(watch(&mut stream, &last), [task_error("why")]);
        assert!(stream.is_finished());
    }
}

#[test]
fn the_watch_is_acknowledged_before_the_request_goes_out() {
    let mut stream = opening();
    assert_eq!(watch(&mut stream, ":heartbeat\n\nevent: conn"), [""; 0]);
    assert_eq!(watch(&mut stream, ACK.strip_prefix("event: conn").unwrap()), ["submit"]);
    assert_eq!(watch(&mut stream, ACK), [""; 0]);
}

#[test]
fn a_task_that_ran_before_the_request_is_not_the_callers() {
    let mut stream = opening();
    assert_eq!(watch(&mut stream, &format!("{ACK}{}", turn("old", "ctx"))), ["submit"]);
    assert_eq!(watch(&mut stream, &completed("old", "ctx")), [""; 0]);
    assert_eq!(watch(&mut stream, &turn("own", "ctx")).len(), 1);
    assert_eq!(stream.own_task(), Some(&TaskId::from("own".to_owned())));
}

#[test]
fn only_the_callers_task_is_relayed() {
    let mut stream = stated();
    let other = [turn("x", "ctx-x"), text("x", "a"), text("own", "too early")].concat();
    assert_eq!(watch(&mut stream, &other), [""; 0]);
    assert_eq!(stream.own_task(), None);
    let mixed = [
        turn("own", "ctx"),
        text("x", "b"),
        text("own", "c"),
        completed("x", "ctx-x"),
        turn("y", "ctx"),
        text("own", "d"),
        completed("y", "ctx"),
    ];
    let expected = [
        format!("status_update {}", status_data("own", "ctx", "working", "inference turn 1")),
        format!("text {}", text_data("own", "c")),
        format!("text {}", text_data("own", "d")),
    ];
    assert_eq!(watch(&mut stream, &mixed.concat()), expected);
    assert!(!stream.is_finished());
}

#[test]
fn the_requests_connection_has_what_comes_nowhere_else() {
    let mut stream = stated();
    let everything = [turn("own", "ctx"), text("own", "a"), completed("x", "ctx-x")].concat();
    assert_eq!(submit(&mut stream, &everything), [""; 0]);
    let foreign = status(0, "x", "ctx-x", "rejected", "task rejected: capsule is busy");
    assert_eq!(submit(&mut stream, &foreign), [""; 0]);
    stream.submit_ended();
    assert_eq!(steps(&mut stream), [""; 0]);
    assert_eq!(watch(&mut stream, &turn("own", "ctx")).len(), 1);

    let mut stream = stated();
    let rejected = status(0, "own", "ctx", "rejected", "task rejected: capsule is busy");
    let expected = task_error("task rejected: capsule is busy");
    assert_eq!(submit(&mut stream, &rejected), [expected]);
}

#[test]
fn an_error_frame_is_an_error_even_if_its_data_is_no_json() {
    let table = [
        (r#"{"error":"internal error: queue send failed"}"#, "internal error: queue send failed"),
        (
            r#"{"error":"Invalid params: invalid type: string "x""}"#,
            r#"Invalid params: invalid type: string \"x\""#,
        ),
        (r#"{"error":"a\"#, r"a\\"),
    ];
    for (data, message) in table {
        let bytes = format!("event: error\ndata: {data}\n\n");
        for mut stream in [stated(), unstated(None), unstated(Some("ctx"))] {
            assert_eq!(submit(&mut stream, &bytes), [task_error(message)], "{data}");
        }
    }
}

#[test]
fn an_input_timeout_is_not_the_end() {
    let data = status_data("own", "", "failed", "input-timeout");
    let mut stream = stated();
    watch(&mut stream, &turn("own", "ctx"));
    let timeout = frame(7, "status", &data);
    assert_eq!(watch(&mut stream, &timeout), [format!("status_update {data}")]);
    assert_eq!(watch(&mut stream, &completed("own", "ctx")).len(), 1);
    assert!(stream.is_finished());

    // Recognised: the capsule closes the request's connection, and the watch has the rest.
    let mut stream = unstated(None);
    submit(&mut stream, &turn("own", "ctx"));
    assert_eq!(submit(&mut stream, &timeout), [format!("status_update {data}")]);
    stream.submit_ended();
    assert_eq!(steps(&mut stream), ["watch 0"]);
    let rest = [ACK, &timeout, &text("own", "after"), &completed("own", "ctx")].concat();
    assert_eq!(watch(&mut stream, &rest).len(), 2);
    assert!(stream.is_finished());
}

#[test]
fn without_a_context_the_first_task_is_the_callers() {
    let mut stream = unstated(None);
    assert_eq!(submit(&mut stream, &text("own", "a")).len(), 1);
    assert_eq!(submit(&mut stream, &turn("x", "ctx")), [""; 0]);
    assert_eq!(submit(&mut stream, &turn("own", "ctx")).len(), 1);
    // Nobody else gets this one.
    let rejected = status(0, "y", "ctx-y", "rejected", "busy");
    assert_eq!(submit(&mut stream, &rejected), [task_error("busy")]);
}

#[test]
fn another_tasks_final_makes_a_recognised_capsule_be_watched() {
    let mut stream = unstated(Some("ctx"));
    let first = [text("x", "a"), turn("own", "ctx"), text("own", "seen"), completed("x", "ctx-x")];
    assert_eq!(submit(&mut stream, &first.concat()).len(), 2);
    stream.submit_ended();
    assert_eq!(steps(&mut stream), ["watch 0"]);
    // What was read already, and what is older, is not repeated.
    let replay = [
        ACK.to_owned(),
        completed("old", "ctx"),
        text("x", "a"),
        text("own", "seen"),
        completed("x", "ctx-x"),
        text("own", "new"),
        text("own", "new"),
        text("x", "more"),
    ];
    let new = format!("text {}", text_data("own", "new"));
    assert_eq!(watch(&mut stream, &replay.concat()), [new.clone(), new]);
    assert_eq!(watch(&mut stream, &completed("x", "ctx-x")), [""; 0]);
    assert_eq!(watch(&mut stream, &completed("own", "ctx")).len(), 1);
    assert!(stream.is_finished());
}

#[test]
fn a_task_that_was_not_seen_yet_is_found_on_the_watch() {
    let mut stream = unstated(Some("ctx"));
    submit(&mut stream, &completed("x", "ctx-x"));
    stream.submit_ended();
    assert_eq!(steps(&mut stream), ["watch 0"]);
    // An earlier task of the same context is not taken for it.
    let replay = [ACK, &completed("old", "ctx"), &completed("x", "ctx-x")].concat();
    assert_eq!(watch(&mut stream, &replay), [""; 0]);
    assert_eq!(watch(&mut stream, &turn("own", "ctx")).len(), 1);
    assert_eq!(watch(&mut stream, &completed("own", "ctx")).len(), 1);
}

#[test]
fn a_replay_that_lost_its_mark_ends_with_the_buffer() {
    let mut stream = unstated(None);
    submit(&mut stream, &[turn("own", "ctx"), completed("x", "ctx-x")].concat());
    stream.submit_ended();
    steps(&mut stream);
    assert_eq!(watch(&mut stream, &text("own", "a").repeat(512)), [""; 0]);
    assert_eq!(watch(&mut stream, &text("own", "a")).len(), 1);

    // The end of the caller's own task is always new.
    let mut stream = unstated(None);
    submit(&mut stream, &[turn("own", "ctx"), completed("x", "ctx-x")].concat());
    stream.submit_ended();
    steps(&mut stream);
    assert_eq!(watch(&mut stream, &completed("own", "ctx")).len(), 1);
    assert!(stream.is_finished());
}

#[test]
fn a_connection_that_breaks_is_an_error() {
    // The request's, before any final status.
    let mut stream = unstated(None);
    submit(&mut stream, &turn("own", "ctx"));
    stream.submit_ended();
    assert_eq!(steps(&mut stream), [EARLY]);
    // The watch, in each of its uses.
    let mut stream = opening();
    stream.watch_ended();
    assert_eq!(steps(&mut stream), [EARLY]);
    let mut stream = stated();
    watch(&mut stream, "event: capsule-closed\ndata: {}\n\n");
    stream.watch_ended();
    assert_eq!(steps(&mut stream), [EARLY]);
    let mut stream = unstated(None);
    submit(&mut stream, &[turn("own", "ctx"), completed("x", "ctx-x")].concat());
    stream.submit_ended();
    steps(&mut stream);
    stream.watch_ended();
    assert_eq!(steps(&mut stream), [EARLY]);
}

#[test]
fn the_requests_to_a_capsule_are_json_rpc() {
    assert_eq!(
        watch_request("s\""),
        r#"{"jsonrpc":"2.0","id":"s\"","method":"stream/watch","params":{}}"#
    );
    assert_eq!(
        cancel_request("s", &TaskId::from("tsk_1".to_owned())),
        r#"{"jsonrpc":"2.0","id":"s","method":"tasks/cancel","params":{"id":"tsk_1"}}"#
    );
}

/// A frame of a script: its task, its id, and whether it is a final status.
#[derive(Debug, Clone)]
struct Scripted {
    task: usize,
    id: u64,
    is_final: bool,
    bytes: String,
}

/// Task 0 is the caller's.
const TASKS: [(&str, &str); 3] = [("own", "ctx"), ("x", "ctx-x"), ("y", "ctx-y")];

fn script(task: usize, pieces: u64) -> Vec<Scripted> {
    let (name, context) = TASKS[task];
    let frame = |id, is_final, bytes| Scripted { task, id, is_final, bytes };
    let piece = |id| {
        let bytes = frame_of_piece(name, context, id);
        frame(id, false, bytes)
    };
    let first = frame(0, false, turn(name, context));
    let last = frame(99, true, status(99, name, context, "completed", "session ended"));
    [first].into_iter().chain((1..=pieces).map(piece)).chain([last]).collect()
}

/// Every third is a status, which names the context.
fn frame_of_piece(task: &str, context: &str, id: u64) -> String {
    match id % 3 {
        0 => status(id, task, context, "working", &format!("inference turn {id}")),
        _ => frame(id, "text", &text_data(task, &format!("piece {id}"))),
    }
}

/// The tasks' frames in an order that keeps each task's own.
fn interleaved() -> impl Strategy<Value = Vec<Scripted>> {
    let pieces = prop::collection::vec(0..8u64, TASKS.len());
    let order = prop::collection::vec(0..TASKS.len(), 60);
    (pieces, order).prop_map(|(pieces, order)| {
        let mut tasks: Vec<_> =
            pieces.iter().enumerate().map(|(task, &n)| script(task, n).into_iter()).collect();
        let rest = (0..TASKS.len()).flat_map(|task| [task; 10]);
        order.into_iter().chain(rest).filter_map(|task| tasks[task].next()).collect()
    })
}

/// How many envelopes the frames make: those of the caller's task from its first status on.
fn expected<'a>(frames: impl Iterator<Item = &'a Scripted>) -> usize {
    let own = frames.filter(|frame| frame.task == 0);
    own.skip_while(|frame| !frame.bytes.contains("event: status")).count()
}

fn relayed(stream: &mut AgentStream) -> usize {
    steps(stream).iter().filter(|step| step.contains("\"own\"")).count()
}

proptest! {
    #[test]
    fn a_watch_relays_one_task_out_of_many(frames in interleaved(), size in 1..200usize) {
        let mut stream = stated();
        let bytes: String = frames.iter().map(|frame| frame.bytes.as_str()).collect();
        let mut count = 0;
        for piece in bytes.as_bytes().chunks(size) {
            stream.watch_bytes(piece);
            count += relayed(&mut stream);
        }
        prop_assert_eq!(count, expected(frames.iter()));
        prop_assert!(stream.is_finished());
    }

    #[test]
    fn a_resumed_stream_repeats_nothing_and_misses_only_what_is_not_replayed(
        frames in interleaved(),
        before in 0..20usize,
        attached in 0..20usize,
    ) {
        // The request goes out after so many frames, when the caller's task has not begun.
        let began = frames.iter().position(|frame| frame.task == 0).unwrap_or_default();
        let submitted = before.min(began);
        let closed = frames.iter().skip(submitted).position(|frame| frame.is_final).unwrap_or_default();
        let closed = submitted + closed;
        let attached = (closed + 1 + attached).min(frames.len());

        let mut stream = unstated(Some("ctx"));
        let mut count = 0;
        for frame in &frames[submitted..=closed] {
            stream.submit_bytes(frame.bytes.as_bytes());
            count += relayed(&mut stream);
        }
        let missed = |(at, frame): &(usize, &Scripted)| {
            frame.id == 0 && (closed + 1..attached).contains(at)
        };
        let all = frames.iter().enumerate().filter(|frame| !missed(frame)).map(|(_, frame)| frame);
        if !stream.is_finished() {
            stream.submit_ended();
            prop_assert_eq!(steps(&mut stream), ["watch 0"]);
            let replay = frames[..attached].iter().filter(|frame| frame.id > 0);
            for frame in replay.chain(&frames[attached..]) {
                stream.watch_bytes(frame.bytes.as_bytes());
                count += relayed(&mut stream);
            }
        }
        prop_assert_eq!(count, expected(all));
        prop_assert!(stream.is_finished());
    }
}
