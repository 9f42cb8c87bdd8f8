//! The host looks for what a kernel writes while it runs: at a flag in mapped memory, or at how far it is.

use super::Simulated;
use super::queue::OpId;
use super::virtual_time;
use crate::device::{Failure, Host};
use sim::Address;

/// Looks after which all work that was given is done, under a schedule that puts it off: a GPU has long
/// begun with it by then.
const LOOKS: u32 = 256;

impl Simulated {
    /// The host is about to read a stretch of memory by a volatile or atomic load. Where work wrote there,
    /// the host sees that, and knows that the work is done: a kernel runs as a whole here, so what it
    /// wrote before a flag and behind it are not told apart, and reading either is no finding.
    pub(super) fn poll(&mut self, address: Address, bytes: u64, host: &mut dyn Host) -> Result<(), Failure> {
        if !self.host.is_beside_work() {
            return Ok(());
        }
        self.host.polls = self.host.polls.wrapping_add(1);
        if self.host.polls.is_multiple_of(LOOKS) {
            self.run_all(host)?;
        }
        let stamps = self.order.writers(virtual_time::at(address, bytes), &self.host.known);
        if stamps.is_empty() {
            return Ok(());
        }
        let seen: Vec<OpId> = stamps.into_iter().filter_map(|stamp| self.queue.of_stamp(stamp)).collect();
        let spans: Vec<_> = seen.iter().filter_map(|&id| self.queue.node(id)?.span).collect();
        self.time.wait(spans);
        self.learn(&seen);
        Ok(())
    }
}
