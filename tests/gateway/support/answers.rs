//! What callers get that is no stream.

use super::Client;

/// What the 101st caller is told.
pub(crate) const TOO_MANY: &str = "internal error: concurrency limit exceeded";

/// A JSON-RPC error.
pub(crate) fn rpc_error(id: &str, code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}

/// The whole answer of an error that has an HTTP status.
pub(crate) fn http_error(status: &str, message: &str) -> String {
    let json = format!(r#"{{"is_error":true,"message":"{message}"}}"#);
    let length = json.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{json}"
    )
}

/// An answer taken apart.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    /// Reads it to its end.
    pub(crate) async fn read(client: &mut Client) -> Self {
        let answer = client.rest().await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The message of an error body: those two keys, and no other.
    pub(crate) fn error_message(&self) -> &str {
        let message = self.body.strip_prefix(r#"{"is_error":true,"message":""#);
        message.and_then(|rest| rest.strip_suffix("\"}")).unwrap_or_else(|| panic!("{self:?}"))
    }
}
