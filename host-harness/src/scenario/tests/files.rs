use std::path::PathBuf;

use super::super::{MAX_BYTES, Scenario};
use super::{DONE, STEPS_FOLLOW, TURN, error, source};

/// A folder of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let name = format!("scenario-tests-{}-{test}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind in the folder for temporary files harms no test.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_files_errors_have_its_path() {
    let folder = Folder::new("path");
    let path = folder.file("order.scenario", source(&[TURN, DONE, TURN, DONE].concat()).as_bytes());
    assert_eq!(
        Scenario::read(&path).expect_err("invalid").to_string(),
        format!("{}:4: step 2 (end): {STEPS_FOLLOW}", path.display())
    );
}

#[test]
fn a_file_that_is_not_there_is_told() {
    let folder = Folder::new("absent");
    let path = folder.0.join("not-there.scenario");
    assert_eq!(
        Scenario::read(&path).expect_err("unreadable").to_string(),
        format!("{}: cannot be read: No such file or directory (os error 2)", path.display())
    );
}

#[test]
fn a_file_is_at_most_a_mebibyte() {
    let folder = Folder::new("size");
    let mut source = source(&[TURN, DONE].concat());
    source.push_str(&"#".repeat(MAX_BYTES - source.len()));
    let path = folder.file("large.scenario", source.as_bytes());
    assert_eq!(Scenario::read(&path).expect("valid").name(), "large");

    source.push('#');
    let path = folder.file("larger.scenario", source.as_bytes());
    let wrong = "is larger than 1 MiB, the most that a scenario file may hold";
    assert_eq!(
        Scenario::read(&path).expect_err("too large").to_string(),
        format!("{}: {wrong}", path.display())
    );
    assert_eq!(error(&source), format!("test.scenario: {wrong}"));
}

#[test]
fn only_a_regular_file_is_read() {
    let told = |path: &std::path::Path| Scenario::read(path).expect_err("not read").to_string();
    let zero = std::path::Path::new("/dev/zero");
    assert_eq!(told(zero), "/dev/zero: is not a regular file");
    let folder = Folder::new("regular");
    let path = folder.0.display();
    assert_eq!(
        told(&folder.0),
        format!("{path}: is a directory; name the files in it, such as {path}/*.scenario")
    );
}

#[test]
fn a_file_is_utf_8() {
    let folder = Folder::new("utf-8");
    let path = folder.file("latin.scenario", b"about = \"x\"\n# caf\xe9\n");
    assert_eq!(
        Scenario::read(&path).expect_err("not UTF-8").to_string(),
        format!("{}:2: this line is not UTF-8; a scenario file is UTF-8 text", path.display())
    );
}
