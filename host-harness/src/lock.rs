//! Locks whose holders do nothing that can fail half-way.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, even where a thread panicked while it held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
