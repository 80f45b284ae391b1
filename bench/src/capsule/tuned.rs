//! The native stream tuned by hand: a frame is made once, a watcher gets all that it lacks in one
//! write, and no write waits for the answer to the one before.

use super::control::{self, Emit};
use super::native::Data;
use super::{BEHIND, REPLAYED};
use crate::Result;
use crate::role::{Serving, say};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::routing::post;
use axum::serve::ListenerExt;
use bytes::Bytes;
use futures_lite::stream::unfold;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::broadcast::{self, Receiver};
use tokio::time::{Instant, Interval, interval_at};

const HEARTBEAT: Duration = Duration::from_secs(15);
const HEAD: [(&str, &str); 2] =
    [("content-type", "text/event-stream"), ("cache-control", "no-cache")];

#[derive(Clone)]
struct App {
    live: broadcast::Sender<Bytes>,
    written: Arc<Mutex<VecDeque<Bytes>>>,
}

/// Serves it.
///
/// # Errors
///
/// There is no socket.
pub(crate) async fn serve() -> Result<()> {
    let app = App { live: broadcast::channel(BEHIND).0, written: Arc::default() };
    let router = Router::new().route("/", post(watch)).with_state(app.clone());
    let control = TcpListener::bind("127.0.0.1:0").await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    say(&Serving { address: listener.local_addr()?, control: Some(control.local_addr()?) })?;
    let listener = listener.tap_io(|stream| {
        // It only makes a difference of speed.
        let _ = stream.set_nodelay(true);
    });
    tokio::select! {
        outcome = control::obey(control, app) => outcome,
        served = axum::serve(listener, router) => Ok(served?),
    }
}

async fn watch(State(app): State<App>, headers: HeaderMap) -> impl IntoResponse {
    let (written, live) = {
        let written = app.written.lock().unwrap_or_else(PoisonError::into_inner);
        let replayed = !headers.contains_key("last-event-id");
        let mut replay = Vec::new();
        for frame in written.iter().filter(|_| replayed) {
            replay.extend_from_slice(frame);
        }
        (replay, app.live.subscribe())
    };
    let heartbeats = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    let watcher = Watcher { written: written.into(), live, heartbeats };
    let pieces = unfold(watcher, async |mut watcher| {
        let piece = watcher.next().await?;
        Some((Ok::<_, Infallible>(piece), watcher))
    });
    (HEAD, Body::from_stream(pieces))
}

struct Watcher {
    /// What is replayed, until it is.
    written: Bytes,
    live: Receiver<Bytes>,
    heartbeats: Interval,
}

impl Watcher {
    /// All that there is. None where the watcher was too slow.
    async fn next(&mut self) -> Option<Bytes> {
        if !self.written.is_empty() {
            return Some(std::mem::take(&mut self.written));
        }
        let first = tokio::select! {
            frame = self.live.recv() => frame.ok()?,
            _ = self.heartbeats.tick() => return Some(Bytes::from_static(b":heartbeat\n\n")),
        };
        let Ok(second) = self.live.try_recv() else {
            return Some(first);
        };
        let mut piece = Vec::with_capacity(first.len() * BEHIND.min(self.live.len() + 2));
        piece.extend_from_slice(&first);
        piece.extend_from_slice(&second);
        while let Ok(frame) = self.live.try_recv() {
            piece.extend_from_slice(&frame);
        }
        Some(piece.into())
    }
}

impl Emit for App {
    async fn emit(&mut self, number: u64, text: String) -> Result<()> {
        let mut frame = Vec::with_capacity(text.len() + 128);
        write!(frame, "id: {number}\nevent: text\ndata: ")?;
        serde_json::to_writer(&mut frame, &Data::new(&text))?;
        frame.extend_from_slice(b"\n\n");
        let frame = Bytes::from(frame);
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.len() == REPLAYED {
            written.pop_front();
        }
        written.push_back(frame.clone());
        // It fails where nobody watches.
        let _ = self.live.send(frame);
        Ok(())
    }
}
