//! One HTTP request.

use wasi::http::outgoing_handler;
use wasi::http::types::{Fields, IncomingResponse, OutgoingRequest, Scheme};
use wasi::io::streams::StreamError;

const READ_BYTES: u64 = 64 * 1024;

/// Gets `http://AUTHORITY/PATH` and answers with the body.
pub(crate) fn get(url: &str) -> Result<String, String> {
    let rest = url.strip_prefix("http://").ok_or("the URL does not begin with http://")?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let request = OutgoingRequest::new(Fields::new());
    let set = request
        .set_scheme(Some(&Scheme::Http))
        .and_then(|()| request.set_authority(Some(authority)))
        .and_then(|()| request.set_path_with_query(Some(&format!("/{path}"))));
    set.map_err(|()| "the URL is none")?;
    let answer = outgoing_handler::handle(request, None).map_err(|error| error.to_string())?;
    answer.subscribe().block();
    match answer.get() {
        Some(Ok(Ok(response))) => read(&response),
        Some(Ok(Err(error))) => Err(error.to_string()),
        _ => Err("there is no answer".into()),
    }
}

fn read(response: &IncomingResponse) -> Result<String, String> {
    let body = response.consume().map_err(|()| "the answer has no body")?;
    let stream = body.stream().map_err(|()| "the answer has no body")?;
    let mut received = Vec::new();
    loop {
        match stream.blocking_read(READ_BYTES) {
            Ok(bytes) => received.extend(bytes),
            Err(StreamError::Closed) => return Ok(String::from_utf8_lossy(&received).into_owned()),
            Err(StreamError::LastOperationFailed(error)) => return Err(error.to_debug_string()),
        }
    }
}
