//! What an agent gets to see of a request's headers (details page, section 8).

/// The header that names the caller to the agent.
pub const CALLER_ID: &str = "x-kubemq-caller-id";

/// What a request asks the agent for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// An event stream.
    Stream,
    /// One JSON answer.
    Json,
}

/// The headers of the request to the agent, names in lower case, from those of the caller's:
/// `X-*` but `X-Forwarded-For`, in their order, then ours. Whatever the caller said under
/// [`CALLER_ID`], the agent gets `caller_id`.
pub fn to_agent<N: AsRef<str>, V: AsRef<[u8]>>(
    headers: impl IntoIterator<Item = (N, V)>,
    caller_id: &str,
    wanted: Wanted,
) -> Vec<(String, Vec<u8>)> {
    let mut passed: Vec<_> = headers
        .into_iter()
        .map(|(name, value)| (name.as_ref().to_ascii_lowercase(), value.as_ref().to_vec()))
        .filter(|(name, _)| is_passed(name))
        .collect();
    let mut add = |name: &str, value: &str| passed.push((name.to_owned(), value.into()));
    add(CALLER_ID, caller_id);
    add("content-type", "application/json");
    if wanted == Wanted::Stream {
        add("accept", "text/event-stream");
    }
    passed
}

fn is_passed(name: &str) -> bool {
    name.starts_with("x-") && name != "x-forwarded-for" && name != CALLER_ID
}
