//! A host that polls for values that work writes: a flag in mapped memory or a progress counter of a kernel, an atomic
//! variable of a host function.

use super::Simulated;
use super::queue::OpId;
use super::virtual_time;
use crate::device::{Host, Result};
use sim::{AccessKind, Address};
use std::sync::Arc;

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
        self.count_poll(host)?;
        let stamps = self.order.writers(virtual_time::at(address, bytes), &self.host.known);
        if stamps.is_empty() {
            return Ok(());
        }
        let seen: Vec<OpId> = stamps.into_iter().filter_map(|stamp| self.queue.of_stamp(stamp)).collect();
        self.see(&seen);
        Ok(())
    }

    fn count_poll(&mut self, host: &mut dyn Host) -> Result<()> {
        self.host.polls = self.host.polls.wrapping_add(1);
        if self.host.polls.is_multiple_of(LOOKS) { self.run_all(host) } else { Ok(()) }
    }

    /// Lets the host go on when this work is done, which it then knows.
    fn see(&mut self, work: &[OpId]) {
        let spans: Vec<_> = work.iter().filter_map(|&id| self.queue.node(id)?.span).collect();
        self.time.wait(spans);
        self.learn(work);
    }

    /// Orders two host functions, of which the running one sees what the other one signals. Where the schedule has put
    /// the later one first, they are ordered as their accesses are checked: that they are is what counts.
    fn follow(&mut self, signalling: OpId, running: OpId) {
        let ticket = |id| self.queue.node(id)?.ticket;
        let (Some(theirs), Some(own)) = (ticket(signalling), ticket(running)) else { return };
        let (first, second, at) =
            if theirs < own { (signalling, running, own) } else { (running, signalling, theirs) };
        let Some(clock) = self.queue.node(first).and_then(|node| node.clock.clone()) else { return };
        if let Some(node) = self.queue.node_mut(second)
            && let Some(known) = &mut node.clock
        {
            Arc::make_mut(known).join(&clock);
        }
        self.order.follow(at, &clock);
    }

    /// Handles a volatile or atomic access by the host or a host function to the host's own memory, with which they signal
    /// to each other. What a host function wrote last, and the host or another host function reads, tells that the function
    /// was reached, and so that the work before it is done.
    ///
    /// # Errors
    /// Those of the work that is executed meanwhile.
    pub fn signal(&mut self, address: Address, kind: AccessKind, host: &mut dyn Host) -> Result<()> {
        match (self.host.running, kind) {
            (Some(function), AccessKind::Write) => {
                let seen = self.host.seen.iter().copied().filter(|&id| !self.is_known(id));
                let signalling = seen.chain([function]).collect();
                self.host.signals.insert(address.0, signalling);
            }
            (None, AccessKind::Write) => {
                self.host.signals.remove(&address.0);
            }
            (Some(function), _) => {
                for signalling in self.host.signals.get(&address.0).cloned().unwrap_or_default() {
                    if signalling != function && !self.host.seen.contains(&signalling) {
                        self.follow(signalling, function);
                        self.host.seen.push(signalling);
                    }
                }
            }
            (None, _) if self.host.has_concurrent_work() => {
                match kind {
                    // Whether the host takes a lock before a host function does, or after it, is as it happens.
                    AccessKind::Atomic => self.run_all(host)?,
                    _ => self.count_poll(host)?,
                }
                if let Some(signalling) = self.host.signals.get(&address.0).cloned() {
                    self.see(&signalling);
                }
            }
            _ => {}
        }
        Ok(())
    }
}
