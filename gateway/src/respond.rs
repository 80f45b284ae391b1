//! Answers to callers.

use crate::bindings::a2a::gateway::caller;
use crate::wait::{Signal, first_of};
use futures_lite::future;
use protocol::a2a::{Reply, refusal};
use std::time::Duration;
use wasi::http::types::{Fields, OutgoingBody, OutgoingResponse, ResponseOutparam};
use wasi::io::streams::OutputStream;

/// How long a caller may read nothing of an answer that is no stream.
const PATIENCE: Duration = Duration::from_secs(30);

/// Answers with a body that is wholly there.
pub(crate) async fn whole(
    out: ResponseOutparam,
    status: u16,
    headers: &[(&str, &str)],
    bytes: &[u8],
) {
    let length = bytes.len().to_string();
    let headers = [headers, &[("content-length", length.as_str())]].concat();
    let Some(mut body) = Body::begin(out, status, &headers) else {
        return;
    };
    let gone = Signal::new(caller::gone());
    if body.write(bytes, [&gone], PATIENCE).await.is_ok() {
        body.finish();
    }
}

pub(crate) async fn json(out: ResponseOutparam, status: u16, bytes: &[u8]) {
    whole(out, status, &[("content-type", "application/json")], bytes).await;
}

/// The registry's answer.
pub(crate) async fn reply(out: ResponseOutparam, reply: &Reply) {
    json(out, reply.status, &reply.body).await;
}

/// An error that has a status, and says this.
pub(crate) async fn error(out: ResponseOutparam, status: u16, message: &str) {
    json(out, status, &refusal::http_body(message)).await;
}

/// An answer's body. Dropping it without [`Body::finish`] breaks the answer off. Its fields are in
/// the order in which WASI lets go of them: what was made from another first.
pub(crate) struct Body {
    writable: Signal,
    stream: OutputStream,
    body: OutgoingBody,
}

/// Why bytes were not written to the end.
pub(crate) enum Unwritten {
    /// The caller is gone.
    Gone,
    /// One of the signals was ready first, or the caller did not read.
    Stopped,
}

impl Body {
    /// Sends the head.
    pub(crate) fn begin(
        out: ResponseOutparam,
        status: u16,
        headers: &[(&str, &str)],
    ) -> Option<Self> {
        let fields = Fields::new();
        for (name, value) in headers {
            // A host that forbids one of them sends it itself, or leaves it out.
            let _ = fields.append(name, value.as_bytes());
        }
        let response = OutgoingResponse::new(fields);
        let _ = response.set_status_code(status);
        let body = response.body().ok()?;
        let stream = body.write().ok()?;
        ResponseOutparam::set(out, Ok(response));
        Some(Self { writable: Signal::new(stream.subscribe()), stream, body })
    }

    /// Writes all of it, waiting as the caller reads, until one of the signals is ready, or the caller
    /// has not read anything for so long.
    pub(crate) async fn write<const N: usize>(
        &mut self,
        mut bytes: &[u8],
        signals: [&Signal; N],
        patience: Duration,
    ) -> Result<(), Unwritten> {
        while !bytes.is_empty() {
            // A write beyond the permit would trap.
            let permit = self.stream.check_write().map_err(|_| Unwritten::Gone)?;
            let length = bytes.len().min(usize::try_from(permit).unwrap_or(usize::MAX));
            if length > 0 {
                let (now, later) = bytes.split_at(length);
                self.stream.write(now).map_err(|_| Unwritten::Gone)?;
                bytes = later;
                continue;
            }
            let impatient = Signal::after(patience);
            let stopped = async { first_of(signals).await < N };
            let writable = async { first_of([&self.writable, &impatient]).await != 0 };
            if future::or(stopped, writable).await {
                return Err(Unwritten::Stopped);
            }
        }
        Ok(())
    }

    /// Ends the body.
    pub(crate) fn finish(self) {
        let Self { writable, stream, body } = self;
        drop(writable);
        drop(stream);
        // It fails where the caller is gone.
        let _ = OutgoingBody::finish(body, None);
    }
}
