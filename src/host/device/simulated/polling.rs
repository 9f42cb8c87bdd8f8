//! A host that polls for values that a running kernel writes: a flag in mapped memory, or a progress counter.

use super::Simulated;
use super::queue::OpId;
use super::virtual_time;
use crate::device::{Host, Result};
use sim::Address;

/// Number of polls after which all enqueued work is executed under a schedule that defers it: by then a GPU
/// would have started it long ago.
const LOOKS: u32 = 256;

impl Simulated {
    /// Prepares for the host's read of memory by a volatile or atomic load. If work wrote to that memory, the
    /// host sees its result, and thereby knows that the work is done. Since a kernel is executed as a whole
    /// here, its writes before and after a flag cannot be told apart, and reading either is not a finding.
    pub(super) fn poll(&mut self, address: Address, bytes: u64, host: &mut dyn Host) -> Result<()> {
        if !self.host.has_concurrent_work() {
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
