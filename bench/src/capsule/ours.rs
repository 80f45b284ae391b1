//! A capsule, as an embedder runs one.

use super::control::{self, Emit};
use crate::Result;
use crate::role::{Serving, say};
use host_harness::front::Limits;
use host_harness::{Attempt, Capsule};
use protocol::{ContextId, Task, TaskId};
use tokio::net::TcpListener;

/// Serves a capsule whose agent streams a reply.
///
/// # Errors
///
/// It cannot be started, or its component trapped.
pub(crate) async fn serve() -> Result<()> {
    let limits = Limits { connections: 20_000, ..Limits::default() };
    let mut capsule = Capsule::builder().limits(limits).start().await?;
    let task = Task {
        id: TaskId::from("tsk_01a22f50581f7ac18af9f549ccaa63cf".to_owned()),
        context_id: ContextId::from("ctx_01a22f3bdb9a7a20a7e92847488a33bd".to_owned()),
    };
    let mut attempt = capsule.handle().feed().begin_attempt(task).await?;
    let _inference = attempt.begin_turn().await?;
    let control = TcpListener::bind("127.0.0.1:0").await?;
    let address = capsule.listen("127.0.0.1:0").await?;
    say(&Serving { address, control: Some(control.local_addr()?) })?;
    tokio::select! {
        outcome = control::obey(control, attempt) => outcome,
        ended = capsule.ended() => Ok(ended?),
    }
}

impl Emit for Attempt {
    async fn emit(&mut self, _: u64, text: String) -> Result<()> {
        Ok(self.text(text).await?)
    }
}
