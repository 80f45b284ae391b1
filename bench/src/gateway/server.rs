//! The gateway, as `capsule gateway` runs it.

use crate::Result;
use crate::role::{Serving, say};
use host_harness::gateway::{Card, Gateway, Settings};
use std::net::SocketAddr;

/// The agent's paths, and the ids under which the gateway has them.
pub(crate) fn agent_id(path: &str) -> String {
    path.trim_start_matches('/').replace('/', "-")
}

/// Serves a gateway in front of that agent.
///
/// # Errors
///
/// It cannot be started.
pub(crate) async fn serve(agent: SocketAddr) -> Result<()> {
    let settings = Settings { agent_max_concurrency: 2000, ..Settings::default() };
    let mut builder = Gateway::builder().settings(settings);
    for path in super::PATHS {
        let argument = format!("{}=http://{agent}{path}", agent_id(path));
        builder = builder.agent(Card::from_argument(&argument)?);
    }
    let mut gateway = builder.start().await?;
    // As the program has it: metrics on a socket of their own.
    gateway.listen_metrics("127.0.0.1:0").await?;
    say(&Serving { address: gateway.listen("127.0.0.1:0").await?, control: None })?;
    std::future::pending().await
}
