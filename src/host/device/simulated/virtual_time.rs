//! Time: the host's virtual clock, and the timeline of the GPUs.

use super::queue::Op;
use crate::device::Work;
use crate::device::model::{Model, Transfer};
use crate::device::timeline::{self, Cost, HostClock, HostMemory, OrderedBy, Route, Timeline};
use crate::device::{DeviceId, HostCost};
use sim::time::{BlockCost, KernelWork, duration};
use sim::{AccessKind, Address, Counts, Request};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub use crate::device::timeline::OpId as SpanId;

use super::shadow::Touch;

/// Largest size in bytes of pageable copies to a device that return once they are staged (CUDA runtime API,
/// "API synchronization behavior").
const STAGED_BYTES: u64 = 64 << 10;

/// Memory ranges (start, bytes) of a device that its L2 cache may hold, most recently used last.
#[derive(Debug, Default)]
struct Cached(Vec<(u64, u64)>);

#[derive(Debug, Default)]
pub struct VirtualTime {
    models: Vec<Arc<Model>>,
    pub timeline: Timeline,
    clock: HostClock,
    cached: Vec<Cached>,
    /// Kernels that have been loaded, by device.
    loaded: HashSet<(DeviceId, u64)>,
    /// Time spent so far by the host function that is running; `None` while the host itself runs.
    callback: Option<f64>,
    /// For each chain of work, the value of `%globaltimer` at the end of its last kernel.
    timers: HashMap<u32, u64>,
    /// The work that the host waited for during the current call.
    waited: Vec<SpanId>,
}

impl VirtualTime {
    pub fn new(models: Vec<Arc<Model>>) -> VirtualTime {
        VirtualTime {
            timeline: Timeline::new(models.iter().cloned()),
            cached: models.iter().map(|_| Cached::default()).collect(),
            models,
            ..VirtualTime::default()
        }
    }

    pub fn model(&self, device: DeviceId) -> &Arc<Model> {
        &self.models[(device as usize).min(self.models.len() - 1)]
    }

    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// Accounts for time spent by the host, or by the host function that is running.
    pub fn spend(&mut self, cost: HostCost) {
        let costs = &self.models[0].host;
        match &mut self.callback {
            Some(spent) => *spent += costs.of(cost),
            None => self.clock.spend(costs, cost),
        }
    }

    /// Advances the host's time by `ns` nanoseconds.
    pub fn pass(&mut self, ns: u64) {
        match &mut self.callback {
            Some(spent) => *spent += ns as f64,
            None => self.clock.pass(ns as f64),
        }
    }

    /// Begins a host function: time spent from here on is its own.
    pub fn begin_callback(&mut self) {
        self.callback = Some(0.0);
    }

    /// Ends a host function, and returns its duration in nanoseconds.
    pub fn end_callback(&mut self) -> u64 {
        self.callback.take().unwrap_or(0.0) as u64
    }

    /// Accounts for a call that launches a kernel.
    pub fn launch_call(&mut self, device: DeviceId, kernel: u64) {
        let costs = &self.model(device).host;
        let (launch, first) = (costs.launch_ns, costs.first_launch_ns);
        self.pass(launch);
        if self.loaded.insert((device, kernel)) {
            self.pass(first);
        }
    }

    /// Marks a kernel as loaded.
    pub fn loaded(&mut self, device: DeviceId, kernel: u64) {
        self.loaded.insert((device, kernel));
    }

    pub fn copy_call(&mut self, device: DeviceId) {
        self.pass(self.model(device).host.copy_ns);
    }

    pub fn record_call(&mut self, device: DeviceId) {
        self.pass(self.model(device).host.record_ns);
    }

    pub fn graph_call(&mut self, device: DeviceId, nodes: usize) {
        self.pass(self.model(device).host.graph_launch(nodes));
    }

    /// Begins a call of the host, and returns the current time in nanoseconds.
    pub fn begin_call(&mut self) -> u64 {
        self.waited.clear();
        self.now_ns()
    }

    /// Records a span for the host's call that began at `start_ns`.
    pub fn trace_host(&mut self, what: &Request, start_ns: u64) {
        if self.callback.is_none() {
            let now = self.now_ns();
            self.timeline.record_host(what.to_string(), start_ns, now, &self.waited);
        }
        self.waited.clear();
    }

    /// Returns the value of `%globaltimer` when a kernel begins.
    pub fn timer_ns(&self, op: &Op) -> u64 {
        self.timers.get(&op.chain).map_or(op.enqueued_ns, |&over| over.max(op.enqueued_ns))
    }

    /// Sets the value of `%globaltimer` at the end of a kernel.
    pub fn set_timer(&mut self, op: &Op, over_ns: u64) {
        self.timers.insert(op.chain, over_ns);
    }

    /// Schedules executed work in virtual time.
    pub fn submit(&mut self, op: &Op, cost: Cost, after: Vec<SpanId>, priority: i32) -> SpanId {
        self.timeline.submit(timeline::Op {
            device: op.device,
            stream: Some(op.stream),
            name: op.site.what.to_string().into(),
            submitted_ns: op.enqueued_ns,
            after,
            cost,
            across: match &op.work {
                Work::Wait(_) => OrderedBy::Event,
                _ if op.in_graph => OrderedBy::Graph,
                _ => OrderedBy::Implicit,
            },
            priority,
            in_graph: op.in_graph,
            args: match &op.site.location {
                Some(at) => vec![("line", at.line.to_string())],
                None => Vec::new(),
            },
        })
    }

    /// Schedules an operation that precedes work, such as the migration of pages on which a kernel faults.
    pub fn submit_before(&mut self, op: &Op, what: &str, cost: Cost, after: Vec<SpanId>) -> SpanId {
        self.timeline.submit(timeline::Op {
            stream: Some(op.stream),
            after,
            ..timeline::Op::new(op.device, what, op.enqueued_ns, cost)
        })
    }

    /// Returns when work is done, in nanoseconds.
    pub fn end_ns(&mut self, span: SpanId) -> u64 {
        self.timeline.finish(span)
    }

    /// Returns whether work is done at the host's current time.
    pub fn is_done(&mut self, span: SpanId) -> bool {
        let now = self.clock.now_ns();
        self.timeline.done_by(span, now)
    }

    /// Makes the host wait for all of `spans`.
    pub fn wait(&mut self, spans: impl IntoIterator<Item = SpanId>) {
        let costs = &self.models[0].host;
        let (wake, idle) = (costs.wake_ns, costs.wait_ns);
        let mut waited = false;
        for span in spans {
            let end = self.end_ns(span);
            waited |= self.clock.wait_until(end);
            self.waited.push(span);
        }
        self.clock.pass(if waited { wake } else { idle } as f64);
    }

    /// Accounts for staging a copy of pageable memory to the device: the host does not wait for small ones to
    /// finish.
    pub fn wait_staged(&mut self, device: DeviceId, span: SpanId, bytes: u64) {
        if bytes > STAGED_BYTES {
            let end = self.end_ns(span);
            self.clock.wait_until(end);
            self.waited.push(span);
        } else {
            let rate = self.model(device).transfer.host_to_host_gbps;
            self.clock.pass(bytes as f64 / rate.max(0.1));
        }
    }

    /// Returns the cost of an executed kernel; records in `work` what the L2 cache held when it began.
    pub fn kernel(&mut self, device: DeviceId, work: &mut KernelWork, touches: &[Touch]) -> Cost {
        let model = self.model(device).clone();
        work.cached_bytes = self.touch_cache(device, model.gpu.l2_bytes, touches);
        let mut cost = duration(&model.gpu, work).cost;
        cost.least_ns = cost.least_ns.max(over_the_bus_ns(&model.transfer, &work.counts));
        Cost::Kernel(Arc::new(cost))
    }

    /// Returns the cost of a library kernel that moves `bytes` bytes and takes at least `least_ns`
    /// nanoseconds.
    pub fn streaming(&self, device: DeviceId, bytes: u64, least_ns: f64) -> Cost {
        let mut cost = BlockCost::streaming(&self.model(device).gpu, bytes);
        cost.least_ns = cost.least_ns.max(least_ns);
        Cost::Kernel(Arc::new(cost))
    }

    /// Marks the memory that a kernel accesses as held by the L2 cache; returns how many of the bytes it
    /// reads were held before.
    fn touch_cache(&mut self, device: DeviceId, capacity: u64, touches: &[Touch]) -> u64 {
        let Some(cached) = self.cached.get_mut(device as usize) else { return 0 };
        let mut held = 0;
        for touch in touches {
            let range = touch.range();
            let (start, bytes) = (range.start, range.end - range.start);
            let known = cached.0.iter().position(|&(at, had)| at < start + bytes && start < at + had);
            let before = known.map(|n| cached.0.remove(n)).unwrap_or((start, 0));
            if touch.kind == AccessKind::Read {
                held += before.1.min(bytes);
            }
            let end = (start + bytes).max(before.0 + before.1);
            let first = start.min(before.0);
            cached.0.push((first, end - first));
            let mut sum = 0;
            let keep = cached.0.iter().rev().take_while(|(_, bytes)| {
                sum += bytes;
                sum <= capacity
            });
            let keep = keep.count();
            cached.0.drain(..cached.0.len() - keep);
        }
        held
    }
}

/// Returns the time for a kernel's accesses to host memory, in nanoseconds: at the rates of copies of pinned
/// memory, with both directions overlapping.
fn over_the_bus_ns(transfer: &Transfer, counts: &Counts) -> f64 {
    const SECTOR_BYTES: f64 = 32.0;
    let of = |sectors: u64, gbps: f64| sectors as f64 * SECTOR_BYTES / gbps.max(0.1);
    let read = of(counts.host_read_sectors, transfer.pinned_to_device_gbps);
    let bytes = read.max(of(counts.host_written_sectors, transfer.pinned_to_host_gbps));
    if bytes > 0.0 { bytes + transfer.latency_ns as f64 } else { 0.0 }
}

/// Returns the device whose engine executes a copy, and the copy's route. `linked` returns whether one of two
/// devices has access to the other's memory.
pub fn route(
    to: CopyEnd,
    from: CopyEnd,
    device: DeviceId,
    linked: impl Fn(DeviceId, DeviceId) -> bool,
) -> (DeviceId, Route) {
    use CopyEnd::{Device, Managed, Pageable, Pinned};
    let memory = |place| if place == Pageable { HostMemory::Pageable } else { HostMemory::Pinned };
    match (to, from) {
        (Device(a), Device(b)) if a != b => {
            (b, if linked(a, b) { Route::ToPeer(a) } else { Route::StagedToPeer(a) })
        }
        (Device(a), Device(_)) => (a, Route::Within),
        (Managed, Managed | Device(_)) | (Device(_), Managed) => (device, Route::Within),
        (Device(_) | Managed, host) => {
            (if let Device(a) = to { a } else { device }, Route::ToDevice(memory(host)))
        }
        (host, Device(_) | Managed) => {
            (if let Device(a) = from { a } else { device }, Route::ToHost(memory(host)))
        }
        (Pageable | Pinned, Pageable | Pinned) => (device, Route::HostToHost),
    }
}

/// The kind of memory at one end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyEnd {
    Pageable,
    Pinned,
    Managed,
    Device(DeviceId),
}

/// Returns the address range of `bytes` bytes at `address`.
pub fn at(address: Address, bytes: u64) -> std::ops::Range<u64> {
    address.0..address.0.saturating_add(bytes)
}
