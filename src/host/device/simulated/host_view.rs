//! The host's knowledge of enqueued work, and whether it is running a host function.

use super::clock::{Clock, Stamp};
use super::queue::OpId;
use super::shadow::Touch;
use std::collections::HashMap;
use std::sync::Arc;

/// The host's position in the happens-before order.
#[derive(Debug, Default)]
pub(super) struct HostView {
    /// Work that the host knows to be done.
    pub known: Arc<Clock>,
    /// Released work with results: all but records of events, waits for them, and management of memory.
    pub results: Clock,
    /// Work has been enqueued since the host last knew all work to be done.
    pub has_work: bool,
    /// A host function has been enqueued since the host last knew all work to be done.
    pub has_host_functions: bool,
    /// Such a function is passed the address of a local variable that may end: work waits until the host waits for it,
    /// so that a use of the variable after its end is seen.
    pub may_use_locals: bool,
    /// The memory accesses of the host function that is running, if one is.
    pub function: Option<Vec<Touch>>,
    /// The host function that is running, if one is.
    pub running: Option<OpId>,
    /// The host functions whose signals that one has seen.
    pub seen: Vec<OpId>,
    /// The host function that last wrote to an address of the host's own memory by a volatile or atomic store, behind
    /// those whose signals it had seen.
    pub signals: HashMap<u64, Vec<OpId>>,
    /// Number of volatile or atomic reads while some work was not known to be done.
    pub polls: u32,
}

impl HostView {
    /// Returns whether the host itself is running while there is work that it does not know to be done.
    pub fn has_concurrent_work(&self) -> bool {
        self.function.is_none() && self.has_work
    }

    pub fn knows(&self, stamp: Stamp) -> bool {
        self.known.covers(stamp)
    }

    /// Adds work, given by clocks and stamps, to what the host knows to be done.
    pub fn learn<'a>(&mut self, done: impl Iterator<Item = (&'a Clock, Stamp)>) {
        let before = Arc::clone(&self.known);
        for (clock, _) in done.filter(|(_, stamp)| !before.covers(*stamp)) {
            Arc::make_mut(&mut self.known).join(clock);
        }
    }
}
