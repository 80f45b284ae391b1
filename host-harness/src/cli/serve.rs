//! `capsule serve`.

use super::agent_options::AgentOptions;
use super::gateway::elsewhere;
use super::{CliResult, allow_connections, find_scenario, interrupted, listened, output, runtime};
use clap::ValueEnum;
use host_harness::agent::SimulatedAgent;
use host_harness::scenario::Scenario;
use host_harness::turn_loop::ComponentAgent;
use host_harness::{
    Capsule, CapsuleHandle, ConversationMode, Error, StreamComponent, TaskAcceptance,
};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Serve a capsule whose agent plays scenarios, or is made of components.
///
/// A task whose text is the name of a scenario that ships with the program plays that one. Every
/// other task plays the one chosen with --scenario.
///
/// With --driver, or with a --component that `capsule compose` made, each task is run by the driver
/// instead: it is called with the conversation, the tool calls that it asks for are made, and it is
/// called again with their results, until it ends the turn.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  capsule serve
  capsule serve --listen 127.0.0.1:0                       a free port, printed on start
  capsule serve --scenario my.scenario --after-task exit   one task, then the end
  capsule serve --task-acceptance queue --queue-depth 2
  capsule serve --driver driver.wasm --tool grep=grep.wasm --model NAME \\
    --allow-host api.example.com --env API_KEY             an agent of components
  capsule serve --component agent.wasm --tool ask=ask.wasm a composed one, with one more tool")]
pub(super) struct Serve {
    /// The address to listen on
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:52222", value_parser = listened)]
    listen: String,
    /// What the agent plays: the name of a scenario that ships with the program, or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "story")]
    scenario: String,
    /// The component that serves the stream, in place of the built-in one
    #[arg(long, value_name = "FILE")]
    component: Option<PathBuf>,
    /// When a new task is accepted: never, once, or while there is a place in the queue
    #[arg(long, value_enum, default_value_t = Acceptance::Queue)]
    task_acceptance: Acceptance,
    /// With `--task-acceptance queue`: how many tasks may wait, beside the one that runs
    #[arg(long, value_name = "N", default_value_t = 16)]
    queue_depth: usize,
    /// What a watcher is told of conversations
    #[arg(long, value_enum, default_value_t = Conversation::Stateless)]
    conversation: Conversation,
    /// What the capsule does after a task
    #[arg(long, value_enum, default_value_t = AfterTask::Sleep)]
    after_task: AfterTask,
    #[command(flatten)]
    agent: AgentOptions,
}

#[derive(Clone, Copy, ValueEnum)]
enum Acceptance {
    /// No task is ever accepted
    None,
    /// One task, in the capsule's life
    Single,
    /// Tasks wait for one another
    Queue,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Conversation {
    /// Every task starts afresh
    Stateless,
    /// Tasks of a context go on where the last one ended
    Threaded,
}

impl From<Conversation> for ConversationMode {
    fn from(conversation: Conversation) -> Self {
        match conversation {
            Conversation::Stateless => Self::Stateless,
            Conversation::Threaded => Self::Threaded,
        }
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum AfterTask {
    /// Exit
    Exit,
    /// Wait for the next one
    Sleep,
}

impl Serve {
    pub(super) fn run(self) -> CliResult {
        let scenario = find_scenario(&self.scenario)?;
        runtime()?.block_on(self.serve(scenario))
    }

    async fn serve(self, scenario: Scenario) -> CliResult {
        let component = match &self.component {
            Some(file) => StreamComponent::from_file(file).await?,
            None => StreamComponent::built_in().await?,
        };
        let conversation = self.conversation.into();
        let (agent, plays, example) = match self.agent.agent(&component).await? {
            Some((agent, name)) => {
                (Agent::Components(agent), format!("runs {name}"), DRIVER_EXAMPLE)
            }
            None => {
                let plays = format!("plays `{}`", scenario.name());
                (Agent::Simulated(SimulatedAgent::new(scenario)), plays, SCENARIO_EXAMPLE)
            }
        };
        allow_connections();
        let mut capsule = Capsule::builder()
            .component(component)
            .task_acceptance(match self.task_acceptance {
                Acceptance::None => TaskAcceptance::None,
                Acceptance::Single => TaskAcceptance::Single,
                Acceptance::Queue => TaskAcceptance::Queue { depth: self.queue_depth },
            })
            .conversation_mode(conversation)
            .component_settings(self.agent.component_settings())
            .start()
            .await?;
        let address = capsule.listen(&self.listen).await.map_err(elsewhere("--listen"))?;
        // Before anybody is told: an interrupt that comes now ends it in the orderly way.
        let interrupted = interrupted()?;
        output::write(greeting(address, &plays, example).as_bytes())?;

        let handle = capsule.handle();
        let once = self.after_task == AfterTask::Exit;
        let tasks = async {
            while let Ok(true) = agent.run_next_task(&handle).await {
                if once {
                    break;
                }
            }
        };
        tokio::select! {
            // A component that trapped ends the tasks as well, and is the reason to report.
            biased;
            ended = capsule.ended() => return Ok(ended?),
            () = tasks => {}
            () = interrupted => {}
        }
        Ok(capsule.stop().await?)
    }
}

/// Who runs the tasks.
enum Agent {
    Simulated(SimulatedAgent),
    Components(ComponentAgent),
}

impl Agent {
    async fn run_next_task(&self, capsule: &CapsuleHandle) -> Result<bool, Error> {
        match self {
            Self::Simulated(agent) => agent.run_next_task(capsule).await,
            Self::Components(agent) => agent.run_next_task(capsule).await,
        }
    }
}

/// What a scenario is asked to do, whatever it does then.
const SCENARIO_EXAMPLE: &str = "Summarise README.md";
/// What any driver can do something with, whatever its tools are.
const DRIVER_EXAMPLE: &str = "Hello, what can you do?";

fn greeting(address: SocketAddr, plays: &str, example: &str) -> String {
    format!(
        "\
The capsule serves its stream on http://{address}/ and {plays} for each task.
Ctrl-C ends it.

Watch everything it writes:
  curl -N -X POST http://{address}/ -H 'Content-Type: application/json' \
-d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stream/watch\",\"params\":{{}}}}'

Give it a task and follow that:
  curl -N -X POST http://{address}/ -H 'Content-Type: application/json' \
-d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/stream\",\"params\":{{\"message\":\
{{\"messageId\":\"msg-1\",\"role\":\"user\",\"parts\":[{{\"text\":\"{example}\"}}]}}}}}}'
"
    )
}
