//! An agent made of components: a driver that calls the model, and tools.
//!
//! For each task the driver is called with the conversation. As long as it answers with tool calls,
//! they are made one after another, in order, and the driver is called again with their results.
//! The stream gets everything as it comes.
//!
//! ```no_run
//! # async fn example() -> Result<(), host_harness::Error> {
//! use host_harness::components::{ComponentRuntime, ComponentSettings};
//! use host_harness::turn_loop::{AgentSettings, ComponentAgent};
//! use host_harness::Capsule;
//! use std::path::Path;
//!
//! let runtime = ComponentRuntime::new(ComponentSettings::default())?;
//! let driver = runtime.load_driver(Path::new("driver.wasm")).await?;
//! let agent = ComponentAgent::new(driver, AgentSettings::default())
//!     .tool("grep", runtime.load(Path::new("grep.wasm")).await?);
//!
//! let mut capsule = Capsule::builder().start().await?;
//! println!("serving on {}", capsule.listen("127.0.0.1:0").await?);
//! agent.run(&capsule.handle()).await;
//! # Ok(()) }
//! ```
//!
//! | Module | What it holds |
//! |---|---|
//! | [`settings`] | what can be chosen |
//! | `turns` | one attempt at a task, turn after turn |
//! | `conversation` | what the driver is given |
//! | `response` | what it answers |
//! | `dispatch` | a tool call, from the model's wish to its artifact |
//! | `part` | a driver or tool, wherever it lives |

mod conversation;
mod dispatch;
mod part;
mod response;
pub mod settings;
mod turns;

pub use settings::AgentSettings;

use crate::components::RunComponent;
use crate::compose::ComposedParts;
use crate::composed::ComposedPart;
use crate::lock::lock;
use crate::{CapsuleHandle, ConversationMode, Error};
use conversation::{Conversations, ToolSpec};
use part::Part;
use std::fmt;
use std::sync::Mutex;

/// An agent whose driver and tools are components.
pub struct ComponentAgent {
    driver: Part,
    tools: Vec<(ToolSpec, Part)>,
    settings: AgentSettings,
    conversations: Mutex<Conversations>,
}

impl ComponentAgent {
    /// An agent with this driver, and no tools yet.
    #[must_use]
    pub fn new(driver: RunComponent, settings: AgentSettings) -> Self {
        Self::of(Part::Own(driver), settings)
    }

    /// The agent of a composition, whose capsule it then runs the tasks of.
    #[must_use]
    pub fn composed(parts: &ComposedParts, settings: AgentSettings) -> Self {
        let mut agent = Self::of(Part::Composed(ComposedPart::Driver), settings);
        for tool in &parts.tools {
            let part = Part::Composed(ComposedPart::Tool(tool.clone()));
            agent.tools.push((ToolSpec::named(tool.clone()), part));
        }
        agent
    }

    fn of(driver: Part, settings: AgentSettings) -> Self {
        Self { driver, tools: Vec::new(), settings, conversations: Mutex::default() }
    }

    /// The same with one more tool. Of two with the same name, the first is called.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, tool: RunComponent) -> Self {
        self.tools.push((ToolSpec::named(name.into()), Part::Own(tool)));
        self
    }

    /// Runs the next task to its end. False once the capsule has ended.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] where the capsule ended in the middle of it.
    pub async fn run_next_task(&self, capsule: &CapsuleHandle) -> Result<bool, Error> {
        let Some(task) = capsule.next_task().await else {
            return Ok(false);
        };
        let (id, context) = (&task.task().id, &task.task().context_id);
        tracing::info!(task = %id, "task begins");
        let conversation = lock(&self.conversations).continued(context, task.text());
        let completed = self.attempt(capsule, &task, conversation).await?;
        if let Some(conversation) = completed
            && capsule.conversation_mode() == ConversationMode::Threaded
        {
            lock(&self.conversations).keep(context, conversation);
        }
        tracing::info!(task = %id, "task ended");
        Ok(true)
    }

    /// Runs tasks until the capsule ends.
    pub async fn run(&self, capsule: &CapsuleHandle) {
        while let Ok(true) = self.run_next_task(capsule).await {}
    }
}

impl fmt::Debug for ComponentAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComponentAgent").finish_non_exhaustive()
    }
}
