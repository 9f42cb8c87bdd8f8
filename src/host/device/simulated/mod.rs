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
use super::{
    CudaError, DeviceId, EventId, Failure, Gpus, GraphId, Host, HostCopy, HostCost, Migrations, PoolId,
    Result, Site, Space, StreamId, StreamOptions, WaitTarget, Work, WorkNode, fail_if,
};
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
    AccessKind, Act, Address, AdviceReport, BufferInfo, ByteSet, Finding, Gpu, Image, ImageObject, Machine,
    MemoryName, Module, Operation, Options, Owner,
};
use std::ops::Range;
use std::sync::Arc;
use streams::{Events, Streams};
use stuck::Stuck;
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
    /// Copies from the host that left part of a buffer unwritten, most recent first.
    partial_copies: Vec<unwritten::PartialCopy>,
    /// Copies that brought never-written bytes, most recent first. Addresses are not reused.
    empty_copies: Vec<unwritten::EmptyCopy>,
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
        Arc::new(Originator { operation, location: site.location.clone(), role, enqueued })
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
            Arc::new(Originator { operation, location, role: Role::Host, enqueued: None })
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
        let by = Originator { operation, location: site.location.clone(), role: Role::Free, enqueued: None };
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

impl Gpus for Simulated {
    fn count(&self) -> u32 {
        self.machine.devices()
    }

    fn properties(&self, device: DeviceId) -> &Properties {
        &self.properties[device as usize]
    }

    fn simulated(&mut self) -> Option<&mut Simulated> {
        Some(self)
    }

    fn load(&mut self, module: &Arc<Module>) -> Result<()> {
        self.module = Some(module.clone());
        Ok(())
    }

    fn load_kernels(&mut self) {
        let Some(module) = &self.module else { return };
        for kernel in (0..).map_while(|number| module.kernel(number)) {
            (0..self.machine.devices()).for_each(|device| self.time.loaded(device, kernel.address));
        }
    }

    fn variable(&mut self, device: DeviceId, index: u32) -> Result<(Address, u64)> {
        let module = self.module()?;
        let found = self.machine.variable_address(device, &module, index).map_err(kernels::failure)?;
        let address = found.ok_or(CudaError::InvalidSymbol)?;
        let info = self.machine.find(address);
        if let Some(info) = &info
            && info.owner == Owner::Managed
        {
            self.residency.add(info.base.0, info.bytes);
        }
        Ok((address, info.map_or(0, |b| b.bytes)))
    }

    fn allocate(&mut self, space: Space, bytes: u64, name: &str, _site: &Site) -> Result<Address> {
        let address = self.allocate_for(space.into(), bytes, name)?;
        if space == Space::Managed {
            self.residency.add(address.0, bytes);
        }
        Ok(address)
    }

    fn allocate_array(
        &mut self,
        device: DeviceId,
        image: &Image,
        _flags: u32,
        name: &str,
        _site: &Site,
    ) -> Result<Address> {
        self.allocate_for(Owner::Device(device), image.bytes(), name)
    }

    fn create_image(&mut self, _device: DeviceId, object: &ImageObject) -> Result<u64> {
        Ok(self.machine.create_image(*object))
    }

    fn destroy_image(&mut self, _device: DeviceId, handle: u64, _is_texture: bool) -> Result<()> {
        self.destroyed_images.push(handle);
        Ok(())
    }

    fn allocate_ordered(&mut self, _: StreamId, pool: PoolId, bytes: u64, name: &str) -> Result<Address> {
        self.allocate_for(Owner::Pool { device: pool.device, pool: pool.number }, bytes, name)
    }

    fn set_pool_access(&mut self, pool: PoolId, device: DeviceId, on: bool) -> Result<()> {
        self.machine.set_pool_access(pool.number, device, on);
        Ok(())
    }

    fn free(&mut self, address: Address, site: &Site) -> Result<()> {
        let Some(info) = self.machine.find(address).filter(|b| b.base == address && !b.freed) else {
            return Err(CudaError::InvalidValue.into());
        };
        self.check_free(&info, site);
        self.order.drop_range(virtual_time::at(address, info.bytes));
        if info.owner == Owner::Managed {
            self.residency.remove(address.0);
        }
        self.pending_frees.retain(|(_, freed, _)| *freed != address);
        self.machine.free(address);
        Ok(())
    }

    fn register(&mut self, address: Address, name: &MemoryName, contents: &[u8]) -> bool {
        self.machine.adopt(address, name, contents)
    }

    fn unregister(&mut self, address: Address) -> Option<Vec<u8>> {
        let contents = self.machine.release(address)?;
        self.order.drop_range(virtual_time::at(address, contents.len() as u64));
        Some(contents)
    }

    fn memory(&mut self, device: DeviceId) -> (u64, u64) {
        let free = self.machine.memory_bytes(device).map_or(0, |(free, _)| free);
        (free, self.properties(device).memory_bytes)
    }

    fn enable_peer(&mut self, from: DeviceId, to: DeviceId, on: bool) -> Result<()> {
        if self.machine.enable_peer(from, to, on) {
            return Ok(());
        }
        Err(Failure::Cuda(match (from < self.count() && to < self.count() && from != to, on) {
            (false, _) => CudaError::InvalidDevice,
            (true, true) => CudaError::PeerAccessAlreadyEnabled,
            (true, false) => CudaError::PeerAccessNotEnabled,
        }))
    }

    fn set_limit(&mut self, device: DeviceId, limit: u32, value: u64) -> Result<()> {
        /// `cudaLimitStackSize` and `cudaLimitMallocHeapSize`; the other limits bound resources that are
        /// unbounded here.
        const STACK: u32 = 0;
        const HEAP: u32 = 2;
        let set = match limit {
            STACK => self.machine.set_stack_bytes(device, value),
            HEAP => self.machine.set_heap_bytes(device, value),
            _ => Ok(()),
        };
        set.map_err(kernels::failure)
    }

    fn reset(&mut self, device: DeviceId) -> Result<()> {
        self.report_all_stuck();
        self.machine.reset(device);
        Ok(())
    }

    fn host_load(&mut self, address: Address, out: &mut [u8], site: &Site) -> Result<()> {
        self.record_host_access(address, out.len() as u64, AccessKind::Read, site);
        self.host_pages(address, out.len() as u64);
        self.machine.read(address, out);
        Ok(())
    }

    fn host_store(&mut self, address: Address, bytes: &[u8], site: &Site) -> Result<()> {
        self.record_host_access(address, bytes.len() as u64, AccessKind::Write, site);
        self.host_pages(address, bytes.len() as u64);
        self.machine.write(address, bytes);
        Ok(())
    }

    fn host_load_strong(
        &mut self,
        address: Address,
        out: &mut [u8],
        _site: &Site,
        host: &mut dyn Host,
    ) -> Result<()> {
        self.poll(address, out.len() as u64, host)?;
        self.host_pages(address, out.len() as u64);
        self.machine.read(address, out);
        Ok(())
    }

    fn host_store_strong(&mut self, address: Address, bytes: &[u8], _site: &Site) -> Result<()> {
        self.host_pages(address, bytes.len() as u64);
        self.machine.write(address, bytes);
        Ok(())
    }

    fn create_stream(&mut self, device: DeviceId, options: StreamOptions) -> Result<StreamId> {
        fail_if(device >= self.machine.devices(), CudaError::InvalidDevice)?;
        let chain = self.chains.begin(&self.host.known);
        Ok(self.streams.make(device, options, chain))
    }

    fn destroy_stream(&mut self, stream: StreamId) -> Result<()> {
        self.chains.end(self.streams.remove(stream)?);
        Ok(())
    }

    fn create_event(&mut self, device: DeviceId, timing: bool) -> Result<EventId> {
        Ok(self.events.make(device, timing))
    }

    fn destroy_event(&mut self, event: EventId) -> Result<()> {
        self.events.remove(event)?;
        Ok(())
    }

    fn enqueue(&mut self, stream: StreamId, work: Work, site: &Site, host: &mut dyn Host) -> Result<()> {
        self.not_in_callback()?;
        let start = self.time.begin_call();
        self.enqueue_work(stream, work, site, host)?;
        self.time.trace_host(&site.what, start);
        Ok(())
    }

    fn wait(&mut self, until: WaitTarget, site: &Site, host: &mut dyn Host) -> Result<()> {
        self.not_in_callback()?;
        let start = self.time.begin_call();
        let waited = self.wait_for(until, site, host);
        self.time.trace_host(&site.what, start);
        waited
    }

    fn is_done(&mut self, until: WaitTarget, host: &mut dyn Host) -> Result<bool> {
        self.not_in_callback()?;
        self.ask_done(until, host)
    }

    fn elapsed_ms(&mut self, start: EventId, end: EventId) -> Result<f32> {
        let (start, end) = (self.event_ns(start)?, self.event_ns(end)?);
        Ok((end as f64 / 1e6 - start as f64 / 1e6) as f32)
    }

    fn instantiate(&mut self, nodes: &[WorkNode]) -> Result<GraphId> {
        self.time.spend(HostCost::InstantiateGraph { nodes: nodes.len() });
        Ok(self.make_graph(nodes))
    }

    fn update_graph(&mut self, graph: GraphId, nodes: &[WorkNode]) -> Result<()> {
        Ok(self.change_graph(graph, nodes)?)
    }

    fn destroy_graph(&mut self, graph: GraphId) -> Result<()> {
        Ok(self.drop_graph(graph)?)
    }

    fn now_ns(&mut self) -> u64 {
        self.time.now_ns()
    }

    fn spend(&mut self, cost: HostCost) {
        self.time.spend(cost);
    }

    fn findings(&mut self) -> Vec<Finding> {
        self.order.take()
    }

    fn output(&mut self) -> Vec<u8> {
        self.printed.take()
    }

    fn end(&mut self, host: &mut dyn Host) -> Result<()> {
        self.end_program(host)
    }
}
