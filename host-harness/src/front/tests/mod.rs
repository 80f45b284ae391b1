//! The rules of the front, one file a topic, on streams in memory and in paused time.

mod accept;
mod body;
mod chunked;
mod closing;
mod head;
mod memory;
mod response;
mod support;
