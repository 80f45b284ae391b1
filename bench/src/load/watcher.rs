//! One connection that reads a stream.

use super::body::Answer;
use super::tally::Tally;
use crate::stamp::Stamp;
use crate::{Result, clock};
use memchr::memmem;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

/// A connection that is opened, and what it has read.
pub(super) struct Watcher {
    tally: Rc<Tally>,
    answer: Answer,
    next_number: Option<u64>,
    frames: u64,
}

impl Watcher {
    pub(super) fn new(tally: Rc<Tally>) -> Self {
        Self { tally, answer: Answer::default(), next_number: None, frames: 0 }
    }

    /// Asks for a stream and reads it for ever. It counts as open once it has that many frames.
    ///
    /// # Errors
    ///
    /// The connection broke, the stream ended, or a frame was missing or not whole.
    pub(super) async fn run(
        mut self,
        address: SocketAddr,
        request: Rc<str>,
        frames: u64,
        opening: Rc<Semaphore>,
    ) -> Result<()> {
        let mut permit = Some(opening.acquire().await?);
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        stream.write_all(request.as_bytes()).await?;
        loop {
            stream.readable().await?;
            // One buffer for all: ten thousand of them would be most of the memory.
            let mut buffer = self.tally.buffer.borrow_mut();
            let read = match stream.try_read(&mut buffer) {
                Ok(0) => return Err("a stream ended".into()),
                Ok(read) => buffer.get(..read).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(error) => return Err(error.into()),
            };
            self.answer.push(read)?;
            drop(buffer);
            self.take_frames()?;
            if permit.is_some() && self.answer.has_begun() && self.frames >= frames {
                permit = None;
                self.tally.opened();
            }
        }
    }

    fn take_frames(&mut self) -> Result<()> {
        if !self.answer.has_begun() {
            return Ok(());
        }
        let now = clock::now();
        let pending = std::mem::take(&mut self.answer.pending);
        let mut taken = 0;
        for end in memmem::find_iter(&pending, b"\n\n") {
            let frame = pending.get(taken..end).unwrap_or_default();
            taken = end + 2;
            if let Some(stamp) = Stamp::of_frame(frame)? {
                self.take(stamp, now)?;
            }
        }
        self.answer.pending = pending;
        self.answer.pending.drain(..taken);
        Ok(())
    }

    fn take(&mut self, stamp: Stamp, now: u64) -> Result<()> {
        let wanted = self.next_number.unwrap_or(stamp.number);
        if stamp.number != wanted {
            return Err(format!("frame {} came in the place of {wanted}", stamp.number).into());
        }
        self.next_number = Some(wanted + 1);
        self.frames += 1;
        self.tally.take(stamp, now);
        Ok(())
    }
}
