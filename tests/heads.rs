//! Which requests are served, and the exact heads of the answers (protocol page, "Endpoints").

use crate::support::{
    ACK, NOT_FOUND, STREAM_HEAD, Served, WATCH, builder, json_answer, post, submission,
};

/// A request with that request line and content type, and the body of a watch.
fn watch_of(request_line: &str, content_type: &str) -> String {
    let length = WATCH.len();
    format!(
        "{request_line}\r\nHost: capsule\r\nContent-Type: {content_type}\r\n\
         Content-Length: {length}\r\n\r\n{WATCH}"
    )
}

const POST: &str = "POST / HTTP/1.1";
const JSON: &str = "application/json";

#[tokio::test]
async fn a_watch_is_answered_with_four_lines_and_its_first_frame() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.send(post(WATCH)).await;
    watcher
        .expect(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\
             connection: keep-alive\r\n\r\nevent: connection-ack\n\
             data: {\"role\":\"observer\",\"conversation_mode\":\"stateless\"}\n\n",
        )
        .await;
}

#[tokio::test]
async fn a_submission_is_answered_with_the_same_four_lines_before_any_frame() {
    let served = Served::on_a_socket(builder()).await;
    let mut submitter = served.send(submission("hello")).await;
    // No task was taken yet, so there is no frame that the head could have waited for.
    submitter
        .expect(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\
             connection: keep-alive\r\n\r\n",
        )
        .await;
    served.run_task("hello").await;
    assert!(submitter.rest().await.starts_with("id: 0\nevent: status\n"));
}

#[tokio::test]
async fn a_json_answer_has_its_length_and_closes() {
    let served = Served::on_a_socket(builder()).await;
    let mut client = served.send(post(r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#)).await;
    client
        .expect_all(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 77\r\n\
             connection: close\r\n\r\n\
             {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}",
        )
        .await;
}

#[tokio::test]
async fn what_leads_nowhere_is_a_complete_404() {
    let served = Served::on_a_socket(builder()).await;
    let no_content_type = format!(
        "POST / HTTP/1.1\r\nHost: capsule\r\nContent-Length: {}\r\n\r\n{WATCH}",
        WATCH.len()
    );
    let no_length = "POST / HTTP/1.1\r\nHost: capsule\r\nContent-Type: application/json\r\n\r\n";
    let empty_chunked = "POST / HTTP/1.1\r\nHost: capsule\r\nContent-Type: application/json\r\n\
                         Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    for request in [
        "GET / HTTP/1.1\r\nHost: capsule\r\n\r\n",
        "GET /nowhere HTTP/1.1\r\nHost: capsule\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: capsule\r\n\r\n",
        &watch_of("POST /nowhere HTTP/1.1", JSON),
        &watch_of("POST // HTTP/1.1", JSON),
        &watch_of("POST /index.html HTTP/1.1", JSON),
        &watch_of("PUT / HTTP/1.1", JSON),
        &watch_of("GET / HTTP/1.1", JSON),
        &watch_of("DELETE / HTTP/1.1", JSON),
        &watch_of("post / HTTP/1.1", JSON),
        &no_content_type,
        no_length,
        empty_chunked,
        &post(""),
    ] {
        let mut client = served.send(request).await;
        assert_eq!(client.rest().await, NOT_FOUND, "{request}");
    }
}

#[tokio::test]
async fn the_answer_to_a_head_request_has_no_body() {
    let served = Served::on_a_socket(builder()).await;
    for request in ["HEAD / HTTP/1.1\r\nHost: capsule\r\n\r\n", &watch_of("HEAD / HTTP/1.1", JSON)]
    {
        served.send(request).await.expect_all(NOT_FOUND).await;
    }
}

#[tokio::test]
async fn a_query_is_ignored() {
    let served = Served::on_a_socket(builder()).await;
    for request_line in ["POST /? HTTP/1.1", "POST /?a=/b&c=%00 HTTP/1.1", "POST /?? HTTP/1.1"] {
        let mut watcher = served.send(watch_of(request_line, JSON)).await;
        watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
    }
}

#[tokio::test]
async fn http_1_0_is_served_the_same() {
    let served = Served::on_a_socket(builder()).await;
    let mut watcher = served.send(watch_of("POST / HTTP/1.0", JSON)).await;
    watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
}

#[tokio::test]
async fn json_content_types_are_served_in_any_case_and_with_parameters() {
    let served = Served::on_a_socket(builder()).await;
    for content_type in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=\"utf-8\";x=y",
        "application/json ;",
        "application/json-rpc",
        "application/vnd.a2a+json",
        "APPLICATION/VND.A2A+JSON; v=1",
    ] {
        let mut watcher = served.send(watch_of(POST, content_type)).await;
        watcher.expect(format!("{STREAM_HEAD}{ACK}")).await;
    }
}

#[tokio::test]
async fn other_content_types_are_not_found() {
    let served = Served::on_a_socket(builder()).await;
    for content_type in [
        "",
        "text/plain",
        "text/json",
        "application/jsonp",
        "application/xml",
        "application/+json",
        "text/x;application/json",
        "application/x-www-form-urlencoded",
        "json",
        "application/json, text/plain",
    ] {
        let mut client = served.send(watch_of(POST, content_type)).await;
        assert_eq!(client.rest().await, NOT_FOUND, "{content_type}");
    }
}

#[tokio::test]
async fn a_second_request_on_the_connection_is_not_answered() {
    let served = Served::on_a_socket(builder()).await;
    let request = post("{}");
    let mut client = served.send(format!("{request}{request}")).await;
    client
        .expect_all(json_answer(
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}"#,
        ))
        .await;
}
