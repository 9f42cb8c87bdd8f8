//! Streams and events, and what work in a stream comes after.

use super::Simulated;
use super::pace::{self, CopyEnd};
use super::queue::{Op, OpId};
use crate::device::{CudaError, DeviceId, EventId, Failure, Host, Site, StreamId, StreamOptions, Work};
use sim::StreamName;

/// A stream.
#[derive(Debug)]
pub(super) struct Stream {
    pub device: DeviceId,
    pub options: StreamOptions,
    /// How messages number it: in the order in which streams were made.
    pub number: u32,
    pub chain: u32,
    /// The last work that was given to it.
    pub tail: Option<OpId>,
}

/// An event.
#[derive(Debug)]
pub(super) struct Event {
    pub timing: bool,
    pub device: DeviceId,
    /// Its last record.
    pub mark: Option<OpId>,
}

impl Simulated {
    pub(super) fn make_stream(
        &mut self,
        device: DeviceId,
        options: StreamOptions,
    ) -> Result<StreamId, Failure> {
        if device >= self.machine.devices() {
            return Err(CudaError::InvalidDevice.into());
        }
        self.streams_made += 1;
        let id = StreamId(StreamId::FIRST_CREATED + self.streams_made - 1);
        let chain = self.chains.begin(&self.known);
        let number = self.streams_made;
        self.streams.insert(id, Stream { device, options, number, chain, tail: None });
        Ok(id)
    }

    pub(super) fn drop_stream(&mut self, stream: StreamId) -> Result<(), Failure> {
        if stream.0 < StreamId::FIRST_CREATED {
            return Err(CudaError::InvalidResourceHandle.into());
        }
        let Some(its) = self.streams.remove(&stream) else {
            return Err(CudaError::InvalidResourceHandle.into());
        };
        self.chains.end(its.chain);
        self.orphans.extend(its.tail.map(|tail| (Some(its.device), tail)));
        Ok(())
    }

    pub(super) fn make_event(&mut self, device: DeviceId, timing: bool) -> Result<EventId, Failure> {
        self.events_made += 1;
        let id = EventId(self.events_made);
        self.events.insert(id, Event { timing, device, mark: None });
        Ok(id)
    }

    /// The stream, made now where it is the default stream of a device.
    fn stream(&mut self, id: StreamId) -> Result<&mut Stream, Failure> {
        if id.0 < StreamId::FIRST_CREATED && id.0 < self.machine.devices() && !self.streams.contains_key(&id)
        {
            let chain = self.chains.begin(&self.known);
            let options = StreamOptions::default();
            self.streams.insert(id, Stream { device: id.0, options, number: 0, chain, tail: None });
        }
        self.streams.get_mut(&id).ok_or(Failure::Cuda(CudaError::InvalidResourceHandle))
    }

    pub(super) fn stream_device(&mut self, id: StreamId) -> Result<DeviceId, Failure> {
        Ok(self.stream(id)?.device)
    }

    pub(super) fn stream_name(&self, id: StreamId) -> StreamName {
        pace::stream_name(id, self.streams.get(&id).map_or(0, |s| s.number))
    }

    /// Whether the host knows that work is done.
    pub(super) fn is_known(&self, id: OpId) -> bool {
        self.queue.node(id).is_none_or(|n| n.is_done() && n.stamp.is_some_and(|s| self.known.covers(s)))
    }

    /// What work given to a stream now comes after ("Stream synchronization behavior" of the CUDA
    /// runtime API): what stands before it; and the legacy default stream and the blocking streams
    /// wait for each other.
    pub(super) fn tails(&self, id: StreamId) -> Vec<OpId> {
        let Some(stream) = self.streams.get(&id) else { return Vec::new() };
        let mut after: Vec<OpId> = stream.tail.into_iter().collect();
        after.extend(self.crossed.get(&stream.device));
        if id.0 < StreamId::FIRST_CREATED {
            let same = |s: &&Stream| s.device == stream.device && !s.options.non_blocking;
            after.extend(self.streams.values().filter(same).filter_map(|s| s.tail));
            after.extend(self.orphans.iter().filter(|(d, _)| *d == Some(stream.device)).map(|(_, op)| *op));
        } else if !stream.options.non_blocking {
            let legacy = self.streams.get(&StreamId::legacy(stream.device));
            after.extend(legacy.and_then(|s| s.tail));
        }
        after.sort_unstable();
        after.dedup();
        after.retain(|&op| !self.is_known(op));
        after
    }

    /// The last work that was given to a device, stream by stream.
    pub(super) fn device_tails(&self, device: DeviceId) -> Vec<OpId> {
        let own = self.streams.values().filter(|s| s.device == device).filter_map(|s| s.tail);
        let gone = self.orphans.iter().filter(|(d, _)| d.is_none_or(|d| d == device)).map(|(_, op)| *op);
        own.chain(gone).chain(self.crossed.get(&device).copied()).collect()
    }

    /// The devices of a copy by the host from one to another, or within one that is not `current`. It comes behind all work of both that was
    /// given before it, and before all that is given later (CUDA programming guide, "Peer-to-Peer Memory
    /// Copy"; CUDA runtime API, `cudaMemcpyPeer`).
    fn crosses(&self, work: &Work, current: DeviceId) -> Option<[DeviceId; 2]> {
        let Work::Copy(copy) = work else { return None };
        match (self.place(copy.dst), self.place(copy.src)) {
            (CopyEnd::Device(a), CopyEnd::Device(b)) if copy.blocking && (a != b || a != current) => {
                Some([a, b])
            }
            _ => None,
        }
    }

    /// Gives work to a stream, behind what stands there and behind `also`; only behind `also` where
    /// that is `enough`.
    pub(super) fn give(
        &mut self,
        stream: StreamId,
        work: Work,
        site: &Site,
        also: Vec<OpId>,
        enough: bool,
    ) -> Result<OpId, Failure> {
        let (device, chain) = {
            let its = self.stream(stream)?;
            (its.device, its.chain)
        };
        // A chain is in order, so the last work of the stream always comes first.
        let mut after = if enough && !also.is_empty() {
            self.streams.get(&stream).and_then(|s| s.tail).into_iter().collect()
        } else {
            self.tails(stream)
        };
        after.extend(also);
        if let Work::Wait(event) = &work {
            let event = self.events.get(event).ok_or(CudaError::InvalidResourceHandle)?;
            after.extend(event.mark);
        }
        let crossed = self.crosses(&work, device);
        for device in crossed.into_iter().flatten() {
            let tails = self.device_tails(device);
            after.extend(tails.into_iter().filter(|&op| !self.is_known(op)));
        }
        let record = if let Work::Record(event) = work { Some(event) } else { None };
        let op = Op {
            stream,
            device,
            chain,
            by: self.party(stream, site, &work, false),
            work,
            site: site.clone(),
            after,
            known: self.known.clone(),
            staged: None,
            given_ns: self.pace.now_ns(),
            in_graph: false,
        };
        let id = self.push(op);
        self.stream(stream)?.tail = Some(id);
        self.crossed.extend(crossed.into_iter().flatten().map(|device| (device, id)));
        if let Some(event) = record {
            self.events.get_mut(&event).ok_or(CudaError::InvalidResourceHandle)?.mark = Some(id);
        }
        Ok(id)
    }

    /// Gives work, as the host's call does, and lets the host go on when it may.
    pub(super) fn enqueue_work(
        &mut self,
        stream: StreamId,
        work: Work,
        site: &Site,
        host: &mut dyn Host,
    ) -> Result<(), Failure> {
        let device = self.stream_device(stream)?;
        if let Work::Record(event) | Work::Wait(event) = &work
            && !self.events.contains_key(event)
        {
            return Err(CudaError::InvalidResourceHandle.into());
        }
        match &work {
            Work::Launch(launch) => {
                self.check_launch(device, launch)?;
                self.pace.launch_call(device, launch.kernel);
            }
            Work::Copy(_) | Work::Set(_) | Work::Prefetch { .. } => self.pace.copy_call(device),
            Work::Library(_) => self.pace.launch_call(device, 0),
            _ => self.pace.record_call(device),
        }
        let copy = if let Work::Copy(copy) = &work { Some(*copy) } else { None };
        let id = self.give(stream, work, site, Vec::new(), false)?;
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
                    (None, Some(span)) => self.pace.wait_staged(device, span, bytes),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
