//! Where a server is.

use http::Uri;
use std::fmt;
use std::str::FromStr;

/// The port of a capsule, which an address without one means.
pub const CAPSULE_PORT: u16 = 52222;

/// The address of a capsule: `HOST:PORT`, `HOST`, `http://HOST:PORT/` or `http://HOST/`, where an
/// IPv6 address stands in brackets. Without a port it is [`CAPSULE_PORT`], or 80 in a URL.
///
/// It is displayed as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    given: String,
    host: String,
    port: u16,
}

/// Why a text is no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressError {
    /// It is neither `HOST:PORT` nor a URL.
    Malformed,
    /// It is a URL of another scheme than `http`.
    Scheme,
    /// It has a path, a query or a user: a capsule answers on `/`, to anybody.
    NotOnlyHostAndPort,
    /// The port is no number from 1 to 65535.
    Port,
}

impl Address {
    /// The host: a name or an IP address, one of version 6 without its brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What the `host` header of a request says.
    pub(super) fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let given = text.trim();
        let (url, default_port) = match given.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (rest, 80),
            Some(_) => return Err(AddressError::Scheme),
            None => (given, CAPSULE_PORT),
        };
        let authority = url.strip_suffix('/').unwrap_or(url);
        if authority.contains(['/', '?', '#', '@']) {
            return Err(AddressError::NotOnlyHostAndPort);
        }
        let (host, port) = split(authority)?;
        let port = match port {
            Some(port) => parse_port(port)?,
            None => default_port,
        };
        // What it accepts can neither break a request's head nor be mistaken for a port.
        let checked: Uri = host.parse().map_err(|_| AddressError::Malformed)?;
        if checked.host() != Some(host) {
            return Err(AddressError::Malformed);
        }
        let host = host.trim_matches(['[', ']']).to_owned();
        Ok(Self { given: given.to_owned(), host, port })
    }
}

/// The host, with its brackets, and the port.
fn split(authority: &str) -> Result<(&str, Option<&str>), AddressError> {
    let host_end = if authority.starts_with('[') {
        authority.find(']').ok_or(AddressError::Malformed)? + 1
    } else {
        authority.find(':').unwrap_or(authority.len())
    };
    let (host, port) = authority.split_at(host_end);
    match port.strip_prefix(':') {
        // Several colons without brackets.
        Some(port) if port.contains(':') => Err(AddressError::Malformed),
        Some(port) => Ok((host, Some(port))),
        None if port.is_empty() => Ok((host, None)),
        None => Err(AddressError::Malformed),
    }
}

fn parse_port(port: &str) -> Result<u16, AddressError> {
    match port.parse() {
        Ok(number) if number != 0 && port.bytes().all(|byte| byte.is_ascii_digit()) => Ok(number),
        _ => Err(AddressError::Port),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.given)
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => {
                "this is no address; give HOST:PORT or http://HOST:PORT/, with an IPv6 address in \
                 brackets"
            }
            Self::Scheme => "only http:// addresses can be connected to, there is no TLS",
            Self::NotOnlyHostAndPort => {
                "an address is only a host and a port: a capsule answers on the path /"
            }
            Self::Port => "the port has to be a number from 1 to 65535",
        })
    }
}

impl std::error::Error for AddressError {}
