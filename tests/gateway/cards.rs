//! The cards at `/.well-known/agent-card.json` (details page, section 1).

use crate::support::{TestGateway, get, json_answer, send_json, simulated};

async fn expect(gateway: &TestGateway, path: &str, json: &str) {
    gateway.send(get(path)).await.expect_all(json_answer(json)).await;
}

#[tokio::test(start_paused = true)]
async fn the_gateways_card_names_it_and_where_it_was_asked() {
    let (gateway, _agent) = simulated().await;
    let version = env!("CARGO_PKG_VERSION");
    let rest = r#""skills":[],"defaultInputModes":["text"],"defaultOutputModes":["text"],"protocolVersions":["1.0"]}"#;
    let start = r#"{"name":"a2a-gateway","description":"Relays A2A requests and event streams to the agents that are registered.""#;
    let card = format!(
        r#"{start},"version":"{version}","url":"http://localhost:9090","capabilities":{{"streaming":true}},{rest}"#
    );
    expect(&gateway, "/.well-known/agent-card.json", &card).await;
}

#[tokio::test(start_paused = true)]
async fn an_agents_card_has_the_gateways_url_and_not_the_agents() {
    let (gateway, _agent) = simulated().await;
    let card = r#"{"agent_id":"agent-2","name":"Two","description":"d","version":"1.2","url":"http://secret:1/x","skills":[{"id":"s","name":"S","description":"sd","tags":["a","b"]}],"defaultInputModes":["text","file"],"defaultOutputModes":["data"],"protocolVersions":["0.3"],"kind":"murmur-capsule"}"#;
    assert_eq!(gateway.ask(send_json("POST", "/agents/register", "", card)).await.status, 200);
    let public = r#"{"name":"Two","description":"d","version":"1.2","url":"http://localhost:9090/a2a/agent-2","capabilities":{"streaming":true},"skills":[{"id":"s","name":"S","description":"sd","tags":["a","b"]}],"defaultInputModes":["text","file"],"defaultOutputModes":["data"],"protocolVersions":["0.3"]}"#;
    expect(&gateway, "/a2a/agent-2/.well-known/agent-card.json", public).await;

    let given = r#"{"name":"agent-1","description":"","version":"","url":"http://localhost:9090/a2a/agent-1","capabilities":{"streaming":true},"skills":[],"defaultInputModes":["text"],"defaultOutputModes":["text"],"protocolVersions":["1.0"]}"#;
    expect(&gateway, "/a2a/agent-1/.well-known/agent-card.json", given).await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_not_registered_has_no_card() {
    let (gateway, _agent) = simulated().await;
    for id in ["no-such-agent", "A"] {
        let answer = gateway.ask(get(&format!("/a2a/{id}/.well-known/agent-card.json"))).await;
        assert_eq!(answer.status, 404, "{id}");
        assert_eq!(answer.error_message(), format!("agent not found: {id}"));
    }
}
