//! The virtual time of a machine's GPUs: submitted work takes its turn on engines, and each piece of work is
//! assigned a start and an end.
//!
//! A [`Timeline`] knows nothing about memory or the meaning of work. An [`Op`] has a cost, a time at which the host
//! submitted it, and ops that it depends on; streams, events and graphs are expressed by these. Each kind of
//! op has its resource:
//! - kernels share a device's multiprocessors (`compute`): blocks are placed in order of priority, then of
//!   arrival, as capacity permits; running blocks share the device's throughput;
//! - copies execute one at a time on the engine of their direction (`copies`);
//! - host functions run one at a time on the host; markers (records, waits) use no resource.
//!
//! Evaluation is lazy: [`Timeline::finish`] and [`Timeline::done_by`] advance the GPUs' clock just as far as
//! needed. Later submissions never change what has already happened.
//! Times are kept in picoseconds, so that rounding errors don't accumulate; callers see nanoseconds.

mod clock;
mod compute;
mod copies;
mod dependencies;
mod op;
mod span;
#[cfg(test)]
mod tests;

pub use clock::HostClock;
pub use op::{After, Cost, HostMemory, Op, OpId, OrderedBy, Route};
pub use span::{MAX_SPANS, Resource, Span};

use super::DeviceId;
use super::model::Model;
use compute::Compute;
use copies::CopyEngines;
use dependencies::Dependencies;
use op::{Pending, Ps, to_ns, to_ps};
use sim::FindingKind;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

/// A scheduled event, other than the end of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    End(OpId),
    /// The first block of a kernel can start.
    Blocks(OpId),
    /// All dependencies of an op are met, and it can be assigned its resource.
    Ready(OpId),
}

#[derive(Debug)]
struct DeviceState {
    model: Arc<Model>,
    compute: Compute,
    copies: CopyEngines,
    /// Earliest time at which another kernel can start.
    next_dispatch: Ps,
}

/// Longest time after an op's end for which it can still delay another op's start, with a margin: the gaps of
/// models are a few microseconds.
const FORGET_AFTER: Ps = 1_000_000_000;

/// The virtual time of a machine's GPUs. See the module documentation.
#[derive(Debug, Default)]
pub struct Timeline {
    devices: Vec<DeviceState>,
    /// Number of ops submitted so far.
    submitted: u64,
    pending: HashMap<OpId, Pending>,
    /// Start and end of ops that are done and not forgotten.
    done: HashMap<OpId, (Ps, Ps)>,
    /// Events by time; simultaneous ones in the order in which their ops were submitted.
    events: BinaryHeap<Reverse<(Ps, Event)>>,
    now: Ps,
    host_functions_free: Ps,
    dependencies: Dependencies,
    spans: Vec<Span>,
}

impl Timeline {
    /// Creates the timeline of a machine with these GPUs, in order of device number.
    pub fn new(models: impl IntoIterator<Item = Arc<Model>>) -> Timeline {
        let device = |model: Arc<Model>| DeviceState {
            compute: Compute::new(&model),
            copies: CopyEngines::default(),
            model,
            next_dispatch: 0,
        };
        Timeline { devices: models.into_iter().map(device).collect(), ..Timeline::default() }
    }

    /// Submits an op to its device. It starts no earlier than the host's submission, and never before the
    /// current virtual time, up to which everything has already happened.
    pub fn submit(&mut self, op: Op) -> OpId {
        let id = OpId(self.submitted);
        self.submitted += 1;
        let given = to_ps(op.submitted_ns).saturating_add(self.latency(&op));
        let behind = self.dependencies.add(id, &op);
        let mut pending = Pending::new(op, given.max(self.now), behind);
        let after = std::mem::take(&mut pending.op.after);
        let gap = self.gap(&pending.op);
        for earlier in after {
            if let Some(op) = self.pending.get_mut(&earlier) {
                op.waiters.push(id);
                pending.waits += 1;
            } else if let Some((_, end)) = self.done.get(&earlier) {
                pending.ready = pending.ready.max(end.saturating_add(gap));
            }
        }
        if pending.waits == 0 {
            self.events.push(Reverse((pending.ready, Event::Ready(id))));
        }
        self.pending.insert(id, pending);
        id
    }

    /// Advances until the op is done, and returns its end in nanoseconds.
    pub fn finish(&mut self, op: OpId) -> u64 {
        // Events eventually reach every pending op, so there is always a next step.
        while self.pending.contains_key(&op) && self.step(Ps::MAX) {}
        to_ns(self.done.get(&op).map_or(self.now, |(_, end)| *end))
    }

    /// Returns the start and end of an op that is done, in nanoseconds.
    pub fn times_ns(&self, op: OpId) -> Option<(u64, u64)> {
        self.done.get(&op).map(|(start, end)| (start / 1000, to_ns(*end)))
    }

    /// Returns whether the op is done at `ns`.
    pub fn done_by(&mut self, op: OpId, ns: u64) -> bool {
        self.advance(ns);
        !self.pending.contains_key(&op) && self.done.get(&op).is_none_or(|(_, end)| to_ns(*end) <= ns)
    }

    /// Advances virtual time to `ns`.
    pub fn advance(&mut self, ns: u64) {
        let until = to_ps(ns);
        while self.step(until) {}
        self.now = self.now.max(until);
    }

    /// Forgets the times of ops that ended long ago, except for those in `asked`, which may still be queried.
    pub fn forget(&mut self, asked: &HashSet<OpId>) {
        let now = self.now;
        self.done.retain(|op, (_, end)| end.saturating_add(FORGET_AFTER) > now || asked.contains(op));
        self.dependencies.retain(|op| self.done.contains_key(op) || self.pending.contains_key(op));
    }

    /// Records the kind of the first finding that concerns an op.
    pub fn mark(&mut self, op: OpId, finding: FindingKind) {
        let mark = match self.pending.get_mut(&op) {
            Some(pending) => Some(&mut pending.finding),
            None => {
                self.spans.iter_mut().rev().find(|span| span.op == Some(op)).map(|span| &mut span.finding)
            }
        };
        if let Some(mark) = mark {
            mark.get_or_insert(finding);
        }
    }

    /// Returns the changes of the number of a device's multiprocessors that have blocks, each with its time
    /// in nanoseconds. Blocks are distributed over all multiprocessors in turn, so fewer are busy only if
    /// there are fewer blocks.
    pub fn busy(&self, device: DeviceId) -> Vec<(u64, u32)> {
        let its = self.devices.get(device as usize);
        its.map_or_else(Vec::new, |its| {
            its.compute.busy().iter().map(|&(at, sms)| (at / 1000, sms)).collect()
        })
    }

    /// Records a span of the host for traces, and the ops that it waited for.
    pub fn record_host(&mut self, name: impl Into<Arc<str>>, start_ns: u64, end_ns: u64, waited: &[OpId]) {
        let after = self.dependencies.waited_for(waited);
        self.keep(Span {
            resource: Resource::Host,
            device: None,
            stream: None,
            name: name.into(),
            start_ns,
            end_ns,
            args: Vec::new(),
            op: None,
            after,
            finding: None,
        });
    }

    /// Returns the spans so far, in the order in which they ended; the host's spans are in the order of
    /// recording.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Like [`Timeline::spans`], but removes the spans.
    pub fn take_spans(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.spans)
    }

    fn keep(&mut self, span: Span) {
        if self.spans.len() < MAX_SPANS {
            self.spans.push(span);
        }
    }

    /// Returns the time from an op's submission by the host until the GPU knows of it.
    fn latency(&self, op: &Op) -> Ps {
        let Some(device) = self.devices.get(op.device as usize) else { return 0 };
        let queue = &device.model.queue;
        to_ps(if op.in_graph { queue.graph_latency_ns } else { queue.latency_ns })
    }

    /// Returns the time from the end of an op's dependencies until it is ready.
    fn gap(&self, op: &Op) -> Ps {
        let Some(device) = self.devices.get(op.device as usize) else { return 0 };
        let queue = &device.model.queue;
        to_ps(match op.cost {
            Cost::Marker | Cost::Host { .. } => 0,
            Cost::Copy { .. } => queue.copy_gap_ns,
            _ if op.in_graph => queue.graph_gap_ns,
            _ => queue.kernel_gap_ns,
        })
    }

    /// Processes the next event, if it occurs by `until`. Returns whether there was one.
    fn step(&mut self, until: Ps) -> bool {
        let event = self.events.peek().map(|Reverse((at, _))| *at);
        let blocks = self.devices.iter().filter_map(|d| d.compute.next_end()).min();
        let at = match (event, blocks) {
            (None, None) => return false,
            (a, b) => a.unwrap_or(Ps::MAX).min(b.unwrap_or(Ps::MAX)),
        };
        if at > until {
            return false;
        }
        // At any one time, blocks end before anything new starts.
        if blocks == Some(at) {
            self.now = self.now.max(at);
            self.end_blocks(at);
            return true;
        }
        self.now = self.now.max(at);
        match self.events.pop() {
            Some(Reverse((_, Event::End(id)))) => self.end(id, at),
            Some(Reverse((_, Event::Blocks(id)))) => self.start_blocks(id, at),
            Some(Reverse((_, Event::Ready(id)))) => self.start(id, at),
            None => {}
        }
        true
    }

    /// Assigns a ready op to its resource.
    fn start(&mut self, id: OpId, at: Ps) {
        let Some(pending) = self.pending.get_mut(&id) else { return };
        let device = pending.op.device;
        if let Some(its) = self.devices.get_mut(device as usize)
            && let Some(kernel) = pending.op.cost.as_kernel(&its.model.gpu)
        {
            let start = at.max(its.next_dispatch);
            its.next_dispatch = start.saturating_add(to_ps(its.model.queue.dispatch_ns));
            pending.started = start;
            let first = start.saturating_add(op::ps(kernel.start_ns));
            pending.kernel = Some(kernel);
            return self.events.push(Reverse((first, Event::Blocks(id))));
        }
        match pending.op.cost {
            Cost::Copy { route, bytes } => {
                let (start, end) = copies::schedule(&mut self.devices, device, route, bytes, at);
                pending.started = start;
                self.events.push(Reverse((end, Event::End(id))));
            }
            Cost::Host { ns } => {
                let latency = self.devices.get(device as usize).map_or(0, |d| d.model.queue.host_function_ns);
                let start = at.saturating_add(to_ps(latency)).max(self.host_functions_free);
                let end = start.saturating_add(to_ps(ns));
                self.host_functions_free = end;
                pending.started = start;
                self.events.push(Reverse((end, Event::End(id))));
            }
            Cost::Marker | Cost::Kernel(_) => {
                pending.started = at;
                self.end(id, at);
            }
        }
    }

    fn start_blocks(&mut self, id: OpId, at: Ps) {
        let Some(pending) = self.pending.get(&id) else { return };
        let Some(cost) = &pending.kernel else { return };
        let (cost, priority) = (cost.clone(), pending.op.priority);
        if let Some(device) = self.devices.get_mut(pending.op.device as usize) {
            device.compute.add(id, cost, priority, at);
        }
    }

    /// Ends the blocks that end now, on every device.
    fn end_blocks(&mut self, at: Ps) {
        let mut done = Vec::new();
        for device in &mut self.devices {
            if device.compute.next_end() == Some(at) {
                device.compute.advance(at, &mut done);
            }
        }
        for (id, cost, began) in done {
            let least = began.saturating_add(op::ps(cost.least_ns));
            let end = at.max(least).saturating_add(op::ps(cost.end_ns));
            self.events.push(Reverse((end, Event::End(id))));
        }
    }

    fn end(&mut self, id: OpId, at: Ps) {
        let Some(pending) = self.pending.remove(&id) else { return };
        self.done.insert(id, (pending.started, at));
        for waiter in &pending.waiters {
            let Some(gap) = self.pending.get(waiter).map(|w| self.gap(&w.op)) else { continue };
            let Some(other) = self.pending.get_mut(waiter) else { continue };
            other.ready = other.ready.max(at.saturating_add(gap));
            other.waits -= 1;
            if other.waits == 0 {
                self.events.push(Reverse((other.ready, Event::Ready(*waiter))));
            }
        }
        if let Some(span) = Span::of(id, &pending, at) {
            self.keep(span);
        }
    }
}
