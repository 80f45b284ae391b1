//! Which hosts outgoing HTTP may reach.

use bytes::Bytes;
use http::uri::Authority;
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use std::str::FromStr;
use wasmtime_wasi_http::{Error, RequestOptions, WasiHttpHooks, default_send_request};

/// A host, `example.com` on any port, or `example.com:8443` on that one. Names are compared as they
/// stand in the request, without regard to case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    host: String,
    port: Option<u16>,
}

impl AllowedHost {
    fn allows(&self, authority: &Authority, default_port: u16) -> bool {
        let port = authority.port_u16().unwrap_or(default_port);
        self.host.eq_ignore_ascii_case(authority.host())
            && self.port.is_none_or(|allowed| allowed == port)
    }
}

impl FromStr for AllowedHost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no HOST or HOST:PORT");
        let authority = Authority::from_str(text).map_err(|_| wrong())?;
        let port = authority.port();
        if text.contains('@') || authority.host().is_empty() {
            return Err(wrong());
        }
        let after_host = text.get(authority.host().len()..).unwrap_or_default();
        if !after_host.is_empty() && port.is_none() {
            return Err(wrong());
        }
        let port = port.map(|port| port.as_u16());
        Ok(Self { host: authority.host().to_owned(), port })
    }
}

/// Sends requests to the hosts that are allowed, and to no other.
pub(crate) struct Egress {
    pub(crate) allowed: Vec<AllowedHost>,
    /// The most that a body's stream takes in one write, in bytes.
    pub(crate) write_bytes: usize,
}

type Body = UnsyncBoxBody<Bytes, Error>;
type Transmitted = Box<dyn Future<Output = Result<(), Error>> + Send>;
type Sent = Result<(http::Response<Body>, Transmitted), Error>;

impl WasiHttpHooks for Egress {
    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        self.write_bytes
    }

    fn send_request(
        &mut self,
        request: http::Request<Body>,
        options: Option<RequestOptions>,
        _: Transmitted,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        let uri = request.uri();
        let default_port = if uri.scheme_str() == Some("http") { 80 } else { 443 };
        let is_allowed = uri.authority().is_some_and(|authority| {
            self.allowed.iter().any(|host| host.allows(authority, default_port))
        });
        if !is_allowed {
            tracing::warn!(authority = ?uri.authority(), "an outgoing request is denied");
            return Box::new(std::future::ready(Err(Error::HttpRequestDenied)));
        }
        Box::new(async move {
            let (response, transmitted) = default_send_request(request, options).await?;
            let transmitted: Transmitted = Box::new(transmitted);
            Ok((response.map(BodyExt::boxed_unsync), transmitted))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::AllowedHost;
    use http::uri::Authority;

    fn allows(entry: &str, authority: &str) -> bool {
        let entry: AllowedHost = entry.parse().unwrap();
        entry.allows(&authority.parse::<Authority>().unwrap(), 443)
    }

    #[test]
    fn a_host_is_allowed_on_every_port_and_a_host_with_a_port_on_that_one() {
        assert!(allows("example.com", "Example.COM"));
        assert!(allows("example.com", "example.com:8080"));
        assert!(allows("example.com:443", "example.com"));
        assert!(!allows("example.com:8443", "example.com"));
        assert!(allows("[::1]:80", "[::1]:80"));
    }

    #[test]
    fn another_host_is_not_allowed_however_alike() {
        assert!(!allows("example.com", "example.com.evil.org"));
        assert!(!allows("example.com", "www.example.com"));
        assert!(!allows("example.com", "example.com@evil.org"));
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for text in ["", "http://example.com", "user@example.com", "a b", "example.com:", "h:99999"]
        {
            assert!(text.parse::<AllowedHost>().is_err(), "{text}");
        }
    }
}
