//! The options of an agent made of components.

use host_harness::StreamComponent;
use host_harness::components::{AllowedHost, ComponentRuntime, ComponentSettings};
use host_harness::turn_loop::{AgentSettings, ComponentAgent};
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

/// A tool by its name, and the file that it is in.
pub(super) type NamedTool = (String, PathBuf);

#[derive(clap::Args)]
#[command(next_help_heading = "An agent of components")]
pub(super) struct AgentOptions {
    /// The driver, a component that calls the model; the agent runs it in place of a scenario
    #[arg(long, value_name = "FILE", conflicts_with = "scenario")]
    driver: Option<PathBuf>,
    /// A tool, which the model calls by that name; may be given again for the next one
    #[arg(long = "tool", value_name = "NAME=FILE", value_parser = named_tool)]
    tools: Vec<NamedTool>,
    /// The model that the driver is asked to call
    #[arg(long, value_name = "NAME", default_value = "")]
    model: String,
    /// The system prompt
    #[arg(long, value_name = "TEXT", default_value = "")]
    system: String,
    /// How many tokens a response of the model may have
    #[arg(long, value_name = "N", default_value_t = 4096)]
    max_tokens: u32,
    /// How many inference turns a task may take
    #[arg(long, value_name = "N", default_value_t = 50)]
    max_turns: u32,
    /// How long a tool's question waits for its answer
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    input_timeout: u64,
    /// A host that components may make HTTP requests to, on every port or on one; may be given
    /// again. No other is reached
    #[arg(long = "allow-host", value_name = "HOST[:PORT]")]
    allowed_hosts: Vec<AllowedHost>,
    /// An environment variable that components see, with this value or with the one that it has;
    /// may be given again. They see no other
    #[arg(long = "env", value_name = "NAME[=VALUE]", value_parser = variable)]
    env: Vec<(String, String)>,
    /// For how long one call of a component may compute; waiting does not count
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    component_seconds: u64,
    /// How much memory one call of a component may take
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    component_memory: usize,
}

impl AgentOptions {
    /// What components may do.
    pub(super) fn component_settings(&self) -> ComponentSettings {
        ComponentSettings {
            compute: Duration::from_secs(self.component_seconds),
            memory_bytes: self.component_memory.saturating_mul(1024 * 1024),
            allowed_hosts: self.allowed_hosts.clone(),
            env: self.env.clone(),
        }
    }

    /// The agent, if the options or the stream's component have a driver, and what it is called.
    pub(super) async fn agent(
        &self,
        stream: &StreamComponent,
    ) -> Result<Option<(ComponentAgent, String)>, Box<dyn Error>> {
        let runtime = ComponentRuntime::new(self.component_settings())?;
        let settings = AgentSettings {
            model: self.model.clone(),
            max_tokens: self.max_tokens,
            system: self.system.clone(),
            max_turns: self.max_turns,
            input_timeout: Duration::from_secs(self.input_timeout),
        };
        let (mut agent, name) = match (&self.driver, stream.composed_parts()) {
            (Some(file), _) => {
                let driver = runtime.load_driver(file).await?;
                (ComponentAgent::new(driver, settings), file.display().to_string())
            }
            (None, Some(parts)) => {
                (ComponentAgent::composed(parts, settings), "the component's own driver".into())
            }
            (None, None) if self.tools.is_empty() => return Ok(None),
            (None, None) => {
                return Err("--tool needs --driver, or a --component that has a driver".into());
            }
        };
        for (name, file) in &self.tools {
            agent = agent.tool(name, runtime.load(file).await?);
        }
        Ok(Some((agent, name)))
    }
}

/// Parses `NAME=FILE`.
pub(super) fn named_tool(text: &str) -> Result<NamedTool, String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), file.into()))
        }
        _ => Err("it has to be NAME=FILE".into()),
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    if let Some((name, value)) = text.split_once('=') {
        return Ok((name.to_owned(), value.to_owned()));
    }
    let value = std::env::var(text).map_err(|_| format!("{text} is not set; give {text}=VALUE"))?;
    Ok((text.to_owned(), value))
}
