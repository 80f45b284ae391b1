//! The actor: the one task that owns the store. It does what has come in, then lets the component
//! pump until more comes in.

use crate::command::Command;
use crate::guest::Guest;
use crate::inbox::Inbox;
use protocol::Chunk;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use wasmtime::Result;

/// How many commands are obeyed before clients get their turn: well under the 128 frames that a
/// connection may be behind, so that one that keeps up loses none.
const COMMANDS_BETWEEN_PUMPS: usize = 64;

/// How long the end waits for clients that have not taken everything, and how often it looks.
const DRAIN: Duration = Duration::from_millis(400);
const DRAIN_STEP: Duration = Duration::from_millis(5);

pub(crate) struct Actor {
    guest: Guest,
    inbox: Arc<Inbox<Command>>,
}

impl Actor {
    pub(crate) fn new(guest: Guest, inbox: Arc<Inbox<Command>>) -> Self {
        Self { guest, inbox }
    }

    /// Runs until it is told to stop.
    ///
    /// # Errors
    ///
    /// The component trapped.
    pub(crate) async fn run(mut self) -> Result<()> {
        loop {
            // Chunks in a row are given to the component in one call.
            let mut chunks = Vec::new();
            for command in self.inbox.take(COMMANDS_BETWEEN_PUMPS) {
                if !matches!(command, Command::Chunk(_)) {
                    self.give(&mut chunks).await?;
                }
                match command {
                    Command::Chunk(chunk) => chunks.push(chunk),
                    // Nobody may wait for the answer any more; and the end waits for none.
                    Command::Request { answer, .. }
                        if answer.is_closed() || self.inbox.winds_down() => {}
                    Command::Request { request, answer } => {
                        self.guest.handle(request, answer).await?;
                    }
                    Command::Feed(call) => self.guest.feed(call).await?,
                    Command::Stats(reply) => drop(reply.send(self.guest.stats().await?)),
                    Command::Run { part, input, result } => {
                        self.flush().await?;
                        // A task that was cancelled meanwhile does not wait for it.
                        if !result.is_closed() {
                            let _ = result.send(self.guest.run(&part, input).await?);
                        }
                    }
                    Command::Hold(time, done) => {
                        self.flush().await?;
                        tokio::time::sleep(time).await;
                        let _ = done.send(());
                    }
                    Command::Stop => return self.drain().await,
                }
            }
            self.give(&mut chunks).await?;
            // Returns at once where more has come in.
            self.guest.pump().await?;
            // Those that write to the sockets have their turn as well, however much there is to do.
            tokio::task::yield_now().await;
        }
    }

    async fn give(&mut self, chunks: &mut Vec<Chunk>) -> Result<()> {
        if chunks.is_empty() {
            return Ok(());
        }
        self.guest.emit_chunks(std::mem::take(chunks)).await
    }

    /// Puts what was written on its way, before something holds the thread.
    async fn flush(&mut self) -> Result<()> {
        self.guest.flush().await?;
        tokio::task::yield_now().await;
        Ok(())
    }

    /// Lets clients take what was written before the instance goes, for a while.
    async fn drain(mut self) -> Result<()> {
        let deadline = Instant::now() + DRAIN;
        // A command that stays in the inbox has each pump return at once.
        let stays = self.inbox.push(Command::Stop);
        debug_assert!(stays.is_ok());
        loop {
            self.guest.pump().await?;
            let behind = self.guest.stats().await?.connections_behind;
            if behind == 0 || Instant::now() >= deadline {
                return Ok(());
            }
            tokio::time::sleep(DRAIN_STEP).await;
        }
    }
}
