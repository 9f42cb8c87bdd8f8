//! The host's virtual clock.

use crate::device::HostCost;
use crate::device::model::HostCosts;

/// What the program's thread has spent, in virtual nanoseconds since the program's start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HostClock {
    ns: u64,
    /// Part of a nanosecond that is not yet in `ns`.
    part: f64,
}

impl HostClock {
    pub fn now_ns(&self) -> u64 {
        self.ns
    }

    /// The host spends time.
    pub fn spend(&mut self, costs: &HostCosts, cost: HostCost) {
        self.pass(costs.of(cost));
    }

    /// `ns` pass.
    pub fn pass(&mut self, ns: f64) {
        let whole = (self.part + ns.max(0.0)).floor();
        self.part = (self.part + ns.max(0.0) - whole).clamp(0.0, 1.0);
        self.ns = self.ns.saturating_add(whole as u64);
    }

    /// The host waits until `ns`, if that is still to come. Says whether it had to.
    pub fn wait_until(&mut self, ns: u64) -> bool {
        let waits = ns > self.ns;
        if waits {
            self.ns = ns;
            self.part = 0.0;
        }
        waits
    }
}
