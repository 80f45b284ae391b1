//! A small HTTP/1.1 client: one request a connection, and the answer's body as it comes.
//!
//! It is what a client of a capsule needs and no more: no TLS, no redirects, no reuse of
//! connections. Connecting, the head of an answer and the whole answer of a call may each take
//! [`ANSWER_TIME`]; a stream may last as long as it does. Dropping any of the futures closes the
//! connection.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use host_harness::client;
//!
//! let address = "127.0.0.1:52222".parse()?;
//! let task = client::rpc(&address, "tasks/get", &serde_json::json!({})).await?;
//! println!("{}", task["status"]["state"]);
//! # Ok(()) }
//! ```
//!
//! | File | What is in it |
//! |---|---|
//! | `address.rs` | where the server is |
//! | `connect.rs` | a connection to it |
//! | `request.rs` | a request and its bytes |
//! | `response.rs` | the answer: its head, and its body in pieces |
//! | `head.rs` | the status line and the headers |
//! | `framing.rs` | where a body ends |
//! | `error.rs` | what can go wrong |
//! | `rpc.rs` | JSON-RPC calls |

mod address;
mod connect;
mod error;
mod framing;
mod head;
mod request;
mod response;
mod rpc;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;

pub use address::{Address, AddressError, CAPSULE_PORT};
pub use error::Error;
pub use request::Request;
pub use response::Response;
pub use rpc::{RpcError, rpc, rpc_body};

use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a server may take to answer: to accept a connection, to give the head of an answer once
/// the request is on its way, and to give the rest of a call's. A capsule that is busy answers late
/// (protocol page, "Heartbeat"); one that takes longer is as good as gone for whoever waits.
pub const ANSWER_TIME: Duration = Duration::from_secs(30);

/// Connects, sends `request` and reads the head of the answer.
///
/// # Errors
///
/// There is no connection, or no answer on it. Every status is an answer.
pub async fn send(address: &Address, request: &Request<'_>) -> Result<Response<TcpStream>, Error> {
    send_on(connect::connect(address).await?, address, request).await
}

/// Sends `request` on a connection that is open already, and reads the head of the answer.
///
/// # Errors
///
/// There is no answer. Every status is one.
pub async fn send_on<S: AsyncRead + AsyncWrite + Unpin>(
    io: S,
    address: &Address,
    request: &Request<'_>,
) -> Result<Response<S>, Error> {
    let exchanged = timeout(ANSWER_TIME, exchange(io, address, request)).await;
    exchanged.unwrap_or_else(|_| Err(Error::AnswerTimeout(address.clone())))
}

async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(
    mut io: S,
    address: &Address,
    request: &Request<'_>,
) -> Result<Response<S>, Error> {
    let sent = request::write(&mut io, &request.to_bytes(address)).await;
    let answered = Response::read_head(io).await;
    match (answered, sent) {
        // A server may refuse before it has read everything, and close.
        (Ok(response), _) => Ok(response),
        (Err(_), Err(sending)) => Err(Error::Send(sending)),
        (Err(error), Ok(())) => Err(error),
    }
}
