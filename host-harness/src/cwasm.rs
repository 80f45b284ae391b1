//! Compiled components, kept between runs in the user's cache directory.
//!
//! A file is named after the component and the engine that it was compiled for, and starts with the
//! digest of its contents. One that is cut short, damaged or made for another engine is not loaded
//! but made anew. That the user's own cache directory is written by nobody else is what loading
//! machine code from it rests on; a file beside a component could not promise that.

use sha2::{Digest, Sha256};
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use wasmtime::Engine;
use wasmtime::component::Component;

const DIGEST_BYTES: usize = 32;
/// How many compiled components are kept.
const KEPT_FILES: usize = 32;
/// How old a file is that its writer has left unfinished: writing one takes well under a minute.
const STALE: Duration = Duration::from_secs(60 * 60);
/// What a compiled component's file is called, and one that is being written.
const KEPT: &str = "cwasm";
const UNFINISHED: &str = "part";

/// The component in `wasm`, from the cache or compiled. A cache that cannot be used is done without.
pub(crate) fn load(engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Component> {
    load_with(engine, wasm, cache_directory().as_deref())
}

fn load_with(engine: &Engine, wasm: &[u8], cache: Option<&Path>) -> wasmtime::Result<Component> {
    let Some(cache) = cache else {
        return Component::from_binary(engine, wasm);
    };
    let file = cache.join(format!("{}.{KEPT}", key(engine, wasm)));
    if let Some(component) = read(engine, &file) {
        return Ok(component);
    }
    let component = Component::from_binary(engine, wasm)?;
    let kept = component.serialize().map_err(io::Error::other);
    if let Err(error) = kept.and_then(|compiled| write(cache, &file, &compiled)) {
        tracing::debug!(%error, file = %file.display(), "the compiled component is not kept");
    }
    Ok(component)
}

/// `$XDG_CACHE_HOME/capsule-stream`, or the same in `~/.cache`.
fn cache_directory() -> Option<PathBuf> {
    let base = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = base.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cache")))?;
    base.is_absolute().then(|| base.join("capsule-stream"))
}

fn key(engine: &Engine, wasm: &[u8]) -> String {
    struct Sha256Hasher(Sha256);
    impl Hasher for Sha256Hasher {
        fn finish(&self) -> u64 {
            0
        }

        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
    }
    let mut hasher = Sha256Hasher(Sha256::new_with_prefix(wasm));
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{:x}", hasher.0.finalize())
}

fn read(engine: &Engine, file: &Path) -> Option<Component> {
    let contents = fs::read(file).ok()?;
    let (digest, compiled) = contents.split_at_checked(DIGEST_BYTES)?;
    if Sha256::digest(compiled).as_slice() != digest {
        tracing::debug!(file = %file.display(), "a damaged compiled component is made anew");
        return None;
    }
    let component = deserialize(engine, compiled).ok()?;
    // The one that was used least recently goes first; a cache that is read-only still serves.
    let _ =
        File::options().append(true).open(file).and_then(|it| it.set_modified(SystemTime::now()));
    Some(component)
}

#[allow(
    unsafe_code,
    reason = "machine code is trusted by where it was found: see the module's documentation"
)]
fn deserialize(engine: &Engine, compiled: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the bytes are those that `write` stored, by their digest, for this very engine, by
    // the file's name, in a directory that only this user writes to.
    unsafe { Component::deserialize(engine, compiled) }
}

fn write(cache: &Path, file: &Path, compiled: &[u8]) -> io::Result<()> {
    create_private_directory(cache)?;
    let mut contents = Sha256::digest(compiled).to_vec();
    contents.extend_from_slice(compiled);
    // Other processes see either no file or a whole one.
    let unfinished = unfinished(file);
    let written = fs::write(&unfinished, contents).and_then(|()| fs::rename(&unfinished, file));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    prune(cache)?;
    written
}

fn create_private_directory(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Where `file` is written before it is whole: another name for every writer, also of one process.
fn unfinished(file: &Path) -> PathBuf {
    static WRITERS: AtomicU64 = AtomicU64::new(0);
    let writer = WRITERS.fetch_add(1, Ordering::Relaxed);
    file.with_extension(format!("{}-{writer}.{UNFINISHED}", std::process::id()))
}

/// Removes the compiled components beyond [`KEPT_FILES`] that were used least recently, and what a
/// writer has left unfinished. Other files are not this program's.
fn prune(cache: &Path) -> io::Result<()> {
    let mut kept = Vec::new();
    let mut gone = Vec::new();
    for entry in fs::read_dir(cache)? {
        let entry = entry?;
        let path = entry.path();
        // Another process may have removed it just now.
        let Ok(modified) = entry.metadata().and_then(|metadata| metadata.modified()) else {
            continue;
        };
        match path.extension().and_then(OsStr::to_str) {
            Some(KEPT) => kept.push((modified, path)),
            Some(UNFINISHED) if modified.elapsed().is_ok_and(|age| age > STALE) => gone.push(path),
            _ => {}
        }
    }
    kept.sort_unstable();
    kept.truncate(kept.len().saturating_sub(KEPT_FILES));
    gone.extend(kept.into_iter().map(|(_, path)| path));
    for path in gone {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{KEPT_FILES, STALE, load_with, prune, read, unfinished};
    use std::collections::BTreeSet;
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::{Duration, SystemTime};
    use wasmtime::{Config, Engine};

    #[test]
    fn a_kept_component_is_loaded_and_a_damaged_one_is_made_anew() {
        let cache = tempfile::tempdir().unwrap();
        let engine = Engine::new(&Config::new()).unwrap();
        let wasm = b"\0asm\x0d\0\x01\0";
        load_with(&engine, wasm, Some(cache.path())).unwrap();
        let file = fs::read_dir(cache.path()).unwrap().next().unwrap().unwrap().path();
        assert!(read(&engine, &file).is_some());

        let mut contents = fs::read(&file).unwrap();
        let last = contents.len() - 1;
        contents[last] ^= 1;
        fs::write(&file, &contents).unwrap();
        assert!(read(&engine, &file).is_none());
        load_with(&engine, wasm, Some(cache.path())).unwrap();
        assert!(read(&engine, &file).is_some());

        fs::write(&file, b"short").unwrap();
        assert!(read(&engine, &file).is_none());
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_done_without() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a-file");
        fs::write(&file, "").unwrap();
        let engine = Engine::new(&Config::new()).unwrap();
        assert!(load_with(&engine, b"\0asm\x0d\0\x01\0", Some(&file.join("cache"))).is_ok());
    }

    /// Makes a file that was last used so long ago.
    fn used(directory: &Path, name: &str, ago: Duration) {
        let file = File::create(directory.join(name)).unwrap();
        file.set_modified(SystemTime::now() - ago).unwrap();
    }

    fn names(directory: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn what_was_used_least_recently_goes_and_what_is_not_the_caches_own_stays() {
        let cache = tempfile::tempdir().unwrap();
        let second = Duration::from_secs(1);
        for number in 0..=KEPT_FILES {
            // The newest first, so that neither order of names or of making decides.
            used(cache.path(), &format!("{number:02}.cwasm"), number as u32 * second);
        }
        used(cache.path(), "abandoned.7-0.part", STALE + second);
        used(cache.path(), "now.7-1.part", Duration::ZERO);
        used(cache.path(), "notes.txt", 24 * STALE);
        let mut expected = names(cache.path());
        prune(cache.path()).unwrap();
        expected.remove(&format!("{KEPT_FILES:02}.cwasm"));
        expected.remove("abandoned.7-0.part");
        assert_eq!(names(cache.path()), expected);
    }

    #[test]
    fn a_component_that_is_loaded_was_used_just_now() {
        let cache = tempfile::tempdir().unwrap();
        let engine = Engine::new(&Config::new()).unwrap();
        let wasm = b"\0asm\x0d\0\x01\0";
        load_with(&engine, wasm, Some(cache.path())).unwrap();
        let name = names(cache.path()).pop_first().unwrap();
        used_again(&cache.path().join(&name), 24 * STALE);
        load_with(&engine, wasm, Some(cache.path())).unwrap();
        let modified = fs::metadata(cache.path().join(name)).unwrap().modified().unwrap();
        assert!(modified.elapsed().unwrap() < STALE);
    }

    fn used_again(file: &Path, ago: Duration) {
        let file = File::options().append(true).open(file).unwrap();
        file.set_modified(SystemTime::now() - ago).unwrap();
    }

    #[test]
    fn two_writers_of_one_file_do_not_write_to_the_same_place() {
        let file = Path::new("cache/component.cwasm");
        assert_ne!(unfinished(file), unfinished(file));
        assert_eq!(unfinished(file).parent(), file.parent());
    }
}
