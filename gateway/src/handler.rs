//! `wasi:http/incoming-handler`: a request, and what it leads to.

use crate::Component;
use crate::agent_request::{self, Caller};
use crate::bindings::a2a::gateway::{counters, registry, settings};
use crate::bindings::exports::wasi::http::incoming_handler::Guest;
use crate::request::{self, NoBody};
use crate::respond;
use protocol::a2a::registry::{agent_card, gateway_card};
use protocol::a2a::{AgentId, Card, Refusal, Reply, Route, metrics, route};
use wasi::http::types::{IncomingRequest, ResponseOutparam};

impl Guest for Component {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        wstd::runtime::block_on(serve(request, out));
    }
}

async fn serve(request: IncomingRequest, out: ResponseOutparam) {
    let path = request.path_with_query().unwrap_or_default();
    match route(&request::method(&request), &path) {
        Route::Stream { agent_id, query } => {
            agent_request::stream_without_body(Caller::of(&request), &agent_id, query, out).await;
        }
        Route::Rpc { agent_id } => {
            if let Some((body, out)) = body(&request, out).await {
                agent_request::call(Caller::of(&request), &agent_id, &body, out).await;
            }
        }
        Route::Register => register_with(registry::register, &request, out).await,
        Route::Heartbeat => register_with(registry::heartbeat, &request, out).await,
        Route::Deregister => register_with(registry::deregister, &request, out).await,
        Route::Delete { agent_id } => {
            respond::reply(out, &registry::delete(&agent_id).into()).await;
        }
        Route::Get { agent_id } => respond::reply(out, &registry::get(&agent_id).into()).await,
        Route::List(Ok(query)) => {
            let limit = query.limit.map(|limit| limit as u64);
            respond::reply(out, &registry::all(&query.tags, limit).into()).await;
        }
        Route::List(Err(error)) => respond::reply(out, &Reply::bad_query(&error)).await,
        Route::GatewayCard => {
            let version = settings::get().version;
            let card = gateway_card(&request::base_url(&request), &version);
            respond::json(out, 200, &card).await;
        }
        Route::AgentCard { agent_id } => show_card(&request, &agent_id, out).await,
        Route::Metrics => {
            let headers = [("content-type", metrics::CONTENT_TYPE)];
            respond::whole(out, 200, &headers, counters::render().as_bytes()).await;
        }
        Route::MethodNotAllowed { allow } => {
            let headers = [("content-type", "application/json"), ("allow", allow)];
            let body = protocol::a2a::refusal::http_body("method not allowed");
            respond::whole(out, 405, &headers, &body).await;
        }
        Route::NotFound => respond::error(out, 404, "not found").await,
    }
}

/// The request's body, or the answer that it is too long.
async fn body(
    request: &IncomingRequest,
    out: ResponseOutparam,
) -> Option<(Vec<u8>, ResponseOutparam)> {
    match request::body(request, settings::get().max_body_bytes).await {
        Ok(body) => Some((body, out)),
        Err(NoBody::TooLong) => {
            respond::error(out, 413, "request body too large").await;
            None
        }
        Err(NoBody::Broken) => None,
    }
}

async fn register_with(
    call: fn(&[u8]) -> registry::Reply,
    request: &IncomingRequest,
    out: ResponseOutparam,
) {
    if let Some((body, out)) = body(request, out).await {
        respond::reply(out, &call(&body).into()).await;
    }
}

async fn show_card(request: &IncomingRequest, agent_id: &str, out: ResponseOutparam) {
    let agent = AgentId::parse(agent_id).and_then(|_| registry::find(agent_id));
    match agent.and_then(|agent| Card::parse(&agent.card).ok()) {
        Some(card) => {
            respond::json(out, 200, &agent_card(&card, &request::base_url(request))).await;
        }
        None => {
            let (_, body) = Refusal::AgentNotFound(agent_id.to_owned()).http();
            respond::json(out, 404, &body).await;
        }
    }
}

impl From<registry::Reply> for Reply {
    fn from(reply: registry::Reply) -> Self {
        Self { status: reply.status, body: reply.body }
    }
}
