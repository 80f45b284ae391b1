//! How a server is told what to emit: lines on a socket of its own.
//!
//! | Line | What the server does |
//! |---|---|
//! | `burst N` | emits N texts at once |
//! | `pace RATE N` | emits N texts, RATE a second |

use crate::stamp::Stamp;
use crate::{Result, clock};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::time::interval;

/// What gives a text to all watchers.
pub(super) trait Emit {
    /// Gives it to them.
    ///
    /// # Errors
    ///
    /// The server has ended.
    async fn emit(&mut self, number: u64, text: String) -> Result<()>;
}

/// Does what it is told, for ever.
///
/// # Errors
///
/// It was told nonsense, or the server has ended.
pub(super) async fn obey(listener: TcpListener, mut emitter: impl Emit) -> Result<()> {
    let mut numbers = 0..;
    let mut emit = async |count: usize| -> Result<()> {
        for number in numbers.by_ref().take(count) {
            emitter.emit(number, Stamp { number, time: clock::now() }.text()).await?;
        }
        Ok(())
    };
    loop {
        let (stream, _) = listener.accept().await?;
        let mut lines = BufReader::new(stream).lines();
        while let Some(line) = lines.next_line().await? {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["burst", count] => emit(count.parse()?).await?,
                ["pace", rate, count] => {
                    let mut ticks = interval(Duration::from_secs(1) / rate.parse()?);
                    for _ in 0..count.parse::<usize>()? {
                        ticks.tick().await;
                        emit(1).await?;
                    }
                }
                _ => return Err(format!("told `{line}`").into()),
            }
        }
    }
}
