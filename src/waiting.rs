//! The memory of what waits for clients: bodies that they did not send to the end, and answers that
//! they did not take.

/// What each of them has to itself: their number is for the host to limit.
const OWN_BYTES: u64 = 16 * 1024;

/// The bytes that wait, beside [`OWN_BYTES`] of each.
pub(crate) struct Waiting {
    bytes: u64,
    max_bytes: u64,
}

/// The part that one of them has in it. It has to be given back.
#[derive(Default)]
#[must_use]
pub(crate) struct Share(u64);

impl Waiting {
    pub(crate) fn up_to(max_bytes: u64) -> Self {
        Self { bytes: 0, max_bytes }
    }

    /// Makes a share that of so many bytes. False, and nothing is changed, where they are too many.
    pub(crate) fn grow(&mut self, share: &mut Share, bytes: usize) -> bool {
        let new = (bytes as u64).saturating_sub(OWN_BYTES);
        let all = self.bytes - share.0 + new;
        if new > share.0 && all > self.max_bytes {
            return false;
        }
        self.bytes = all;
        share.0 = new;
        true
    }

    pub(crate) fn give_back(&mut self, share: Share) {
        self.bytes -= share.0;
    }
}
