//! JSON as the door accepts it: UTF-8 without a byte-order mark, nested at most 128 deep.

use serde_json::value::RawValue;

/// How many arrays and objects may stand inside one another.
const MAX_DEPTH: usize = 128;

/// The text of `body` if it is one JSON value.
pub(crate) fn checked(body: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(body).ok()?;
    // Depth comes first: nothing that is parsed afterwards can exhaust the stack.
    let valid = is_shallow(text) && serde_json::from_str::<&RawValue>(text).is_ok();
    valid.then_some(text)
}

/// Whether brackets outside strings nest at most [`MAX_DEPTH`] deep.
fn is_shallow(text: &str) -> bool {
    let mut depth = 0usize;
    let mut in_string = false;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => {
                bytes.next();
            }
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return false;
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    true
}
