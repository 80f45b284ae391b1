//! Lines of at most 78 characters.

/// Characters that a line of a response may have, before it is indented.
pub(super) const WIDTH: usize = 78;

/// Cuts `line` into lines of at most `width` characters, as `textwrap` does.
///
/// A line that fits stays as it is, indentation and all. One that does not is broken at spaces and
/// tabs, and those at a break go. A word longer than `width` begins a line of its own and is cut.
/// Every character counts as one column.
pub(super) fn wrap(line: &str, width: usize) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest.take()?;
        let Some((limit, next)) = line.char_indices().nth(width) else {
            return Some(line);
        };
        let (head, tail) = line.split_at(break_before(line, limit, next));
        let tail = tail.trim_start_matches(is_space);
        rest = Some(tail).filter(|tail| !tail.is_empty());
        Some(head.trim_end_matches(is_space))
    })
}

/// Where a line breaks whose first character too many is `next`, at `limit`.
fn break_before(line: &str, limit: usize, next: char) -> usize {
    if is_space(next) {
        return limit;
    }
    let (fitting, _) = line.split_at(limit);
    match fitting.rfind(is_space) {
        // Unless there is only the indentation before the word.
        Some(space) if !fitting.split_at(space).0.trim_matches(is_space).is_empty() => space,
        _ => limit,
    }
}

/// A no-break space is none.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t')
}
