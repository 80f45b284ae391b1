//! The bytes of requests.

/// The body of a `stream/watch`.
pub(crate) const WATCH: &str = r#"{"jsonrpc":"2.0","id":1,"method":"stream/watch","params":{}}"#;

/// A request with that JSON body.
pub(crate) fn post(body: &str) -> String {
    post_with("", body)
}

/// A request with that JSON body and more headers, each ended with `\r\n`.
pub(crate) fn post_with(headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST / HTTP/1.1\r\nHost: capsule\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n{headers}\r\n{body}"
    )
}

/// A `stream/watch` with more headers.
pub(crate) fn watch_with(headers: &str) -> String {
    post_with(headers, WATCH)
}

/// A `message/stream` with a message of that text.
pub(crate) fn submission(text: &str) -> String {
    post(&stream_body(text))
}

/// The body of a `message/stream` with a message of that text.
pub(crate) fn stream_body(text: &str) -> String {
    stream_body_of(&format!(r#"{{"message":{}}}"#, message(text)))
}

/// The body of a `message/stream` with these params.
pub(crate) fn stream_body_of(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{params}}}"#)
}

/// A message of one part.
pub(crate) fn message(text: &str) -> String {
    format!(r#"{{"messageId":"msg-1","role":"user","parts":[{{"text":"{text}"}}]}}"#)
}
