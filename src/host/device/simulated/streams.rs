//! Streams and events, and the predecessors of work in a stream.

use super::Simulated;
use super::queue::{Op, OpId};
use super::virtual_time::CopyEnd;
use crate::device::{
    CudaError, DeviceId, EventId, Failure, Host, Result, Site, StreamId, StreamOptions, Work,
};
use sim::StreamName;
use std::collections::{BTreeMap, HashMap};

/// A stream.
#[derive(Debug)]
pub(super) struct Stream {
    pub device: DeviceId,
    pub options: StreamOptions,
    /// Its number in messages, in the order in which streams were created.
    pub number: u32,
    pub chain: u32,
    /// The most recent work enqueued in it.
    pub tail: Option<OpId>,
}

/// The streams of all devices, and the predecessors of their work beyond the stream itself.
#[derive(Debug, Default)]
pub(super) struct Streams {
    all: BTreeMap<StreamId, Stream>,
    made: u32,
    /// The last work of destroyed streams (with their device) and graphs.
    last_work_of_destroyed: Vec<(Option<DeviceId>, OpId)>,
    /// For each device, the last blocking copy between it and another device.
    crossed: BTreeMap<DeviceId, OpId>,
}

impl Streams {
    pub fn make(&mut self, device: DeviceId, options: StreamOptions, chain: u32) -> StreamId {
        self.made += 1;
        let id = StreamId(StreamId::FIRST_CREATED + self.made - 1);
        self.all.insert(id, Stream { device, options, number: self.made, chain, tail: None });
        id
    }

    /// Removes a stream that the program created; returns its chain.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidResourceHandle`: the program has created no such stream.
    pub fn remove(&mut self, id: StreamId) -> Result<u32, CudaError> {
        let made = Some(id).filter(|id| id.0 >= StreamId::FIRST_CREATED);
        let its = made.and_then(|id| self.all.remove(&id)).ok_or(CudaError::InvalidResourceHandle)?;
        self.last_work_of_destroyed.extend(its.tail.map(|tail| (Some(its.device), tail)));
        Ok(its.chain)
    }

    /// Keeps the last work of a graph that is destroyed.
    pub fn keep_last_of_graph(&mut self, last: Option<OpId>) {
        self.last_work_of_destroyed.extend(last.map(|op| (None, op)));
    }

    /// Returns the last work enqueued in a stream.
    pub fn tail(&self, id: StreamId) -> Option<OpId> {
        self.all.get(&id)?.tail
    }

    pub fn priority(&self, id: StreamId) -> i32 {
        self.all.get(&id).map_or(0, |s| s.options.priority)
    }

    /// Returns the predecessors of work that is enqueued in a stream now ("Stream synchronization behavior"
    /// of the CUDA runtime API): the work before it in the stream; and the legacy default stream and the
    /// blocking streams wait for each other.
    fn before(&self, id: StreamId) -> Vec<OpId> {
        let Some(stream) = self.all.get(&id) else { return Vec::new() };
        let mut after: Vec<OpId> = stream.tail.into_iter().collect();
        after.extend(self.crossed.get(&stream.device));
        if id.0 < StreamId::FIRST_CREATED {
            let same = |s: &&Stream| s.device == stream.device && !s.options.non_blocking;
            after.extend(self.all.values().filter(same).filter_map(|s| s.tail));
            after.extend(
                self.last_work_of_destroyed
                    .iter()
                    .filter(|(d, _)| *d == Some(stream.device))
                    .map(|(_, op)| *op),
            );
        } else if !stream.options.non_blocking {
            after.extend(self.tail(StreamId::legacy(stream.device)));
        }
        after.sort_unstable();
        after.dedup();
        after
    }

    /// Returns the last work of each stream of a device.
    pub fn of_device(&self, device: DeviceId) -> Vec<OpId> {
        let own = self.all.values().filter(|s| s.device == device).filter_map(|s| s.tail);
        let gone = self
            .last_work_of_destroyed
            .iter()
            .filter(|(d, _)| d.is_none_or(|d| d == device))
            .map(|(_, op)| *op);
        own.chain(gone).chain(self.crossed.get(&device).copied()).collect()
    }

    /// Returns the last work of every stream, and of destroyed streams and graphs.
    pub fn last_work(&self) -> impl Iterator<Item = OpId> + '_ {
        self.all.values().filter_map(|s| s.tail).chain(self.last_work_of_destroyed.iter().map(|(_, op)| *op))
    }

    /// Forgets destroyed streams and graphs whose work is known to be done.
    pub fn forget_gone(&mut self, is_known: impl Fn(OpId) -> bool) {
        self.last_work_of_destroyed.retain(|(_, op)| !is_known(*op));
    }

    /// Returns the work that may become a predecessor of later work.
    pub fn referred(&self) -> impl Iterator<Item = OpId> + '_ {
        self.last_work().chain(self.crossed.values().copied())
    }
}

/// An event.
#[derive(Debug)]
pub(super) struct Event {
    pub timing: bool,
    pub device: DeviceId,
    /// Its most recent record.
    pub mark: Option<OpId>,
}

#[derive(Debug, Default)]
pub(super) struct Events {
    all: HashMap<EventId, Event>,
    made: u32,
}

impl Events {
    pub fn make(&mut self, device: DeviceId, timing: bool) -> EventId {
        self.made += 1;
        let id = EventId(self.made);
        self.all.insert(id, Event { timing, device, mark: None });
        id
    }

    /// Removes an event and returns it.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidResourceHandle`: there is no such event.
    pub fn remove(&mut self, id: EventId) -> Result<Event, CudaError> {
        self.all.remove(&id).ok_or(CudaError::InvalidResourceHandle)
    }

    /// Returns an event.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidResourceHandle`: there is no such event.
    pub fn get(&self, id: EventId) -> Result<&Event, CudaError> {
        self.all.get(&id).ok_or(CudaError::InvalidResourceHandle)
    }

    /// Sets the work that most recently recorded an event.
    pub fn record(&mut self, id: EventId, by: OpId) {
        if let Some(event) = self.all.get_mut(&id) {
            event.mark = Some(by);
        }
    }

    pub fn marks(&self) -> impl Iterator<Item = OpId> + '_ {
        self.all.values().filter_map(|event| event.mark)
    }
}

impl Simulated {
    /// Returns the stream; a device's default stream is created on first use.
    fn stream(&mut self, id: StreamId) -> Result<&mut Stream> {
        let is_default = id.0 < StreamId::FIRST_CREATED && id.0 < self.machine.devices();
        if is_default && !self.streams.all.contains_key(&id) {
            let chain = self.chains.begin(&self.host.known);
            let options = StreamOptions::default();
            self.streams.all.insert(id, Stream { device: id.0, options, number: 0, chain, tail: None });
        }
        self.streams.all.get_mut(&id).ok_or(Failure::Cuda(CudaError::InvalidResourceHandle))
    }

    pub(super) fn stream_device(&mut self, id: StreamId) -> Result<DeviceId> {
        Ok(self.stream(id)?.device)
    }

    /// Returns a stream's name for messages.
    pub(super) fn stream_name(&self, id: StreamId) -> StreamName {
        let its = self.streams.all.get(&id);
        let device = its.map_or(id.0, |its| its.device);
        StreamName {
            made: (id.0 >= StreamId::FIRST_CREATED).then(|| its.map_or(0, |its| its.number)),
            device: (self.machine.devices() > 1).then_some(device),
        }
    }

    /// Returns whether the host knows that work is done.
    pub(super) fn is_known(&self, id: OpId) -> bool {
        self.queue.node(id).is_none_or(|n| n.is_done() && n.stamp.is_some_and(|s| self.host.knows(s)))
    }

    /// Returns the predecessors of work enqueued in a stream now, except those that the host knows to be
    /// done.
    pub(super) fn tails(&self, id: StreamId) -> Vec<OpId> {
        let mut after = self.streams.before(id);
        after.retain(|&op| !self.is_known(op));
        after
    }

    /// Returns the devices of a blocking copy between two devices, or within one device that is not
    /// `current`. The copy is ordered after all work of both that was enqueued before it, and before all that
    /// is enqueued later (CUDA programming guide, "Peer-to-Peer Memory Copy"; CUDA runtime API,
    /// `cudaMemcpyPeer`).
    fn crosses(&self, work: &Work, current: DeviceId) -> Option<[DeviceId; 2]> {
        let Work::Copy(copy) = work else { return None };
        match (self.place(copy.dst), self.place(copy.src)) {
            (CopyEnd::Device(a), CopyEnd::Device(b)) if copy.blocking && (a != b || a != current) => {
                Some([a, b])
            }
            _ => None,
        }
    }

    /// Returns work as it is enqueued now, with its stream, device and chain.
    pub(super) fn op(
        &self,
        (stream, device, chain): (StreamId, DeviceId, u32),
        work: Work,
        site: &Site,
        after: Vec<OpId>,
        in_graph: bool,
    ) -> Op {
        Op {
            destroyed_images: self.destroyed_images.len(),
            stream,
            device,
            chain,
            by: self.originator(stream, site, &work, in_graph),
            work,
            site: site.clone(),
            after,
            known: self.host.known.clone(),
            staged: None,
            enqueued_ns: self.time.now_ns(),
            in_graph,
        }
    }

    /// Enqueues work in a stream, after its predecessors there and after `also`. If `enough` is set, `also`
    /// (unless empty) stands for all predecessors outside the stream.
    pub(super) fn push_in_stream(
        &mut self,
        stream: StreamId,
        work: Work,
        site: &Site,
        also: Vec<OpId>,
        enough: bool,
    ) -> Result<OpId> {
        let (device, chain) = {
            let its = self.stream(stream)?;
            (its.device, its.chain)
        };
        // A chain is ordered, so the stream's last work is always a predecessor.
        let mut after = if enough && !also.is_empty() {
            self.streams.tail(stream).into_iter().collect()
        } else {
            self.tails(stream)
        };
        after.extend(also);
        if let Work::Wait(event) = &work {
            after.extend(self.events.get(*event)?.mark);
        }
        let crossed = self.crosses(&work, device);
        for device in crossed.into_iter().flatten() {
            let tails = self.streams.of_device(device);
            after.extend(tails.into_iter().filter(|&op| !self.is_known(op)));
        }
        let record = if let Work::Record(event) = work { Some(event) } else { None };
        let id = self.push(self.op((stream, device, chain), work, site, after, false));
        self.stream(stream)?.tail = Some(id);
        self.streams.crossed.extend(crossed.into_iter().flatten().map(|device| (device, id)));
        if let Some(event) = record {
            self.events.record(event, id);
        }
        Ok(id)
    }

    /// Enqueues work for a call of the host, and returns when the host may continue.
    pub(super) fn enqueue_work(
        &mut self,
        stream: StreamId,
        work: Work,
        site: &Site,
        host: &mut dyn Host,
    ) -> Result<()> {
        let device = self.stream_device(stream)?;
        if let Work::Graph(graph) = work {
            let nodes = self.graph_nodes(graph);
            self.time.graph_call(device, nodes);
            return self.start_graph(graph, stream, site, host);
        }
        if let Work::Record(event) | Work::Wait(event) = &work {
            self.events.get(*event)?;
        }
        match &work {
            Work::Launch(launch) => {
                self.check_launch(device, launch)?;
                self.time.launch_call(device, launch.kernel);
            }
            Work::Copy(_) | Work::Set(_) | Work::Prefetch { .. } => self.time.copy_call(device),
            Work::Library(_) => self.time.launch_call(device, 0),
            _ => self.time.record_call(device),
        }
        let copy = if let Work::Copy(copy) = &work { Some(*copy) } else { None };
        let id = self.push_in_stream(stream, work, site, Vec::new(), false)?;
        self.advance(host)?;
        let Some(copy) = copy else { return Ok(()) };
        let (to, from) = (self.place(copy.dst), self.place(copy.src));
        let on_devices = matches!((to, from), (CopyEnd::Device(_), CopyEnd::Device(_)));
        if to == CopyEnd::Pageable || copy.blocking && !on_devices {
            return self.wait_for_ops(&[id], device, site, host);
        }
        if from == CopyEnd::Pageable {
            let bytes = copy.shape.bytes();
            let staged = match self.queue.is_done(id) {
                true => None,
                false => Some(self.stage(&copy, host)?),
            };
            if let Some(node) = self.queue.node_mut(id) {
                match (&mut node.op, node.span) {
                    (Some(op), _) => op.staged = staged,
                    (None, Some(span)) => self.time.wait_staged(device, span, bytes),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
