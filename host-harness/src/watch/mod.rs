//! The client of `stream/watch`: everything that a capsule writes, as text (protocol page, "What
//! `mur watch` implements"; `capsule-stream-details.md`, section 10).
//!
//! | File | What is in it |
//! |---|---|
//! | `machine.rs` | [`Watch`]: events in, text out, and how it ended |
//! | `frames.rs` | what each frame looks like |
//! | `turns.rs` | conversations: which context and turn a `status` is of |
//! | `printer.rs` | standard output, written as a [`View`] says |
//! | `style.rs` | what a pipe gets, and what a terminal gets |
//! | `view.rs` | [`View`]: a style, and whether there is a status line |
//! | `screen.rs` | the bottom of a terminal, where the status line comes and goes |
//! | `status_line.rs` | what it says |
//! | `wrap.rs` | lines of at most 78 characters |

mod frames;
mod machine;
mod printer;
mod screen;
mod status_line;
mod style;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
mod turns;
mod view;
mod wrap;

pub use machine::{Ended, Watch};
pub use style::Style;
pub use view::View;

use crate::client::{self, Address, Request, Response, rpc_body};
use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use protocol::sse::{Item, Reader};
use serde_json::{Value, json};
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, MissedTickBehavior, interval};

/// Bytes of data that one event may have. An artifact's content is never truncated by a capsule.
const EVENT_BYTES: usize = 256 * 1024 * 1024;

/// Watches the capsule at `address` until its stream ends. What it writes goes to `out`, which is
/// flushed after each frame, in the given [`Style`] or [`View`]; messages about the connection go to
/// `err`. Dropping the future takes a status line away.
///
/// Returns the exit code: 0 when the capsule closed, or when nobody reads `out` any more; 1 when
/// the connection was lost or not made, which `err` was told.
pub async fn watch(
    address: &Address,
    view: impl Into<View>,
    out: impl Write,
    err: impl Write,
) -> u8 {
    let mut watch = Watch::new(address.to_string(), view, out, err);
    let sent = client::send(address, &request(&body())).await;
    run(&mut watch, sent).await
}

/// Submits a task to the capsule at `address` and follows its `message/stream`, which shows what
/// [`watch`] shows. `message` is the A2A message.
///
/// Returns the exit code: 0 when the final status that ended the stream was `completed`, or when
/// nobody reads `out` any more; else 1.
pub async fn submit(
    address: &Address,
    message: &Value,
    view: impl Into<View>,
    out: impl Write,
    err: impl Write,
) -> u8 {
    let mut watch = Watch::of_task(address.to_string(), view, out, err);
    let body = rpc_body("message/stream", &json!({ "message": message }));
    let sent = client::send(address, &stream_request(&body)).await;
    run(&mut watch, sent).await
}

/// As [`watch`], on a connection to `address` that is open already.
pub async fn watch_on(
    io: impl AsyncRead + AsyncWrite + Unpin,
    address: &Address,
    view: impl Into<View>,
    out: impl Write,
    err: impl Write,
) -> u8 {
    let mut watch = Watch::new(address.to_string(), view, out, err);
    let sent = client::send_on(io, address, &request(&body())).await;
    run(&mut watch, sent).await
}

fn body() -> Vec<u8> {
    rpc_body("stream/watch", &json!({}))
}

/// A replay from 0 is what there is without the header as well; the page has it sent.
fn request(body: &[u8]) -> Request<'_> {
    stream_request(body)
        .header(HeaderName::from_static("last-event-id"), HeaderValue::from_static("0"))
}

fn stream_request(body: &[u8]) -> Request<'_> {
    Request::post(body)
        .header(ACCEPT, HeaderValue::from_static("text/event-stream"))
        .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
}

async fn run<S: AsyncRead + Unpin>(
    watch: &mut Watch<impl Write, impl Write>,
    sent: Result<Response<S>, client::Error>,
) -> u8 {
    let ended = match sent {
        Ok(response) => follow(watch, response).await,
        Err(error) => disconnected(watch, &error),
    };
    match ended {
        Ok(ended) => ended.exit_code(),
        // A reader that has seen enough, as `head` has, is no error.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => 0,
        Err(error) => watch.unwritable(&error).exit_code(),
    }
}

/// Reads an answer to its end.
async fn follow<S: AsyncRead + Unpin>(
    watch: &mut Watch<impl Write, impl Write>,
    mut response: Response<S>,
) -> io::Result<Ended> {
    if response.status() != StatusCode::OK {
        return watch.refused(response.status_line());
    }
    if let Some(other) = other_content(&response) {
        return watch.failed(&format!("the answer is {other}, not an event stream"));
    }
    watch.attached();
    let mut reader = Reader::with_limit(EVENT_BYTES);
    let began = Instant::now();
    let mut seconds = interval(Duration::from_secs(1));
    seconds.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        let piece = tokio::select! {
            biased;
            piece = response.piece() => piece,
            _ = seconds.tick(), if watch.has_status_line() => {
                watch.clock(began.elapsed())?;
                continue;
            }
        };
        watch.clock(began.elapsed())?;
        let piece = match piece {
            Ok(Some(piece)) => piece,
            Ok(None) => return watch.lost(),
            Err(error) => return disconnected(watch, &error),
        };
        let mut input = &piece[..];
        loop {
            match reader.read(&mut input) {
                Ok(Some(Item::Event(event))) => {
                    if let ControlFlow::Break(ended) = watch.event(&event)? {
                        return Ok(ended);
                    }
                }
                // The heartbeat, and what a client that does not reconnect has no use for.
                Ok(Some(Item::Comment(_) | Item::Retry(_))) => {}
                Ok(None) => break,
                Err(overlong) => return watch.failed(&overlong.to_string()),
            }
        }
    }
}

fn disconnected(
    watch: &mut Watch<impl Write, impl Write>,
    error: &client::Error,
) -> io::Result<Ended> {
    tracing::debug!(%error, "disconnected");
    if error.is_lost_connection() { watch.lost() } else { watch.failed(&error.to_string()) }
}

/// The media type of an answer that names one, if it is none of an event stream.
fn other_content<S>(response: &Response<S>) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?;
    let value = String::from_utf8_lossy(value.as_bytes());
    let media_type = value.split(';').next().unwrap_or_default().trim();
    (!media_type.eq_ignore_ascii_case("text/event-stream")).then(|| media_type.to_owned())
}
