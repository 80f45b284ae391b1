//! Which requests are served at all.

/// Where a request's head leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// To the JSON-RPC methods, with the body.
    JsonRpc,
    /// To the agent card.
    AgentCard,
    /// Nowhere: 404 without a body.
    NotFound,
}

/// Looks at a request's head: its method in upper case, its path with or without a query, and the
/// values of all its `content-type` headers.
pub fn route<V: AsRef<[u8]>>(method: &str, path_with_query: &str, content_types: &[V]) -> Route {
    let path = path_with_query.split('?').next().unwrap_or_default();
    match (method, path) {
        ("POST", "/") if are_json(content_types) => Route::JsonRpc,
        ("GET", "/.well-known/agent-card.json") => Route::AgentCard,
        _ => Route::NotFound,
    }
}

/// Whether a message with these `content-type` headers is JSON: it has one, and none says otherwise.
pub(crate) fn are_json<V: AsRef<[u8]>>(content_types: &[V]) -> bool {
    !content_types.is_empty() && content_types.iter().all(|value| is_json(value.as_ref()))
}

/// Whether a content type is JSON: `application/json`, `application/json-rpc` or
/// `application/*+json`, in any case and with any parameters.
fn is_json(content_type: &[u8]) -> bool {
    let essence = content_type.split(|&byte| byte == b';').next().unwrap_or_default();
    let essence = essence.trim_ascii().to_ascii_lowercase();
    let Some(subtype) = essence.strip_prefix(b"application/") else {
        return false;
    };
    matches!(subtype, b"json" | b"json-rpc")
        || subtype.strip_suffix(b"+json").is_some_and(|prefix| {
            !prefix.is_empty() && prefix.iter().all(|&byte| is_token_byte(byte))
        })
}

/// RFC 9110, 5.6.2, for lower-case names.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
