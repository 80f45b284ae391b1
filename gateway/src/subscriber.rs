//! The virtual subscriber: the only part that talks to agents.

use crate::Component;
use crate::agent;
use crate::bindings::a2a::gateway::queries::{Answer, Query, Reply};
use crate::bindings::a2a::gateway::{channels, registry, settings};
use crate::bindings::exports::a2a::gateway::virtual_subscriber::Guest;
use crate::subscriber_stream::SubscriberStream;
use crate::wait::{Signal, unless};
use protocol::a2a::AgentHead;
use protocol::a2a::registry::AgentUrl;

impl Guest for Component {
    fn handle(query: Query, reply: Reply) {
        wstd::runtime::block_on(answer(query, reply));
    }
}

async fn answer(query: Query, reply: Reply) {
    if query.method == "stream_cancel" {
        let canceled = query.stream_id.is_some_and(|stream_id| channels::cancel(&stream_id));
        // A stream that is not there any more is as good as cancelled.
        let _ = canceled;
        return reply.send(&Answer::Executed);
    }
    let agent = registry::find(&query.agent_id);
    let Some((agent, url)) = agent.and_then(|a| AgentUrl::parse(&a.url).map(|url| (a, url))) else {
        return reply.send(&Answer::Unreachable("it is not registered any more".into()));
    };
    match query.stream_id.clone() {
        Some(stream_id) => {
            if let Some(publisher) = channels::publish(&stream_id) {
                let stream = SubscriberStream::new(&agent, url, query, stream_id, publisher, reply);
                stream.run().await;
            }
        }
        None => {
            let abandoned = Signal::new(reply.abandoned());
            if let Some(answer) = unless(&abandoned, request(&query, &url)).await {
                reply.send(&answer);
            }
        }
    }
}

/// A synchronous request.
async fn request(query: &Query, url: &AgentUrl) -> Answer {
    let response = match agent::post(url, &query.headers, &query.body).await {
        Ok(response) => response,
        Err(why) => return Answer::Unreachable(why),
    };
    if response.status() != 200 {
        return Answer::Status(response.status());
    }
    match response.whole(settings::get().agent_max_response_bytes).await {
        Some(body) => Answer::Reply(body),
        None => Answer::TooLarge,
    }
}

/// What the head of an agent's answer to a request for a stream says to the query: nothing where it
/// accepted.
pub(crate) async fn refusal(query: &Query, response: &agent::Response) -> Option<Answer> {
    let agent_id = protocol::a2a::AgentId::parse(&query.agent_id)?;
    match AgentHead::judge(&agent_id, response.status(), &response.content_types()) {
        AgentHead::EventStream => None,
        AgentHead::Other => {
            let body = response.whole(settings::get().agent_max_response_bytes).await;
            Some(Answer::NotAStream(body.unwrap_or_default()))
        }
        AgentHead::Refused(_) => Some(Answer::Status(response.status())),
    }
}
