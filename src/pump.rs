//! The one loop that writes and waits.

use crate::Component;
use crate::bindings::exports::murmur::capsule_stream::pump::Guest;
use crate::client::Client;
use crate::state::{self, State};
use protocol::Instant;
use wasi::clocks::monotonic_clock;
use wasi::io::poll::{self, Pollable};

/// How long a burst waits for clients that do not keep up.
const CATCH_UP_NANOS: u64 = 20_000_000;

impl Guest for Component {
    fn pump(until: &Pollable) {
        state::with(|state| {
            loop {
                state.read_arrivals();
                let now = state::now();
                state.pumped_at = now;
                state.write_clients(now);
                if state.wait(now, until) {
                    return;
                }
            }
        });
    }
}

impl State {
    /// Writes to every client what it can take, and lets go of those that are done or gone.
    pub(crate) fn write_clients(&mut self, now: Instant) {
        let mut at = 0;
        while let Some(client) = self.clients.get_mut(at) {
            let gone =
                client.write(&mut self.session, now).is_err() || client.is_overtaken(&self.session);
            if !gone && !client.is_finished() {
                at += 1;
                continue;
            }
            let mut client = self.clients.swap_remove(at);
            self.waiting.give_back(std::mem::take(&mut client.share));
            if !gone {
                client.finish();
            }
        }
        self.session.offered();
    }

    /// Waits until every client took what it lacks, but for those that do not take anything, which
    /// it waits for once and not long. For bursts from inside a composed call, during which no pump
    /// runs.
    pub(crate) fn let_clients_catch_up(&mut self, now: Instant) {
        let patience = monotonic_clock::subscribe_duration(CATCH_UP_NANOS);
        loop {
            let behind =
                |client: &&mut Client| !client.stalled && client.wants_write(&self.session, now);
            let mut clients: Vec<_> = self.clients.iter_mut().filter(behind).collect();
            clients.iter_mut().for_each(|client| client.subscribe());
            let mut pollables = vec![&patience];
            pollables.extend(clients.iter().filter_map(|client| client.pollable()));
            if pollables.len() == 1 {
                return;
            }
            if poll::poll(&pollables).contains(&0) {
                clients.iter_mut().for_each(|client| client.stalled = true);
                return;
            }
            self.write_clients(now);
        }
    }

    /// Waits until there is something to do. Returns whether `until` is ready.
    fn wait(&mut self, now: Instant, until: &Pollable) -> bool {
        let timer = self.next_heartbeat(now).map(|due| monotonic_clock::subscribe_instant(due.0));
        for client in &mut self.clients {
            if client.wants_write(&self.session, now) {
                client.subscribe();
            }
        }
        let blocked = self.clients.iter().filter(|c| c.wants_write(&self.session, now));
        let mut pollables = vec![until];
        pollables.extend(&timer);
        pollables.extend(self.arrivals.iter().map(crate::arrival::Arrival::pollable));
        pollables.extend(blocked.filter_map(crate::client::Client::pollable));
        poll::poll(&pollables).contains(&0)
    }

    /// The next heartbeat that is not due yet: one that is waits for its client instead.
    fn next_heartbeat(&self, now: Instant) -> Option<Instant> {
        self.clients.iter().filter_map(|c| c.next_heartbeat()).filter(|&due| due > now).min()
    }
}
