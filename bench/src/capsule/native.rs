//! The same stream as one writes it with axum and a broadcast channel.

use super::control::{self, Emit};
use super::{BEHIND, REPLAYED, TASK};
use crate::Result;
use crate::role::{Serving, say};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::post;
use axum::{Error, Router};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::{Stream, StreamExt};

#[derive(Clone)]
struct Chunk {
    number: u64,
    text: Arc<str>,
}

/// The data of a frame.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    id: &'a str,
    text: &'a str,
    r#final: bool,
}

impl<'a> Data<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { id: TASK, text, r#final: false }
    }
}

#[derive(Clone)]
struct App {
    live: broadcast::Sender<Chunk>,
    written: Arc<Mutex<VecDeque<Chunk>>>,
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
    tokio::select! {
        outcome = control::obey(control, app) => outcome,
        served = axum::serve(listener, router) => Ok(served?),
    }
}

async fn watch(
    State(app): State<App>,
    headers: HeaderMap,
) -> Sse<impl Stream<Item = std::result::Result<Event, Error>>> {
    let (written, live) = {
        let written = app.written.lock().unwrap_or_else(PoisonError::into_inner);
        let replayed = !headers.contains_key("last-event-id");
        (if replayed { written.clone() } else { VecDeque::new() }, app.live.subscribe())
    };
    let live = BroadcastStream::new(live).map_while(std::result::Result::ok);
    let chunks = tokio_stream::iter(written).chain(live);
    let events = chunks.map(|chunk| {
        let event = Event::default().id(chunk.number.to_string()).event("text");
        event.json_data(Data::new(&chunk.text))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

impl Emit for App {
    async fn emit(&mut self, number: u64, text: String) -> Result<()> {
        let chunk = Chunk { number, text: text.into() };
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.len() == REPLAYED {
            written.pop_front();
        }
        written.push_back(chunk.clone());
        // It fails where nobody watches.
        let _ = self.live.send(chunk);
        Ok(())
    }
}
