//! What all connections have read.

use crate::Result;
use crate::figures::percentile;
use crate::stamp::Stamp;
use std::cell::{Cell, RefCell};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

const BUFFER_BYTES: usize = 64 * 1024;
/// How long nothing at all may happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// What all connections have read.
pub(super) struct Tally {
    /// What every connection reads into.
    pub(super) buffer: RefCell<Vec<u8>>,
    failure: RefCell<Option<String>>,
    changed: Notify,
    open: Cell<u64>,
    frames: Cell<u64>,
    /// One above the greatest number of a frame.
    next_number: Cell<u64>,
    wanted: RefCell<Wanted>,
}

/// What is to be known of each frame, beside that it came.
pub(super) enum Wanted {
    Nothing,
    /// How old each is, in nanoseconds.
    Ages(Vec<u64>),
    /// For each frame from `first` on: how many connections have it, and its age at the last one.
    Last {
        first: u64,
        frames: Vec<(u64, u64)>,
    },
    /// For each burst of `size` frames: how many connections have all of it.
    Bursts {
        size: u64,
        connections: Vec<u64>,
        complete: u64,
    },
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            buffer: RefCell::new(vec![0; BUFFER_BYTES]),
            failure: RefCell::default(),
            changed: Notify::new(),
            open: Cell::default(),
            frames: Cell::default(),
            next_number: Cell::default(),
            wanted: RefCell::new(Wanted::Nothing),
        }
    }

    pub(super) fn frames(&self) -> u64 {
        self.frames.get()
    }

    pub(super) fn open(&self) -> u64 {
        self.open.get()
    }

    pub(super) fn next_number(&self) -> u64 {
        self.next_number.get()
    }

    pub(super) fn wanted(&self) -> std::cell::RefMut<'_, Wanted> {
        self.wanted.borrow_mut()
    }

    pub(super) fn want(&self, wanted: Wanted) -> Wanted {
        self.wanted.replace(wanted)
    }

    /// Something went wrong: whoever waits is told.
    pub(super) fn fail(&self, why: String) {
        self.failure.borrow_mut().get_or_insert(why);
        self.changed.notify_one();
    }

    /// Whether something went wrong.
    ///
    /// # Errors
    ///
    /// It did.
    pub(super) fn check(&self) -> Result<()> {
        match &*self.failure.borrow() {
            Some(why) => Err(why.clone().into()),
            None => Ok(()),
        }
    }

    pub(super) fn opened(&self) {
        self.open.set(self.open.get() + 1);
        self.changed.notify_one();
    }

    /// All connections are closed.
    pub(super) fn closed(&self) {
        self.open.set(0);
        self.next_number.set(0);
        self.want(Wanted::Nothing);
    }

    pub(super) fn take(&self, stamp: Stamp, now: u64) {
        self.frames.set(self.frames.get() + 1);
        self.next_number.set(self.next_number.get().max(stamp.number + 1));
        let age = now.saturating_sub(stamp.time);
        match &mut *self.wanted.borrow_mut() {
            Wanted::Nothing => {}
            Wanted::Ages(ages) => ages.push(age),
            Wanted::Last { first, frames } => {
                let Some(index) = stamp.number.checked_sub(*first) else {
                    return;
                };
                let (connections, oldest) = entry(frames, index);
                *connections += 1;
                *oldest = age.max(*oldest);
                if *connections == self.open.get() {
                    self.changed.notify_one();
                }
            }
            Wanted::Bursts { size, connections, complete } => {
                if (stamp.number + 1).is_multiple_of(*size) {
                    let having = entry(connections, stamp.number / *size);
                    *having += 1;
                    if *having == self.open.get() {
                        *complete += 1;
                        self.changed.notify_one();
                    }
                }
            }
        }
    }

    /// Waits until it is so.
    ///
    /// # Errors
    ///
    /// A connection failed, or nothing happens any more.
    pub(super) async fn until(&self, is_so: impl Fn(&Self) -> bool) -> Result<()> {
        while !is_so(self) {
            self.check()?;
            if timeout(PATIENCE, self.changed.notified()).await.is_err() {
                return Err(format!("nothing happens after {} frames", self.frames()).into());
            }
        }
        self.check()
    }
}

impl Wanted {
    /// How many bursts all connections have.
    pub(super) fn complete(&self) -> u64 {
        match self {
            Self::Bursts { complete, .. } => *complete,
            _ => 0,
        }
    }

    /// How many of these frames a number of connections have.
    pub(super) fn at_all(&self, connections: u64) -> usize {
        match self {
            Self::Last { frames, .. } => frames.iter().filter(|it| it.0 == connections).count(),
            _ => 0,
        }
    }

    /// The ages, in microseconds: those below which half and 99 in a hundred are.
    pub(super) fn ages(self) -> (f64, f64) {
        let mut ages: Vec<u64> = match self {
            Self::Ages(ages) => ages,
            Self::Last { frames, .. } => frames.into_iter().map(|(_, oldest)| oldest).collect(),
            Self::Nothing | Self::Bursts { .. } => Vec::new(),
        };
        ages.sort_unstable();
        let at = |share| percentile(&ages, share) as f64 / 1000.0;
        (at(0.5), at(0.99))
    }
}

fn entry<T: Clone + Default>(entries: &mut Vec<T>, index: u64) -> &mut T {
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    if index >= entries.len() {
        entries.resize(index + 1, T::default());
    }
    &mut entries[index]
}

#[cfg(test)]
mod tests {
    use super::{Tally, Wanted};
    use crate::stamp::Stamp;

    #[test]
    fn a_burst_is_complete_once_every_connection_has_it() {
        let tally = Tally::new();
        tally.opened();
        tally.opened();
        tally.want(Wanted::Bursts { size: 2, connections: Vec::new(), complete: 0 });
        let take = |number| tally.take(Stamp { number, time: 0 }, 0);
        [0, 1, 0].into_iter().for_each(take);
        assert_eq!(tally.wanted().complete(), 0);
        take(1);
        assert_eq!(tally.wanted().complete(), 1);
    }

    #[test]
    fn the_last_connection_says_how_old_a_frame_is() {
        let tally = Tally::new();
        tally.opened();
        tally.opened();
        tally.want(Wanted::Last { first: 0, frames: Vec::new() });
        tally.take(Stamp { number: 0, time: 1000 }, 9000);
        assert_eq!(tally.wanted().at_all(2), 0);
        tally.take(Stamp { number: 0, time: 1000 }, 4000);
        assert_eq!(tally.wanted().at_all(2), 1);
        assert_eq!(tally.want(Wanted::Nothing).ages(), (8.0, 8.0));
    }
}
