//! Executes work when its turn comes, and records its effects.

use super::Simulated;
use super::collective;
use super::queue::{Op, OpId};
use super::shadow::{Bytes, Originator, Touch};
use super::virtual_time::{self, SpanId};
use crate::device::library::Collective;
use crate::device::timeline::{Cost, HostMemory, Route};
use crate::device::{Copy, CudaError, Failure, Host, Launch, Library, Work};
use crate::device::{Result, compute};
use sim::time::KernelWork;
use sim::{Access, AccessKind, Actor, Evidence, Finding, FindingKind, RunLimit, SourceLocation};
use std::collections::HashSet;

/// Maximum amount of pending work under a schedule that defers it.
const MAX_UNDONE: usize = 1 << 16;
/// Number of copied bytes that take this machine about as long as one warp instruction.
const BYTES_PER_INSTRUCTION: u64 = 256;
/// Maximum number of bytes of freed pool memory held back until the host knows that they are freed.
const MAX_PENDING_BYTES: u64 = 1 << 29;

/// The effects of executed work.
#[derive(Default)]
struct Effect {
    touches: Vec<Touch>,
    findings: Vec<Finding>,
    cost: Option<Cost>,
    /// The work of a kernel.
    work: Option<Box<KernelWork>>,
    /// An operation that precedes the work: migration of managed memory.
    before: Option<(&'static str, Cost)>,
}

fn part_of(work: &Work) -> Option<&Collective> {
    match work {
        Work::Library(Library::Collective(part)) => Some(part),
        _ => None,
    }
}

/// Returns whether a program can read what the work does.
fn has_results(work: &Work) -> bool {
    match work {
        Work::Launch(_)
        | Work::Copy(_)
        | Work::Set(_)
        | Work::Library(_)
        | Work::HostFunction { .. }
        | Work::Prefetch { .. } => true,
        Work::PoolAllocate { .. }
        | Work::PoolFree { .. }
        | Work::Record(_)
        | Work::Wait(_)
        | Work::Graph(_)
        | Work::Empty => false,
    }
}

impl Simulated {
    /// Adds work after its predecessors, and releases it if possible.
    pub(super) fn push(&mut self, op: Op) -> OpId {
        self.host.has_work = true;
        if let Work::HostFunction { may_dangle, .. } = op.work {
            self.host.has_host_functions = true;
            self.host.may_use_locals |= may_dangle;
        }
        let part = part_of(&op.work).cloned();
        let id = self.queue.push(op);
        if let Some(part) = part {
            self.rounds.add(id, &part);
        }
        self.release(id);
        id
    }

    /// Releases `id` if possible, and then any work that was held back by it.
    fn release(&mut self, id: OpId) {
        if self.try_release(id) && self.queue.has_unreleased() {
            loop {
                let unreleased: Vec<OpId> = self.queue.unreleased().collect();
                if !unreleased.into_iter().any(|id| self.try_release(id)) {
                    break;
                }
            }
        }
    }

    fn try_release(&mut self, id: OpId) -> bool {
        let part = self.queue.node(id).and_then(|n| n.op.as_ref()).and_then(|op| part_of(&op.work)).cloned();
        let round = match &part {
            None if self.queue.may_be_released(id, &[]) => vec![id],
            None => return false,
            Some(part) => match self.rounds.complete(id, part, &self.queue) {
                Some(round) => round,
                None => return false,
            },
        };
        if let Some(part) = &part {
            self.rounds.close(part, &round);
        }
        for (id, stamp, clock) in self.queue.release(&round, &mut self.chains) {
            let Some(node) = self.queue.node_mut(id) else { continue };
            if let Some(op) = &node.op {
                let by = op.by.clone();
                if has_results(&op.work) {
                    self.host.results.add(stamp);
                }
                node.ticket = Some(self.order.begin(stamp, clock, by));
            }
        }
        true
    }

    /// Executes as much work as the schedule requires after something was enqueued.
    pub(super) fn advance(&mut self, host: &mut dyn Host) -> Result<()> {
        let is_late = self.queue.undone_count() > MAX_UNDONE || self.order.is_long();
        if self.scheduler.is_eager() && !self.host.may_use_locals || is_late {
            self.run_all(host)?;
        } else if !self.host.may_use_locals {
            while self.scheduler.runs_one_more() && self.run_any(host)? {}
        }
        if self.queue.is_large() {
            self.forget();
        }
        Ok(())
    }

    /// Executes all released work, in the order of turns.
    pub(super) fn run_all(&mut self, host: &mut dyn Host) -> Result<()> {
        while let Some(id) = self.queue.first_undone() {
            self.run(id, host)?;
        }
        Ok(())
    }

    /// Executes any one piece of work that can run now. Returns false if there is none.
    fn run_any(&mut self, host: &mut dyn Host) -> Result<bool> {
        let ready: Vec<OpId> = self.queue.undone().filter(|&id| self.queue.may_run(id)).take(64).collect();
        if ready.is_empty() {
            return Ok(false);
        }
        let id = ready[self.scheduler.pick(ready.len())];
        self.run(id, host)?;
        Ok(true)
    }

    /// Executes the work required to complete `targets`, as the schedule determines. Returns false if they
    /// can never complete.
    pub(super) fn run_needed(&mut self, targets: &[OpId], host: &mut dyn Host) -> Result<bool> {
        let Some(needed) = self.queue.needed(targets) else { return Ok(false) };
        if self.scheduler.is_random() {
            while needed.iter().any(|&id| !self.queue.is_done(id)) {
                self.run_any(host)?;
            }
            return Ok(true);
        }
        let in_turn: Vec<OpId> = self.queue.undone().filter(|id| needed.contains(id)).collect();
        for id in in_turn {
            self.run(id, host)?;
        }
        Ok(true)
    }

    /// Executes work, together with the other parts of its collective round.
    fn run(&mut self, id: OpId, host: &mut dyn Host) -> Result<()> {
        let round = self.queue.node(id).and_then(|n| n.round.clone());
        let Some(round) = round else {
            let Some(op) = self.queue.take(id) else { return Ok(()) };
            let effect = self.perform(id, &op, host);
            let (effect, failed) = match effect {
                Ok(effect) => (effect, None),
                Err(failure) => (Effect::default(), Some(failure)),
            };
            self.take_place(id, &op, effect, None);
            return self.absorb(&op, failed);
        };
        let ops: Vec<(OpId, Box<Op>)> =
            round.iter().filter_map(|&id| Some((id, self.queue.take(id)?))).collect();
        let parts: Vec<Collective> = ops.iter().filter_map(|(_, op)| part_of(&op.work)).cloned().collect();
        let lost = ops.iter().any(|(_, op)| self.lost_of(op.device).is_some());
        let mut outside: Vec<Finding> = if lost {
            Vec::new()
        } else {
            let with_parts = ops.iter().filter_map(|(_, op)| Some((op, part_of(&op.work)?)));
            with_parts.filter_map(|(op, part)| self.outside(op, part)).collect()
        };
        let mut mismatch = None;
        for meeting in collective::meetings(&parts) {
            let why = collective::mismatch(&meeting);
            if why.is_none() && !lost && meeting.iter().all(|p| self.fits(p)) {
                compute::complete(&mut self.machine, &meeting);
                for (from, to, bytes) in collective::transfers(&meeting) {
                    self.ledger.shares.add_bytes(from, to, bytes);
                }
            }
            mismatch = mismatch.or(why);
        }
        // All parts begin when the last of them has reached the front of its stream.
        let mut before: Vec<SpanId> = Vec::new();
        for (_, op) in &ops {
            before.extend(self.spans_of(&op.after));
        }
        for (n, (id, op)) in ops.iter().enumerate() {
            let Some(part) = part_of(&op.work) else { continue };
            let spans = compute::spans(&Library::Collective(part.clone()), &self.machine);
            let mut effect = Effect {
                touches: self.library_touches(&spans),
                cost: Some(self.collective_cost(part)),
                ..Effect::default()
            };
            if n == 0 {
                effect.findings.append(&mut outside);
            }
            if let (Some(why), 0) = (&mismatch, n) {
                let evidence = vec![why.clone()];
                effect.findings.push(work_finding(FindingKind::CollectiveMismatch, &op.by, evidence));
            }
            self.take_place(*id, op, effect, Some(before.clone()));
        }
        Ok(())
    }

    /// Returns a finding if a part needs more memory than is allocated.
    fn outside(&self, op: &Op, part: &Collective) -> Option<Finding> {
        let spans = compute::spans(&Library::Collective(part.clone()), &self.machine);
        match compute::check(&self.machine, &spans) {
            Err(compute::Fault::Outside { at, bytes, write }) => Some(self.outside_of(op, at, bytes, write)),
            _ => None,
        }
    }

    /// Returns whether the memory that a part refers to is allocated; if it is not, the context is destroyed.
    fn fits(&mut self, part: &Collective) -> bool {
        let spans = compute::spans(&Library::Collective(part.clone()), &self.machine);
        let missing = matches!(compute::check(&self.machine, &spans), Err(compute::Fault::Outside { .. }));
        if missing {
            self.destroy_context(part.device, CudaError::IllegalAddress);
        }
        !missing
    }

    fn lost_of(&self, device: u32) -> Option<CudaError> {
        self.lost.get(device as usize).copied().flatten()
    }

    fn spans_of(&self, ids: &[OpId]) -> Vec<SpanId> {
        ids.iter().filter_map(|&id| self.queue.node(id)?.span).collect()
    }

    /// Stores CUDA errors of work, which are returned later, when the host waits.
    fn absorb(&mut self, op: &Op, failed: Option<Failure>) -> Result<()> {
        match failed {
            None => Ok(()),
            Some(Failure::Cuda(error)) => {
                self.destroy_context(op.device, error);
                Ok(())
            }
            Some(failure) => Err(failure),
        }
    }

    pub(super) fn destroy_context(&mut self, device: u32, error: CudaError) {
        if let Some(lost) = self.lost.get_mut(device as usize) {
            lost.get_or_insert(error);
        }
    }

    /// Returns the error that destroyed a device's context, if one did.
    pub(super) fn check_context(&self, device: u32) -> Result<()> {
        self.lost_of(device).map_or(Ok(()), |error| Err(error.into()))
    }

    /// Records executed work: schedules it in virtual time, and checks its accesses.
    fn take_place(&mut self, id: OpId, op: &Op, effect: Effect, begin: Option<Vec<SpanId>>) {
        let mut after = begin.unwrap_or_else(|| self.spans_of(&op.after));
        if let Some((what, cost)) = effect.before {
            after = vec![self.time.submit_before(op, what, cost, after)];
        }
        let priority = self.streams.priority(op.stream);
        let span = self.time.submit(op, effect.cost.unwrap_or(Cost::Marker), after, priority);
        if let (Some(done), Work::Launch(launch)) = (effect.work, &op.work) {
            self.ledger.add(op, launch, *done, span);
        }
        let ticket = self.queue.node_mut(id).and_then(|node| {
            node.span = Some(span);
            node.ticket
        });
        if let Some(ticket) = ticket {
            self.order.done(ticket, effect.touches, effect.findings, &self.machine);
            self.mark_found();
        }
    }

    fn perform(&mut self, id: OpId, op: &Op, host: &mut dyn Host) -> Result<Effect> {
        if let Some(clock) = self.queue.node(id).and_then(|node| node.clock.clone()) {
            self.check_stuck(&clock, &op.work)?;
        }
        let mut effect = Effect::default();
        if self.lost_of(op.device).is_some() {
            return Ok(effect);
        }
        match &op.work {
            Work::Launch(launch) => return self.perform_launch(id, op, launch),
            Work::Copy(copy) => return self.perform_copy(op, copy, host),
            Work::Set(set) => {
                self.spend_work(set.width.saturating_mul(set.height) / BYTES_PER_INSTRUCTION)?;
                self.room_for(self.machine.bytes_to_commit(set.dst, set.span().unwrap_or(u64::MAX)))?;
                effect.touches = self.run_set(set);
                self.note_set(set, &op.by);
                let bytes = set.width.saturating_mul(set.height).saturating_mul(u64::from(set.element_bytes));
                self.move_managed(&effect.touches, op.device);
                effect.cost = Some(self.time.streaming(op.device, bytes, 0.0));
            }
            Work::Library(library) => {
                let called = self.call_library(op, library)?;
                if let Some(error) = called.lost {
                    self.destroy_context(op.device, error);
                }
                effect.before = self.page_faults(&called.touches, op.device);
                self.count_peers(op.device, &called.touches);
                effect.touches = called.touches;
                effect.findings = called.findings;
                effect.cost = called.cost;
            }
            Work::HostFunction { function, argument, .. } => {
                self.host.function = Some(Vec::new());
                self.host.running = Some(id);
                self.host.seen.clear();
                self.time.begin_callback();
                let called = host.call(*function, *argument, self);
                let ns = self.time.end_callback();
                self.host.running = None;
                effect.touches = self.host.function.take().unwrap_or_default();
                effect.cost = Some(Cost::Host { ns });
                called?;
            }
            Work::PoolAllocate { address, bytes } => {
                effect.touches.push(write_of(address.0, *bytes));
            }
            Work::PoolFree { address } => {
                if let Some(info) = self.machine.find(*address) {
                    effect.touches.push(write_of(info.base.0, info.bytes));
                    self.pending_frees.push((id, info.base, info.bytes));
                }
            }
            Work::Prefetch { address, bytes, to } => {
                let moved = self.residency.move_to(virtual_time::at(*address, *bytes), *to);
                let route = match to {
                    Some(_) => Route::ToDevice(HostMemory::Prefetched),
                    None => Route::ToHost(HostMemory::Prefetched),
                };
                effect.cost = Some(Cost::Copy { route, bytes: moved });
            }
            Work::Record(_) | Work::Wait(_) | Work::Graph(_) | Work::Empty => {}
        }
        Ok(effect)
    }

    fn perform_launch(&mut self, id: OpId, op: &Op, launch: &Launch) -> Result<Effect> {
        let mut ran = self.run_kernel(op, launch)?;
        self.defer_stuck(id, op, &mut ran)?;
        let before = self.page_faults(&ran.touches, op.device);
        self.count_peers(op.device, &ran.touches);
        let cost = self.time.kernel(op.device, &mut ran.work, &ran.touches);
        self.printed.add(&ran.report.output, &op.by);
        if let Some(error) = ran.lost {
            self.destroy_context(op.device, error);
        }
        self.room_for(0)?;
        let (touches, findings, work) = (ran.touches, ran.findings, Some(Box::new(ran.work)));
        Ok(Effect { before, cost: Some(cost), touches, findings, work })
    }

    /// Migrates managed memory that work on a device touches. Returns what that costs before the work, if anything.
    fn page_faults(&mut self, touches: &[Touch], device: u32) -> Option<(&'static str, Cost)> {
        let bytes = self.move_managed(touches, device);
        (bytes > 0)
            .then_some(("page faults", Cost::Copy { route: Route::ToDevice(HostMemory::Faulted), bytes }))
    }

    fn perform_copy(&mut self, op: &Op, copy: &Copy, host: &mut dyn Host) -> Result<Effect> {
        use virtual_time::CopyEnd;
        let mut effect = Effect::default();
        self.spend_work(copy.shape.bytes() / BYTES_PER_INSTRUCTION)?;
        self.room_for(self.machine.bytes_to_commit(copy.dst, copy.shape.dst_span()))?;
        let (to, from) = (self.place(copy.dst), self.place(copy.src));
        if matches!((from, to), (CopyEnd::Device(_), CopyEnd::Pageable | CopyEnd::Pinned)) {
            effect.findings.extend(self.never_written(op, copy));
        }
        effect.touches = self.run_copy(copy, op.staged.as_deref(), host)?;
        if self.options.checks && effect.findings.is_empty() {
            self.carry_unwritten(copy, &op.by, op.staged.as_deref(), host)?;
        }
        let bytes = copy.shape.bytes();
        if let (CopyEnd::Device(from), CopyEnd::Device(to)) = (from, to) {
            self.ledger.shares.add_bytes(from, to, bytes);
        }
        let (device, route) = virtual_time::route(to, from, op.device, |a, b| {
            self.machine.reaches(a, b) || self.machine.reaches(b, a)
        });
        effect.cost = Some(match route {
            Route::Within => self.time.streaming(device, bytes.saturating_mul(2), 0.0),
            route => Cost::Copy { route, bytes },
        });
        if from == CopyEnd::Managed && matches!(route, Route::Within) {
            self.copied_from_managed(&effect.touches);
        }
        if to == CopyEnd::Managed {
            self.copied_managed(&effect.touches, op.device);
        }
        Ok(effect)
    }

    /// Returns a finding for a copy from device memory of which no byte was ever given a value.
    fn never_written(&self, op: &Op, copy: &Copy) -> Option<Finding> {
        // Copies made to check results have no source location.
        let file = &op.by.location.as_ref()?.file;
        let buffer = self.machine.find(copy.src)?;
        if !self.machine.written(copy.src, copy.shape.src_span()).is_empty() {
            return None;
        }
        let why =
            self.causes.copied_unwritten(copy.src, file).or_else(|| self.causes.used_up(copy.src, file));
        let why = why.unwrap_or(Evidence::NeverWritten);
        let mut finding = work_finding(FindingKind::Uninitialised, &op.by, vec![why]);
        finding.at.target = buffer.target(copy.src);
        Some(finding)
    }

    /// Deducts work, in warp instructions, from what the program may still execute, or fails if too little is
    /// left.
    pub(super) fn spend_work(&mut self, instructions: u64) -> Result<()> {
        let left = &mut self.options.launch_budget;
        if *left == u64::MAX {
            return Ok(());
        }
        match left.checked_sub(instructions.max(1)) {
            Some(less) => {
                *left = less;
                Ok(())
            }
            None => Err(self.too_much_work()),
        }
    }

    /// Returns the failure of a program that exceeded its total work.
    pub(super) fn too_much_work(&self) -> Failure {
        Failure::Limit(RunLimit::WarpInstructions { most: self.limits.instructions })
    }

    /// Returns the failure of a kernel's block that exceeded its work; `line`: where it was.
    pub(super) fn too_long(&self, line: Option<SourceLocation>) -> Failure {
        let line = line.map(|at| at.line);
        Failure::Limit(RunLimit::BlockInstructions { line, most: self.options.most_steps })
    }

    /// Fails if using `bytes` more bytes of this machine's memory exceeds the limit.
    pub(super) fn room_for(&self, bytes: u64) -> Result<()> {
        let most_bytes = self.limits.resident_bytes;
        if most_bytes == u64::MAX || self.machine.resident_bytes().saturating_add(bytes) <= most_bytes {
            return Ok(());
        }
        Err(Failure::Limit(RunLimit::MachineMemory { most_bytes }))
    }

    /// Releases the memory of pools that the host knows to be freed; with `all`, also memory freed by work
    /// that is done.
    pub(super) fn release_freed(&mut self, all: bool) {
        let bytes: u64 = self.pending_frees.iter().map(|(_, _, bytes)| bytes).sum();
        let all = all || bytes > MAX_PENDING_BYTES;
        let mut pending_frees = std::mem::take(&mut self.pending_frees);
        pending_frees.retain(|&(id, address, bytes)| {
            let goes = self.is_known(id) || all && self.queue.is_done(id) && self.order.is_drained();
            if goes {
                self.order.drop_range(virtual_time::at(address, bytes));
                self.machine.free(address);
            }
            !goes
        });
        self.pending_frees = pending_frees;
    }

    /// Forgets work that nothing can refer to any more.
    fn forget(&mut self) {
        let mut streams = std::mem::take(&mut self.streams);
        streams.forget_gone(|op| self.is_known(op));
        self.streams = streams;
        let mut used: HashSet<OpId> = self.streams.referred().collect();
        used.extend(self.events.marks());
        used.extend(self.graphs.ends());
        used.extend(self.pending_frees.iter().map(|(op, _, _)| *op));
        self.queue.forget(&used);
        let mut asked: HashSet<SpanId> = self.queue.spans().collect();
        asked.extend(self.ledger.launches.iter().map(|launched| launched.span));
        self.time.timeline.forget(&asked);
    }
}

fn write_of(start: u64, bytes: u64) -> Touch {
    Touch { kind: AccessKind::Write, bytes: Bytes::Dense(start..start.saturating_add(bytes)) }
}

/// Returns a finding about work itself.
pub(super) fn work_finding(code: FindingKind, by: &Originator, evidence: Vec<Evidence>) -> Finding {
    let at = Access::by(Actor::Operation(by.operation.clone()), by.location.clone());
    Finding { evidence, ..Finding::new(code, at) }
}
