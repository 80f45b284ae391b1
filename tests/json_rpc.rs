//! JSON-RPC: the envelope of a request, the methods, and `task_acceptance: none`
//! (`capsule-stream-details.md`, section 2).

use crate::support::{
    ACK, STREAM_HEAD, Served, builder, json_answer, post, stream_body, stream_body_of,
};
use host_harness::TaskAcceptance;

const METHOD_NOT_FOUND: &str = r#""error":{"code":-32601,"message":"Method not found"}"#;
const PARSE_ERROR: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;

/// Sends each body, and expects this JSON.
async fn expect_json(served: &Served, bodies: &[&str], json: &str) {
    for body in bodies {
        let mut client = served.send(post(body)).await;
        assert_eq!(client.rest().await, json_answer(json), "{body}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_json_is_a_parse_error() {
    let served = Served::on_a_socket(builder()).await;
    let bodies = [
        "hello",
        " ",
        "\n",
        "{",
        r#"{"jsonrpc":"2.0","id":1,"method":"stream/watch""#,
        r#"{"jsonrpc":"2.0","id":1,"method":"stream/watch"} x"#,
        r#"{"jsonrpc":"2.0","id":01,"method":"stream/watch"}"#,
        r#"{'jsonrpc':'2.0'}"#,
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stream/watch\"}",
    ];
    expect_json(&served, &bodies, PARSE_ERROR).await;
}

#[tokio::test]
async fn a_body_that_is_not_utf_8_is_a_parse_error() {
    let served = Served::on_a_socket(builder()).await;
    let body = b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"stream/watch\"}";
    let mut request = post(&"x".repeat(body.len())).into_bytes();
    request.truncate(request.len() - body.len());
    request.extend_from_slice(body);
    served.send(request).await.expect_all(json_answer(PARSE_ERROR)).await;
}

#[tokio::test]
async fn json_that_is_no_request_is_an_invalid_request() {
    let served = Served::on_a_socket(builder()).await;
    let bodies = [
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"method":"stream/watch"}]"#,
        "1",
        r#""stream/watch""#,
        "true",
        "null",
        "{}",
        r#"{"jsonrpc":"2.0","method":"stream/watch"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"stream/watch"}"#,
        r#"{"jsonrpc":"2.0","id":[1],"method":"stream/watch"}"#,
        r#"{"jsonrpc":"2.0","id":true,"method":"stream/watch"}"#,
    ];
    let invalid =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#;
    expect_json(&served, &bodies, invalid).await;
}

#[tokio::test]
async fn an_invalid_request_echoes_an_id_that_is_valid() {
    let served = Served::on_a_socket(builder()).await;
    let bodies = [
        r#"{"id":7,"method":"stream/watch"}"#,
        r#"{"jsonrpc":"1.0","id":7,"method":"stream/watch"}"#,
        r#"{"jsonrpc":2.0,"id":7,"method":"stream/watch"}"#,
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":1}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"stream/watch","method":"stream/watch"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"stream/watch","x":1,"x":2}"#,
    ];
    let invalid = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid Request"}}"#;
    expect_json(&served, &bodies, invalid).await;
}

#[tokio::test]
async fn a_method_that_is_not_served_is_not_found() {
    let served = Served::on_a_socket(builder()).await;
    for method in ["no/such", "", "Stream/Watch", "stream/watch ", "message/streams", "watch"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{}}}}"#);
        let json = format!(r#"{{"jsonrpc":"2.0","id":1,{METHOD_NOT_FOUND}}}"#);
        expect_json(&served, &[&body], &json).await;
    }
}

#[tokio::test]
async fn an_id_is_echoed_verbatim() {
    let served = Served::on_a_socket(builder()).await;
    let long = format!("\"{}\"", "i".repeat(100_000));
    for id in [
        "0",
        "-1",
        "1.50",
        "1e2",
        "1E+2",
        "12345678901234567890123",
        "null",
        r#""""#,
        r#""a \" \\ \/ \n \u00e9 \ud83e\udd80 é""#,
        &long,
    ] {
        let body = format!(r#"{{"method":"no/such", "id": {id} ,"jsonrpc":"2.0"}}"#);
        let json = format!(r#"{{"jsonrpc":"2.0","id":{id},{METHOD_NOT_FOUND}}}"#);
        expect_json(&served, &[&body], &json).await;
    }
}

#[tokio::test]
async fn a_watch_reads_no_params() {
    let served = Served::on_a_socket(builder()).await;
    for params in ["", r#","params":{}"#, r#","params":null"#, r#","params":[1,"x"]"#] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"stream/watch"{params}}}"#);
        let mut watcher = served.send(post(&body)).await;
        watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
    }
}

#[tokio::test]
async fn a_method_may_be_spelled_with_escapes() {
    let served = Served::on_a_socket(builder()).await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"stream\/w\u0061tch"}"#;
    let mut watcher = served.send(post(body)).await;
    watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
}

#[tokio::test]
async fn a_capsule_that_accepts_no_tasks_has_no_message_stream_but_is_watched() {
    let served = Served::on_a_socket(builder().task_acceptance(TaskAcceptance::None)).await;
    let json = format!(r#"{{"jsonrpc":"2.0","id":1,{METHOD_NOT_FOUND}}}"#);
    expect_json(&served, &[&stream_body("hello")], &json).await;
    served.watch().await;
}

#[tokio::test]
async fn a_capsule_that_accepts_no_tasks_does_not_look_at_params() {
    let served = Served::on_a_socket(builder().task_acceptance(TaskAcceptance::None)).await;
    let json = format!(r#"{{"jsonrpc":"2.0","id":1,{METHOD_NOT_FOUND}}}"#);
    for params in ["null", "{}", r#"{"message":1}"#, "[]"] {
        expect_json(&served, &[&stream_body_of(params)], &json).await;
    }
}
