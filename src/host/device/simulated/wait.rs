//! Waiting for work, and the end of the program.

use super::Simulated;
use super::perform::work_finding;
use super::queue::OpId;
use crate::device::{
    CudaError, DeviceId, EventId, Failure, Host, Library, Result, Site, StreamId, WaitTarget, Work, fail_if,
};
use sim::{Access, Actor, Evidence, FindingKind};

impl Simulated {
    /// Fails within a host function, where calls that enqueue work are not allowed.
    pub(super) fn not_in_callback(&self) -> Result<()> {
        if self.host.function.is_some() { Err(CudaError::NotPermitted.into()) } else { Ok(()) }
    }

    /// Returns the work that must complete, and the device whose errors are reported.
    fn targets(&mut self, until: WaitTarget) -> Result<(Vec<OpId>, DeviceId)> {
        Ok(match until {
            WaitTarget::Stream(stream) => {
                let device = self.stream_device(stream)?;
                let tails = if stream.0 < StreamId::FIRST_CREATED {
                    self.tails(stream)
                } else {
                    self.streams.tail(stream).into_iter().collect()
                };
                (tails, device)
            }
            WaitTarget::Event(event) => {
                let event = self.events.get(event)?;
                (event.mark.into_iter().collect(), event.device)
            }
            WaitTarget::Device(device) => (self.streams.of_device(device), device),
        })
    }

    pub(super) fn wait_for(&mut self, until: WaitTarget, site: &Site, host: &mut dyn Host) -> Result<()> {
        let (targets, device) = self.targets(until)?;
        self.wait_for_ops(&targets, device, site, host)
    }

    pub(super) fn wait_for_ops(
        &mut self,
        targets: &[OpId],
        device: DeviceId,
        site: &Site,
        host: &mut dyn Host,
    ) -> Result<()> {
        if !self.run_needed(targets, host)? {
            self.report_endless(targets, site);
            return Err(Failure::Ended);
        }
        self.report_stuck_before(targets);
        let spans: Vec<_> = targets.iter().filter_map(|&id| self.queue.node(id)?.span).collect();
        self.time.wait(spans);
        self.learn(targets);
        self.printed.flush();
        self.check_context(device)
    }

    /// Records that the host now knows this work to be done.
    pub(super) fn learn(&mut self, done: &[OpId]) {
        let nodes = done.iter().filter_map(|&id| self.queue.node(id));
        self.host.learn(nodes.filter_map(|node| Some((node.clock.as_deref()?, node.stamp?))));
        self.host.has_work = !self.streams.last_work().all(|op| self.is_known(op));
        if !self.pending_frees.is_empty() {
            self.release_freed(false);
        }
        if !self.host.has_work {
            self.host.has_host_functions = false;
            self.host.may_use_locals = false;
            self.host.signals.clear();
            self.streams.forget_gone(|_| true);
            if self.pending_frees.is_empty() {
                self.order.forget_all();
            }
        } else {
            self.order.forget(&self.host.known);
        }
    }

    pub(super) fn ask_done(&mut self, until: WaitTarget, is_seen: bool, host: &mut dyn Host) -> Result<bool> {
        let (targets, device) = self.targets(until)?;
        if !self.run_needed(&targets, host)? {
            return Ok(false);
        }
        self.report_stuck_before(&targets);
        for &id in &targets {
            if let Some(span) = self.queue.node(id).and_then(|n| n.span)
                && !self.time.is_done(span)
            {
                return Ok(false);
            }
        }
        if is_seen {
            self.learn(&targets);
        }
        self.check_context(device).map(|()| true)
    }

    /// Returns when an event's last record was executed, in nanoseconds.
    pub(super) fn event_ns(&mut self, event: EventId) -> Result<u64> {
        let event = self.events.get(event)?;
        fail_if(!event.timing, CudaError::InvalidResourceHandle)?;
        let mark = event.mark.ok_or(CudaError::InvalidResourceHandle)?;
        let span = self.queue.node(mark).and_then(|n| n.span).ok_or(CudaError::NotReady)?;
        fail_if(!self.time.is_done(span), CudaError::NotReady)?;
        Ok(self.time.end_ns(span))
    }

    /// Reports a wait for collectives whose other parts can no longer be enqueued.
    fn report_endless(&mut self, targets: &[OpId], site: &Site) {
        let mut open: Vec<OpId> = targets.to_vec();
        let mut seen = std::collections::HashSet::new();
        while let Some(id) = open.pop() {
            let Some(op) = self.queue.node(id).filter(|n| n.clock.is_none()).and_then(|n| n.op.as_ref())
            else {
                continue;
            };
            if !seen.insert(id) {
                continue;
            }
            open.extend(&op.after);
            let Work::Library(Library::Collective(part)) = &op.work else { continue };
            let come = self.rounds.come(part);
            let mut finding = work_finding(
                FindingKind::CollectiveDeadlock,
                &op.by,
                vec![Evidence::PartsGiven { given: come as u32, parts: part.ranks }],
            );
            finding.other = Some(Access::by(Actor::Host, site.location.clone()));
            self.order.add(finding);
            return;
        }
    }

    /// Ends the program. Output that nobody waited for is lost.
    pub(super) fn end_program(&mut self, host: &mut dyn Host) -> Result<()> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        self.run_all(host)?;
        self.report_all_stuck();
        if let Some(by) = self.printed.discard()
            && self.lost.iter().all(Option::is_none)
        {
            self.order.add(work_finding(FindingKind::NeverAwaited, &by, vec![Evidence::PrintLost]));
        }
        Ok(())
    }
}
