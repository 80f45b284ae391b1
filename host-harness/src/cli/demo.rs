//! `capsule demo`.

use super::gateway::{elsewhere, stream_line};
use super::gateway_options::GatewayOptions;
use super::{CliResult, find_scenario, interrupted, listened, output, runtime};
use host_harness::agent::SimulatedAgent;
use host_harness::gateway::{AgentKind, Card};
use host_harness::scenario::Scenario;
use host_harness::{Capsule, TaskAcceptance};

/// What the demo's agent is called: as on the page about streaming.
const AGENT: &str = "stream-agent-01";

/// Serve a capsule and a gateway in front of it, in one process.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  capsule demo
  capsule demo --scenario tools --listen 127.0.0.1:0 --metrics 127.0.0.1:0 --capsule 127.0.0.1:0")]
pub(super) struct Demo {
    /// The address that the gateway listens on
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:9090", value_parser = listened)]
    listen: String,
    /// The address that serves the gateway's metrics, beside its own
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080", value_parser = listened)]
    metrics: String,
    /// The address that the capsule listens on
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:52222", value_parser = listened)]
    capsule: String,
    /// What the agent plays: the name of a scenario that ships with the program, or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "story")]
    scenario: String,
    #[command(flatten)]
    options: GatewayOptions,
}

impl Demo {
    pub(super) fn run(self) -> CliResult {
        let scenario = find_scenario(&self.scenario)?;
        runtime()?.block_on(self.serve(scenario))
    }

    async fn serve(self, scenario: Scenario) -> CliResult {
        super::allow_connections();
        let queue = TaskAcceptance::Queue { depth: 16 };
        let mut capsule = Capsule::builder().task_acceptance(queue).start().await?;
        let capsule_at = capsule.listen(&self.capsule).await.map_err(elsewhere("--capsule"))?;
        let card = Card::from_argument(&format!("{AGENT}=http://{capsule_at}/"))?;
        let card = Card { kind: AgentKind::MurmurCapsule, ..card };
        let mut gateway = self.options.builder().agent(card).start().await?;
        let address = gateway.listen(&self.listen).await.map_err(elsewhere("--listen"))?;
        let metrics =
            gateway.listen_metrics(&self.metrics).await.map_err(elsewhere("--metrics"))?;
        let interrupted = interrupted()?;
        let line = stream_line(&address.to_string(), AGENT);
        output::write(
            format!(
                "\
The gateway serves on http://{address}/, in front of a capsule on http://{capsule_at}/.

Stream a task through the gateway:
{line}

The same without a body, and what the gateway counts:
  curl -N 'http://{address}/a2a/{AGENT}/stream?text=Summarise+README.md'
  curl http://{metrics}/metrics
"
            )
            .as_bytes(),
        )?;
        let handle = capsule.handle();
        let agent = SimulatedAgent::new(scenario);
        tokio::select! {
            biased;
            ended = capsule.ended() => return Ok(ended?),
            () = agent.run(&handle) => {}
            () = interrupted => {}
        }
        gateway.shutdown().await;
        Ok(capsule.stop().await?)
    }
}
