//! What the system counts of a process.

use crate::Result;
use std::fs;

/// How many of `/proc/PID/stat`'s ticks a second has: Linux tells every program 100.
const TICKS: f64 = 100.0;

/// The resident memory of a process, in KiB. A page counts as often as it is mapped.
///
/// # Errors
///
/// There is no such process.
pub(crate) fn resident_kib(pid: u32) -> Result<f64> {
    parse_kib(&fs::read_to_string(format!("/proc/{pid}/status"))?, "VmRSS:")
}

/// The same, but a page that is mapped several times counts once, and one that other processes have
/// as well in part.
///
/// # Errors
///
/// There is no such process.
pub(crate) fn own_kib(pid: u32) -> Result<f64> {
    parse_kib(&fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?, "Pss:")
}

fn parse_kib(lines: &str, name: &str) -> Result<f64> {
    let value = lines.lines().find_map(|line| line.strip_prefix(name));
    let kib = value.and_then(|value| value.trim().strip_suffix("kB"));
    Ok(kib.ok_or_else(|| format!("no {name}"))?.trim().parse()?)
}

/// The processor time that a process has taken, in the system as well, in seconds.
///
/// # Errors
///
/// There is no such process.
pub(crate) fn cpu_seconds(pid: u32) -> Result<f64> {
    parse_cpu_seconds(&fs::read_to_string(format!("/proc/{pid}/stat"))?)
}

fn parse_cpu_seconds(stat: &str) -> Result<f64> {
    // The second field is a name in parentheses, with anything in it.
    let (_, fields) = stat.rsplit_once(')').ok_or("no name")?;
    // `utime` is the 14th field of all, and so the 12th of these.
    let mut times = fields.split_ascii_whitespace().skip(11);
    let mut next = || -> Result<f64> { Ok(times.next().ok_or("no times")?.parse()?) };
    Ok((next()? + next()?) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::{cpu_seconds, own_kib, parse_cpu_seconds, resident_kib};

    #[test]
    fn processor_time_is_what_stands_behind_the_name() {
        let stat = "7 (a )b 1) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0";
        assert_eq!(parse_cpu_seconds(stat).unwrap(), 2.0);
    }

    #[test]
    fn this_process_has_memory_and_time() {
        let pid = std::process::id();
        assert!(resident_kib(pid).unwrap() > 100.0);
        assert!(own_kib(pid).unwrap() > 100.0);
        assert!(cpu_seconds(pid).unwrap() >= 0.0);
    }
}
