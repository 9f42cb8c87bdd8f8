//! How long things take: the host's clock, and the timeline of the GPUs.

use super::queue::Op;
use crate::device::Work;
use crate::device::model::{Model, Transfer};
use crate::device::timeline::{self, Cost, HostClock, HostMemory, OrderedBy, Route, Span, Timeline};
use crate::device::{DeviceId, HostCost, StreamId};
use sim::time::{BlockCost, KernelWork, duration};
use sim::{AccessKind, Address, Counts, FindingKind, Request, StreamName};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub use crate::device::timeline::OpId as SpanId;

use super::shadow::{Bytes, Touch};

/// Pageable copies to a device up to this size return once they are staged (CUDA runtime API, "API
/// synchronization behavior").
const STAGED_BYTES: u64 = 64 << 10;

/// Buffers of a device that its second-level cache may hold, the last used at the end.
#[derive(Debug, Default)]
struct Cached(Vec<(u64, u64)>);

#[derive(Debug)]
pub struct VirtualTime {
    models: Vec<Arc<Model>>,
    timeline: Timeline,
    clock: HostClock,
    cached: Vec<Cached>,
    /// Kernels that were launched before, by device.
    loaded: HashSet<(DeviceId, u64)>,
    /// What a host function that runs now has spent; `None`: the host itself runs.
    callback: Option<f64>,
    /// For chains of work, what `%globaltimer` shows where their last kernel is over.
    timers: HashMap<u32, u64>,
    /// What the host waited for in the call that it is in.
    waited: Vec<SpanId>,
    /// Whether spans of the host's calls are kept.
    pub traces: bool,
}

impl VirtualTime {
    pub fn new(models: Vec<Arc<Model>>) -> VirtualTime {
        VirtualTime {
            timeline: Timeline::new(models.iter().cloned()),
            clock: HostClock::default(),
            cached: models.iter().map(|_| Cached::default()).collect(),
            models,
            loaded: HashSet::new(),
            callback: None,
            timers: HashMap::new(),
            waited: Vec::new(),
            traces: true,
        }
    }

    pub fn model(&self, device: DeviceId) -> &Arc<Model> {
        &self.models[(device as usize).min(self.models.len() - 1)]
    }

    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// The host, or the host function that runs, spends time.
    pub fn spend(&mut self, cost: HostCost) {
        let costs = &self.models[0].host;
        match &mut self.callback {
            Some(spent) => *spent += costs.of(cost),
            None => self.clock.spend(costs, cost),
        }
    }

    /// `ns` of the host's time pass.
    pub fn pass(&mut self, ns: u64) {
        match &mut self.callback {
            Some(spent) => *spent += ns as f64,
            None => self.clock.pass(ns as f64),
        }
    }

    /// What is spent from here on is a host function's.
    pub fn begin_callback(&mut self) {
        self.callback = Some(0.0);
    }

    /// How long the host function took, in nanoseconds.
    pub fn end_callback(&mut self) -> u64 {
        self.callback.take().unwrap_or(0.0) as u64
    }

    /// The host gives a kernel away.
    pub fn launch_call(&mut self, device: DeviceId, kernel: u64) {
        let costs = &self.model(device).host;
        let (launch, first) = (costs.launch_ns, costs.first_launch_ns);
        self.pass(launch);
        if self.loaded.insert((device, kernel)) {
            self.pass(first);
        }
    }

    /// A kernel is loaded already.
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

    /// The host begins a call: when, in nanoseconds.
    pub fn begin_call(&mut self) -> u64 {
        self.waited.clear();
        self.now_ns()
    }

    /// Writes down what the host did since `start_ns`, when it began this call.
    pub fn trace_host(&mut self, what: &Request, start_ns: u64) {
        if self.traces && self.callback.is_none() {
            let now = self.now_ns();
            self.timeline.record_host(what.to_string(), start_ns, now, &self.waited);
        }
        self.waited.clear();
    }

    /// Something was found about work.
    pub fn mark(&mut self, span: SpanId, finding: FindingKind) {
        self.timeline.mark(span, finding);
    }

    /// How many multiprocessors of a device were busy from when on, in nanoseconds.
    pub fn busy(&self, device: DeviceId) -> Vec<(u64, u32)> {
        self.timeline.busy(device)
    }

    /// What `%globaltimer` shows where a kernel begins.
    pub fn timer_ns(&self, op: &Op) -> u64 {
        self.timers.get(&op.chain).map_or(op.given_ns, |&over| over.max(op.given_ns))
    }

    /// What it shows where the kernel is over.
    pub fn set_timer(&mut self, op: &Op, over_ns: u64) {
        self.timers.insert(op.chain, over_ns);
    }

    /// Work that was done takes its place in time.
    pub fn submit(&mut self, op: &Op, cost: Cost, after: Vec<SpanId>, priority: i32) -> SpanId {
        self.timeline.submit(timeline::Op {
            device: op.device,
            stream: Some(op.stream),
            name: op.site.what.to_string().into(),
            submitted_ns: op.given_ns,
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

    /// A part of work that goes before it, such as pages that a kernel faults in.
    pub fn submit_before(&mut self, op: &Op, what: &str, cost: Cost, after: Vec<SpanId>) -> SpanId {
        self.timeline.submit(timeline::Op {
            stream: Some(op.stream),
            after,
            ..timeline::Op::new(op.device, what, op.given_ns, cost)
        })
    }

    /// When work is done, in nanoseconds.
    pub fn end_ns(&mut self, span: SpanId) -> u64 {
        self.timeline.finish(span)
    }

    /// When work that is over began and ended, in nanoseconds.
    pub fn times_ns(&self, span: SpanId) -> Option<(u64, u64)> {
        self.timeline.times_ns(span)
    }

    /// Whether work is done by now.
    pub fn is_done(&mut self, span: SpanId) -> bool {
        let now = self.clock.now_ns();
        self.timeline.done_by(span, now)
    }

    /// The host waits for all of it.
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

    /// A copy of pageable memory to the device was staged: small ones do not keep the host.
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

    /// Forgets when work was done that is long over, but for what somebody may ask for.
    pub fn forget(&mut self, asked: &HashSet<SpanId>) {
        self.timeline.forget(asked);
    }

    pub fn spans(&self) -> &[Span] {
        self.timeline.spans()
    }

    pub fn take_spans(&mut self) -> Vec<Span> {
        self.timeline.take_spans()
    }

    /// What a kernel that was run costs; notes in its work what the second-level cache held as it began.
    pub fn kernel(&mut self, device: DeviceId, work: &mut KernelWork, touches: &[Touch]) -> Cost {
        let model = self.model(device).clone();
        work.cached_bytes = self.touch_cache(device, model.gpu.l2_bytes, touches);
        let mut cost = duration(&model.gpu, work).cost;
        cost.least_ns = cost.least_ns.max(over_the_bus_ns(&model.transfer, &work.counts));
        Cost::Kernel(Arc::new(cost))
    }

    /// What a kernel of a library costs that moves so many bytes, and takes at least `least_ns`.
    pub fn streaming(&self, device: DeviceId, bytes: u64, least_ns: f64) -> Cost {
        let mut cost = BlockCost::streaming(&self.model(device).gpu, bytes);
        cost.least_ns = cost.least_ns.max(least_ns);
        Cost::Kernel(Arc::new(cost))
    }

    /// Marks what a kernel touches as held by the second-level cache; gives how many bytes that it
    /// reads were held before.
    fn touch_cache(&mut self, device: DeviceId, capacity: u64, touches: &[Touch]) -> u64 {
        let Some(cached) = self.cached.get_mut(device as usize) else { return 0 };
        let mut held = 0;
        for touch in touches {
            let (start, bytes) = match &touch.bytes {
                Bytes::Dense(range) => (range.start, range.end - range.start),
                Bytes::Sparse { base, bytes, .. } => (*base, *bytes),
            };
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

/// How long the bytes take that a kernel reads and writes of the host's memory: at the rates of copies of
/// pinned memory, both ways at once.
fn over_the_bus_ns(transfer: &Transfer, counts: &Counts) -> f64 {
    const SECTOR_BYTES: f64 = 32.0;
    let of = |sectors: u64, gbps: f64| sectors as f64 * SECTOR_BYTES / gbps.max(0.1);
    let read = of(counts.host_read_sectors, transfer.pinned_to_device_gbps);
    let bytes = read.max(of(counts.host_written_sectors, transfer.pinned_to_host_gbps));
    if bytes > 0.0 { bytes + transfer.latency_ns as f64 } else { 0.0 }
}

/// How a copy goes, seen from the device whose engine does it. `linked` says of two devices whether one may use
/// the other's memory.
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

/// What memory an address is in, as copies see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyEnd {
    Pageable,
    Pinned,
    Managed,
    Device(DeviceId),
}

/// Of an allocation, for messages and traces.
pub fn stream_name(stream: StreamId, number: u32) -> StreamName {
    match stream.0 {
        device if device < StreamId::FIRST_CREATED => StreamName::Default { device },
        _ => StreamName::Made(number),
    }
}

/// Where something lies.
pub fn at(address: Address, bytes: u64) -> std::ops::Range<u64> {
    address.0..address.0.saturating_add(bytes)
}
