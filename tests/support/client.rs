//! A client that knows nothing but bytes.

use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// How long bytes are waited for before a hang counts as a failure.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// The same in simulated time, in which whole scenarios pass within one read.
pub(crate) const SIMULATED_PATIENCE: Duration = Duration::from_secs(60 * 60);

/// A connection's two directions.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// One connection to a server. Dropping it closes the connection.
pub(crate) struct Client {
    stream: Box<dyn Stream>,
    patience: Duration,
    /// What was read and not yet looked at.
    received: Vec<u8>,
}

impl Client {
    pub(crate) fn new(stream: impl Stream + 'static, patience: Duration) -> Self {
        Self { stream: Box::new(stream), patience, received: Vec::new() }
    }

    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let sent = async {
            self.stream.write_all(bytes.as_ref()).await?;
            self.stream.flush().await
        };
        timeout(self.patience, sent).await.expect("the server reads no more").unwrap();
    }

    /// Ends the client's side: nothing more will be sent.
    pub(crate) async fn end(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    /// Reads exactly `expected`, and leaves what follows it.
    pub(crate) async fn expect(&mut self, expected: impl AsRef<str>) {
        let expected = expected.as_ref();
        let mut common = 0;
        while common < expected.len() {
            let known = self.received.len().min(expected.len());
            // At the first byte that differs there is nothing more to wait for.
            if self.received[common..known] != expected.as_bytes()[common..known] {
                break;
            }
            common = known;
            if common < expected.len() && !self.read().await {
                break;
            }
        }
        let length = self.received.len().min(expected.len());
        let received = String::from_utf8_lossy(&self.received[..length]).into_owned();
        assert_eq!(received, expected, "received on the left, expected on the right");
        self.received.drain(..length);
    }

    /// Reads the end of the stream, and nothing before it.
    pub(crate) async fn expect_end(&mut self) {
        assert_eq!(self.rest().await, "", "there was more");
    }

    /// Reads `expected` and then the end.
    pub(crate) async fn expect_all(&mut self, expected: impl AsRef<str>) {
        self.expect(expected).await;
        self.expect_end().await;
    }

    /// Everything up to the next `end`, which is read too and left out.
    #[allow(dead_code, reason = "the gateway's tests use it")]
    pub(crate) async fn read_until(&mut self, end: &str) -> String {
        let at = loop {
            let found = self.received.windows(end.len()).position(|bytes| bytes == end.as_bytes());
            match found {
                Some(at) => break at,
                None => assert!(self.read().await, "no {end:?} in {:?}", self.received()),
            }
        };
        let bytes = self.received.drain(..at + end.len()).take(at).collect();
        String::from_utf8(bytes).unwrap()
    }

    /// Expects that nothing comes for so long.
    #[allow(dead_code, reason = "the gateway's tests use it")]
    pub(crate) async fn expect_silence(&mut self, time: Duration) {
        let silent = timeout(time, self.stream.read_buf(&mut self.received)).await.is_err();
        assert!(silent && self.received.is_empty(), "received {:?}", self.received());
    }

    /// Everything up to the end of the stream.
    pub(crate) async fn rest(&mut self) -> String {
        // Bounded as a whole: heartbeats come for ever.
        let patience = self.patience;
        let to_the_end = async { while self.read().await {} };
        timeout(patience, to_the_end).await.expect("the stream does not end");
        String::from_utf8(std::mem::take(&mut self.received)).unwrap()
    }

    /// Everything up to where the connection ends or breaks.
    pub(crate) async fn rest_until_broken(&mut self) -> String {
        while self.try_read().await.is_ok_and(|read| read > 0) {}
        String::from_utf8(std::mem::take(&mut self.received)).unwrap()
    }

    /// Reads some more. False at the end of the stream.
    async fn read(&mut self) -> bool {
        self.try_read().await.unwrap() > 0
    }

    async fn try_read(&mut self) -> io::Result<usize> {
        let read = timeout(self.patience, self.stream.read_buf(&mut self.received)).await;
        read.unwrap_or_else(|_| panic!("nothing more came, received {:?}", self.received()))
    }

    fn received(&self) -> String {
        String::from_utf8_lossy(&self.received).into_owned()
    }
}

/// The frames and heartbeats of a stream's body, each with its blank line.
pub(crate) fn frames(body: &str) -> Vec<&str> {
    body.split_inclusive("\n\n").collect()
}
