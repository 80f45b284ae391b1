//! The clock that interrupts what computes: a thread that is there only while something runs.

use crate::lock::lock;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use wasmtime::Engine;

/// How often what computes is interrupted.
const TICK: Duration = Duration::from_millis(10);

/// An engine's clock.
pub(crate) struct Ticker {
    engine: Engine,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: usize,
    thread_lives: bool,
}

/// Something that runs. The clock ticks until it is dropped.
pub(crate) struct Ticking(Arc<Ticker>);

impl Ticker {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine, state: Mutex::default() }
    }

    /// Ticks from now on.
    ///
    /// # Errors
    ///
    /// The thread could not be started.
    pub(crate) fn start(self: &Arc<Self>) -> io::Result<Ticking> {
        let mut state = lock(&self.state);
        if !state.thread_lives {
            let ticker = self.clone();
            thread::Builder::new().name("capsule-ticker".into()).spawn(move || ticker.run())?;
            state.thread_lives = true;
        }
        state.running += 1;
        drop(state);
        Ok(Ticking(self.clone()))
    }

    fn run(&self) {
        loop {
            thread::sleep(TICK);
            let mut state = lock(&self.state);
            if state.running == 0 {
                state.thread_lives = false;
                return;
            }
            drop(state);
            self.engine.increment_epoch();
        }
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        lock(&self.0.state).running -= 1;
    }
}
