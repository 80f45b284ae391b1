//! The README's table of rules names tests that exist.

use std::collections::HashSet;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_test_that_the_readme_names_exists() {
    let readme = std::fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let mut named = 0;
    for row in readme.lines().filter(|line| line.starts_with("| ") && line.contains("` |")) {
        for test in row.split("<br>").map(|part| part.rsplit("| ").next().unwrap_or(part)) {
            let Some((place, name)) = test.trim_end_matches(" |").split_once(" `") else {
                continue;
            };
            let name = name.trim_end_matches('`');
            if name.contains('_') {
                let place = place.trim();
                assert!(tests_of(place).contains(name), "{place} has no test {name}");
                named += 1;
            }
        }
    }
    assert!(named > 120, "the table was read wrongly: only {named} tests found");
}

/// The functions in a file of tests, named as the README does: `p/`, `e/` and `g/` are its short
/// forms.
fn tests_of(place: &str) -> HashSet<String> {
    let place = match place.split_once('/') {
        Some(("p", file)) => format!("protocol/tests/{file}.rs"),
        Some(("e", file)) => format!("tests/{file}.rs"),
        Some(("g", file)) => format!("tests/gateway/{file}.rs"),
        _ => format!("{place}.rs"),
    };
    let source = std::fs::read_to_string(Path::new(ROOT).join(&place))
        .unwrap_or_else(|error| panic!("{place}: {error}"));
    let functions = source.split("fn ").skip(1);
    functions.filter_map(|rest| rest.split('(').next()).map(str::to_owned).collect()
}
