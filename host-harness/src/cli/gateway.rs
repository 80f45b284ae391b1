//! `capsule gateway`.

use super::gateway_options::GatewayOptions;
use super::{CliResult, interrupted, listened, output, runtime};
use host_harness::Error;
use host_harness::gateway::Card;

/// Serve the A2A gateway in front of any number of agents.
///
/// Callers reach an agent under /a2a/ID, and get its events as typed task events. Agents register
/// themselves (`POST /agents/register`), or are given here with --agent and are then there for good.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  capsule gateway --agent stream-agent-01=http://127.0.0.1:9000/
  capsule gateway --capsule writer=http://127.0.0.1:52222/       a Murmur capsule
  capsule gateway --listen 127.0.0.1:0 --metrics 127.0.0.1:0     free ports, printed on start")]
pub(super) struct GatewayCommand {
    /// The address to listen on
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:9090", value_parser = listened)]
    listen: String,
    /// The address that serves the metrics, beside the gateway's own
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080", value_parser = listened)]
    metrics: String,
    /// An agent: its id, of a-z, 0-9 and -, and the URL that gets the POST; may be given again
    #[arg(long = "agent", value_name = "ID=URL", value_parser = Card::from_argument)]
    agents: Vec<Card>,
    /// The same for an agent that is a Murmur capsule: callers get the frames of their own task only
    #[arg(long = "capsule", value_name = "ID=URL", value_parser = capsule)]
    capsules: Vec<Card>,
    #[command(flatten)]
    options: GatewayOptions,
}

impl GatewayCommand {
    pub(super) fn run(self) -> CliResult {
        runtime()?.block_on(self.serve())
    }

    async fn serve(self) -> CliResult {
        super::allow_connections();
        let mut builder = self.options.builder();
        let agents: Vec<_> = self.agents.into_iter().chain(self.capsules).collect();
        let ids = agents.iter().map(|card| card.agent_id.to_string()).collect::<Vec<_>>();
        if let Some(twice) = ids.iter().enumerate().find(|(at, id)| ids[..*at].contains(id)) {
            return Err(format!("the agent {} is given twice", twice.1).into());
        }
        for card in agents {
            builder = builder.agent(card);
        }
        let mut gateway = builder.start().await?;
        let address = gateway.listen(&self.listen).await.map_err(elsewhere("--listen"))?;
        let metrics =
            gateway.listen_metrics(&self.metrics).await.map_err(elsewhere("--metrics"))?;
        let interrupted = interrupted()?;
        output::write(greeting(&address.to_string(), &metrics.to_string(), &ids).as_bytes())?;
        interrupted.await;
        gateway.shutdown().await;
        Ok(())
    }
}

/// What to say of an address that cannot be listened on: which option chooses it.
pub(super) fn elsewhere(option: &'static str) -> impl Fn(Error) -> String {
    move |error| match error {
        Error::Listen(..) => format!("{error}; {option} chooses another address"),
        error => error.to_string(),
    }
}

pub(super) fn capsule(text: &str) -> Result<Card, String> {
    use host_harness::gateway::AgentKind;
    Ok(Card { kind: AgentKind::MurmurCapsule, ..Card::from_argument(text)? })
}

fn greeting(address: &str, metrics: &str, agents: &[String]) -> String {
    let agents = match agents {
        [] => format!(
            "\
No agent is registered yet. Register one:
  curl -X POST http://{address}/agents/register -H 'Content-Type: application/json' \
-d '{{\"agent_id\":\"stream-agent-01\",\"name\":\"An agent\",\"url\":\"http://127.0.0.1:9000/\"}}'
"
        ),
        [first, ..] => format!(
            "\
Its agents: {}. Stream a task:
{}
",
            agents.join(", "),
            stream_line(address, first)
        ),
    };
    format!(
        "\
The gateway serves on http://{address}/, its metrics on http://{metrics}/metrics as well.

{agents}"
    )
}

/// The `curl` line of the contract page.
pub(super) fn stream_line(address: &str, agent: &str) -> String {
    format!(
        "  curl -N -X POST http://{address}/a2a/{agent} -H 'Content-Type: application/json' \
-H 'Accept: text/event-stream' -d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/stream\",\
\"params\":{{\"message\":{{\"parts\":[{{\"text\":\"Stream me some updates\"}}]}}}}}}'"
    )
}
