//! Texts that say which one of their stream they are, and when they were made.
//!
//! ```text
//! n=000000000017 t=00000000912345678901 The quick brown fox …
//! ```

use crate::Result;
use memchr::memmem;

/// What comes before the number, with the quotation mark that opens the text in its JSON.
const START: &[u8] = b"\"n=";
const NUMBER_DIGITS: usize = 12;
const TIME_DIGITS: usize = 20;
/// What every text ends with.
const REST: &str =
    " The quick brown fox jumps over the lazy dog, and once more, and then it rests.";

/// What a text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Which one it is: 0, 1, 2, …
    pub(crate) number: u64,
    /// When it was made, in nanoseconds of [`crate::clock`].
    pub(crate) time: u64,
}

impl Stamp {
    /// Appends the text.
    pub(crate) fn append(self, text: &mut Vec<u8>) {
        text.extend_from_slice(b"n=");
        append_digits::<NUMBER_DIGITS>(self.number, text);
        text.extend_from_slice(b" t=");
        append_digits::<TIME_DIGITS>(self.time, text);
        text.extend_from_slice(REST.as_bytes());
    }

    /// The text.
    pub(crate) fn text(self) -> String {
        let mut text = Vec::new();
        self.append(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// What the text in a frame says; none where there is none of ours.
    ///
    /// # Errors
    ///
    /// The text is not whole.
    pub(crate) fn of_frame(frame: &[u8]) -> Result<Option<Self>> {
        let Some(at) = memmem::find(frame, START) else {
            return Ok(None);
        };
        let parsed = frame.get(at + START.len()..).and_then(parse);
        match parsed {
            Some(stamp) => Ok(Some(stamp)),
            None => Err(format!("a broken frame: {}", String::from_utf8_lossy(frame)).into()),
        }
    }
}

fn parse(text: &[u8]) -> Option<Stamp> {
    let (number, text) = text.split_at_checked(NUMBER_DIGITS)?;
    let (time, text) = text.strip_prefix(b" t=")?.split_at_checked(TIME_DIGITS)?;
    let whole = text.strip_prefix(REST.as_bytes())?.starts_with(b"\"");
    whole.then_some(Stamp { number: digits(number)?, time: digits(time)? })
}

fn digits(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |sum, digit| {
        digit.is_ascii_digit().then(|| sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
    })
}

fn append_digits<const N: usize>(mut number: u64, text: &mut Vec<u8>) {
    let mut digits = [b'0'; N];
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
    }
    text.extend_from_slice(&digits);
}

#[cfg(test)]
mod tests {
    use super::Stamp;

    #[test]
    fn a_frame_says_what_was_put_into_it() {
        let stamp = Stamp { number: 17, time: u64::MAX };
        let frame = format!("event: text\ndata: {{\"text\":\"{}\"}}\n\n", stamp.text());
        assert_eq!(Stamp::of_frame(frame.as_bytes()).unwrap(), Some(stamp));
    }

    #[test]
    fn other_frames_say_nothing_and_broken_ones_are_an_error() {
        assert_eq!(Stamp::of_frame(b": keepalive\n\n").unwrap(), None);
        let frame = format!("data: \"{}", Stamp { number: 1, time: 2 }.text());
        assert!(Stamp::of_frame(frame.as_bytes()).is_err());
    }
}
