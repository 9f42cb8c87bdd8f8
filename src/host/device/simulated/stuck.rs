//! Kernels that wait for work in another stream, such as a persistent kernel that is stopped by a copy.
//!
//! Here a kernel runs to its end before other work begins, so such a kernel never ends. Whether that is the
//! program's fault is known later: if work that may run concurrently changes the memory that the kernel
//! polls, the simulator is at fault; if the host or other work waits for the kernel first, nothing can ever
//! end it.

use super::Simulated;
use super::clock::{Clock, Stamp};
use super::kernels::Ran;
use super::queue::{Op, OpId};
use crate::device::{CudaError, DeviceId, Failure, Result, Work};
use sim::{Finding, FindingKind, Machine, PolledMemory};

/// A kernel in an endless loop.
#[derive(Debug)]
pub(super) struct Stuck {
    device: DeviceId,
    stamp: Stamp,
    polled: Vec<PolledMemory>,
    finding: Finding,
}

impl Stuck {
    /// Returns the memory polled by the kernel that `work` may change, if any.
    fn released_by<'a>(&'a self, work: &Work, machine: &Machine) -> Option<&'a PolledMemory> {
        let meets = |looked: &PolledMemory, start: u64, bytes: u64| {
            let (first, end) = (looked.first.0, looked.first.0.saturating_add(looked.bytes));
            start < end && first < start.saturating_add(bytes)
        };
        let found = |start: u64, bytes: u64| self.polled.iter().find(|looked| meets(looked, start, bytes));
        match work {
            Work::Copy(copy) => found(copy.dst.0, copy.shape.dst_span()),
            Work::Set(set) => found(set.dst.0, set.span()?),
            // A kernel may write through any pointer it is passed.
            Work::Launch(launch) => self.polled.iter().find(|looked| {
                let buffer = machine.find(looked.first);
                launch.params.chunks_exact(8).any(|word| {
                    let pointer = word.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
                    buffer.as_ref().is_some_and(|b| pointer.wrapping_sub(b.base.0) < b.bytes)
                })
            }),
            _ => None,
        }
    }

    fn unsupported(&self, looked: &PolledMemory, machine: &Machine) -> Failure {
        let name = machine.find(looked.first).map_or("memory".into(), |info| info.name);
        Failure::Unsupported {
            what: format!(
                "a kernel that waits for what other work does to `{name}` meanwhile: here, a kernel runs to its \
                 end before work of another stream begins"
            ),
            line: looked.line.clone(),
        }
    }
}

impl Simulated {
    /// Holds back the finding about a kernel that does not end, until it is known whose fault that is.
    pub(super) fn defer_stuck(&mut self, id: OpId, op: &Op, ran: &mut Ran) -> Result<()> {
        let polled = std::mem::take(&mut ran.report.polled);
        let Some(stamp) = self.queue.node(id).and_then(|node| node.stamp) else { return Ok(()) };
        let endless = ran.findings.iter().position(|f| f.kind == FindingKind::EndlessLoop);
        let Some(at) = endless.filter(|_| !polled.is_empty()) else { return Ok(()) };
        // Other findings are reported at once, and destroy the context if they are of such a kind.
        let finding = ran.findings.remove(at);
        ran.lost = ran.findings.iter().find_map(super::kernels::error_of);
        let stuck = Stuck { device: op.device, stamp, polled, finding };
        for other in self.queue.undone().filter_map(|id| self.queue.node(id)) {
            let is_concurrent = !other.clock.as_ref().is_some_and(|clock| clock.covers(stamp));
            if let Some(other) = other.op.as_ref().filter(|_| is_concurrent)
                && let Some(looked) = stuck.released_by(&other.work, &self.machine)
            {
                return Err(stuck.unsupported(looked, &self.machine));
            }
        }
        self.stuck.push(stuck);
        Ok(())
    }

    /// Called before work with the vector clock `clock` begins. After a kernel that does not end, the work
    /// would never begin: the kernel is reported. If the work changes memory that such a kernel polls, the
    /// kernel would end: fails.
    pub(super) fn check_stuck(&mut self, clock: &Clock, work: &Work) -> Result<()> {
        if self.stuck.is_empty() {
            return Ok(());
        }
        self.report_stuck(clock);
        for stuck in &self.stuck {
            if let Some(looked) = stuck.released_by(work, &self.machine) {
                return Err(stuck.unsupported(looked, &self.machine));
            }
        }
        Ok(())
    }

    /// Reports the kernels that do not end and that somebody with the clock `clock` waits for.
    pub(super) fn report_stuck(&mut self, clock: &Clock) {
        let stuck = std::mem::take(&mut self.stuck);
        let (known, kept) = stuck.into_iter().partition(|stuck| clock.covers(stuck.stamp));
        self.stuck = kept;
        self.report_findings(known);
    }

    /// Like [`Simulated::report_stuck`], for the clocks of work that is waited for.
    pub(super) fn report_stuck_before(&mut self, targets: &[OpId]) {
        if self.stuck.is_empty() {
            return;
        }
        let clocks: Vec<_> = targets.iter().filter_map(|&id| self.queue.node(id)?.clock.clone()).collect();
        clocks.iter().for_each(|clock| self.report_stuck(clock));
    }

    /// Reports all kernels that do not end: nothing can end them any more.
    pub(super) fn report_all_stuck(&mut self) {
        let all = std::mem::take(&mut self.stuck);
        self.report_findings(all);
    }

    fn report_findings(&mut self, stuck: Vec<Stuck>) {
        for Stuck { device, finding, .. } in stuck {
            self.order.add(finding);
            self.destroy_context(device, CudaError::LaunchTimeout);
        }
    }
}
