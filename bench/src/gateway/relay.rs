//! What the gateway's component does to a stream, as native code: one task, which reads the agent's
//! events with the same `protocol` and writes their frames. It has nothing else of the gateway: no
//! registry, limits, metrics, timeouts or cancels.

use super::agent::{HEAD, until_gone, whole_head};
use super::server::agent_id;
use crate::Result;
use crate::role::{Serving, say};
use protocol::a2a::{AgentKind, AgentStream, EnvelopeMode, Step};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const READ_BYTES: usize = 64 * 1024;
/// As long as the gateway's are.
const STREAM_ID: &str = "7b0c7e0c-3a52-4bb5-9d1b-0e9a3c0c6a53";

/// Serves it, in front of that agent.
///
/// # Errors
///
/// There is no socket.
pub(crate) async fn serve(agent: SocketAddr) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    say(&Serving { address: listener.local_addr()?, control: None })?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            // It ends with an error whenever the caller has enough.
            let _ = relay(stream, agent).await;
        });
    }
}

async fn relay(mut caller: TcpStream, agent: SocketAddr) -> Result<()> {
    caller.set_nodelay(true)?;
    let head = whole_head(&mut caller).await?;
    let head = String::from_utf8_lossy(&head);
    let id = head.split(' ').nth(1).and_then(|path| path.strip_prefix("/a2a/"));
    let path = super::PATHS.into_iter().find(|path| id == Some(&agent_id(path)));
    let mut stream = TcpStream::connect(agent).await?;
    let path = path.ok_or("no such agent")?;
    stream.write_all(super::measures::request(path).as_bytes()).await?;
    let answer = whole_head(&mut stream).await?;
    let body = answer.windows(4).position(|it| it == b"\r\n\r\n").ok_or("no head")? + 4;
    caller.write_all(HEAD).await?;
    let (mut from_caller, mut to_caller) = caller.split();
    tokio::select! {
        gone = until_gone(&mut from_caller) => gone,
        outcome = frames(stream, answer.get(body..).unwrap_or_default(), &mut to_caller) => outcome,
    }
}

async fn frames(
    mut from_agent: TcpStream,
    first: &[u8],
    to_caller: &mut (impl AsyncWriteExt + Unpin),
) -> Result<()> {
    let mut stream = AgentStream::new(AgentKind::Unstated, None, EnvelopeMode::Flat, 10 << 20);
    let mut read = Vec::with_capacity(READ_BYTES);
    read.extend_from_slice(first);
    let mut frames = Vec::new();
    loop {
        stream.submit_bytes(&read);
        read.clear();
        while let Some(step) = stream.next_step() {
            if let Step::Envelope(envelope) = step {
                envelope.append_frame(STREAM_ID, &mut frames);
            }
        }
        to_caller.write_all(&frames).await?;
        frames.clear();
        if from_agent.read_buf(&mut read).await? == 0 {
            return Ok(());
        }
    }
}
