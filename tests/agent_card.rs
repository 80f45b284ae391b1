//! `GET /.well-known/agent-card.json` over HTTP (`capsule-stream-details.md`, section 8).

use crate::support::{NOT_FOUND, Served, builder, json_answer};
use host_harness::TaskAcceptance;

const PATH: &str = "/.well-known/agent-card.json";

/// A request for the card with that host header.
fn request(host: &str) -> String {
    format!("GET {PATH} HTTP/1.1\r\nHost: {host}\r\n\r\n")
}

fn card(host: &str) -> String {
    format!(
        r#"{{"name":"reviewer","version":"1.2.0","url":"http://{host}/","capabilities":{{"streaming":true}},"methods":["message/send","message/stream","stream/watch","tasks/cancel","tasks/get"]}}"#
    )
}

#[tokio::test]
async fn the_card_is_a_json_answer() {
    let served = Served::on_a_socket(builder().agent("reviewer", "1.2.0")).await;
    served
        .send(request("127.0.0.1:52222"))
        .await
        .expect_all(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 189\r\n\
             connection: close\r\n\r\n\
             {\"name\":\"reviewer\",\"version\":\"1.2.0\",\"url\":\"http://127.0.0.1:52222/\",\
             \"capabilities\":{\"streaming\":true},\"methods\":[\"message/send\",\
             \"message/stream\",\"stream/watch\",\"tasks/cancel\",\"tasks/get\"]}",
        )
        .await;
}

#[tokio::test]
async fn its_url_is_what_the_request_says_of_the_host() {
    let served = Served::on_a_socket(builder().agent("reviewer", "1.2.0")).await;
    for host in ["capsule", "agents.example:8080", "[::1]:52222", "127.0.0.1"] {
        served.send(request(host)).await.expect_all(json_answer(&card(host))).await;
    }
}

#[tokio::test]
async fn a_capsule_that_accepts_no_tasks_says_so() {
    let builder = builder().agent("watched", "0.1.0").task_acceptance(TaskAcceptance::None);
    let served = Served::on_a_socket(builder).await;
    let card = r#"{"name":"watched","version":"0.1.0","url":"http://capsule/","capabilities":{"streaming":false},"methods":["stream/watch","tasks/cancel","tasks/get"]}"#;
    served.send(request("capsule")).await.expect_all(json_answer(card)).await;
    // What it lists is what it serves.
    let not_found =
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#;
    served.say("hello", not_found).await;
    served.call("tasks/get", "{}", crate::support::TASK_NOT_FOUND).await;
    served.watch().await;
}

#[tokio::test]
async fn the_card_may_be_asked_for_with_a_query_and_by_get_only() {
    let served = Served::on_a_socket(builder().agent("reviewer", "1.2.0")).await;
    let query = format!("GET {PATH}?a=/b HTTP/1.1\r\nHost: capsule\r\n\r\n");
    served.send(query).await.expect_all(json_answer(&card("capsule"))).await;
    for method in ["POST", "PUT", "DELETE"] {
        let request = format!(
            "{method} {PATH} HTTP/1.1\r\nHost: capsule\r\nContent-Type: application/json\r\n\
             Content-Length: 2\r\n\r\n{{}}"
        );
        served.send(request).await.expect_all(NOT_FOUND).await;
    }
    for path in ["/.well-known/agent-card.json/", "/.well-known/agent.json", "/agent-card.json"] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: capsule\r\n\r\n");
        served.send(request).await.expect_all(NOT_FOUND).await;
    }
}

#[tokio::test]
async fn a_request_without_a_host_gets_a_card_all_the_same() {
    let served = Served::on_a_socket(builder().agent("reviewer", "1.2.0")).await;
    let request = format!("GET {PATH} HTTP/1.0\r\n\r\n");
    served.send(request).await.expect_all(json_answer(&card("capsule"))).await;
}
