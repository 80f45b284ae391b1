//! The client against a scripted server.

mod address;
mod answers;
mod bodies;
mod calls;

use super::{Error, Request, Response, send_on};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::yield_now;

/// What comes of an answer in these pieces, each of which is read by itself, and then the close.
async fn answered(pieces: &[&[u8]]) -> Result<Response<DuplexStream>, Error> {
    let (client, mut server) = tokio::io::duplex(1 << 20);
    let pieces: Vec<_> = pieces.iter().map(|piece| piece.to_vec()).collect();
    tokio::spawn(async move {
        for piece in pieces {
            server.write_all(&piece).await.unwrap();
            settle().await;
        }
        // The client has not been read, and need not be.
        server.shutdown().await.unwrap();
        while server.read(&mut [0; 512]).await.is_ok_and(|length| length > 0) {}
    });
    let address = "127.0.0.1:1".parse().unwrap();
    send_on(client, &address, &Request::post(b"{}")).await
}

/// Lets every other task run until it waits.
async fn settle() {
    for _ in 0..8 {
        yield_now().await;
    }
}

/// Why there is no answer.
async fn failure(pieces: &[&[u8]]) -> String {
    match answered(pieces).await {
        Ok(response) => panic!("answered {}", response.status_line()),
        Err(error) => error.to_string(),
    }
}
