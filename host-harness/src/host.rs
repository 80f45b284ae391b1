//! What the store holds: WASI, and the imports of the component's own package.

use crate::bindings::murmur::capsule_stream::{settings, tasks, types};
use crate::components::{Egress, MemoryLimit};
use crate::settings::{Settings, TaskAcceptance};
use crate::tasks::Tasks;
use protocol::{ConversationMode, Submission, Submitted, Task, TaskId, TaskSnapshot, TaskState};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use wasmtime::ResourceLimiter;
use wasmtime::component::{HasSelf, Linker, ResourceTable};
use wasmtime_wasi::random::Deterministic;
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

/// The most that a client's stream takes in one write, in bytes: as much waits here, and again in the
/// front, for each client that does not read.
const WRITE_BYTES: usize = 64 * 1024;

/// The data of the store.
pub(crate) struct Host {
    pub(crate) table: ResourceTable,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    /// The stream makes no requests of its own; the driver of a composition does.
    egress: Egress,
    memory: MemoryLimit,
    settings: Settings,
    tasks: Arc<Tasks>,
}

impl Host {
    pub(crate) fn new(settings: Settings, tasks: Arc<Tasks>) -> Self {
        let mut wasi = WasiCtx::builder();
        wasi.inherit_stderr().envs(&settings.components.env);
        wasi.monotonic_clock(TokioClock::new());
        if let Some(ids) = &settings.fixed_ids {
            wasi.wall_clock(FixedClock(ids.unix_time));
            // WASI takes four bytes from it for each one that the component gets.
            let bytes = ids.random_bytes.iter().flat_map(|&byte| [byte; 4]).collect();
            wasi.secure_random(Deterministic::new(bytes));
        }
        let components = &settings.components;
        let allowed = components.allowed_hosts.clone();
        let egress = Egress { allowed, write_bytes: WRITE_BYTES };
        // The stream's own memory, beside what the parts of a composition may take: its replay
        // buffer, as much again that connections hold of it, and what waits for clients.
        let replay_buffer = usize::try_from(settings.replay_buffer_bytes).unwrap_or(usize::MAX);
        let stream = replay_buffer.saturating_mul(2).saturating_add(settings.limits.waiting_bytes);
        let memory = MemoryLimit::new(components.memory_bytes.saturating_add(stream));
        Self {
            table: ResourceTable::new(),
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            egress,
            memory,
            settings,
            tasks,
        }
    }

    /// For how long a call of a composition's driver or tool may compute.
    pub(crate) fn compute(&self) -> Duration {
        self.settings.components.compute
    }

    /// What the store of a composition is limited by.
    pub(crate) fn memory(&mut self) -> &mut dyn ResourceLimiter {
        &mut self.memory
    }

    /// Defines everything that the component imports.
    pub(crate) fn add_to_linker(linker: &mut Linker<Self>) -> wasmtime::Result<()> {
        wasmtime_wasi::p2::add_to_linker_async(linker)?;
        wasmtime_wasi_http::p2::add_only_http_to_linker_async(linker)?;
        types::add_to_linker::<_, HasSelf<_>>(linker, |host| host)?;
        settings::add_to_linker::<_, HasSelf<_>>(linker, |host| host)?;
        tasks::add_to_linker::<_, HasSelf<_>>(linker, |host| host)
    }
}

impl WasiView for Host {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for Host {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks: &mut self.egress }
    }
}

impl types::Host for Host {}

impl settings::Host for Host {
    fn get(&mut self) -> settings::Values {
        let nanos = self.settings.heartbeat_interval.as_nanos();
        settings::Values {
            name: self.settings.name.clone(),
            version: self.settings.version.clone(),
            task_acceptance: match self.settings.task_acceptance {
                TaskAcceptance::None => settings::TaskAcceptance::None,
                TaskAcceptance::Single => settings::TaskAcceptance::Single,
                TaskAcceptance::Queue { .. } => settings::TaskAcceptance::Queue,
            },
            conversation_mode: match self.settings.conversation_mode {
                ConversationMode::Stateless => settings::ConversationMode::Stateless,
                ConversationMode::Threaded => settings::ConversationMode::Threaded,
            },
            heartbeat_interval: u64::try_from(nanos).unwrap_or(u64::MAX),
            replay_buffer_bytes: self.settings.replay_buffer_bytes,
            max_request_bytes: self.settings.limits.body_bytes as u64,
            max_waiting_bytes: self.settings.limits.waiting_bytes as u64,
        }
    }
}

impl tasks::Host for Host {
    fn submit(&mut self, submission: tasks::Submission) -> tasks::Submitted {
        let submitted = self.tasks.submit(Submission {
            task: Task {
                id: submission.task.id.into(),
                context_id: submission.task.context_id.into(),
            },
            message_id: submission.message_id,
            role: submission.role,
            text: submission.text,
        });
        match submitted {
            Submitted::Accepted => tasks::Submitted::Accepted,
            Submitted::Busy => tasks::Submitted::Busy,
            Submitted::QueueFailed => tasks::Submitted::QueueFailed,
        }
    }

    fn answer(&mut self, text: String) -> Option<tasks::Snapshot> {
        self.tasks.answer(text).map(tasks::Snapshot::from)
    }

    fn get(&mut self, id: Option<String>) -> Option<tasks::Snapshot> {
        self.tasks.get(id.map(TaskId::from).as_ref()).map(tasks::Snapshot::from)
    }

    fn cancel(&mut self, id: String) -> Option<tasks::Snapshot> {
        self.tasks.cancel(&id.into()).map(tasks::Snapshot::from)
    }
}

impl From<TaskSnapshot> for tasks::Snapshot {
    fn from(snapshot: TaskSnapshot) -> Self {
        Self {
            task: snapshot.task.into(),
            state: match snapshot.state {
                TaskState::Submitted => tasks::TaskState::Submitted,
                TaskState::Working => tasks::TaskState::Working,
                TaskState::InputRequired => tasks::TaskState::InputRequired,
                TaskState::Completed => tasks::TaskState::Completed,
                // The registry knows only tasks that were accepted.
                TaskState::Failed | TaskState::Rejected => tasks::TaskState::Failed,
                TaskState::Canceled => tasks::TaskState::Canceled,
            },
            prompt: snapshot.prompt,
        }
    }
}

/// Tokio's clock, which tests can pause: heartbeats are then due in simulated time.
pub(crate) struct TokioClock(Instant);

impl TokioClock {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }
}

impl HostMonotonicClock for TokioClock {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

struct FixedClock(Duration);

impl HostWallClock for FixedClock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        self.0
    }
}
