//! The client's end of an event stream: bytes in, events out (WHATWG HTML, "Server-sent events",
//! sections "Parsing an event stream" and "Interpreting an event stream").
//!
//! ```
//! use protocol::sse::{Item, Reader};
//!
//! let mut reader = Reader::new();
//! let mut input = &b":heartbeat\n\nid: 3\nevent: text\ndata: {}\n\nevent: unfini"[..];
//! let mut items = Vec::new();
//! while let Some(item) = reader.read(&mut input)? {
//!     items.push(item);
//! }
//! let [Item::Comment(comment), Item::Event(event)] = &items[..] else { panic!() };
//! assert_eq!(comment, "heartbeat");
//! assert_eq!(event.event_type.as_deref(), Some("text"));
//! assert_eq!(event.id.as_deref(), Some("3"));
//! assert_eq!(event.data, "{}");
//! # Ok::<(), protocol::sse::Overlong>(())
//! ```

mod reader;

pub use reader::Reader;

use std::fmt;

/// What a stream says next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An event, complete with its empty line.
    Event(Event),
    /// A comment line without its colon, as soon as its line has ended: the capsule's heartbeat is
    /// `heartbeat`. It may come between the lines of an event, and is then reported before it.
    Comment(String),
    /// A `retry` field: the reconnection time in milliseconds, at most `u64::MAX`.
    Retry(u64),
}

/// An event that was dispatched: one that had a `data` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What its last `event` line said; `None` when that is nothing, which makes it a `message`.
    pub event_type: Option<String>,
    /// The values of its `data` lines, joined with line feeds. It may be empty.
    pub data: String,
    /// The `id` line of this very event, the last one if there are several, as it was sent: `None`
    /// when there is none, and not the one that an earlier event left behind, which is
    /// [`Reader::last_event_id`].
    pub id: Option<String>,
}

/// The stream went over a limit. The reader is of no more use: every further read fails as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlong {
    /// The data of one event has more bytes than the limit that the reader was given.
    Event {
        /// That limit.
        limit: usize,
    },
    /// A line other than `data` has more than [`LINE_BYTES`] bytes.
    Line,
}

/// Bytes that a line other than `data` may have, when the reader has a limit: what bounds the
/// memory for comments, types and ids.
pub const LINE_BYTES: usize = 64 * 1024;

impl fmt::Display for Overlong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event { limit } => {
                write!(f, "an event of the stream has more than {limit} bytes of data")
            }
            Self::Line => write!(f, "a line of the stream has more than {LINE_BYTES} bytes"),
        }
    }
}

impl std::error::Error for Overlong {}
