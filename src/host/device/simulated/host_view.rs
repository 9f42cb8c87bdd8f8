//! What the host knows of the work that it gave, and whether it runs a host function.

use super::clock::{Clock, Stamp};
use super::shadow::Touch;
use std::sync::Arc;

/// The host, as far as order goes.
#[derive(Debug)]
pub(super) struct HostView {
    /// Work it knows to be done.
    pub known: Arc<Clock>,
    /// Nothing was given since it knew all to be done.
    pub is_idle: bool,
    /// A host function was given since.
    pub gave_functions: bool,
    /// What the host function that runs has touched.
    pub function: Option<Vec<Touch>>,
    /// Strong reads while work was not known to be done.
    pub polls: u32,
}

impl Default for HostView {
    fn default() -> HostView {
        HostView { known: Arc::default(), is_idle: true, gave_functions: false, function: None, polls: 0 }
    }
}

impl HostView {
    /// Whether the host itself runs beside work that it does not know to be done.
    pub fn is_beside_work(&self) -> bool {
        self.function.is_none() && !self.is_idle
    }

    pub fn knows(&self, stamp: Stamp) -> bool {
        self.known.covers(stamp)
    }

    /// Work with these clocks and stamps is known to be done.
    pub fn learn<'a>(&mut self, done: impl Iterator<Item = (&'a Clock, Stamp)>) {
        let before = Arc::clone(&self.known);
        for (clock, _) in done.filter(|(_, stamp)| !before.covers(*stamp)) {
            Arc::make_mut(&mut self.known).join(clock);
        }
    }
}
