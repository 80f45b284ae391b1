//! The event-stream parser (WHATWG HTML, "Server-sent events").

use protocol::sse::{Event, Item, LINE_BYTES, Overlong, Reader};

/// What a reader reports of `pieces`, one after the other, and how it ended.
fn read_with(mut reader: Reader, pieces: &[&[u8]]) -> (Vec<Item>, Result<Reader, Overlong>) {
    let mut items = Vec::new();
    for mut input in pieces.iter().copied() {
        loop {
            match reader.read(&mut input) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => break assert!(input.is_empty()),
                Err(overlong) => return (items, Err(overlong)),
            }
        }
    }
    (items, Ok(reader))
}

/// What is reported of `stream`, which has to be the same however it is cut into two, and in bytes.
fn read(stream: &[u8]) -> Vec<Item> {
    let items = read_with(Reader::new(), &[stream]).0;
    for at in 0..=stream.len() {
        let (head, tail) = stream.split_at(at);
        assert_eq!(read_with(Reader::new(), &[head, b"", tail]).0, items, "{stream:?} at {at}");
    }
    let bytes: Vec<_> = stream.chunks(1).collect();
    assert_eq!(read_with(Reader::new(), &bytes).0, items, "{stream:?}");
    items
}

fn event(data: &str) -> Item {
    Item::Event(Event { event_type: None, data: data.into(), id: None })
}

fn typed(event_type: &str, data: &str) -> Item {
    Item::Event(Event { event_type: Some(event_type.into()), data: data.into(), id: None })
}

fn with_id(id: &str, data: &str) -> Item {
    Item::Event(Event { event_type: None, data: data.into(), id: Some(id.into()) })
}

fn comment(text: &str) -> Item {
    Item::Comment(text.into())
}

#[test]
fn the_examples_of_the_standard_give_what_it_says() {
    let stocks = "data: YHOO\ndata: +2\ndata: 10\n\n";
    assert_eq!(read(stocks.as_bytes()), [event("YHOO\n+2\n10")]);
    let blocks = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n\
                  data:  third event\n\n";
    assert_eq!(
        read(blocks.as_bytes()),
        [
            comment(" test stream"),
            with_id("1", "first event"),
            with_id("", "second event"),
            event(" third event")
        ]
    );
    // The last block is not followed by an empty line.
    assert_eq!(read(b"data\n\ndata\ndata\n\ndata:"), [event(""), event("\n")]);
    assert_eq!(read(b"data:test\n\ndata: test\n\n"), [event("test"), event("test")]);
}

#[test]
fn each_rule_of_the_standard_holds_wherever_the_stream_is_cut() {
    let table: &[(&str, &[Item])] = &[
        // Line ends.
        ("data:a\n\ndata:b\r\rdata:c\r\n\r\n", &[event("a"), event("b"), event("c")]),
        ("data:a\rdata:b\r\ndata:c\n\r", &[event("a\nb\nc")]),
        ("\r\n\n\r\rdata:a\n\r\n", &[event("a")]),
        // Fields.
        ("data:a\n\nevent:x\n\ndata:b\n\n", &[event("a"), event("b")]),
        ("event:x\nevent: y \ndata:a\n\n", &[typed("y ", "a")]),
        ("event:x\nevent\ndata:a\n\n", &[event("a")]),
        ("event:x\ndata:a\n\ndata:b\n\n", &[typed("x", "a"), event("b")]),
        ("data\n\n", &[event("")]),
        ("data:\ndata: \ndata:  \n\n", &[event("\n\n ")]),
        ("data:\ta\n\n", &[event("\ta")]),
        ("data:a:b: c\n\n", &[event("a:b: c")]),
        // Unknown fields, among them those that only resemble known ones.
        ("Data:a\n data:b\ndata :c\ndatas:d\ndat:e\nx\n\n", &[]),
        ("id:1\nid:2\ndata:a\n\ndata:b\n\n", &[with_id("2", "a"), event("b")]),
        ("id:1\nid:2\0\ndata:a\n\n", &[with_id("1", "a")]),
        ("id: 01 \ndata:a\n\n", &[with_id("01 ", "a")]),
        // Comments.
        (":\n::\n: a\n", &[comment(""), comment(":"), comment(" a")]),
        ("data:a\n:heartbeat\ndata:b\n\n", &[comment("heartbeat"), event("a\nb")]),
        // The reconnection time.
        ("retry:10\nretry: 007\n", &[Item::Retry(10), Item::Retry(7)]),
        ("retry:\nretry\nretry:1.5\nretry:-1\nretry:1 \nretry:٣\n", &[]),
        ("retry:99999999999999999999\n", &[Item::Retry(u64::MAX)]),
        // Characters of every length.
        (
            "event:é\ndata:🦀 \u{feff}\u{85}\u{2028}\0\n\n",
            &[typed("é", "🦀 \u{feff}\u{85}\u{2028}\0")],
        ),
        // The mark at the start.
        ("\u{feff}data:a\n\n\u{feff}data:b\n\n", &[event("a")]),
        ("\u{feff}\u{feff}data:a\n\n", &[]),
        ("\u{feff}\ndata:a\n\n", &[event("a")]),
        ("\u{feff}:a\n", &[comment("a")]),
        ("\n\u{feff}data:a\n\n", &[]),
        // What is not complete.
        ("data:a\n\ndata:b\n", &[event("a")]),
        ("data:a", &[]),
        (":a", &[]),
        ("", &[]),
    ];
    for (stream, items) in table {
        assert_eq!(read(stream.as_bytes()), *items, "{stream:?}");
    }
}

#[test]
fn what_is_not_utf8_is_replaced_as_the_standard_decodes_it() {
    let table: &[(&[u8], &str)] = &[
        (b"\xff", "\u{fffd}"),
        (b"a\x80b", "a\u{fffd}b"),
        (b"\xc0\xaf", "\u{fffd}\u{fffd}"),
        (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
        (b"\xf0\x9f\xa6", "\u{fffd}"),
        (b"\xf0\x9f\xa6x", "\u{fffd}x"),
        (b"\xe2\x82\xe2\x82\xac", "\u{fffd}\u{20ac}"),
        (b"\xf4\x90\x80\x80", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
    ];
    for (bytes, decoded) in table {
        let stream = [b"data:", *bytes, b"\ndata:.\n\n"].concat();
        assert_eq!(read(&stream), [event(&format!("{decoded}\n."))], "{bytes:?}");
    }
}

#[test]
fn the_last_event_id_persists_and_an_event_reports_its_own() {
    let mut reader = Reader::new();
    for (piece, own, last) in [
        ("data:a\n\n", None, ""),
        ("id:7\ndata:b\n\n", Some("7"), "7"),
        ("data:c\n\n", None, "7"),
        ("id:8\n\n", None, "8"),
        ("id:9\0\ndata:d\n\n", None, "8"),
        ("id\ndata:e\n\n", Some(""), ""),
        ("id:10\ndata:f\n", None, ""),
    ] {
        let id = match reader.read(&mut piece.as_bytes()) {
            Ok(Some(Item::Event(event))) => event.id,
            _ => None,
        };
        assert_eq!((id.as_deref(), reader.last_event_id()), (own, last), "{piece:?}");
    }
}

#[test]
fn an_event_is_reported_with_its_last_carriage_return_before_the_line_feed_comes() {
    let mut reader = Reader::new();
    let mut input = &b"data:a\r\n\r"[..];
    assert_eq!(reader.read(&mut input), Ok(Some(event("a"))));
    let mut input = &b"\ndata:b\n\n"[..];
    assert_eq!(reader.read(&mut input), Ok(Some(event("b"))));
}

/// How a reader with that limit ends on `stream`, which has to be the same however it is cut.
fn limited(limit: usize, stream: &[u8]) -> (usize, Option<Overlong>) {
    let summary = |pieces: &[&[u8]]| {
        let (items, end) = read_with(Reader::with_limit(limit), pieces);
        (items.len(), end.err())
    };
    let whole = summary(&[stream]);
    for at in 0..=stream.len().min(200) {
        let (head, tail) = stream.split_at(at);
        assert_eq!(summary(&[head, tail]), whole, "at {at}");
    }
    whole
}

#[test]
fn an_event_of_exactly_the_limit_passes_and_one_byte_more_does_not() {
    let over = Some(Overlong::Event { limit: 5 });
    // The bytes of the values and the joining line feeds count, and nothing else.
    let table = [
        ("data:12345\n\n", None),
        ("data: 12345\n\n", None),
        ("event:abcdefgh\nid:12345678\n:abcdefgh\nx:abcdefgh\ndata:12345\n\n", None),
        ("data:1\ndata:345\n\n", None),
        ("data\ndata\ndata\ndata\ndata\ndata\n\n", None),
        ("\u{feff}data:12345\n\n", None),
        ("data:123456", over),
        ("data: 123456", over),
        ("data:1\ndata:3456", over),
        ("data\ndata\ndata\ndata\ndata\ndata\ndata\n", over),
        ("\u{feff}data:123456", over),
        ("data:12é456", over),
    ];
    for (stream, end) in table {
        let events = limited(5, stream.as_bytes());
        assert_eq!(events.1, end, "{stream:?}");
    }
    assert_eq!(limited(5, b"data:12345\n\ndata:12345\n\ndata:123456"), (2, over));
    assert_eq!(limited(0, b"data\n\ndata:\n\ndata:1").0, 2);
}

#[test]
fn a_line_that_never_ends_is_caught_while_it_is_read() {
    for (line, overlong) in [
        (&b"data:"[..], Overlong::Event { limit: 100_000 }),
        (b":", Overlong::Line),
        (b"id:", Overlong::Line),
        (b"event", Overlong::Line),
    ] {
        let mut reader = Reader::with_limit(100_000);
        assert_eq!(reader.read(&mut &line[..]), Ok(None));
        let fed = (1..).find(|_| reader.read(&mut &[b'x'; 1000][..]).is_err()).unwrap();
        let expected = if overlong == Overlong::Line { LINE_BYTES / 1000 + 1 } else { 101 };
        assert_eq!(fed, expected, "{line:?}");
        // Nothing makes it good again.
        assert_eq!(reader.read(&mut &b"\n\n"[..]), Err(overlong));
    }
}

#[test]
fn without_a_limit_an_event_may_be_of_any_size() {
    let data = "x".repeat(3_000_000);
    let stream = format!("event:{data}\ndata:{data}\n:{data}\n\n");
    let (items, _) = read_with(Reader::new(), &[stream.as_bytes()]);
    assert_eq!(items, [comment(&data), typed(&data, &data)]);
}

/// The standard's own steps, on a stream that is there as a whole.
fn naive(stream: &[u8]) -> Vec<Item> {
    let text = String::from_utf8_lossy(stream).replace("\r\n", "\n").replace('\r', "\n");
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (mut items, mut data, mut event_type) = (Vec::new(), String::new(), String::new());
    let mut id = None;
    let lines: Vec<_> = text.split('\n').collect();
    for line in &lines[..lines.len() - 1] {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "" if line.is_empty() => {
                let (own, named) = (id.take(), std::mem::take(&mut event_type));
                if let Some(joined) = std::mem::take(&mut data).strip_suffix('\n') {
                    let event_type = Some(named).filter(|named| !named.is_empty());
                    items.push(Item::Event(Event { event_type, data: joined.into(), id: own }));
                }
            }
            "" => items.push(comment(&line[1..])),
            "data" => data = data + value + "\n",
            "event" => event_type = value.into(),
            "id" if !value.contains('\0') => id = Some(value.to_owned()),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                items.extend(value.parse().ok().map(Item::Retry));
            }
            _ => {}
        }
    }
    items
}

#[test]
fn random_streams_in_random_pieces_give_what_the_naive_reader_gives() {
    let words = b"data,data:,event:,id:,retry:,:, ,\n,\n,\r,\r\n,\n\n,\
        a,7,\0,\xc3\xa9,\xf0\x9f,\xa6,\xff,\xef\xbb\xbf";
    let words: Vec<_> = words.split(|&byte| byte == b',').collect();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).unwrap()
    };
    for _ in 0..20_000 {
        let stream: Vec<u8> =
            (0..random(40)).flat_map(|_| words[random(words.len())]).copied().collect();
        let (mut pieces, mut rest) = (Vec::new(), &stream[..]);
        while !rest.is_empty() {
            let (piece, next) = rest.split_at(1 + random(rest.len().min(9)));
            pieces.push(piece);
            rest = next;
        }
        assert_eq!(read_with(Reader::new(), &pieces).0, naive(&stream), "{stream:?}");
    }
}
