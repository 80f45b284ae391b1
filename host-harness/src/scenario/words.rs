//! Splitting a text into chunks, the way a model streams it.

/// Words with the white space after them; white space that starts the text stands alone.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (word, after) = rest.split_at(word_end(rest));
        rest = after;
        Some(word)
    })
}

fn word_end(text: &str) -> usize {
    let space = text.find(char::is_whitespace).unwrap_or(text.len());
    let trailing = text[space..].find(|char: char| !char.is_whitespace());
    trailing.map_or(text.len(), |length| space + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_a_word_with_its_trailing_white_space() {
        let split = |text| words(text).collect::<Vec<_>>();
        assert_eq!(split("I'll read it."), ["I'll ", "read ", "it."]);
        assert_eq!(split("one\n\n- two \n"), ["one\n\n", "- ", "two \n"]);
        assert_eq!(split("  lead"), ["  ", "lead"]);
        assert_eq!(split("a\u{2028}é\u{a0}🦀\0b"), ["a\u{2028}", "é\u{a0}", "🦀\0b"]);
        assert_eq!(split(" \n"), [" \n"]);
        assert_eq!(split(""), [""; 0]);
    }

    #[test]
    fn the_chunks_together_are_the_text() {
        const LETTERS: [&str; 6] = ["a", " ", "\n", "é", "\u{2028}", "🦀"];
        for length in 0..=6 {
            for number in 0..LETTERS.len().pow(length) {
                let text: String = (0..length)
                    .map(|place| LETTERS[number / LETTERS.len().pow(place) % LETTERS.len()])
                    .collect();
                assert_eq!(words(&text).collect::<String>(), text);
                assert!(words(&text).all(|word| !word.is_empty()));
            }
        }
    }
}
