//! The instance's state.

use crate::arrival::Arrival;
use crate::bindings::murmur::capsule_stream::settings::{self, TaskAcceptance};
use crate::client::Client;
use crate::waiting::Waiting;
use protocol::{ConversationMode, Instant, Session, Settings};
use std::cell::RefCell;
use std::time::Duration;
use wasi::clocks::monotonic_clock;

/// Everything that outlives a call.
pub(crate) struct State {
    pub(crate) session: Session,
    pub(crate) clients: Vec<Client>,
    pub(crate) arrivals: Vec<Arrival>,
    /// When the pump last wrote to the clients.
    pub(crate) pumped_at: Instant,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) accepts_tasks: bool,
    pub(crate) max_request_bytes: u64,
    pub(crate) waiting: Waiting,
    /// How many chunks were emitted from inside a composed call.
    pub(crate) emitted_inside: u64,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::configured());
}

/// Runs `f` on the state. Calls into the component do not nest, and neither may these.
pub(crate) fn with<R>(f: impl FnOnce(&mut State) -> R) -> R {
    STATE.with_borrow_mut(f)
}

/// The time on the clock that heartbeats are waited for with.
pub(crate) fn now() -> Instant {
    Instant(monotonic_clock::now())
}

impl State {
    fn configured() -> Self {
        let values = settings::get();
        let session = Session::new(Settings {
            conversation_mode: match values.conversation_mode {
                settings::ConversationMode::Stateless => ConversationMode::Stateless,
                settings::ConversationMode::Threaded => ConversationMode::Threaded,
            },
            heartbeat_interval: Duration::from_nanos(values.heartbeat_interval),
            replay_buffer_bytes: values.replay_buffer_bytes,
        });
        Self {
            session,
            clients: Vec::new(),
            arrivals: Vec::new(),
            pumped_at: now(),
            name: values.name,
            version: values.version,
            accepts_tasks: values.task_acceptance != TaskAcceptance::None,
            max_request_bytes: values.max_request_bytes,
            waiting: Waiting::up_to(values.max_waiting_bytes),
            emitted_inside: 0,
        }
    }
}
