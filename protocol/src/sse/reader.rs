//! The parser.

use super::{Event, Item, LINE_BYTES, Overlong};
use std::mem;

/// Reads an event stream, cut into pieces anywhere: inside a character, or between a carriage
/// return and its line feed.
///
/// Lines end with a line feed, a carriage return, or both. Bytes that are not UTF-8 become U+FFFD,
/// as the standard decodes them. One byte-order mark at the start is skipped. What comes after the
/// last empty line is no event, and is never reported.
#[derive(Debug, Default)]
pub struct Reader {
    limit: Option<usize>,
    /// The line that is being read, as far as it came.
    line: Vec<u8>,
    /// A line was read. Before that, a byte-order mark may come.
    started: bool,
    /// The last line ended with a carriage return: a line feed belongs to it.
    after_return: bool,
    /// The joined `data` lines of this event. Decoded at its end: no sequence spans a line.
    data: Option<Vec<u8>>,
    event_type: String,
    id: Option<String>,
    last_event_id: String,
    overlong: Option<Overlong>,
}

impl Reader {
    /// A reader at the start of a stream, with no limit on the size of an event.
    pub fn new() -> Self {
        Self::default()
    }

    /// A reader at the start of a stream, for events of at most `bytes` bytes of data as they were
    /// sent: those of the `data` lines' values, and one for each line feed that joins two of them.
    ///
    /// They are counted as they come, so a line that never ends is caught too, and the reader holds
    /// no more than the limit, one piece of input and a few lines of [`LINE_BYTES`].
    pub fn with_limit(bytes: usize) -> Self {
        Self { limit: Some(bytes), ..Self::default() }
    }

    /// Takes bytes from the front of `input` until they complete an item. `None` says that all of
    /// `input` was taken and more is needed, so call it until then for each piece that comes.
    ///
    /// # Errors
    ///
    /// A limit was passed; see [`Reader::with_limit`]. How the stream was cut into pieces has no
    /// influence on whether it is, nor on the items before it.
    pub fn read(&mut self, input: &mut &[u8]) -> Result<Option<Item>, Overlong> {
        if let Some(overlong) = self.overlong {
            return Err(overlong);
        }
        let read = self.read_item(input);
        self.overlong = read.as_ref().err().copied();
        read
    }

    /// The last event id of the stream, empty before the first: what a client that reconnects
    /// sends as `Last-Event-ID`. As in the standard, it outlives the event that set it, an `id`
    /// line without a value clears it, an event without data sets it too, and one that is not
    /// complete does not.
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    fn read_item(&mut self, input: &mut &[u8]) -> Result<Option<Item>, Overlong> {
        loop {
            self.skip_line_feed(input);
            let Some(end) = input.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(input);
                *input = &[];
                self.check_unfinished(without_mark(&self.line, self.started))?;
                return Ok(None);
            };
            let (piece, rest) = input.split_at(end);
            self.line.extend_from_slice(piece);
            self.after_return = rest.starts_with(b"\r");
            *input = rest.get(1..).unwrap_or_default();
            if let Some(item) = self.end_line()? {
                return Ok(Some(item));
            }
        }
    }

    fn skip_line_feed(&mut self, input: &mut &[u8]) {
        if self.after_return && !input.is_empty() {
            self.after_return = false;
            *input = input.strip_prefix(b"\n").unwrap_or(input);
        }
    }

    /// Whether a line of which more may come is within the limits as far as it came.
    fn check_unfinished(&self, line: &[u8]) -> Result<(), Overlong> {
        match line.strip_prefix(b"data:") {
            Some(value) => self.check_data(value.strip_prefix(b" ").unwrap_or(value)),
            None => self.check_line(line),
        }
    }

    fn check_data(&self, value: &[u8]) -> Result<(), Overlong> {
        let joined = self.data.as_ref().map_or(0, |data| data.len() + 1) + value.len();
        match self.limit {
            Some(limit) if joined > limit => Err(Overlong::Event { limit }),
            _ => Ok(()),
        }
    }

    /// For every line but those of data.
    fn check_line(&self, line: &[u8]) -> Result<(), Overlong> {
        match self.limit {
            Some(_) if line.len() > LINE_BYTES => Err(Overlong::Line),
            _ => Ok(()),
        }
    }

    fn end_line(&mut self) -> Result<Option<Item>, Overlong> {
        let mut line = mem::take(&mut self.line);
        let item = self.take_line(without_mark(&line, self.started))?;
        self.started = true;
        // The buffer goes on being used, but does not stay as large as the largest line.
        line.clear();
        line.shrink_to(LINE_BYTES);
        self.line = line;
        Ok(item)
    }

    fn take_line(&mut self, line: &[u8]) -> Result<Option<Item>, Overlong> {
        if line.is_empty() {
            return Ok(self.dispatch().map(Item::Event));
        }
        let (name, value) = field(line);
        if name == b"data" {
            self.check_data(value)?;
            self.append(value);
            return Ok(None);
        }
        self.check_line(line)?;
        match name {
            b"" => return Ok(line.get(1..).map(|comment| Item::Comment(decode(comment)))),
            b"event" => self.event_type = decode(value),
            b"id" if !value.contains(&0) => self.id = Some(decode(value)),
            b"retry" => return Ok(milliseconds(value).map(Item::Retry)),
            _ => {}
        }
        Ok(None)
    }

    fn append(&mut self, value: &[u8]) {
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
    }

    /// The event that an empty line ends, if it had data.
    fn dispatch(&mut self) -> Option<Event> {
        let id = self.id.take();
        if let Some(id) = &id {
            self.last_event_id.clone_from(id);
        }
        let event_type = mem::take(&mut self.event_type);
        let data = self.data.take()?;
        let event_type = (!event_type.is_empty()).then_some(event_type);
        Some(Event { event_type, data: decode(&data), id })
    }
}

/// A line without the byte-order mark that the first one may have.
fn without_mark(line: &[u8], started: bool) -> &[u8] {
    match line.strip_prefix("\u{feff}".as_bytes()) {
        Some(unmarked) if !started => unmarked,
        _ => line,
    }
}

/// The name of a field and its value. A line without a colon is a name with an empty value.
fn field(line: &[u8]) -> (&[u8], &[u8]) {
    let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
    let (name, value) = line.split_at(colon);
    let value = value.strip_prefix(b":").unwrap_or_default();
    (name, value.strip_prefix(b" ").unwrap_or(value))
}

/// The value of a `retry` field, which counts only when it consists of digits.
fn milliseconds(value: &[u8]) -> Option<u64> {
    let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    digits.then(|| {
        value.iter().fold(0_u64, |sum, digit| {
            sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
        })
    })
}

/// Replaces what is not UTF-8 as the standard's decoder does: by maximal subparts.
fn decode(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
