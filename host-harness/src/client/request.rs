//! A request and its bytes.

use super::Address;
use http::header::{HeaderName, HeaderValue};
use std::io;
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// A request. The client itself adds `Host`, `Connection: close` and, to a body,
/// `Content-Length`.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    path: &'a str,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Option<&'a [u8]>,
}

impl<'a> Request<'a> {
    /// A `GET` of a path that begins with `/`.
    pub fn get(path: &'static str) -> Self {
        Self { path, headers: Vec::new(), body: None }
    }

    /// A `POST` of `body` to `/`.
    pub fn post(body: &'a [u8]) -> Self {
        Self { path: "/", headers: Vec::new(), body: Some(body) }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(super) fn to_bytes(&self, address: &Address) -> Vec<u8> {
        let (path, authority) = (self.path, address.authority());
        let method = if self.body.is_some() { "POST" } else { "GET" };
        let mut bytes = format!("{method} {path} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
        for (name, value) in &self.headers {
            bytes.extend_from_slice(name.as_str().as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value.as_bytes());
            bytes.extend_from_slice(b"\r\n");
        }
        if let Some(body) = self.body {
            bytes.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
        }
        bytes.extend_from_slice(b"Connection: close\r\n\r\n");
        bytes.extend_from_slice(self.body.unwrap_or_default());
        bytes
    }
}

pub(super) async fn write(io: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    io.write_all(bytes).await?;
    io.flush().await
}
