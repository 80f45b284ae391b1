//! JSON as text: members of objects, and values on one line.

use serde_json::value::RawValue;
use std::collections::HashMap;

/// The members of the object that `text` is, the last one of each name. `None` when it is no
/// object.
pub(super) fn members(text: &str) -> Option<HashMap<String, &RawValue>> {
    serde_json::from_str(text).ok()
}

/// The value of the JSON string that `raw` is.
pub(super) fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

/// `text` as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    crate::frame::write_json(&mut bytes, &text);
    String::from_utf8(bytes).unwrap_or_default()
}

/// The same value without the white space between its tokens, so without a line end. Numbers and
/// strings stay as they are spelled.
pub(super) fn one_line(value: &RawValue) -> String {
    let mut in_string = false;
    let mut escaped = false;
    let kept = value.get().chars().filter(|&c| {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            return true;
        }
        in_string = c == '"';
        !matches!(c, ' ' | '\t' | '\n' | '\r')
    });
    kept.collect()
}

/// The number of seconds that `text` is, if it is a JSON number above zero.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let seconds = serde_json::from_str::<f64>(text).ok()?;
    (seconds > 0.0 && seconds.is_finite()).then_some(seconds)
}
