//! JSON-RPC calls (`capsule-stream-details.md`, sections 2 and 8).

use super::{ANSWER_TIME, Address, Error, Request, Response, send};
use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use serde_json::{Map, Value};
use std::fmt;
use tokio::io::AsyncRead;
use tokio::time::timeout;

/// Bytes that the answer of a call may have. A task's prompt or reply is in it as a whole.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// Why a call gave no result.
#[derive(Debug)]
pub enum RpcError {
    /// There is no answer.
    Exchange(Error),
    /// The status of the answer is not 200. This is its status line.
    Status(String),
    /// The answer is not one of JSON-RPC.
    NotJsonRpc,
    /// The call was refused with a JSON-RPC error.
    Refused {
        /// Its code, such as -32001.
        code: i64,
        /// Its message, such as `Task not found`.
        message: String,
    },
}

/// Calls a method that answers at once, such as `message/send`, `tasks/get` and `tasks/cancel`, and
/// gives its result.
///
/// # Errors
///
/// There is no answer, or it is a refusal, or none of JSON-RPC.
pub async fn rpc(address: &Address, method: &str, params: &Value) -> Result<Value, RpcError> {
    let json = HeaderValue::from_static("application/json");
    let body = rpc_body(method, params);
    let request = Request::post(&body).header(CONTENT_TYPE, json.clone()).header(ACCEPT, json);
    let response = send(address, &request).await.map_err(RpcError::Exchange)?;
    result(address, response).await
}

/// The result in an answer whose head was read.
pub(super) async fn result<S: AsyncRead + Unpin>(
    address: &Address,
    mut response: Response<S>,
) -> Result<Value, RpcError> {
    if response.status() != StatusCode::OK {
        return Err(RpcError::Status(response.status_line().to_owned()));
    }
    let body = match timeout(ANSWER_TIME, response.body(ANSWER_BYTES)).await {
        Ok(body) => body.map_err(RpcError::Exchange)?,
        Err(_) => return Err(RpcError::Exchange(Error::AnswerTimeout(address.clone()))),
    };
    read_answer(&body)
}

/// The body of a call: its keys in the order in which the protocol page has them, and id 1.
pub fn rpc_body(method: &str, params: &Value) -> Vec<u8> {
    let method = Value::from(method);
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":{method},"params":{params}}}"#).into_bytes()
}

fn read_answer(body: &[u8]) -> Result<Value, RpcError> {
    let mut answer: Map<String, Value> =
        serde_json::from_slice(body).map_err(|_| RpcError::NotJsonRpc)?;
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        let code = error.get("code").and_then(Value::as_i64).ok_or(RpcError::NotJsonRpc)?;
        let message = error.get("message").and_then(Value::as_str).unwrap_or("no message");
        return Err(RpcError::Refused { code, message: message.to_owned() });
    }
    answer.remove("result").ok_or(RpcError::NotJsonRpc)
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exchange(error) => error.fmt(f),
            Self::Status(line) => write!(f, "the answer is {line:?}; is this a capsule's address?"),
            Self::NotJsonRpc => {
                f.write_str("the answer is not one of JSON-RPC; is this a capsule's address?")
            }
            Self::Refused { code, message } => {
                write!(f, "the capsule refused: {} ({code})", message.escape_debug())
            }
        }
    }
}

impl std::error::Error for RpcError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Exchange(error) => Some(error),
            _ => None,
        }
    }
}
