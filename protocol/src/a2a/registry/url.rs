//! Where an agent is (details page, section 3).

use std::fmt;

/// An absolute URL, `http` or `https`: exactly this one gets the requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentUrl {
    text: String,
    https: bool,
    /// Where the path, or else the query, begins.
    path_at: usize,
}

impl AgentUrl {
    /// Parses `text`: a scheme, a host, perhaps a port, a path and a query. A user or a fragment
    /// cannot be sent, and so is refused.
    pub fn parse(text: &str) -> Option<Self> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#') {
            return None;
        }
        let (scheme, rest) = text.split_once("://")?;
        let https = scheme.eq_ignore_ascii_case("https");
        if !https && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let authority = rest.split(['/', '?']).next()?;
        let path_at = scheme.len() + "://".len() + authority.len();
        is_authority(authority).then(|| Self { text: text.to_owned(), https, path_at })
    }

    /// The URL, verbatim.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether its scheme is `https`, and not `http`.
    pub fn is_https(&self) -> bool {
        self.https
    }

    /// `host` or `host:port`.
    pub fn authority(&self) -> &str {
        let before_path = self.text.get(..self.path_at).unwrap_or_default();
        before_path.split_once("://").map_or("", |(_, authority)| authority)
    }

    /// The path, `/` if it has none, and the query.
    pub fn path_with_query(&self) -> String {
        let rest = self.text.get(self.path_at..).unwrap_or_default();
        if rest.starts_with('/') { rest.to_owned() } else { format!("/{rest}") }
    }
}

impl fmt::Display for AgentUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_authority(authority: &str) -> bool {
    let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':').or(rest.is_empty().then_some("80"))),
        None => authority
            .split_once(':')
            .map_or((authority, Some("80")), |(host, port)| (host, Some(port))),
    };
    let is_port =
        |port: &str| port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok();
    let forbidden = ['@', '[', ']', '\\', '"', '<', '>', '^', '`', '{', '|', '}'];
    !host.is_empty() && !host.contains(forbidden) && port.is_some_and(is_port)
}
