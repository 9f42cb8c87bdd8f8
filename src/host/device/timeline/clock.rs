//! The host's virtual clock.

use crate::device::HostCost;
use crate::device::model::HostCosts;

/// The time spent by the program's thread, in virtual nanoseconds since the program's start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HostClock {
    ns: u64,
    /// Fraction of a nanosecond not yet included in `ns`.
    part: f64,
}

impl HostClock {
    pub fn now_ns(&self) -> u64 {
        self.ns
    }

    /// Advances the clock by the host's cost of `cost`.
    pub fn spend(&mut self, costs: &HostCosts, cost: HostCost) {
        self.pass(costs.of(cost));
    }

    /// Advances the clock by `ns` nanoseconds.
    pub fn pass(&mut self, ns: f64) {
        let whole = (self.part + ns.max(0.0)).floor();
        self.part = (self.part + ns.max(0.0) - whole).clamp(0.0, 1.0);
        self.ns = self.ns.saturating_add(whole as u64);
    }

    /// Advances the clock to `ns` if that is in the future. Returns whether it was.
    pub fn wait_until(&mut self, ns: u64) -> bool {
        let waits = ns > self.ns;
        if waits {
            self.ns = ns;
            self.part = 0.0;
        }
        waits
    }
}
