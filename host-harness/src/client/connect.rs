//! A connection to a server.

use super::{Address, Error};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long connecting may take, with all the addresses that a name has. A capsule that is busy
/// does not delay it: its host accepts.
const CONNECT: Duration = Duration::from_secs(10);

pub(super) async fn connect(address: &Address) -> Result<TcpStream, Error> {
    let connecting = TcpStream::connect((address.host(), address.port()));
    let stream = match timeout(CONNECT, connecting).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(Error::Connect(address.clone(), error)),
        Err(_) => return Err(Error::ConnectTimeout(address.clone(), CONNECT)),
    };
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY could not be set");
    }
    Ok(stream)
}
