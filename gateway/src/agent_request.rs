//! What goes to an agent: the checks of section 2 of the details page, a slot, and the query to its
//! virtual subscriber.

use crate::bindings::a2a::gateway::queries::{self, Answer, Failure, Query};
use crate::bindings::a2a::gateway::{caller, channels, counters, registry, settings, slots};
use crate::relay::{Relay, cancel};
use crate::respond;
use crate::wait::{Signal, first_of, nanos};
use protocol::a2a::headers::{Wanted, to_agent};
use protocol::a2a::{AgentId, Call, QueryError, Refusal, RequestId, Settings, StreamQuery};
use std::time::Duration;
use uuid::{Builder, Uuid};
use wasi::http::types::{IncomingRequest, ResponseOutparam};
use wasi::random::random;

/// What of a caller's request is not its body.
pub(crate) struct Caller {
    headers: Vec<(String, Vec<u8>)>,
}

impl Caller {
    pub(crate) fn of(request: &IncomingRequest) -> Self {
        Self { headers: request.headers().entries() }
    }

    fn content_types(&self) -> Vec<&[u8]> {
        let is_one = |name: &str| name.eq_ignore_ascii_case("content-type");
        let headers = self.headers.iter().filter(|(name, _)| is_one(name));
        headers.map(|(_, value)| value.as_slice()).collect()
    }

    fn headers_to_agent(&self, wanted: Wanted) -> Vec<(String, Vec<u8>)> {
        to_agent(self.headers.iter().map(|(n, v)| (n, v)), &settings::get().caller_id, wanted)
    }
}

/// How a caller is told that there is no stream.
enum Refusing {
    /// As JSON-RPC, at HTTP 200.
    JsonRpc(RequestId),
    /// With a status.
    Http,
}

impl Refusing {
    async fn refuse(&self, out: ResponseOutparam, refusal: &Refusal) {
        match self {
            Self::JsonRpc(id) => respond::json(out, 200, &refusal.json_rpc(id)).await,
            Self::Http => {
                let (status, body) = refusal.http();
                respond::json(out, status, &body).await;
            }
        }
    }
}

/// `POST /a2a/{agent_id}`.
pub(crate) async fn call(caller: Caller, agent_id: &str, body: &[u8], out: ResponseOutparam) {
    let call = match Call::parse(&caller.content_types(), body) {
        Ok(call) => call,
        Err(refused) => return respond::json(out, 200, &refused.json_rpc()).await,
    };
    let refusing = Refusing::JsonRpc(call.id.clone());
    let agent = match find(agent_id, &call.method) {
        Ok(agent) => agent,
        Err(refusal) => return refusing.refuse(out, &refusal).await,
    };
    if let Err(refused) = call.check_params() {
        return respond::json(out, 200, &refused.json_rpc()).await;
    }
    let Some(slot) = slots::take(agent_id) else {
        return refusing.refuse(out, &Refusal::ConcurrencyLimit).await;
    };
    let wanted = if call.is_stream() { Wanted::Stream } else { Wanted::Json };
    let query = Query {
        agent_id: agent_id.to_owned(),
        method: call.method.clone(),
        stream_id: None,
        body: call.body.as_bytes().to_vec(),
        headers: caller.headers_to_agent(wanted),
        context_id: call.context_id.as_ref().map(ToString::to_string),
    };
    if call.is_stream() {
        let stream_id = mint().to_string();
        return stream(&agent, query, stream_id, call.timeout, slot, &refusing, out).await;
    }
    match ask(&agent, &query, Duration::from_nanos(settings::get().sync_timeout)).await {
        Asked::Answered(Answer::Reply(body)) => {
            drop(slot);
            respond::json(out, 200, &body).await;
        }
        Asked::Answered(answer) => {
            drop(slot);
            refusing.refuse(out, &refusal(&agent, answer)).await;
        }
        Asked::Refused(refusal) => {
            drop(slot);
            refusing.refuse(out, &refusal).await;
        }
        Asked::CallerGone => {}
    }
}

/// `GET /a2a/{agent_id}/stream`.
pub(crate) async fn stream_without_body(
    caller: Caller,
    agent_id: &str,
    query: Result<StreamQuery, QueryError>,
    out: ResponseOutparam,
) {
    let method = "message/stream";
    let agent = match find(agent_id, method) {
        Ok(agent) => agent,
        Err(refusal) => return Refusing::Http.refuse(out, &refusal).await,
    };
    let params = match query {
        Ok(params) => params,
        Err(error) => {
            return Refusing::Http.refuse(out, &Refusal::InvalidParams(Some(error))).await;
        }
    };
    let Some(slot) = slots::take(agent_id) else {
        return Refusing::Http.refuse(out, &Refusal::ConcurrencyLimit).await;
    };
    let stream_id = mint().to_string();
    let query = Query {
        agent_id: agent_id.to_owned(),
        method: method.to_owned(),
        stream_id: None,
        body: params.body(&stream_id).into_bytes(),
        headers: caller.headers_to_agent(Wanted::Stream),
        context_id: params.context_id.as_ref().map(ToString::to_string),
    };
    stream(&agent, query, stream_id, params.timeout(), slot, &Refusing::Http, out).await;
}

/// The agent of that id, for a request of this method, which is counted.
fn find(agent_id: &str, method: &str) -> Result<AgentId, Refusal> {
    let id = AgentId::parse(agent_id).ok_or(Refusal::InvalidAgentId)?;
    registry::find(agent_id).ok_or_else(|| Refusal::AgentNotFound(agent_id.to_owned()))?;
    counters::count_request(agent_id, method);
    Ok(id)
}

/// Subscribes, asks, and relays once the agent has accepted (section 4).
async fn stream(
    agent: &AgentId,
    mut query: Query,
    stream_id: String,
    timeout: Option<f64>,
    slot: slots::Slot,
    refusing: &Refusing,
    out: ResponseOutparam,
) {
    let values = settings::get();
    let timeouts = Settings {
        default_stream_timeout: Duration::from_nanos(values.default_stream_timeout),
        max_stream_timeout: Duration::from_nanos(values.max_stream_timeout),
        ..Settings::default()
    };
    // First of all: no event of the agent can come before it.
    let subscription = channels::subscribe(&stream_id);
    query.stream_id = Some(stream_id.clone());
    let refusal = match ask(agent, &query, timeouts.head_timeout(timeout)).await {
        Asked::Answered(Answer::Executed) => {
            let relay = Relay { agent, stream_id, subscription, slot };
            return relay.run(out, Duration::from_nanos(values.max_sse_idle)).await;
        }
        Asked::Answered(answer) => refusal(agent, answer),
        Asked::Refused(refusal) => refusal,
        Asked::CallerGone => {
            drop(slot);
            return cancel(agent, stream_id, subscription).await;
        }
    };
    drop((slot, subscription));
    refusing.refuse(out, &refusal).await;
}

/// What came of a query.
enum Asked {
    Answered(Answer),
    Refused(Refusal),
    CallerGone,
}

async fn ask(agent: &AgentId, query: &Query, timeout: Duration) -> Asked {
    let asked = queries::ask(query, nanos(timeout));
    let answered = Signal::new(asked.subscribe());
    let gone = Signal::new(caller::gone());
    let shutting_down = Signal::new(caller::shutting_down());
    match first_of([&gone, &answered, &shutting_down]).await {
        0 => Asked::CallerGone,
        1 => match asked.get() {
            Some(Ok(answer)) => Asked::Answered(answer),
            Some(Err(Failure::Timeout)) => Asked::Refused(Refusal::AgentTimeout(agent.to_string())),
            Some(Err(Failure::Gone)) | None => {
                Asked::Refused(Refusal::AgentUnreachable("no answer".into()))
            }
        },
        _ => Asked::Refused(Refusal::ShuttingDown),
    }
}

/// What an answer that is not the wanted one means.
fn refusal(agent: &AgentId, answer: Answer) -> Refusal {
    match answer {
        Answer::Unreachable(why) => Refusal::AgentUnreachable(why),
        Answer::Status(504) => Refusal::AgentTimeout(agent.to_string()),
        Answer::Status(status) => Refusal::AgentStatus(status),
        Answer::NotAStream(body) => Refusal::of_json_answer(&body),
        Answer::TooLarge => Refusal::ResponseTooLarge,
        // Neither can come: each is the wanted answer of the other kind of query.
        Answer::Executed | Answer::Reply(_) => Refusal::NotAnEventStream,
    }
}

/// A new id, of random numbers.
pub(crate) fn mint() -> Uuid {
    let mut bytes = [0; 16];
    for (byte, random) in bytes.iter_mut().zip(random::get_random_bytes(16)) {
        *byte = random;
    }
    Builder::from_random_bytes(bytes).into_uuid()
}
