//! The bytes of callers' requests.

/// The agent of most tests.
pub(crate) const ID: &str = "agent-1";

/// The body that the page's examples send.
pub(crate) const STREAM: &str = r#"{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{"parts":[{"text":"Stream me some updates"}]}}}"#;

/// The body of a `message/stream` with these params.
pub(crate) fn stream_of(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{params}}}"#)
}

/// The body of a call of this method, without params.
pub(crate) fn call_body(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#)
}

/// `POST /a2a/agent-1` with this body.
pub(crate) fn rpc(body: &str) -> String {
    rpc_to(ID, body)
}

/// `POST /a2a/{id}` with this body.
pub(crate) fn rpc_to(id: &str, body: &str) -> String {
    send_json("POST", &format!("/a2a/{id}"), "", body)
}

/// `POST /a2a/agent-1` with this body and more headers, each ended with `\r\n`.
pub(crate) fn rpc_with(headers: &str, body: &str) -> String {
    send_json("POST", &format!("/a2a/{ID}"), headers, body)
}

/// A request with a JSON body.
pub(crate) fn send_json(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost:9090\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n{headers}\r\n{body}"
    )
}

/// A request without a body.
pub(crate) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost:9090\r\n\r\n")
}

/// A `DELETE`.
pub(crate) fn delete(path: &str) -> String {
    format!("DELETE {path} HTTP/1.1\r\nHost: localhost:9090\r\n\r\n")
}
