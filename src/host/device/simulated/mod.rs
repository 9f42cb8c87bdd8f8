//! Simulated GPUs: streams, events and graphs on top of [`Machine`]. Their work is executed in any order that the
//! program permits, checked for accesses that nothing orders, and timed on a virtual clock.
//!
//! Enqueued work passes through three stages.
//! 1. It is placed after its predecessors (`queue`): the work before it in its stream, the event it waits for, the
//!    default stream. That determines its position in the happens-before order (`clock`).
//! 2. It is executed (`perform`), at a time chosen by the [`Schedule`]; only then does it change memory. Under
//!    `lazy`, a program that forgets to wait therefore sees what a GPU would show it.
//! 3. Its accesses are compared with those that nothing orders with it (`order`), and it is scheduled in virtual
//!    time (`virtual_time`).
//!
//! All schedules lead to the same findings. Times are those of the eager schedule.

mod clock;
mod collective;
mod copies;
mod gpus;
mod graphs;
mod host_view;
mod kernels;
mod ledger;
mod library;
mod order;
mod perform;
mod polling;
mod printed;
mod queue;
mod recent;
mod recording;
mod residency;
mod schedule;
mod shadow;
mod streams;
mod stuck;
#[cfg(test)]
mod tests;
mod unwritten;
mod virtual_time;
mod wait;

pub use ledger::{Launched, Ledger};
pub use recording::{LaunchToRecord, RecordedLaunch};
pub use schedule::Schedule;

use super::model::{Model, Properties};
use super::timeline::Span;
use super::{CudaError, DeviceId, Failure, HostCopy, Launch, Migrations, Result, Site, StreamId, Work};
use clock::Chains;
use collective::Rounds;
use graphs::Graphs;
use host_view::HostView;
use order::Order;
use printed::Printed;
use queue::{OpId, Queue};
use recording::Recorder;
use residency::Residency;
use schedule::Scheduler;
use shadow::{Bytes, EnqueuedWork, Originator, Role, Touch};
use sim::{
    AccessKind, Act, Address, AdviceReport, BufferInfo, ByteSet, Gpu, Machine, MemoryName, Module, Operation,
    Options, Owner,
};
use std::ops::Range;
use std::sync::Arc;
use streams::{Events, Streams};
use stuck::Stuck;
use unwritten::UnwrittenCauses;
use virtual_time::VirtualTime;

/// Simulated GPUs. See the module documentation.
#[derive(Default)]
pub struct Simulated {
    machine: Machine,
    /// Those of every GPU. The buses follow that of the first.
    properties: Vec<Properties>,
    module: Option<Arc<Module>>,
    options: Options,
    /// Advice about all kernels so far.
    advice_report: AdviceReport,
    scheduler: Scheduler,
    streams: Streams,
    events: Events,
    graphs: Graphs,
    queue: Queue,
    rounds: Rounds,
    chains: Chains,
    host: HostView,
    order: Order,
    time: VirtualTime,
    residency: Residency,
    ledger: Ledger,
    recorder: Recorder,
    causes: UnwrittenCauses,
    /// Pool memory freed in stream order but not yet released: the freeing work, the address and the size in
    /// bytes.
    pending_frees: Vec<(OpId, Address, u64)>,
    /// Handles of texture and surface objects that were destroyed.
    destroyed_images: Vec<u64>,
    /// For each device, the error that destroyed its context, if any.
    lost: Vec<Option<CudaError>>,
    /// Kernels that do not end, while it is not yet known whether that is the program's fault.
    stuck: Vec<Stuck>,
    printed: Printed,
    ended: bool,
    limits: Limits,
}

/// Limits on the resources that a program may use in total.
#[derive(Debug, Default)]
struct Limits {
    /// Bytes of this machine's memory for the contents of the GPUs' memory.
    resident_bytes: u64,
    /// Warp instructions; the options' launch budget holds what remains of them.
    instructions: u64,
}

impl std::fmt::Debug for Simulated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulated").field("schedule", &self.scheduler).finish_non_exhaustive()
    }
}

impl Simulated {
    /// Creates a machine with one GPU for each model.
    pub fn new(models: Vec<Arc<Model>>, schedule: Schedule, options: Options) -> Simulated {
        let gpu = |m: &Arc<Model>| Gpu {
            capability: m.capability(),
            multiprocessors: m.properties.multiprocessors,
            memory_bytes: m.properties.memory_bytes.saturating_sub(m.properties.context_bytes),
            clock_khz: (m.gpu.clock_ghz * 1e6) as u32,
        };
        let gpus: Vec<Gpu> = models.iter().map(gpu).collect();
        let mut properties: Vec<_> = models.iter().map(|model| model.properties.clone()).collect();
        let first_bus = properties.first().map_or(0, |its| its.pci_bus);
        (first_bus..).zip(&mut properties).for_each(|(bus, its)| its.pci_bus = bus);
        Simulated {
            properties,
            machine: Machine::new(&gpus),
            limits: Limits { resident_bytes: u64::MAX, instructions: options.launch_budget },
            options: Options { touched: true, ..options },
            scheduler: Scheduler::new(schedule),
            lost: vec![None; models.len()],
            time: VirtualTime::new(models),
            ..Simulated::default()
        }
    }

    /// Returns the machine, set up to record a block of one launch.
    pub fn recording(mut self, wanted: LaunchToRecord) -> Simulated {
        self.recorder.wanted = Some(wanted);
        self
    }

    /// Takes the launch that was to be recorded; `None` if the program made too few launches.
    pub fn take_recorded(&mut self) -> Option<RecordedLaunch> {
        self.recorder.made.take()
    }

    /// Returns the first launch with a finding, by its number among the executed launches, counted from 0.
    pub fn first_found(&self) -> Option<usize> {
        self.recorder.first_found
    }

    /// Returns the spans of time in which work was executed, for traces.
    pub fn spans(&self) -> &[Span] {
        self.time.timeline.spans()
    }

    /// Like [`Simulated::spans`], but removes the spans.
    pub fn take_spans(&mut self) -> Vec<Span> {
        self.time.timeline.take_spans()
    }

    /// Returns the changes of the number of a device's busy multiprocessors, each with its time in
    /// nanoseconds.
    pub fn busy(&self, device: DeviceId) -> Vec<(u64, u32)> {
        self.time.timeline.busy(device)
    }

    /// Marks the work that findings are about in the timeline.
    fn mark_found(&mut self) {
        for (stamp, finding) in self.order.take_involved() {
            if let Some(span) = self.queue.of_stamp(stamp).and_then(|id| self.queue.node(id)?.span) {
                self.time.timeline.mark(span, finding);
            }
        }
    }

    /// Returns possible improvements of the kernels that ran; empty unless [`Options::advice`] requests it.
    pub fn advice(&self) -> &AdviceReport {
        &self.advice_report
    }

    /// Returns the record of executed kernels.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns a kernel's start and end in nanoseconds; `None` if it has not been timed.
    pub fn times_ns(&self, launched: &Launched) -> Option<(u64, u64)> {
        self.time.timeline.times_ns(launched.span)
    }

    fn module(&self) -> Result<Arc<Module>> {
        self.module.clone().ok_or(Failure::Cuda(CudaError::InitializationError))
    }

    /// Returns the originator of work, for findings.
    fn originator(&self, stream: StreamId, site: &Site, work: &Work, in_graph: bool) -> Arc<Originator> {
        let role = match work {
            Work::PoolAllocate { .. } => Role::Allocate,
            Work::PoolFree { .. } => Role::Free,
            _ => Role::Work,
        };
        let stream = self.stream_name(stream);
        let act = Act::Work { stream, in_graph };
        let operation = Operation { request: site.what.clone(), act };
        let enqueued = match work {
            Work::Record(_) | Work::Wait(_) | Work::Empty => None,
            _ => Some(EnqueuedWork { request: site.what.clone(), stream }),
        };
        let pointers = match work {
            Work::Launch(launch) => self.pointers(launch),
            _ => Vec::new(),
        };
        Arc::new(Originator { operation, location: site.location.clone(), role, enqueued, pointers })
    }

    /// Returns what a launch passes that may be pointers, by the indices of the kernel's parameters.
    fn pointers(&self, launch: &Launch) -> Vec<(u32, u64)> {
        let kernel = self.module.as_ref().and_then(|module| module.kernel(module.kernel_at(launch.kernel)?));
        let Some(kernel) = kernel else { return Vec::new() };
        let pointer = |&index: &u32| {
            let (bytes, offset) = kernel.params[index as usize];
            let its = launch.params.get(offset as usize..(offset + bytes) as usize)?;
            Some((index, u64::from_le_bytes(its.try_into().ok()?)))
        };
        kernel.scalars.iter().filter_map(pointer).collect()
    }

    /// Records the host's own access to memory that GPUs may access too; to pageable memory where
    /// [`Simulated::tracks_host_accesses`] is true, and in host functions.
    pub fn record_host_access(&mut self, address: Address, bytes: u64, kind: AccessKind, site: &Site) {
        let range = virtual_time::at(address, bytes);
        if let Some(touches) = &mut self.host.function {
            return add_touch(touches, kind, range);
        }
        if !self.host.has_work {
            return;
        }
        let originator = || {
            let location = site.location.clone();
            let operation = Act::Host.into();
            Arc::new(Originator {
                operation,
                location,
                role: Role::Host,
                enqueued: None,
                pointers: Vec::new(),
            })
        };
        let location = site.location.as_ref();
        self.order.host((range, kind), &self.host.known, location, originator, &self.machine);
        self.mark_found();
    }

    /// Checks whether work that the host does not know to be done accesses memory that is about to be freed.
    fn check_free(&mut self, info: &BufferInfo, site: &Site) {
        if !self.host.has_work {
            return;
        }
        let operation = Operation { request: site.what.clone(), act: Act::Frees };
        let (location, pointers) = (site.location.clone(), Vec::new());
        let by = Originator { operation, location, role: Role::Free, enqueued: None, pointers };
        let access = (virtual_time::at(info.base, info.bytes), AccessKind::Write);
        let location = site.location.as_ref();
        self.order.host(access, &self.host.known, location, || Arc::new(by), &self.machine);
        self.mark_found();
    }

    /// Migrates pages of managed memory to the host, which costs host time.
    fn host_pages(&mut self, address: Address, bytes: u64) {
        let moved = self.residency.host(virtual_time::at(address, bytes));
        if moved > 0 {
            let transfer = &self.time.model(0).transfer;
            let ns = transfer.latency_ns + (moved as f64 / transfer.managed_fault_gbps.max(0.1)) as u64;
            self.time.pass(ns);
        }
    }
}

/// Adds an access of a host function, merging it with an adjacent access if possible.
fn add_touch(touches: &mut Vec<Touch>, kind: AccessKind, range: std::ops::Range<u64>) {
    for touch in touches.iter_mut().rev().take(4) {
        if let Bytes::Dense(known) = &mut touch.bytes
            && touch.kind == kind
            && known.start <= range.start
            && range.start <= known.end
        {
            known.end = known.end.max(range.end);
            return;
        }
    }
    touches.push(Touch { kind, bytes: Bytes::Dense(range) });
}

/// What only simulated GPUs can do and tell.
impl Simulated {
    /// Announces that memory is about to be freed without waiting for work that uses it (`cudaFreeHost`). The
    /// caller waits after this call, so that no such work is lost.
    pub fn freeing(&mut self, address: Address, site: &Site) {
        if let Some(info) = self.machine.find(address).filter(|b| b.base == address && !b.freed) {
            self.check_free(&info, site);
        }
    }

    /// Sets a limit, in bytes, on the memory of this machine that the GPUs may use; a program that exceeds it is
    /// ended.
    pub fn limit_memory(&mut self, bytes: u64) {
        self.limits.resident_bytes = bytes;
    }

    /// Reports kernel writes to the buffer at `address` as findings from now on.
    pub fn set_read_only(&mut self, address: Address) {
        self.machine.set_read_only(address);
    }

    /// Marks the bytes of the buffer at `address` as written, with their current values: the work that should
    /// have filled the buffer has already been found to be wrong.
    pub fn assume_written(&mut self, address: Address) {
        self.machine.assume_written(address);
    }

    /// Returns which of the bytes at `address` have ever been written.
    pub fn written(&self, address: Address, bytes: u64) -> ByteSet {
        self.machine.written(address, bytes)
    }

    /// Returns whether reads of values that were never written are detected.
    pub fn checks(&self) -> bool {
        self.options.checks
    }

    /// Returns which of these host-readable bytes have no value, as offsets: those that were never written, and those
    /// that a kernel stored without one. None while work that may write them is pending.
    pub fn without_value(&self, address: Address, bytes: u64) -> Vec<Range<u64>> {
        if self.host.has_work || self.host.function.is_some() {
            return Vec::new();
        }
        let stored = self.machine.garbage(address, bytes).into_iter().map(|(gap, _)| gap);
        self.machine.unwritten(address, bytes).into_iter().chain(stored).collect()
    }

    /// Returns the line that the first of these bytes comes from that a kernel stored without a value.
    pub fn stored_in(&self, address: Address, bytes: u64) -> Option<u32> {
        self.machine.garbage(address, bytes).first()?.1
    }

    /// Returns the migrations of managed memory since the previous call.
    pub fn migrations(&mut self) -> Migrations {
        self.residency.migrations()
    }

    /// Returns how many of the `bytes` bytes of pinned or managed memory from `address` on, which the host is
    /// about to access one by one, a single access could cover with the same outcome and without a finding.
    pub fn uniform_access_bytes(&self, address: Address, bytes: u64, write: bool) -> u64 {
        let bytes = bytes.min(self.residency.to_page_end(address.0));
        let kind = if write { AccessKind::Write } else { AccessKind::Read };
        let has_concurrent_work = self.host.has_concurrent_work();
        let clashes = has_concurrent_work
            && self.order.host_meets(virtual_time::at(address, bytes), kind, &self.host.known);
        if clashes { 0 } else { bytes }
    }

    /// Returns the contents of bytes around `address`, within `range` of one allocation, which the host may
    /// cache until its next call, provided nothing else uses them until then. `None` if something else may
    /// use them, or if the host gains nothing from the cache.
    pub fn host_copy(&mut self, address: Address, range: Range<u64>) -> Option<HostCopy> {
        if self.host.has_work || self.host.function.is_some() || self.host.has_host_functions {
            return None;
        }
        // Each page of managed memory migrates to the host separately.
        let page = self.residency.page_around(address.0);
        let (start, end) = page
            .map_or((range.start, range.end), |page| (range.start.max(page.start), range.end.min(page.end)));
        let mut contents = vec![0; end.checked_sub(start)? as usize];
        self.host_pages(address, 1);
        self.machine.read(Address(start), &mut contents);
        let mut unwritten = self.machine.unwritten(Address(start), contents.len() as u64);
        // Only whole words can be marked there.
        let stored = self.machine.garbage(Address(start), contents.len() as u64).into_iter();
        let words = stored.map(|(gap, _)| gap.start.next_multiple_of(4)..gap.end / 4 * 4);
        unwritten.extend(words.filter(|words| !words.is_empty()));
        Some(HostCopy { start, contents, unwritten })
    }

    /// Returns whether host functions may run that the host has not waited for, so that its accesses of
    /// pageable memory must be reported through [`Simulated::record_host_access`].
    pub fn tracks_host_accesses(&self) -> bool {
        self.host.has_host_functions
    }

    /// Returns whether the host knows that all work with results is complete.
    pub fn results_are_known(&self) -> bool {
        !self.queue.has_unreleased() && self.host.known.covers_all(&self.host.results)
    }
}

impl Simulated {
    fn allocate_for(&mut self, owner: Owner, bytes: u64, name: &str) -> Result<Address> {
        if let Some(device) = owner.device()
            && self.machine.memory_bytes(device).is_some_and(|(free, _)| free < bytes)
        {
            self.release_freed(true);
        }
        let name = if name.is_empty() { MemoryName::Allocated } else { name.into() };
        self.machine.allocate(owner, name, bytes).map_err(kernels::failure)
    }
}
