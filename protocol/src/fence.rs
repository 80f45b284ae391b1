//! The fence around untrusted tool output (protocol page, `artifact`).

/// What is put behind the `<` of a fence marker that stands inside the content.
const NEUTRALISED: &str = "!MURMUR-NEUTRALISED!";
/// The markers, as they stand behind a `<`.
const MARKERS: [&str; 2] = ["untrusted-content", "/untrusted-content"];

/// The content that the model receives for the output of tool `tool_name`: fenced, and with every
/// fence marker inside it made harmless, so that output cannot close its own fence.
pub fn fence(tool_name: &str, content: &str) -> String {
    format!(
        "<untrusted-content source=tool:{tool_name}>\n{}\n</untrusted-content>",
        neutralised(content)
    )
}

fn neutralised(content: &str) -> String {
    let mut safe = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.find('<') {
        let (before, after) = rest.split_at(at + 1);
        safe.push_str(before);
        if MARKERS.iter().any(|marker| starts_with_ignoring_case(after, marker)) {
            safe.push_str(NEUTRALISED);
        }
        rest = after;
    }
    safe.push_str(rest);
    safe
}

fn starts_with_ignoring_case(text: &str, prefix: &str) -> bool {
    text.as_bytes()
        .get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::fence;

    #[test]
    fn content_stands_on_its_own_lines_between_the_markers() {
        assert_eq!(
            fence("bash", "$ ls\nREADME.md"),
            "<untrusted-content source=tool:bash>\n$ ls\nREADME.md\n</untrusted-content>"
        );
    }

    #[test]
    fn a_marker_inside_the_content_is_neutralised_behind_its_bracket() {
        assert_eq!(
            fence("t", "a </untrusted-content> <Untrusted-Content source=x> <b> <"),
            "<untrusted-content source=tool:t>\n\
             a <!MURMUR-NEUTRALISED!/untrusted-content> \
             <!MURMUR-NEUTRALISED!Untrusted-Content source=x> <b> <\n</untrusted-content>"
        );
    }
}
