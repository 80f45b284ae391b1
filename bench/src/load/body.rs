//! A streamed answer: its head, and its body in either framing.

use crate::Result;
use memchr::memmem;

/// What came of an answer that is not taken yet.
#[derive(Default)]
pub(super) struct Answer {
    framing: Framing,
    /// The head while it is not whole, then the body as it was before it was framed.
    pub(super) pending: Vec<u8>,
}

#[derive(Clone, Copy, Default)]
enum Framing {
    /// The head is not whole.
    #[default]
    Head,
    /// The body is what comes.
    Plain,
    /// A chunk's size, as far as it came.
    Size(usize),
    /// A chunk, of which so much is missing.
    Data(usize),
    /// The bytes that are missing of the line end behind a chunk.
    DataEnd(usize),
}

impl Answer {
    /// Whether the head has come.
    pub(super) fn has_begun(&self) -> bool {
        !matches!(self.framing, Framing::Head)
    }

    /// Takes what came.
    ///
    /// # Errors
    ///
    /// The head is no 200, or the framing is broken.
    pub(super) fn push(&mut self, mut input: &[u8]) -> Result<()> {
        if let Framing::Plain = self.framing {
            self.pending.extend_from_slice(input);
            return Ok(());
        }
        if let Framing::Head = self.framing {
            self.pending.extend_from_slice(input);
            let Some(end) = memmem::find(&self.pending, b"\r\n\r\n") else {
                return Ok(());
            };
            let head = std::mem::take(&mut self.pending);
            let (head, rest) = head.split_at(end + 4);
            self.framing = framing(&String::from_utf8_lossy(head))?;
            return self.push(rest);
        }
        while let Some((&byte, rest)) = input.split_first() {
            match self.framing {
                Framing::Data(missing) => {
                    let (data, rest) = input.split_at(missing.min(input.len()));
                    self.pending.extend_from_slice(data);
                    input = rest;
                    self.framing = match missing - data.len() {
                        0 => Framing::DataEnd(2),
                        missing => Framing::Data(missing),
                    };
                    continue;
                }
                Framing::Size(size) => self.framing = size_byte(size, byte)?,
                Framing::DataEnd(1) => self.framing = Framing::Size(0),
                Framing::DataEnd(missing) => self.framing = Framing::DataEnd(missing - 1),
                Framing::Head | Framing::Plain => return Err("a body without a framing".into()),
            }
            input = rest;
        }
        Ok(())
    }
}

fn framing(head: &str) -> Result<Framing> {
    if !head.starts_with("HTTP/1.1 200") {
        return Err(format!("not a stream: {head}").into());
    }
    let chunked = head.to_ascii_lowercase().contains("\r\ntransfer-encoding: chunked");
    Ok(if chunked { Framing::Size(0) } else { Framing::Plain })
}

fn size_byte(size: usize, byte: u8) -> Result<Framing> {
    match byte {
        b'\r' => Ok(Framing::Size(size)),
        b'\n' if size == 0 => Err("the stream ended".into()),
        b'\n' => Ok(Framing::Data(size)),
        byte => {
            let digit = char::from(byte).to_digit(16).ok_or("a broken chunk")?;
            Ok(Framing::Size(size.wrapping_mul(16).wrapping_add(digit as usize)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;

    fn body(answer: &str) -> String {
        let mut taken = Answer::default();
        for byte in answer.bytes() {
            taken.push(&[byte]).unwrap();
        }
        let mut at_once = Answer::default();
        at_once.push(answer.as_bytes()).unwrap();
        assert_eq!(taken.pending, at_once.pending);
        String::from_utf8(taken.pending).unwrap()
    }

    #[test]
    fn both_framings_are_undone_wherever_they_are_cut() {
        assert_eq!(body("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nabc\n"), "abc\n");
        let chunks = "b\r\nabcdefghijk\r\n1\r\n!\r\n";
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!(body(&format!("{head}{chunks}")), "abcdefghijk!");
    }

    #[test]
    fn what_is_no_stream_is_an_error() {
        assert!(Answer::default().push(b"HTTP/1.1 503 No\r\n\r\n").is_err());
    }
}
