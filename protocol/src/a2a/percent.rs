//! Percent-encoding (RFC 3986, 2.1) and the query strings of forms.

use super::query::QueryError;

/// The pairs of a query string, decoded. A name without `=` has an empty value.
pub(super) fn pairs(query: &str) -> Result<Vec<(String, String)>, QueryError> {
    let decoded = |text: &str| decode(&text.replace('+', " "));
    let pieces = query.split('&').filter(|piece| !piece.is_empty());
    pieces
        .map(|piece| {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            Ok((decoded(name)?, decoded(value)?))
        })
        .collect()
}

/// `text` with its escapes replaced.
pub(super) fn decode(text: &str) -> Result<String, QueryError> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let (Some(high), Some(low)) = (bytes.next().and_then(hex), bytes.next().and_then(hex))
        else {
            return Err(QueryError::new("a % is not followed by two hexadecimal digits"));
        };
        decoded.push(high * 16 + low);
    }
    String::from_utf8(decoded).map_err(|_| QueryError::new("it is not UTF-8"))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
