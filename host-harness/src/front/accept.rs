//! The accept loop: one task a connection.

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{sleep, timeout};

use super::{Front, Handler, Limits};

/// How long an accept that failed waits for its cause to pass, such as too many open files.
const RETRY: Duration = Duration::from_millis(100);

/// How many connections over the limit are told so at a time. Those over that are only closed.
const REFUSALS: usize = 100;

/// Serves the connections of `listener` until `shutdown` completes.
///
/// No error of an accept and no connection ends it. When `shutdown` completes, the listener is
/// closed; connections then have [`Limits::shutdown`] to end by themselves, and are ended where
/// they stand after that. When this returns, all of them are gone.
pub async fn accept_loop<H: Handler>(
    listener: TcpListener,
    limits: Limits,
    handler: H,
    shutdown: impl Future<Output = ()>,
) {
    let mut shutdown = pin!(shutdown);
    let front = Front::new(limits);
    let mut failing = false;
    let mut connections = JoinSet::new();
    let mut refusals = JoinSet::new();
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            // Ended tasks are taken out as they end, not when the loop ends.
            Some(ended) = connections.join_next() => log_panic(ended),
            Some(ended) = refusals.join_next() => log_panic(ended),
            (stream, peer) = accept(|| listener.accept(), &mut failing) => {
                tracing::debug!(%peer, "connection accepted");
                let (front, handler) = (front.clone(), handler.clone());
                if connections.len() < limits.connections {
                    connections.spawn(async move { serve(stream, &front, &handler).await });
                } else if refusals.len() < REFUSALS {
                    tracing::debug!("too many connections: this one is refused");
                    refusals.spawn(async move { front.refuse_connection(stream).await });
                }
            }
        }
    }
    drop(listener);
    let by_themselves = async { while connections.join_next().await.is_some() {} };
    // Those that are left after it are ended below.
    let _ = timeout(limits.shutdown, by_themselves).await;
    connections.shutdown().await;
    refusals.shutdown().await;
}

async fn serve<H: Handler>(stream: TcpStream, front: &Front, handler: &H) {
    // Frames are small and each is wanted at once.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY could not be set");
    }
    front.serve_connection(stream, handler).await;
}

/// The next connection, however many accepts fail before it. `failing` keeps, from one call to the
/// next, whether they do: it is told once.
///
/// Dropping it in its pause and calling it again is a retry, which a connection that has ended
/// may well have made possible.
pub(super) async fn accept<T, F>(mut accept: impl FnMut() -> F, failing: &mut bool) -> T
where
    F: Future<Output = io::Result<T>>,
{
    loop {
        match accept().await {
            Ok(accepted) => {
                *failing = false;
                return accepted;
            }
            Err(error) => {
                if !std::mem::replace(failing, true) {
                    tracing::warn!(%error, "connections cannot be accepted; trying again");
                }
                sleep(RETRY).await;
            }
        }
    }
}

fn log_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a connection's task panicked");
    }
}
