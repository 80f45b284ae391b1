//! `wasi:http/incoming-handler`: from a request's head to its answer.
//!
//! Nothing here waits. A request whose body is not there yet is kept as an [`Arrival`], an answer
//! that does not fit in its stream at once as a [`Client`]; the pump goes on with both.

use crate::arrival::Arrival;
use crate::bindings::exports::wasi::http::incoming_handler::Guest;
use crate::client::{Answer, Client};
use crate::state::{self, State};
use crate::waiting::Share;
use crate::{Component, tasks};
use protocol::door::{self, Route};
use protocol::{AgentCard, Connection, LastEventId};
use wasi::http::types::{Fields, IncomingRequest, Method, OutgoingResponse, ResponseOutparam};

impl Guest for Component {
    fn handle(request: IncomingRequest, response_out: ResponseOutparam) {
        state::with(|state| match route(&request) {
            Route::JsonRpc => match Arrival::of(request, response_out) {
                Ok(arrival) => {
                    state.arrivals.push(arrival);
                    state.read_arrivals();
                }
                Err(response_out) => state.refuse(response_out, 404),
            },
            Route::AgentCard => state.show_card(&request, response_out),
            Route::NotFound => state.refuse(response_out, 404),
        });
    }
}

fn route(request: &IncomingRequest) -> Route {
    let method = match request.method() {
        Method::Get => "GET",
        Method::Post => "POST",
        _ => "",
    };
    let path = request.path_with_query().unwrap_or_default();
    let content_types = request.headers().get("content-type");
    door::route(method, &path, &content_types)
}

impl State {
    /// Answers a request that is wholly there.
    pub(crate) fn answer(&mut self, body: &[u8], last: LastEventId, out: ResponseOutparam) {
        let now = state::now();
        match door::answer(body, self.accepts_tasks, tasks::mint, &mut tasks::AgentLoop) {
            door::Answer::NotFound => self.refuse(out, 404),
            door::Answer::Json(json) => self.answer_json(json, out),
            door::Answer::Watch => {
                let connection = self.session.open_watch(now, last);
                self.begin_stream(out, connection);
            }
            door::Answer::Stream(params) => {
                let mut connection = self.session.open_stream(now, last);
                door::submit(&mut connection, params, tasks::mint, &mut tasks::AgentLoop);
                self.begin_stream(out, connection);
            }
        }
    }

    fn show_card(&mut self, request: &IncomingRequest, out: ResponseOutparam) {
        let card = AgentCard {
            name: &self.name,
            version: &self.version,
            authority: &request.authority().unwrap_or_default(),
            accepts_tasks: self.accepts_tasks,
        };
        let json = card.to_json();
        self.answer_json(json, out);
    }

    fn answer_json(&mut self, json: Vec<u8>, out: ResponseOutparam) {
        let length = json.len().to_string();
        let headers = [("content-type", "application/json"), ("content-length", &length)];
        self.begin(out, 200, &headers, Answer::bytes(json));
    }

    /// Answers with a status and no body.
    pub(crate) fn refuse(&mut self, out: ResponseOutparam, status: u16) {
        let headers: &[_] = match status {
            503 => &[("retry-after", "1"), ("content-length", "0")],
            _ => &[("content-length", "0")],
        };
        self.begin(out, status, headers, Answer::bytes(Vec::new()));
    }

    fn begin_stream(&mut self, out: ResponseOutparam, connection: Connection) {
        let headers = [("content-type", "text/event-stream"), ("cache-control", "no-cache")];
        self.begin(out, 200, &headers, Answer::Stream(Box::new(connection)));
    }

    /// Sends the head, and keeps the answer's body for the pump, if there is room for it.
    fn begin(
        &mut self,
        out: ResponseOutparam,
        status: u16,
        headers: &[(&str, &str)],
        answer: Answer,
    ) {
        let mut share = Share::default();
        if !self.waiting.grow(&mut share, answer.own_bytes()) {
            return self.refuse(out, 503);
        }
        let fields = Fields::new();
        for (name, value) in headers {
            // A host that forbids one of them sends it itself, or leaves it out.
            let _ = fields.append(name, value.as_bytes());
        }
        let response = OutgoingResponse::new(fields);
        let _ = response.set_status_code(status);
        let body = response.body();
        ResponseOutparam::set(out, Ok(response));
        if let Ok(body) = body
            && let Ok(stream) = body.write()
        {
            self.clients.push(Client::new(answer, share, stream, body));
        } else {
            self.waiting.give_back(share);
        }
    }
}
