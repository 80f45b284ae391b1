//! JSON-RPC calls, over a socket.

use crate::client::rpc::result;
use crate::client::{Request, RpcError, rpc, send_on};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Calls `tasks/get` of a server that answers so, and gives what it was sent as well.
async fn call(answer: String) -> (String, Result<Value, RpcError>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string().parse().unwrap();
    let server = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 1024];
        let length = connection.read(&mut request).await.unwrap();
        connection.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8(request[..length].to_vec()).unwrap()
    });
    let result = rpc(&address, "tasks/get", &json!({ "id": "tsk_\"1" })).await;
    (server.await.unwrap(), result)
}

/// What comes of an answer with this body.
async fn answered(body: &str) -> Result<Value, String> {
    let length = body.len();
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
    call(answer).await.1.map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_call_is_a_json_post_with_its_method_and_params() {
    let (request, _) = call("HTTP/1.1 404 Not Found\r\n\r\n".into()).await;
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST / HTTP/1.1\r\nHost: 127.0.0.1:"), "{head}");
    assert!(head.contains("\r\ncontent-type: application/json\r\n"), "{head}");
    assert_eq!(body, r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"tsk_\"1"}}"#);
}

#[tokio::test]
async fn the_result_is_given_whatever_it_is() {
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"id":"tsk_1"},"more":1}"#;
    assert_eq!(answered(answer).await, Ok(json!({ "id": "tsk_1" })));
    assert_eq!(answered(r#"{"jsonrpc":"2.0","id":1,"result":null}"#).await, Ok(Value::Null));
    assert_eq!(answered(r#"{"id":1,"error":null,"result":2}"#).await, Ok(json!(2)));
}

#[tokio::test]
async fn an_error_gives_its_code_and_message() {
    let answer =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Task\nnot found"}}"#;
    let answer = format!("HTTP/1.1 200 OK\r\n\r\n{answer}");
    let error = call(answer).await.1.unwrap_err();
    let RpcError::Refused { code, message } = &error else { panic!("{error:?}") };
    assert_eq!((*code, message.as_str()), (-32001, "Task\nnot found"));
    // A message cannot forge a second line.
    assert_eq!(error.to_string(), r"the capsule refused: Task\nnot found (-32001)");
}

#[tokio::test]
async fn what_is_no_answer_to_a_call_is_told() {
    let told = "the answer is not one of JSON-RPC; is this a capsule's address?";
    for body in ["", "<html>", "[]", "{}", r#"{"error":1}"#, r#"{"error":{"code":"x"}}"#] {
        assert_eq!(answered(body).await, Err(told.into()), "{body}");
    }
    let error = call("HTTP/1.1 404 Not Found\r\n\r\n".into()).await.1.unwrap_err();
    let told = "the answer is \"HTTP/1.1 404 Not Found\"; is this a capsule's address?";
    assert_eq!(error.to_string(), told);
    let error = call(String::new()).await.1.unwrap_err();
    assert_eq!(error.to_string(), "the connection was closed without an answer");
}

#[tokio::test(start_paused = true)]
async fn the_rest_of_an_answer_is_waited_for_30_s() {
    let (client, mut server) = tokio::io::duplex(1 << 20);
    server.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{").await.unwrap();
    let address = "capsule:1".parse().unwrap();
    let response = send_on(client, &address, &Request::post(b"{}")).await.unwrap();
    let error = result(&address, response).await.unwrap_err();
    assert_eq!(error.to_string(), "capsule:1: no answer within 30 s");
}
