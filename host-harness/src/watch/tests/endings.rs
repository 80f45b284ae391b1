//! How a watch ends, and what it says of it.

use super::*;
use std::io::{self, ErrorKind, Write};

const AGAIN: &str = "— the capsule may still be running; run mur watch again to reattach\n";

/// What is said when the connection ends after `stream`.
fn lost(stream: &str) -> String {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut watch = Watch::new("127.0.0.1:52222", Style::Exact, &mut out, &mut err);
    let (mut reader, mut input) = (Reader::new(), stream.as_bytes());
    while let Some(item) = reader.read(&mut input).unwrap() {
        if let Item::Event(event) = item {
            assert!(watch.event(&event).unwrap().is_continue());
        }
    }
    let ended = watch.lost().unwrap();
    assert_eq!((ended, ended.exit_code()), (Ended::ConnectionLost, 1));
    String::from_utf8(err).unwrap()
}

#[test]
fn a_closed_capsule_ends_the_watch_with_0_whatever_comes_after() {
    let shown = show(Style::Exact, &format!("{}{CLOSED}{}", text("a"), text("b")));
    assert_eq!((shown.out.as_str(), shown.err.as_str()), ("a", "[murmur] capsule closed\n"));
    assert_eq!(shown.ended.map(Ended::exit_code), Some(0));
}

#[test]
fn a_lost_connection_names_the_last_id() {
    let after = |id: &str| {
        format!("error[E-IO-003]: connection to 127.0.0.1:52222 lost after event id {id} {AGAIN}")
    };
    assert_eq!(lost(&format!("{ACK}{}", working(1))), after("3"));
    // The last one, not the greatest; and of every event, shown or not.
    let ids = "id: 9223372036854775807\nevent: text\ndata: {}\n\n\
               id: 0\nevent: other\ndata: x\n\nevent: text\ndata: {}\n\n";
    assert_eq!(lost(ids), after("0"));
    // A label is all that it is.
    assert_eq!(lost("id: a\u{1b}b\ndata: {}\n\n"), after("a\u{241b}b"));
    // An event that is not complete is none.
    assert_eq!(lost("id: 1\ndata: {}\n\nid: 2\nevent: text\ndata: {}\n"), after("1"));
}

#[test]
fn a_connection_lost_before_the_first_id_says_so() {
    let before =
        format!("error[E-IO-003]: connection to 127.0.0.1:52222 lost before any event {AGAIN}");
    for stream in ["", ACK, "id:\ndata: {}\n\n", "id: 1\n\n", "id: 1\ndata: {}", ":heartbeat\n\n"] {
        assert_eq!(lost(stream), before, "{stream:?}");
    }
}

/// An output that takes a few bytes.
struct Full(usize, ErrorKind);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(self.1.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn event(stream: &str) -> protocol::sse::Event {
    match Reader::new().read(&mut stream.as_bytes()) {
        Ok(Some(Item::Event(event))) => event,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_output_that_cannot_be_written_to_is_an_error_and_a_lost_stderr_is_none() {
    let mut watch = Watch::new("x", Style::Exact, Full(5, ErrorKind::BrokenPipe), io::sink());
    assert!(watch.event(&event(&text("12345"))).unwrap().is_continue());
    let error = watch.event(&event(&text("6"))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);

    let mut watch = Watch::new("x", Style::Exact, io::sink(), Full(0, ErrorKind::BrokenPipe));
    watch.attached();
    assert_eq!(watch.event(&event(CLOSED)).unwrap(), ControlFlow::Break(Ended::CapsuleClosed));
}

/// An output that counts how often it is flushed.
struct Flushes<'a>(&'a mut usize);

impl Write for Flushes<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        *self.0 += 1;
        Ok(())
    }
}

#[test]
fn every_piece_of_text_is_flushed_when_it_comes() {
    let mut flushes = 0;
    let mut watch = Watch::new("x", Style::Exact, Flushes(&mut flushes), io::sink());
    for piece in ["a", "", "b"] {
        assert!(watch.event(&event(&text(piece))).unwrap().is_continue());
    }
    drop(watch);
    assert_eq!(flushes, 2);
}
