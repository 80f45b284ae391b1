//! The memory that all bodies share.

use std::sync::Arc;

use http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What every body has to itself: the number of connections bounds it.
const OWN_BYTES: usize = 16 * 1024;

/// The place of one body among those of all connections, given back when this is dropped.
pub(super) struct Room {
    all: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl Room {
    /// No place yet, in what is left of `all`, in bytes.
    pub(super) fn of(all: &Arc<Semaphore>) -> Self {
        Self { all: all.clone(), held: None }
    }

    /// Holds a place for so many bytes in all.
    ///
    /// # Errors
    ///
    /// There is none: a 503.
    pub(super) fn hold(&mut self, bytes: usize) -> Result<(), StatusCode> {
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = bytes.saturating_sub(OWN_BYTES).saturating_sub(held);
        if more == 0 {
            return Ok(());
        }
        let more = u32::try_from(more).map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
        let full = |_| StatusCode::SERVICE_UNAVAILABLE;
        let permit = self.all.clone().try_acquire_many_owned(more).map_err(full)?;
        match &mut self.held {
            Some(held) => held.merge(permit),
            None => self.held = Some(permit),
        }
        Ok(())
    }
}
