//! What a gateway in simulated time can reach.

use super::agent::{Agent, Listener};
use host_harness::CapsuleHandle;
use host_harness::front::{Front, Limits};
use host_harness::gateway::Connect;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};
use tokio::io::DuplexStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How much a connection holds in each direction: enough to hold nobody up.
pub(super) const BUFFER_BYTES: usize = 16 * 1024 * 1024;

/// The agents by their authority. Everybody else refuses.
#[derive(Clone, Default)]
pub(crate) struct Network(Arc<Mutex<HashMap<String, Peer>>>);

#[derive(Clone)]
enum Peer {
    Scripted { connections: UnboundedSender<DuplexStream>, buffer: usize },
    Capsule(CapsuleHandle),
}

impl Network {
    /// Takes connections to that authority, which hold so many bytes.
    pub(super) fn listen(&self, authority: &str, buffer: usize) -> UnboundedReceiver<DuplexStream> {
        let (connections, accepted) = unbounded_channel();
        self.insert(authority, Peer::Scripted { connections, buffer });
        accepted
    }

    /// An agent at that authority, which the gateway was not given.
    pub(crate) fn agent(&self, authority: &str) -> Agent {
        Agent { listener: Listener::Simulated(self.listen(authority, BUFFER_BYTES)) }
    }

    /// Serves a capsule there.
    pub(crate) fn serve(&self, authority: &str, capsule: CapsuleHandle) {
        self.insert(authority, Peer::Capsule(capsule));
    }

    fn insert(&self, authority: &str, peer: Peer) {
        self.0.lock().unwrap().insert(authority.to_owned(), peer);
    }
}

impl Connect for Network {
    fn connect(&self, authority: &str) -> io::Result<DuplexStream> {
        let peer = self.0.lock().unwrap().get(authority).cloned();
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        match peer.ok_or_else(refused)? {
            Peer::Scripted { connections, buffer } => {
                let (gateway, agent) = tokio::io::duplex(buffer);
                connections.send(agent).map_err(|_| refused())?;
                Ok(gateway)
            }
            Peer::Capsule(capsule) => {
                let (gateway, server) = tokio::io::duplex(BUFFER_BYTES);
                let front = Front::new(Limits::default());
                tokio::spawn(async move { front.serve_connection(server, &capsule).await });
                Ok(gateway)
            }
        }
    }
}
