//! What is measured of the gateway, and how.

use super::server::agent_id;
use crate::Result;
use crate::child::Child;
use crate::figures::{Rounds, count};
use crate::load::{Load, Order, Outcome};
use crate::process::{cpu_seconds, own_kib, resident_kib};
use crate::role::Serving;
use std::net::SocketAddr;
use std::thread::sleep;
use std::time::Duration;

/// How much is measured.
pub(super) struct Plan {
    pub(super) rounds: usize,
    /// How long each measure takes.
    seconds: f64,
    idle_streams: u64,
}

impl Plan {
    pub(super) const FULL: Self = Self { rounds: 5, seconds: 2.0, idle_streams: 1000 };
    pub(super) const QUICK: Self = Self { rounds: 1, seconds: 1.0, idle_streams: 1000 };
}

/// Streams that are read for a while.
struct Flow {
    name: &'static str,
    path: &'static str,
    streams: u64,
    /// How old the events are is of interest, and not how many they are.
    ages: bool,
}

const FLOWS: [Flow; 6] = [
    Flow { name: "1 stream, 200 events/s", path: "/rate/200", streams: 1, ages: true },
    Flow { name: "100 streams, 10 events/s each", path: "/rate/10", streams: 100, ages: true },
    Flow { name: "1 stream, each", path: "/each", streams: 1, ages: false },
    Flow { name: "100 streams, each", path: "/each", streams: 100, ages: false },
    Flow { name: "1 stream, bulk", path: "/bulk", streams: 1, ages: false },
    Flow { name: "100 streams, bulk", path: "/bulk", streams: 100, ages: false },
];

/// All rounds of all measures.
#[derive(Default)]
pub(super) struct Figures {
    /// The memory of the process, in MiB.
    before: Row,
    idle: Row,
    /// What a stream adds to that, in KiB.
    idle_each: Row,
    own_each: Row,
    opened: Row,
    flows: [FlowFigures; FLOWS.len()],
}

/// Those of one flow.
#[derive(Default)]
struct FlowFigures {
    p50: Row,
    p99: Row,
    rate: Row,
    /// The processor time for an event of what is between agent and caller, in microseconds.
    cpu: Row,
}

/// One measure of all systems.
type Row = [Rounds; 3];

/// Where a caller reads.
#[derive(Clone, Copy, PartialEq)]
enum System {
    /// At the agent.
    Direct,
    /// Behind a native process.
    Relay,
    /// Behind the gateway.
    Gateway,
}

impl System {
    const ALL: [Self; 3] = [Self::Direct, Self::Relay, Self::Gateway];

    /// All, each the first one in some of the rounds.
    fn in_turns(round: usize) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().cycle().skip(round % 3).take(3)
    }
}

/// The processes of one round.
struct Processes {
    agent: Server,
    relay: Server,
    gateway: Server,
    load: Load,
}

struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    fn start(role: &[&str]) -> Result<Self> {
        let mut process = Child::start(role)?;
        let serving: Serving = process.hear()?;
        Ok(Self { process, address: serving.address })
    }
}

impl Processes {
    fn start() -> Result<Self> {
        let agent = Server::start(&["agent"])?;
        let address = agent.address.to_string();
        let relay = Server::start(&["relay", &address])?;
        let gateway = Server::start(&["gateway", &address])?;
        Ok(Self { agent, relay, gateway, load: Load::start()? })
    }

    /// What a caller is connected to.
    fn server(&self, system: System) -> &Server {
        match system {
            System::Direct => &self.agent,
            System::Relay => &self.relay,
            System::Gateway => &self.gateway,
        }
    }

    fn open(&mut self, system: System, path: &str, count: u64) -> Result<Outcome> {
        let path = match system {
            System::Direct => path.to_owned(),
            System::Relay | System::Gateway => format!("/a2a/{}", agent_id(path)),
        };
        let (address, request) = (self.server(system).address, request(&path));
        self.load.order(&Order::Open { address, request, count, frames: 0 })
    }

    fn close(&mut self) -> Result<()> {
        self.load.order(&Order::Close)?;
        // The gateway sees to what the streams leave behind.
        sleep(Duration::from_millis(500));
        Ok(())
    }
}

impl Figures {
    /// One round of everything.
    pub(super) fn measure(&mut self, plan: &Plan, round: usize) -> Result<()> {
        let mut processes = Processes::start()?;
        self.measure_idle(plan, &mut processes, round)?;
        // What so many streams leave in the allocator is no part of what follows.
        drop(processes);
        let mut processes = Processes::start()?;
        for (flow, figures) in FLOWS.iter().zip(&mut self.flows) {
            for system in System::in_turns(round) {
                figures.measure(plan, flow, &mut processes, system)?;
            }
        }
        Ok(())
    }

    fn measure_idle(&mut self, plan: &Plan, on: &mut Processes, round: usize) -> Result<()> {
        for system in System::in_turns(round) {
            on.open(system, "/silent", 10)?;
            on.close()?;
            let server = on.server(system).process.pid();
            let (before, own_before) = (resident_kib(server)?, own_kib(server)?);
            let opened = on.open(system, "/silent", plan.idle_streams)?;
            sleep(Duration::from_secs(1));
            let (idle, own) = (resident_kib(server)?, own_kib(server)?);
            on.close()?;
            let index = system as usize;
            self.opened[index].add(plan.idle_streams as f64 / opened.seconds);
            // The agent's memory is not what this is about.
            if system != System::Direct {
                self.before[index].add(before / 1024.0);
                self.idle[index].add(idle / 1024.0);
                let each = |memory: f64| memory / plan.idle_streams as f64;
                self.idle_each[index].add(each(idle - before));
                self.own_each[index].add(each(own - own_before));
            }
        }
        Ok(())
    }

    /// The table.
    pub(super) fn rows(&self, plan: &Plan) -> Vec<Vec<String>> {
        let head = ["", "Direct", "Native relay", "Gateway", "Gateway / direct", "Gateway / relay"];
        let mut rows = vec![head.map(String::from).to_vec()];
        let mut add = |name: String, [direct, relay, gateway]: &Row| {
            let shown = [direct, relay, gateway].map(Rounds::show);
            let ratios = [direct, relay].map(|to| gateway.ratio(to));
            rows.push([name].into_iter().chain(shown).chain(ratios).collect());
        };
        let idle = count(plan.idle_streams);
        add("Memory without streams, MiB".into(), &self.before);
        add(format!("Memory with {idle} idle streams, MiB"), &self.idle);
        add("**Memory of an idle stream, KiB**".into(), &self.idle_each);
        add("The same, shared pages counted once (Pss), KiB".into(), &self.own_each);
        add("Opening streams, 64 at a time, streams/s".into(), &self.opened);
        for (flow, figures) in FLOWS.iter().zip(&self.flows) {
            if flow.ages {
                add(format!("{}: latency p50, µs", flow.name), &figures.p50);
                add(format!("{}: latency p99, µs", flow.name), &figures.p99);
            } else {
                add(format!("{}: events/s", flow.name), &figures.rate);
            }
            add(format!("{}: CPU, µs/event", flow.name), &figures.cpu);
        }
        rows
    }
}

impl FlowFigures {
    fn measure(&mut self, plan: &Plan, flow: &Flow, on: &mut Processes, s: System) -> Result<()> {
        on.open(s, flow.path, flow.streams)?;
        // Buffers fill, pages are touched.
        on.load.order(&Order::Count { seconds: 0.3 })?;
        let server = on.server(s).process.pid();
        let before = cpu_seconds(server)?;
        let seconds = plan.seconds;
        let order = if flow.ages { Order::Ages { seconds } } else { Order::Count { seconds } };
        let outcome = on.load.order(&order)?;
        let cpu = cpu_seconds(server)? - before;
        on.close()?;
        if outcome.frames == 0 {
            return Err(format!("{}: no event came", flow.name).into());
        }
        self.p50[s as usize].add(outcome.p50);
        self.p99[s as usize].add(outcome.p99);
        self.rate[s as usize].add(outcome.rate());
        if s != System::Direct {
            self.cpu[s as usize].add(cpu * 1e6 / outcome.frames as f64);
        }
        Ok(())
    }
}

/// The request for a stream at that path.
pub(super) fn request(path: &str) -> String {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{"parts":[{"text":"Go"}]}}}"#;
    format!(
        "POST {path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n\
         accept: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}
