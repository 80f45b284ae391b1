//! A request whose body is on its way.

use crate::state::State;
use crate::waiting::{Share, Waiting};
use protocol::LastEventId;
use wasi::http::types::{IncomingBody, IncomingRequest, ResponseOutparam};
use wasi::io::poll::Pollable;
use wasi::io::streams::{InputStream, StreamError};

/// How much of a body is read in one call, in bytes.
const READ_BYTES: u64 = 64 * 1024;

/// A request to the JSON-RPC route. Its fields are in the order in which WASI lets go of them:
/// what was made from another first.
pub(crate) struct Arrival {
    pollable: Pollable,
    stream: InputStream,
    body: IncomingBody,
    received: Vec<u8>,
    share: Share,
    last_event_id: LastEventId,
    response_out: ResponseOutparam,
}

enum Progress {
    Pending,
    Complete,
    TooLong,
    /// Too much waits for others.
    NoRoom,
    /// The body cannot be read: nobody is left to answer.
    Broken,
}

impl Arrival {
    /// Takes a request in, or gives its outparam back when its body cannot be read.
    pub(crate) fn of(
        request: IncomingRequest,
        response_out: ResponseOutparam,
    ) -> Result<Self, ResponseOutparam> {
        let values = request.headers().get("last-event-id");
        let Ok(body) = request.consume() else {
            return Err(response_out);
        };
        let Ok(stream) = body.stream() else {
            return Err(response_out);
        };
        Ok(Self {
            pollable: stream.subscribe(),
            stream,
            body,
            received: Vec::new(),
            share: Share::default(),
            last_event_id: LastEventId::from_header_values(&values),
            response_out,
        })
    }

    /// Ready when more of the body is there.
    pub(crate) fn pollable(&self) -> &Pollable {
        &self.pollable
    }

    fn read(&mut self, max_bytes: u64, waiting: &mut Waiting) -> Progress {
        loop {
            match self.stream.read(READ_BYTES) {
                Ok(bytes) if bytes.is_empty() => return Progress::Pending,
                Ok(bytes) => self.received.extend_from_slice(&bytes),
                Err(StreamError::Closed) => return Progress::Complete,
                Err(StreamError::LastOperationFailed(_)) => return Progress::Broken,
            }
            if self.received.len() as u64 > max_bytes {
                return Progress::TooLong;
            }
            if !waiting.grow(&mut self.share, self.received.len()) {
                return Progress::NoRoom;
            }
        }
    }
}

impl State {
    /// Reads what has come of every body, and answers the requests that are complete.
    pub(crate) fn read_arrivals(&mut self) {
        let mut at = 0;
        while let Some(arrival) = self.arrivals.get_mut(at) {
            let progress = arrival.read(self.max_request_bytes, &mut self.waiting);
            if matches!(progress, Progress::Pending) {
                at += 1;
                continue;
            }
            let Arrival { pollable, stream, body, received, share, last_event_id, response_out } =
                self.arrivals.remove(at);
            self.waiting.give_back(share);
            // In this order: WASI traps where something goes before what was made from it.
            drop((pollable, stream, body));
            match progress {
                Progress::Complete => self.answer(&received, last_event_id, response_out),
                Progress::TooLong => self.refuse(response_out, 413),
                Progress::NoRoom => self.refuse(response_out, 503),
                Progress::Pending | Progress::Broken => {}
            }
        }
    }
}
