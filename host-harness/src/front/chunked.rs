//! The chunked transfer coding, decoded as it comes.

use http::StatusCode;

use super::body::Gathered;

/// Bytes that the extensions and the trailers of one body may have together. They are dropped,
/// so only the work of reading them is bounded here.
const EXTRA_BYTES: usize = 16 * 1024;

/// Hexadecimal digits that a chunk size may have: those of a `u64`.
const SIZE_DIGITS: usize = 16;

/// Decodes one body, cut into pieces anywhere.
#[derive(Default)]
pub(crate) struct Chunked {
    state: State,
    /// The size of the chunk: while it is read, what its digits say so far; then what is missing.
    size: u64,
    extra: usize,
}

/// What comes next.
#[derive(Clone, Copy, Default)]
enum State {
    /// The first digit of a size.
    #[default]
    Size,
    /// More digits, after this many.
    Digits(usize),
    /// Spaces after the size.
    Space,
    /// A chunk extension.
    Extension,
    /// The line feed of the size line.
    SizeEnd,
    Data,
    /// The carriage return after the data.
    DataReturn,
    /// The line feed after the data.
    DataEnd,
    /// A trailer, or the empty line that ends the body.
    Trailer,
    /// The rest of a trailer.
    TrailerRest,
    /// The line feed of a trailer.
    TrailerEnd,
    /// The line feed of the empty line.
    LastEnd,
    Complete,
}

impl Chunked {
    /// Takes what came and adds what it decodes to; true when the body is complete. What comes
    /// after its end is ignored.
    pub(crate) fn push(
        &mut self,
        mut input: &[u8],
        body: &mut Gathered,
    ) -> Result<bool, StatusCode> {
        while let Some((&byte, rest)) = input.split_first() {
            match self.state {
                State::Complete => break,
                State::Data => input = self.take_data(input, body),
                _ => {
                    self.state = self.step(byte, body.room())?;
                    input = rest;
                }
            }
        }
        Ok(matches!(self.state, State::Complete))
    }

    fn take_data<'i>(&mut self, input: &'i [u8], body: &mut Gathered) -> &'i [u8] {
        let missing = usize::try_from(self.size).unwrap_or(usize::MAX);
        let (data, rest) = input.split_at(input.len().min(missing));
        body.append(data);
        self.size -= data.len() as u64;
        if self.size == 0 {
            self.state = State::DataReturn;
        }
        rest
    }

    /// One byte of what is around the data. `room` is what a chunk may have at most.
    fn step(&mut self, byte: u8, room: usize) -> Result<State, StatusCode> {
        let next = match (self.state, byte) {
            (State::Size, _) => {
                self.size = 0;
                self.digit(byte, 1)?
            }
            (State::Digits(_) | State::Space | State::Extension, b'\r') => State::SizeEnd,
            (State::Digits(_) | State::Space, b' ' | b'\t') => self.extra(State::Space)?,
            (State::Digits(_) | State::Space, b';') => self.extra(State::Extension)?,
            (State::Digits(count), _) => self.digit(byte, count + 1)?,
            (State::Extension, byte) if byte != b'\n' => self.extra(State::Extension)?,
            (State::SizeEnd, b'\n') if self.size == 0 => State::Trailer,
            // Over as soon as it is announced: nothing of such a chunk is read.
            (State::SizeEnd, b'\n') if self.size > room as u64 => {
                return Err(StatusCode::PAYLOAD_TOO_LARGE);
            }
            (State::SizeEnd, b'\n') => State::Data,
            (State::DataReturn, b'\r') => State::DataEnd,
            (State::DataEnd, b'\n') => State::Size,
            (State::Trailer, b'\r') => State::LastEnd,
            (State::TrailerRest, b'\r') => State::TrailerEnd,
            (State::Trailer | State::TrailerRest, byte) if byte != b'\n' => {
                self.extra(State::TrailerRest)?
            }
            (State::TrailerEnd, b'\n') => State::Trailer,
            (State::LastEnd, b'\n') => State::Complete,
            _ => return Err(StatusCode::BAD_REQUEST),
        };
        Ok(next)
    }

    fn digit(&mut self, byte: u8, count: usize) -> Result<State, StatusCode> {
        match char::from(byte).to_digit(16) {
            Some(digit) if count <= SIZE_DIGITS => {
                self.size = self.size << 4 | u64::from(digit);
                Ok(State::Digits(count))
            }
            _ => Err(StatusCode::BAD_REQUEST),
        }
    }

    fn extra(&mut self, next: State) -> Result<State, StatusCode> {
        self.extra += 1;
        if self.extra > EXTRA_BYTES {
            return Err(StatusCode::BAD_REQUEST);
        }
        Ok(next)
    }
}
