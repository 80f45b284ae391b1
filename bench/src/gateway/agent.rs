//! The agent behind the gateway: HTTP/1.1 by hand, its path says what it does.
//!
//! | Path | What its streams do |
//! |---|---|
//! | `/silent` | nothing, after the head |
//! | `/rate/N` | N events a second |
//! | `/each` | as many events as the socket takes, each in a write of its own |
//! | `/bulk` | the same, as many in a write as fit into 64 KiB |

use crate::role::{Serving, say};
use crate::stamp::Stamp;
use crate::{Result, clock};
use memchr::memmem;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, interval_at};

/// The head of every stream.
pub(super) const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
    cache-control: no-cache\r\nconnection: close\r\n\r\n";
const BULK_BYTES: usize = 64 * 1024;

/// Serves, for ever.
///
/// # Errors
///
/// There is no socket.
pub(crate) async fn serve() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    say(&Serving { address: listener.local_addr()?, control: None })?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            // It ends with an error whenever its caller has enough.
            let _ = answer(stream).await;
        });
    }
}

async fn answer(mut stream: TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    let path = request(&mut stream).await?;
    stream.write_all(HEAD).await?;
    let (mut from_caller, mut to_caller) = stream.split();
    let events = async {
        match path.split('/').skip(1).collect::<Vec<_>>()[..] {
            ["silent"] => std::future::pending().await,
            ["each"] => flood(&mut to_caller, 1).await,
            ["bulk"] => flood(&mut to_caller, BULK_BYTES).await,
            ["rate", rate] => pace(&mut to_caller, rate.parse()?).await,
            _ => Err(format!("no such path: {path}").into()),
        }
    };
    tokio::select! {
        gone = until_gone(&mut from_caller) => gone,
        outcome = events => outcome,
    }
}

/// Reads a request, and says its path. Its body is of no interest: what of it comes later is read
/// while the answer is written.
async fn request(stream: &mut TcpStream) -> Result<String> {
    let head = whole_head(stream).await?;
    let head = String::from_utf8_lossy(&head);
    Ok(head.split(' ').nth(1).ok_or("no path")?.to_owned())
}

/// Reads up to the end of a head, and what came with it.
pub(super) async fn whole_head(stream: &mut TcpStream) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    while memmem::find(&head, b"\r\n\r\n").is_none() {
        if stream.read_buf(&mut head).await? == 0 {
            return Err("no head".into());
        }
    }
    Ok(head)
}

/// Reads until a caller leaves.
pub(super) async fn until_gone(from_caller: &mut (impl AsyncReadExt + Unpin)) -> Result<()> {
    while from_caller.read(&mut [0; 64]).await? > 0 {}
    Ok(())
}

async fn flood(to_caller: &mut (impl AsyncWriteExt + Unpin), bytes: usize) -> Result<()> {
    let mut events = Vec::with_capacity(BULK_BYTES + 1024);
    let mut number = 0;
    loop {
        while events.len() < bytes {
            append_event(number, &mut events);
            number += 1;
        }
        to_caller.write_all(&events).await?;
        events.clear();
    }
}

async fn pace(to_caller: &mut (impl AsyncWriteExt + Unpin), rate: u32) -> Result<()> {
    // Streams that begin together do not have their events together: each begins a part of the
    // period after the one before, the golden section of it.
    static STREAMS: AtomicU32 = AtomicU32::new(0);
    let part = f64::from(STREAMS.fetch_add(1, Ordering::Relaxed)) * 0.618_034;
    let period = Duration::from_secs(1) / rate;
    let mut ticks = interval_at(Instant::now() + period.mul_f64(part.fract()), period);
    let mut events = Vec::new();
    for number in 0.. {
        ticks.tick().await;
        append_event(number, &mut events);
        to_caller.write_all(&events).await?;
        events.clear();
    }
    Ok(())
}

/// An event with about 150 bytes of data.
fn append_event(number: u64, events: &mut Vec<u8>) {
    events.extend_from_slice(
        b"event: task.status\ndata: {\"type\":\"status_update\",\"payload\":{\"text\":\"",
    );
    Stamp { number, time: clock::now() }.append(events);
    events.extend_from_slice(b"\"}}\n\n");
}

#[cfg(test)]
mod tests {
    use super::append_event;

    #[test]
    fn an_event_has_about_150_bytes_of_data() {
        let mut event = Vec::new();
        append_event(1, &mut event);
        let event = String::from_utf8(event).unwrap();
        let data = event.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        assert!((140..=180).contains(&data.len()), "{}", data.len());
    }
}
