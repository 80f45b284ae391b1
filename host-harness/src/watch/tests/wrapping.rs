//! Lines of a given width.

use crate::watch::wrap::wrap;

fn wrapped(line: &str) -> Vec<&str> {
    wrap(line, 10).collect()
}

#[test]
fn a_line_that_fits_stays_as_it_is() {
    for line in ["", " ", "0123456789", "  two  b  ", "éééééééééé", "\ta"] {
        assert_eq!(wrapped(line), [line]);
    }
}

#[test]
fn a_longer_line_is_broken_at_white_space_which_goes() {
    assert_eq!(wrapped("one two three"), ["one two", "three"]);
    assert_eq!(wrapped("0123456789 a"), ["0123456789", "a"]);
    assert_eq!(wrapped("one \t  \t two three"), ["one", "two three"]);
    assert_eq!(wrapped("a  b    c  d  e"), ["a  b    c", "d  e"]);
    assert_eq!(wrapped("  indented line"), ["  indented", "line"]);
    assert_eq!(wrapped("0123456789   "), ["0123456789"]);
    assert_eq!(wrapped(&" ".repeat(25)), [""]);
    assert_eq!(wrapped("no\u{a0}break here"), ["no\u{a0}break", "here"]);
}

#[test]
fn a_word_that_is_longer_begins_a_line_and_is_cut() {
    assert_eq!(wrapped("0123456789ab cd"), ["0123456789", "ab cd"]);
    assert_eq!(wrapped("a 0123456789abc"), ["a", "0123456789", "abc"]);
    assert_eq!(wrapped("  0123456789abc"), ["  01234567", "89abc"]);
    assert_eq!(wrapped("🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀 b"), ["🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀", "🦀 b"]);
}

#[test]
fn nothing_but_white_space_is_lost_and_no_line_is_too_long() {
    const CHARS: [char; 6] = ['a', 'b', ' ', 'é', '\t', '-'];
    for seed in 0..20_000_u32 {
        let bits = u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let line: String =
            (0..seed % 40).map(|i| CHARS[(bits.rotate_left(i * 3) % 6) as usize]).collect();
        let lines = wrapped(&line);
        let without = |text: &str| text.replace([' ', '\t'], "");
        assert_eq!(without(&lines.concat()), without(&line), "{line:?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 10), "{line:?}");
        assert!(!lines.is_empty());
    }
}

#[test]
fn a_line_of_megabytes_takes_no_longer_than_it_is() {
    let line = "word ".repeat(1_000_000);
    assert_eq!(wrap(&line, 78).map(str::len).max(), Some(74));
    assert_eq!(wrap(&"x".repeat(5_000_000), 78).count(), 5_000_000_usize.div_ceil(78));
}
