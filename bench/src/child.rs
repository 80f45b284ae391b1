//! This program, started again for one of the processes of a benchmark.

use crate::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Write};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};

/// A process that is stopped when this is dropped. It also ends by itself with its standard input,
/// and so with this process, however that ends.
pub(crate) struct Child {
    process: process::Child,
    name: String,
    orders: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Child {
    /// Starts the process of a role.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub(crate) fn start(role: &[&str]) -> Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg("role")
            .args(role)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let orders = process.stdin.take().ok_or("no standard input")?;
        let replies = BufReader::new(process.stdout.take().ok_or("no standard output")?);
        Ok(Self { process, name: role.join(" "), orders, replies })
    }

    /// Its id.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Waits for what it says next.
    ///
    /// # Errors
    ///
    /// It ended instead; it has said why on standard error.
    pub(crate) fn hear<R: DeserializeOwned>(&mut self) -> Result<R> {
        let mut line = String::new();
        self.replies.read_line(&mut line)?;
        if line.is_empty() {
            return Err(format!("`{}` ended", self.name).into());
        }
        Ok(serde_json::from_str(&line)?)
    }

    /// Tells it to do something, and waits for what it says to that.
    ///
    /// # Errors
    ///
    /// See [`Self::hear`].
    pub(crate) fn ask<O: Serialize, R: DeserializeOwned>(&mut self, order: &O) -> Result<R> {
        let mut line = serde_json::to_vec(order)?;
        line.push(b'\n');
        self.orders.write_all(&line)?;
        self.orders.flush()?;
        self.hear()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // One that has ended cannot be killed, and has to be waited for all the same.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
