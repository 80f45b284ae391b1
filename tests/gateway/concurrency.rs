//! `AgentMaxConcurrency` (details page, section 9).

use crate::support::{
    ID, STREAM, Setup, TOO_MANY, call_body, get, http_error, json_answer, rpc, rpc_error,
    simulated, simulated_with,
};
use host_harness::gateway::Settings;

fn so_many(agent_max_concurrency: usize) -> Settings {
    Settings { agent_max_concurrency, ..Settings::default() }
}

#[tokio::test(start_paused = true)]
async fn the_101st_stream_is_refused_on_both_routes_and_not_queued() {
    let (gateway, mut agent) = simulated().await;
    let mut open = Vec::new();
    for _ in 0..100 {
        open.push(gateway.open(&mut agent).await);
    }
    assert_eq!(gateway.active_streams(), Some(100));
    let refused = json_answer(&rpc_error("1", -32603, TOO_MANY));
    gateway.send(rpc(STREAM)).await.expect_all(refused).await;
    let get = get(&format!("/a2a/{ID}/stream"));
    let refused = http_error("429 Too Many Requests", TOO_MANY);
    gateway.send(&get).await.expect_all(refused).await;
    agent.expect_no_request();
    assert_eq!(gateway.active_streams(), Some(100));

    // One that ends makes place for one.
    let (mut caller, mut exchange) = open.pop().unwrap();
    exchange.envelope("done", "1").await;
    caller.done("1").await;
    let _one_more = gateway.open(&mut agent).await;
    let refused = json_answer(&rpc_error("1", -32603, TOO_MANY));
    gateway.send(rpc(STREAM)).await.expect_all(refused).await;

    // The others are as they were.
    for (caller, exchange) in &mut open {
        exchange.envelope("done", "1").await;
        caller.done("1").await;
    }
    assert_eq!(gateway.active_streams(), Some(1));
}

#[tokio::test(start_paused = true)]
async fn synchronous_requests_count_with_the_streams() {
    let (gateway, mut agent) = simulated_with(so_many(2)).await;
    let send = rpc(&call_body("message/send"));
    let refused = json_answer(&rpc_error("1", -32603, TOO_MANY));

    let (_caller, _exchange) = gateway.open(&mut agent).await;
    let mut waiting = gateway.send(&send).await;
    let mut asked = agent.request().await;
    gateway.send(rpc(STREAM)).await.expect_all(&refused).await;
    gateway.send(&send).await.expect_all(&refused).await;
    agent.expect_no_request();

    asked.answer_json("{}").await;
    waiting.expect_all(json_answer("{}")).await;
    let _second = gateway.open(&mut agent).await;
    gateway.send(&send).await.expect_all(&refused).await;
}

#[tokio::test(start_paused = true)]
async fn each_agent_has_its_own() {
    let mut setup = Setup::new(so_many(1));
    let (mut first, mut second) = (setup.agent(ID), setup.agent("agent-2"));
    let gateway = setup.simulated().await;
    let _open = gateway.open(&mut first).await;
    let mut caller = gateway.stream_to("agent-2").await;
    let mut exchange = second.accept().await;
    caller.head().await;
    exchange.envelope("done", "1").await;
    caller.done("1").await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_the_agent_refuses_gives_its_slot_back() {
    let (gateway, mut agent) = simulated_with(so_many(1)).await;
    for answer in [
        "HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    ] {
        let mut caller = gateway.stream().await;
        let mut exchange = agent.request().await;
        exchange.send(answer).await;
        assert!(caller.client.rest().await.contains("-32603"));
    }
    // One whose format is wrong takes none.
    for _ in 0..3 {
        gateway.send(rpc("nonsense")).await.rest().await;
    }
    gateway.expect_a_free_slot(&mut agent).await;
}
