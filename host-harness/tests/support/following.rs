//! A program whose output is read while it runs.

use super::{Ended, PATIENCE, spawn};
use std::io::Read;
use std::process::Child;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Instant;

/// A program that runs. It is killed when the test ends, however it ends.
pub(crate) struct Following {
    child: Child,
    stdout: Output,
    stderr: Output,
}

/// What was read of a pipe, and what comes after it.
struct Output {
    pieces: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
}

impl Following {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = spawn(arguments);
        let stdout = Output::of(child.stdout.take().unwrap());
        let stderr = Output::of(child.stderr.take().unwrap());
        Self { child, stdout, stderr }
    }

    /// Starts `capsule watch`, and waits until it has its stream.
    pub(crate) fn watch(address: &str) -> Self {
        let mut watch = Self::start(&["watch", "--url", address]);
        watch.stderr.until("end the capsule\n");
        watch
    }

    /// Waits until it has printed this.
    pub(crate) fn until(&mut self, text: &str) {
        self.stdout.until(text);
    }

    /// Waits until it ends by itself.
    pub(crate) fn end(mut self) -> Ended {
        let [stdout, stderr] = [&mut self.stdout, &mut self.stderr].map(Output::rest);
        let code = self.child.wait().unwrap().code();
        Ended { code, stdout, stderr }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        // Both fail where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Output {
    fn of(mut pipe: impl Read + Send + 'static) -> Self {
        let (sender, pieces) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = pipe.read(&mut buffer) {
                // Nobody reads on when the test has ended.
                let _ = sender.send(buffer[..read].to_vec());
            }
        });
        Self { pieces, bytes: Vec::new() }
    }

    fn until(&mut self, text: &str) {
        let begun = Instant::now();
        while !self.text().contains(text) {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            match self.pieces.recv_timeout(left) {
                Ok(piece) => self.bytes.extend(piece),
                Err(_) => panic!("no {text:?} came, but {:?}", self.text()),
            }
        }
    }

    fn rest(&mut self) -> String {
        let begun = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            match self.pieces.recv_timeout(left) {
                Ok(piece) => self.bytes.extend(piece),
                Err(mpsc::RecvTimeoutError::Disconnected) => return self.text(),
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("no end: {:?}", self.text()),
            }
        }
    }

    /// A piece may end inside a character.
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}
