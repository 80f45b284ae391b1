//! The files that the program is given, and the outputs that it writes to.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use host_harness::components::shipped::scripted_driver;
use std::fs::File;
use std::net::TcpListener;
use std::process::Command;
use support::{capsule, command, file};

/// Expects that it ends with this on stderr, and nothing on stdout.
#[track_caller]
fn expect_failure(arguments: &[&str], stderr: &str) {
    let ended = capsule(arguments);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{arguments:?}");
    assert_eq!(ended.stderr, stderr, "{arguments:?}");
}

/// What is run with a component's file, in every place where one can be given.
fn with_component(path: &str) -> Vec<Vec<String>> {
    let driver = scripted_driver().to_str().unwrap();
    let tool = format!("t={path}");
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let compose = ["compose", "-o", "/nowhere/agent.wasm"];
    let all = [
        [&serve[..], &["--component", path]].concat(),
        [&serve[..], &["--driver", path]].concat(),
        [&serve[..], &["--driver", driver, "--tool", &tool]].concat(),
        [&compose[..], &["--driver", path]].concat(),
        [&compose[..], &["--driver", driver, "--tool", &tool]].concat(),
        [&compose[..], &["--driver", driver, "--stream", path]].concat(),
    ];
    all.map(|arguments| arguments.into_iter().map(str::to_owned).collect()).to_vec()
}

#[track_caller]
fn expect_component_failure(path: &str, stderr: &str) {
    for arguments in with_component(path) {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        expect_failure(&arguments, stderr);
    }
}

#[test]
fn only_regular_files_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap().to_owned();
    // Nobody writes to it, so whoever opened it would wait.
    let pipe = format!("{path}/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let manual = "capsule: 1 scenario has problems; `capsule scenario format` is the manual\n";
    for endless in ["/dev/zero", &pipe] {
        expect_component_failure(
            endless,
            &format!("capsule: the component {endless} is not a regular file\n"),
        );
        let told = format!("{endless}: is not a regular file\n");
        expect_failure(&["scenario", "check", endless], &format!("{told}{manual}"));
        expect_failure(&["serve", "--scenario", endless], &format!("capsule: {told}"));
        expect_failure(&["frames", endless], &format!("capsule: {told}"));
    }
    expect_component_failure(
        &path,
        &format!("capsule: the component {path} is a directory, not a file\n"),
    );
    let told = format!("{path}: is a directory; name the files in it, such as {path}/*.scenario\n");
    expect_failure(&["scenario", "check", &path], &format!("{told}{manual}"));
    expect_component_failure(
        "/nowhere/at-all.wasm",
        "capsule: the component /nowhere/at-all.wasm cannot be read: No such file or directory (os \
         error 2)\n",
    );
}

#[test]
fn a_file_that_is_no_component_is_told_in_one_line_with_what_would_be_right() {
    let (_directory, text) = file("text.wasm", b"this is no WebAssembly");
    expect_component_failure(
        &text,
        &format!(
            "capsule: {text} is not a WebAssembly component: it does not begin as WebAssembly \
             does; give a .wasm file that was built for the target wasm32-wasip2\n"
        ),
    );
    // A module without contents is WebAssembly, but no component.
    let (_directory, module) = file("module.wasm", b"\0asm\x01\0\0\0");
    expect_component_failure(
        &module,
        &format!(
            "capsule: {module} is not a WebAssembly component: it is a core module; make a \
             component of it with `wasm-tools component new`, or build it for the target \
             wasm32-wasip2\n"
        ),
    );
    // It only begins as one.
    let (_directory, damaged) = file("damaged.wasm", b"\0asm\x0d\0\x01\0damage");
    for arguments in with_component(&damaged) {
        let ended = capsule(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{arguments:?}");
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    }
}

#[test]
fn an_address_to_listen_on_is_a_host_and_a_port() {
    for listen in [":0", "localhost", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:65536"] {
        let ended = capsule(&["serve", "--listen", listen]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{listen}");
        let told = "it has to be HOST:PORT, such as 127.0.0.1:0\n";
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_is_full_is_an_error() {
    for arguments in [
        ["--help"].as_slice(),
        &["--version"],
        &["serve", "--help"],
        &["frames", "story"],
        &["scenario", "format"],
        &["scenario", "list"],
        &["serve", "--listen", "127.0.0.1:0"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ended = command(arguments).stdout(full).output().unwrap();
        let told = "capsule: the output could not be written: No space left on device (os error \
                    28)\n";
        assert_eq!(String::from_utf8(ended.stderr).unwrap(), told, "{arguments:?}");
        assert_eq!(ended.status.code(), Some(1), "{arguments:?}");
    }
}

#[test]
fn logs_have_colours_only_in_a_terminal() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let mut watch = command(&["watch", "--url", &address]);
    let ended = watch.env("RUST_LOG", "host_harness=debug").output().unwrap();
    let logs = String::from_utf8(ended.stderr).unwrap();
    assert!(logs.contains("DEBUG") && logs.contains("disconnected"), "{logs}");
    assert!(!logs.contains('\u{1b}'), "{logs:?}");
}
