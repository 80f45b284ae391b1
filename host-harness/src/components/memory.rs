//! How much memory a store takes.

use wasmtime::{Error, ResourceLimiter, Result};

/// What a table's element takes, in bytes.
const ELEMENT_BYTES: usize = 16;

/// Counts what all memories and tables of a store take together, and traps what goes beyond.
#[derive(Debug)]
pub(crate) struct MemoryLimit {
    most: usize,
    taken: usize,
}

impl MemoryLimit {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, taken: 0 }
    }

    fn take(&mut self, bytes: usize) -> Result<bool> {
        let taken = self.taken.saturating_add(bytes);
        if taken > self.most {
            // Not a failed growth, of which the component would only say that it cannot go on.
            return Err(Error::msg(format!("it takes more than {} of memory", size(self.most))));
        }
        self.taken = taken;
        Ok(true)
    }
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        self.take(desired.saturating_sub(current))
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        self.take(desired.saturating_sub(current).saturating_mul(ELEMENT_BYTES))
    }
}

fn size(bytes: usize) -> String {
    const MIB: usize = 1024 * 1024;
    if bytes.is_multiple_of(MIB) {
        format!("{} MiB", bytes / MIB)
    } else {
        format!("{bytes} bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryLimit;
    use wasmtime::ResourceLimiter;

    #[test]
    fn memories_and_tables_count_together() {
        let mut limit = MemoryLimit::new(1000);
        assert!(limit.memory_growing(0, 400, None).unwrap());
        assert!(limit.memory_growing(400, 500, None).unwrap());
        assert!(limit.table_growing(0, 30, None).unwrap());
        let error = limit.memory_growing(0, 21, None).unwrap_err();
        assert_eq!(error.to_string(), "it takes more than 1000 bytes of memory");
        assert!(limit.memory_growing(0, 20, None).unwrap());
    }
}
