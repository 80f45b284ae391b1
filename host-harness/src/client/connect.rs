//! A connection to a server.

use super::{ANSWER_TIME, Address, Error};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Connects to the first of the addresses that a name has which accepts.
pub(super) async fn connect(address: &Address) -> Result<TcpStream, Error> {
    let connecting = TcpStream::connect((address.host(), address.port()));
    let stream = match timeout(ANSWER_TIME, connecting).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(Error::Connect(address.clone(), error)),
        Err(_) => return Err(Error::ConnectTimeout(address.clone())),
    };
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY could not be set");
    }
    Ok(stream)
}
