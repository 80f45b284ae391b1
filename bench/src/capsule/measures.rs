//! What is measured of the servers, and how.

use super::REPLAYED;
use crate::Result;
use crate::child::Child;
use crate::figures::{Rounds, count};
use crate::load::{Load, Order};
use crate::process::{cpu_seconds, resident_kib};
use crate::role::Serving;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How much is measured.
pub(super) struct Plan {
    pub(super) rounds: usize,
    /// How long each measure takes.
    seconds: f64,
    idle_watchers: u64,
}

impl Plan {
    pub(super) const FULL: Self = Self { rounds: 5, seconds: 1.5, idle_watchers: 10_000 };
    pub(super) const QUICK: Self = Self { rounds: 1, seconds: 0.7, idle_watchers: 2000 };
}

/// The servers, by their roles.
const SYSTEMS: [&str; 3] = ["native", "native-tuned", "capsule"];
const BURSTS: [u64; 2] = [64, 1];
const WATCHERS: [u64; 4] = [1, 10, 100, 1000];
/// Watchers, and frames a second.
const PACES: [(u64, u64); 3] = [(1, 1000), (100, 1000), (1000, 50)];
const REPLAYING: u64 = 100;

/// One measure of all systems.
type Row = [Rounds; SYSTEMS.len()];

/// All rounds of all measures.
#[derive(Default)]
pub(super) struct Figures {
    rates: [[Row; WATCHERS.len()]; BURSTS.len()],
    cpu: [[Row; WATCHERS.len()]; BURSTS.len()],
    p50: [Row; PACES.len()],
    p99: [Row; PACES.len()],
    idle_each: Row,
    first_byte: Row,
    replay: Row,
}

/// A server and its client.
struct Processes {
    server: Child,
    address: SocketAddr,
    control: SocketAddr,
    load: Load,
}

impl Processes {
    fn start(system: usize) -> Result<Self> {
        let mut server = Child::start(&[SYSTEMS[system]])?;
        let serving: Serving = server.hear()?;
        let control = serving.control.ok_or("no control")?;
        Ok(Self { server, address: serving.address, control, load: Load::start()? })
    }

    /// Opens watchers of what is emitted from now on.
    fn watch(&mut self, count: u64) -> Result<()> {
        let request = request(Some(u64::MAX));
        self.load.order(&Order::Open { address: self.address, request, count, frames: 0 })?;
        Ok(())
    }
}

impl Figures {
    /// One round of everything.
    pub(super) fn measure(&mut self, plan: &Plan, round: usize) -> Result<()> {
        // Every system is the first one in some of the rounds.
        let in_turns = || (0..SYSTEMS.len()).map(|index| (index + round) % SYSTEMS.len());
        for (size, (rates, cpu)) in BURSTS.iter().zip(self.rates.iter_mut().zip(&mut self.cpu)) {
            for (count, (rates, cpu)) in WATCHERS.iter().zip(rates.iter_mut().zip(cpu)) {
                for system in in_turns() {
                    let (rate, time) = bursts(plan, system, *size, *count)?;
                    rates[system].add(rate);
                    cpu[system].add(time);
                }
            }
        }
        for (pace, (p50, p99)) in PACES.iter().zip(self.p50.iter_mut().zip(&mut self.p99)) {
            for system in in_turns() {
                let (half, most) = latency(plan, system, *pace)?;
                p50[system].add(half);
                p99[system].add(most);
            }
        }
        for system in in_turns() {
            self.idle_each[system].add(idle_kib(plan, system)?);
            // The first start finds nothing in memory.
            first_byte(system)?;
            self.first_byte[system].add(first_byte(system)?);
            self.replay[system].add(replay(system)?);
        }
        Ok(())
    }

    /// The table.
    pub(super) fn rows(&self, plan: &Plan) -> Vec<Vec<String>> {
        let head = ["", "Native", "Tuned", "Capsule", "Capsule / native", "Capsule / tuned"];
        let mut rows = vec![head.map(String::from).to_vec()];
        let mut add = |name: String, [native, tuned, capsule]: &Row| {
            let shown = [native, tuned, capsule].map(Rounds::show);
            let ratios = [native, tuned].map(|to| capsule.ratio(to));
            rows.push([name].into_iter().chain(shown).chain(ratios).collect());
        };
        for (what, figures) in [("frames/s", &self.rates), ("server's CPU, µs/frame", &self.cpu)] {
            for (size, figures) in BURSTS.iter().zip(figures) {
                for (number, row) in WATCHERS.iter().zip(figures) {
                    add(format!("Bursts of {size}, {}: {what}", watchers(*number)), row);
                }
            }
        }
        for ((number, rate), (p50, p99)) in PACES.iter().zip(self.p50.iter().zip(&self.p99)) {
            let name = format!("{}, {} frames/s", watchers(*number), count(*rate));
            add(format!("{name}: latency p50, µs"), p50);
            add(format!("{name}: latency p99, µs"), p99);
        }
        let idle = watchers(plan.idle_watchers);
        add(format!("Memory of each of {idle} that are idle, KiB"), &self.idle_each);
        add("Process start to first byte, ms".into(), &self.first_byte);
        add(format!("Replay of {REPLAYED} frames to {REPLAYING} watchers, ms"), &self.replay);
        rows
    }
}

fn watchers(number: u64) -> String {
    format!("{} watcher{}", count(number), if number == 1 { "" } else { "s" })
}

/// Frames a second at all watchers together, and the server's time for one, in microseconds.
fn bursts(plan: &Plan, system: usize, size: u64, watchers: u64) -> Result<(f64, f64)> {
    let mut processes = Processes::start(system)?;
    processes.watch(watchers)?;
    let control = processes.control;
    let order = |seconds| Order::Bursts { control, size, seconds };
    processes.load.order(&order(0.2))?;
    let before = cpu_seconds(processes.server.pid())?;
    let outcome = processes.load.order(&order(plan.seconds))?;
    let cpu = cpu_seconds(processes.server.pid())? - before;
    Ok((outcome.rate(), cpu * 1e6 / outcome.frames as f64))
}

/// From the emission to the last watcher, in microseconds: p50, p99.
fn latency(plan: &Plan, system: usize, (watchers, rate): (u64, u64)) -> Result<(f64, f64)> {
    let mut processes = Processes::start(system)?;
    processes.watch(watchers)?;
    let control = processes.control;
    let order = |seconds| Order::Paced { control, rate, seconds };
    processes.load.order(&order(0.3))?;
    let outcome = processes.load.order(&order(plan.seconds))?;
    Ok((outcome.p50, outcome.p99))
}

/// The server's memory for a watcher that is idle.
fn idle_kib(plan: &Plan, system: usize) -> Result<f64> {
    let mut processes = Processes::start(system)?;
    processes.watch(10)?;
    sleep(Duration::from_millis(200));
    let before = resident_kib(processes.server.pid())?;
    processes.watch(plan.idle_watchers)?;
    sleep(Duration::from_secs(1));
    let after = resident_kib(processes.server.pid())?;
    Ok((after - before) / plan.idle_watchers as f64)
}

/// From the start of the process, in milliseconds.
fn first_byte(system: usize) -> Result<f64> {
    let begin = Instant::now();
    let mut server = Child::start(&[SYSTEMS[system]])?;
    let serving: Serving = server.hear()?;
    let mut stream = TcpStream::connect(serving.address)?;
    stream.write_all(request(None).as_bytes())?;
    stream.read_exact(&mut [0])?;
    Ok(begin.elapsed().as_secs_f64() * 1e3)
}

/// How long it takes until every watcher has everything, in milliseconds.
fn replay(system: usize) -> Result<f64> {
    let mut processes = Processes::start(system)?;
    processes.watch(1)?;
    let control = processes.control;
    // Some more than are kept.
    processes.load.order(&Order::Bursts { control, size: 64, seconds: 0.2 })?;
    processes.load.order(&Order::Close)?;
    let (address, request) = (processes.address, request(None));
    let frames = REPLAYED as u64;
    let order = Order::Open { address, request, count: REPLAYING, frames };
    Ok(processes.load.order(&order)?.seconds * 1e3)
}

fn request(last_event_id: Option<u64>) -> String {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"stream/watch","params":{}}"#;
    let last = last_event_id.map(|id| format!("last-event-id: {id}\r\n")).unwrap_or_default();
    format!(
        "POST / HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n{last}\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}
