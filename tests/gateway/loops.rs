//! An agent whose URL leads back to the gateway (ours): followed, a request would take a slot of
//! every agent on its way, again and again.

use crate::support::{
    call_body, get, http_error, json_answer, rpc_error, rpc_with, simulated, stream_of,
};

#[tokio::test(start_paused = true)]
async fn a_request_that_the_gateway_sent_itself_is_refused_on_every_route() {
    let (gateway, mut agent) = simulated().await;
    let (caller, exchange) = gateway.open(&mut agent).await;
    let own = format!("X-KubeMQ-Caller-ID: {}\r\n", exchange.header("x-kubemq-caller-id")[0]);
    drop((caller, exchange));
    let message = "internal error: agent unreachable: its URL leads back to this gateway";
    for body in [stream_of("{}"), call_body("message/send")] {
        let mut caller = gateway.send(rpc_with(&own, &body)).await;
        caller.expect_all(json_answer(&rpc_error("1", -32603, message))).await;
    }
    let stream = get("/a2a/agent-1/stream").replacen("\r\n", &format!("\r\n{own}"), 1);
    let mut caller = gateway.send(stream).await;
    caller.expect_all(http_error("502 Bad Gateway", message)).await;
    agent.expect_no_request();
}

#[tokio::test(start_paused = true)]
async fn two_gateways_have_different_names() {
    let ids = [(), ()].map(|()| async {
        let (gateway, mut agent) = simulated().await;
        let (_caller, exchange) = gateway.open(&mut agent).await;
        exchange.header("x-kubemq-caller-id")[0].to_owned()
    });
    let [first, second] = ids;
    assert_ne!(first.await, second.await);
}
