//! Compiled components, kept between runs in the user's cache directory.
//!
//! A file is named after the component and the engine that it was compiled for, and starts with the
//! digest of its contents. One that is cut short, damaged or made for another engine is not loaded
//! but made anew. That the user's own cache directory is written by nobody else is what loading
//! machine code from it rests on; a file beside a component could not promise that.

use sha2::{Digest, Sha256};
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use wasmtime::Engine;
use wasmtime::component::Component;

const DIGEST_BYTES: usize = 32;
/// How many compiled components are kept.
const KEPT_FILES: usize = 32;

/// The component in `wasm`, from the cache or compiled. A cache that cannot be used is done without.
pub(crate) fn load(engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Component> {
    load_with(engine, wasm, cache_directory().as_deref())
}

fn load_with(engine: &Engine, wasm: &[u8], cache: Option<&Path>) -> wasmtime::Result<Component> {
    let Some(cache) = cache else {
        return Component::from_binary(engine, wasm);
    };
    let file = cache.join(format!("{}.cwasm", key(engine, wasm)));
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
    deserialize(engine, compiled).ok()
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
    let unfinished = file.with_extension(format!("{}.part", std::process::id()));
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

/// Removes the oldest files beyond [`KEPT_FILES`].
fn prune(cache: &Path) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(cache)? {
        let entry = entry?;
        files.push((entry.metadata()?.modified()?, entry.path()));
    }
    files.sort_unstable();
    let surplus = files.len().saturating_sub(KEPT_FILES);
    files.iter().take(surplus).try_for_each(|(_, path)| fs::remove_file(path))
}

#[cfg(test)]
mod tests {
    use super::{load_with, read};
    use std::fs;
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
}
