//! Runs the program, and talks to it over its socket.
#![allow(dead_code, reason = "no file of tests uses all of it")]

pub(crate) mod following;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long anything is waited for before a hang counts as a failure. Starting includes compiling
/// the component when it is not in the user's cache.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program to its end.
pub(crate) fn capsule(arguments: &[&str]) -> Ended {
    let mut program = Program::start(arguments);
    let stdout = program.stdout.take().unwrap();
    program.reading = Some(reading(stdout));
    program.end()
}

/// A program that runs. It is killed when the test ends, however it ends.
pub(crate) struct Program {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
    /// The rest of its standard output.
    reading: Option<JoinHandle<String>>,
    stderr: Option<JoinHandle<String>>,
    greeting: String,
}

impl Program {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = spawn(arguments);
        let stdout = child.stdout.take().map(BufReader::new);
        let stderr = child.stderr.take().map(reading);
        Self { child, stdout, reading: None, stderr, greeting: String::new() }
    }

    /// Starts `capsule serve` on a free port, with these arguments, and waits until it serves.
    pub(crate) fn serve(arguments: &[&str]) -> Self {
        let arguments = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        let mut program = Self::start(&arguments);
        let mut stdout = program.stdout.take().unwrap();
        let (lines, received) = mpsc::channel();
        program.reading = Some(thread::spawn(move || {
            let mut line = String::new();
            while stdout.read_line(&mut line).is_ok_and(|length| length > 0) {
                // Nobody reads what comes after the greeting.
                let _ = lines.send(std::mem::take(&mut line));
            }
            String::new()
        }));
        // The greeting ends with the second curl line.
        while program.greeting.matches("curl ").count() < 2 {
            let line = received.recv_timeout(PATIENCE).unwrap_or_else(|_| {
                panic!("it does not serve; it printed {:?}", program.greeting);
            });
            program.greeting.push_str(&line);
        }
        program
    }

    /// What it printed when it began to serve.
    pub(crate) fn greeting(&self) -> &str {
        &self.greeting
    }

    /// The address that it printed.
    pub(crate) fn address(&self) -> &str {
        let after = self.greeting.split_once("http://").expect("an address").1;
        after.split_once('/').expect("an address").0
    }

    /// A connection on which `request` was sent.
    pub(crate) fn send(&self, request: &str) -> Client {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        Client(stream)
    }

    /// What Ctrl-C does. Waits until the program listens to it, which it does a moment after it
    /// printed its greeting, and does not rely on whether it began with SIGINT ignored.
    pub(crate) fn interrupt(&self) {
        let begun = Instant::now();
        while !self.catches_sigint() {
            assert!(begun.elapsed() < PATIENCE, "it does not listen to Ctrl-C");
            thread::yield_now();
        }
        // The child was not waited for, so its id is still its own.
        let kill = format!("kill -INT {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// By the mask of caught signals, where there is a `/proc`.
    fn catches_sigint(&self) -> bool {
        const SIGINT: u32 = 2;
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let Ok(status) = status else { return true };
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & 1 << (SIGINT - 1) != 0
    }

    /// Reads so many bytes of its standard output, and closes it.
    pub(crate) fn read_and_leave(&mut self, bytes: usize) {
        let mut stdout = self.stdout.take().unwrap();
        stdout.read_exact(&mut vec![0; bytes]).unwrap();
    }

    /// Waits until it ends by itself.
    pub(crate) fn end(mut self) -> Ended {
        // Both pipes end with the process, so the wait for them is bounded by one for it.
        let (sender, ended) = mpsc::channel();
        let pipes = [self.reading.take(), self.stderr.take()];
        thread::spawn(move || {
            let texts = pipes.map(|pipe| pipe.map(|pipe| pipe.join().unwrap()).unwrap_or_default());
            sender.send(texts)
        });
        let [stdout, stderr] = ended.recv_timeout(PATIENCE).expect("it does not end");
        let code = self.child.wait().unwrap().code();
        Ended { code, stdout, stderr }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Both fail where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(arguments: &[&str]) -> Child {
    command(arguments).spawn().unwrap()
}

/// The program with these arguments, to be run with whatever else a test wants.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_capsule"));
    command
        .args(arguments)
        .env_remove("RUST_LOG")
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A file that is gone when the test ends.
pub(crate) fn file(name: &str, contents: &[u8]) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, contents).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (directory, path)
}

/// Reads a pipe to its end, so that its writer is not held up.
fn reading(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        pipe.read_to_string(&mut text).unwrap();
        text
    })
}

/// A client of a served capsule.
pub(crate) struct Client(TcpStream);

impl Client {
    /// Reads exactly `expected`.
    pub(crate) fn expect(&mut self, expected: &str) {
        let mut received = vec![0; expected.len()];
        self.0.read_exact(&mut received).unwrap();
        assert_eq!(String::from_utf8_lossy(&received), expected);
    }

    /// Everything up to the end of the stream.
    pub(crate) fn rest(&mut self) -> String {
        let begun = Instant::now();
        let mut received = Vec::new();
        let mut buffer = [0; 64 * 1024];
        loop {
            let read = self.0.read(&mut buffer).unwrap();
            received.extend_from_slice(&buffer[..read]);
            if read == 0 {
                return String::from_utf8(received).unwrap();
            }
            // Heartbeats come for ever.
            let waited = begun.elapsed();
            assert!(waited < PATIENCE, "no end: {}", String::from_utf8_lossy(&received));
        }
    }
}

/// A request with that JSON body.
pub(crate) fn post(body: &str) -> String {
    let length = body.len();
    format!(
        "POST / HTTP/1.1\r\nHost: capsule\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
}

/// A `stream/watch`.
pub(crate) fn watch_request() -> String {
    post(r#"{"jsonrpc":"2.0","id":1,"method":"stream/watch","params":{}}"#)
}

/// A `message/stream` with a message of that text.
pub(crate) fn submission(text: &str) -> String {
    post(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{{"messageId":"msg-1","role":"user","parts":[{{"text":"{text}"}}]}}}}"#
    ))
}
