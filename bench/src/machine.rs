//! What the figures were measured with.

use crate::Result;
use std::fs;
use std::process::Command;

/// What is locked is what was built.
const LOCK: &str = include_str!("../../Cargo.lock");

/// The machine, the day and the versions, as a Markdown list.
///
/// # Errors
///
/// The system does not say.
pub(crate) fn describe() -> Result<String> {
    let info = fs::read_to_string("/proc/cpuinfo")?;
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown", |line| line.trim_start_matches(['\t', ' ', ':']));
    let cores = std::thread::available_parallelism()?;
    Ok(format!(
        "- Machine: {model}, {cores} cores, shared with other work\n\
         - Date: {}\n- Versions: {}, wasmtime {}, axum {}, tokio {}\n",
        output("date", &["-u", "+%F"]),
        output("rustc", &["--version"]),
        locked("wasmtime"),
        locked("axum"),
        locked("tokio"),
    ))
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map_or("unknown".into(), |it| String::from_utf8_lossy(&it.stdout).trim().to_owned())
}

fn locked(package: &str) -> &'static str {
    let entry = format!("name = \"{package}\"\nversion = \"");
    let version = LOCK.split(&entry).nth(1).and_then(|rest| rest.split('"').next());
    version.unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::locked;

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert!(locked("wasmtime").starts_with(|it: char| it.is_ascii_digit()));
        assert_eq!(locked("no-such-package"), "unknown");
    }
}
