//! Capture: what is given to a stream becomes nodes of a graph instead of being done.
//!
//! A capture begins in one stream. Another stream joins it by waiting for an event that was recorded
//! in it, and must be joined again before the capture ends. What can't be captured ends the capture
//! with an error that `cudaStreamEndCapture` repeats (CUDA programming guide, "Prohibited and
//! Unhandled Operations").

use super::stream::Stream;
use crate::device::{CudaError, DeviceId, Failure, StreamId, Work};
use crate::program::call::{Call, calls};
use std::collections::{BTreeMap, HashSet};

/// `enum cudaStreamCaptureMode`
const GLOBAL: i32 = 0;
const RELAXED: i32 = 2;

/// `enum cudaStreamCaptureStatus`
const STATUS_NONE: i32 = 0;
const STATUS_ACTIVE: i32 = 1;
const STATUS_INVALIDATED: i32 = 2;

/// Calls that a capture which is not relaxed forbids: they may wait for what is captured.
const UNSAFE: &[&str] = &[
    "cudaMalloc",
    "cudaMalloc3D",
    "cudaMallocHost",
    "cudaMallocManaged",
    "cudaMallocPitch",
    "cudaHostAlloc",
    "cudaHostRegister",
    "cudaHostUnregister",
    "cudaFree",
    "cudaFreeHost",
    "cudaEventQuery",
];
/// Calls that no capture allows.
const NEVER: &[&str] = &["cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaDeviceReset"];

/// Where a call wants to be told of a capture: pointers, null where not.
#[derive(Default)]
struct CaptureInfo {
    status: u64,
    number: u64,
    graph: u64,
    dependencies: u64,
    count: u64,
}

/// A capture under way.
#[derive(Debug)]
pub struct Capture {
    /// Tells it from others.
    pub number: u64,
    origin: StreamId,
    mode: i32,
    /// Handle of the graph that it fills.
    pub graph: u64,
    /// For each stream of it, what the next node of that stream comes after.
    streams: BTreeMap<StreamId, Vec<u64>>,
    /// Some stream of it is ordered with the default stream.
    blocking: bool,
    invalid: bool,
}

/// Captures under way.
#[derive(Debug, Default)]
pub struct Captures {
    open: Vec<Capture>,
    made: u64,
    /// What `cudaThreadExchangeStreamCaptureMode` set.
    thread_mode: i32,
}

impl Captures {
    /// The capture that a stream is in.
    pub fn of(&self, stream: StreamId) -> Option<&Capture> {
        self.open.iter().find(|c| c.streams.contains_key(&stream))
    }

    pub fn of_mut(&mut self, stream: StreamId) -> Option<&mut Capture> {
        self.open.iter_mut().find(|c| c.streams.contains_key(&stream))
    }

    /// What the next node of a stream comes after, and the capture's number.
    pub fn frontier(&self, stream: StreamId) -> Option<(u64, Vec<u64>)> {
        let capture = self.of(stream)?;
        Some((capture.number, capture.streams.get(&stream)?.clone()))
    }
}

/// Refuses a call that captures under way do not allow, and ends those captures.
pub fn guard(call: &mut Call, name: &str) -> Result<(), Failure> {
    let captures = &mut call.runtime.graphs.captures;
    if captures.open.is_empty() {
        return Ok(());
    }
    let (never, relaxed) = (NEVER.contains(&name), captures.thread_mode == RELAXED);
    let mut refused = false;
    for capture in &mut captures.open {
        if never || !relaxed && capture.mode != RELAXED && UNSAFE.contains(&name) {
            capture.invalid = true;
            refused = true;
        }
    }
    if refused { Err(CudaError::StreamCaptureUnsupported.into()) } else { Ok(()) }
}

impl Call<'_> {
    /// A call that a captured stream does not allow.
    pub fn not_captured(&mut self, stream: StreamId) -> Result<(), Failure> {
        match self.runtime.graphs.captures.of_mut(stream) {
            Some(capture) => {
                capture.invalid = true;
                Err(CudaError::StreamCaptureUnsupported.into())
            }
            None => Ok(()),
        }
    }

    /// Whether work went into a graph; where it did not, it is for the stream.
    pub fn captured(&mut self, stream: &Stream, work: &Work) -> Result<bool, Failure> {
        let captures = &mut self.runtime.graphs.captures;
        if captures.open.is_empty() {
            return Ok(false);
        }
        let waits = matches!(work, Work::Copy(copy) if copy.blocking);
        let Some(capture) = captures.of_mut(stream.id) else {
            let legacy = stream.id.0 < StreamId::FIRST_CREATED;
            let mut refused = None;
            for capture in &mut captures.open {
                if legacy && capture.blocking {
                    refused = Some(CudaError::StreamCaptureImplicit);
                    capture.invalid = true;
                } else if waits && capture.mode != RELAXED {
                    refused.get_or_insert(CudaError::StreamCaptureUnsupported);
                    capture.invalid = true;
                }
            }
            return refused.map_or(Ok(false), |error| Err(error.into()));
        };
        if capture.invalid {
            return Err(CudaError::StreamCaptureInvalidated.into());
        }
        if waits {
            capture.invalid = true;
            return Err(CudaError::StreamCaptureUnsupported.into());
        }
        if let Work::PoolAllocate { .. } | Work::PoolFree { .. } = work {
            return Err(Failure::Unsupported { what: "memory that a graph allocates".into(), line: None });
        }
        let (graph, after) = (capture.graph, capture.streams.get(&stream.id).cloned().unwrap_or_default());
        let node = self.add_work(graph, work.clone(), after, stream.device)?;
        if let Some(capture) = self.runtime.graphs.captures.of_mut(stream.id) {
            capture.streams.insert(stream.id, vec![node]);
        }
        Ok(true)
    }

    /// A stream waits for an event that was recorded in a capture: it joins, or both sides meet.
    pub fn join_capture(&mut self, stream: &Stream, number: u64, nodes: &[u64]) -> Result<(), Failure> {
        let captures = &mut self.runtime.graphs.captures;
        if let Some(other) = captures.of_mut(stream.id)
            && other.number != number
        {
            other.invalid = true;
            return Err(CudaError::StreamCaptureMerge.into());
        }
        let Some(capture) = captures.open.iter_mut().find(|c| c.number == number) else {
            return Err(CudaError::CapturedEvent.into());
        };
        if capture.invalid {
            return Err(CudaError::StreamCaptureInvalidated.into());
        }
        if stream.id.0 < StreamId::FIRST_CREATED {
            capture.invalid = true;
            return Err(CudaError::StreamCaptureImplicit.into());
        }
        capture.blocking |= !stream.options.non_blocking;
        let known = capture.streams.entry(stream.id).or_default();
        known.extend(nodes);
        known.sort_unstable();
        known.dedup();
        Ok(())
    }

    /// A captured stream would wait for what is not captured.
    pub fn isolated(&mut self, stream: StreamId) -> Failure {
        if let Some(capture) = self.runtime.graphs.captures.of_mut(stream) {
            capture.invalid = true;
        }
        CudaError::StreamCaptureIsolation.into()
    }

    fn begin_capture(
        &mut self,
        stream: u64,
        mode: i32,
        into: Option<(u64, Vec<u64>)>,
    ) -> Result<(), Failure> {
        let stream = self.known_stream(stream)?;
        if !(GLOBAL..=RELAXED).contains(&mode) {
            return Err(CudaError::InvalidValue.into());
        }
        if stream.id.0 < StreamId::FIRST_CREATED {
            return Err(CudaError::StreamCaptureUnsupported.into());
        }
        if self.runtime.graphs.captures.of(stream.id).is_some() {
            return Err(CudaError::IllegalState.into());
        }
        let (graph, after) = match into {
            Some(into) => into,
            None => (self.runtime.graphs.make(), Vec::new()),
        };
        let captures = &mut self.runtime.graphs.captures;
        captures.made += 1;
        captures.open.push(Capture {
            number: captures.made,
            origin: stream.id,
            mode,
            graph,
            streams: BTreeMap::from([(stream.id, after)]),
            blocking: !stream.options.non_blocking,
            invalid: false,
        });
        Ok(())
    }

    /// Whether every node of a capture comes before the end of its first stream.
    fn is_joined(&self, capture: &Capture) -> bool {
        let mut open = capture.streams.get(&capture.origin).cloned().unwrap_or_default();
        let mut joined: HashSet<u64> = HashSet::new();
        while let Some(node) = open.pop() {
            if joined.insert(node) {
                open.extend(self.runtime.graphs.after(node));
            }
        }
        capture.streams.values().flatten().all(|node| joined.contains(node))
    }

    /// Fills what `to` points to, null pointers apart, with what is known of the capture of a stream.
    fn capture_info(&mut self, stream: u64, to: CaptureInfo) -> Result<(), Failure> {
        let CaptureInfo { status, number, graph, dependencies, count } = to;
        let id = self.stream(stream)?;
        let found = self.runtime.graphs.captures.of(id).map(|c| (c.number, c.graph, c.invalid));
        let Some((its_number, its_graph, invalid)) = found else { return self.put(status, STATUS_NONE) };
        self.put(status, if invalid { STATUS_INVALIDATED } else { STATUS_ACTIVE })?;
        let (_, after) = self.runtime.graphs.captures.frontier(id).unwrap_or_default();
        for (pointer, value) in [(number, its_number), (graph, its_graph), (count, after.len() as u64)] {
            if pointer != 0 {
                self.put(pointer, value)?;
            }
        }
        if dependencies != 0 {
            let bytes: Vec<u8> = after.iter().flat_map(|node| node.to_le_bytes()).collect();
            let room = self.thread.allocate(bytes.len().max(8) as u64).ok_or(CudaError::MemoryAllocation)?;
            self.store(room, &bytes)?;
            self.put(dependencies, room)?;
        }
        Ok(())
    }

    fn update_dependencies(&mut self, stream: u64, nodes: u64, count: u64, set: bool) -> Result<(), Failure> {
        let id = self.stream(stream)?;
        let nodes = self.node_list(nodes, count)?;
        let capture = self.runtime.graphs.captures.of_mut(id).ok_or(CudaError::IllegalState)?;
        let known = capture.streams.entry(id).or_default();
        if set {
            known.clear();
        }
        known.extend(nodes);
        Ok(())
    }

    /// The device that nodes of explicit graphs run on.
    pub fn node_device(&self) -> DeviceId {
        self.runtime.current
    }
}

calls! {
    /// From here on the work of the stream becomes a graph.
    fn cudaStreamBeginCapture(call, stream: u64, mode: i32) {
        call.begin_capture(stream, mode, None)
    }

    /// As cudaStreamBeginCapture, into a graph that there is.
    fn cudaStreamBeginCaptureToGraph(
        call, stream: u64, graph: u64, nodes: u64, _edges: u64, count: u64, mode: i32
    ) {
        call.graph(graph)?;
        let after = call.node_list(nodes, count)?;
        call.begin_capture(stream, mode, Some((graph, after)))
    }

    /// Ends a capture and gives its graph.
    fn cudaStreamEndCapture(call, stream: u64, graph: u64) {
        let id = call.stream(stream)?;
        let captures = &mut call.runtime.graphs.captures;
        let Some(at) = captures.open.iter().position(|c| c.origin == id) else {
            let other = captures.of(id).is_some();
            return Err(if other { CudaError::StreamCaptureUnmatched } else { CudaError::IllegalState }.into());
        };
        let capture = captures.open.remove(at);
        let error = match (capture.invalid, call.is_joined(&capture)) {
            (true, _) => Some(CudaError::StreamCaptureInvalidated),
            (false, false) => Some(CudaError::StreamCaptureUnjoined),
            (false, true) => None,
        };
        if error.is_none() {
            let name = call.named(1);
            call.runtime.graphs.made.own(capture.graph, &call.site, name);
        }
        call.put(graph, if error.is_some() { 0 } else { capture.graph })?;
        error.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Whether a stream is captured: 0 no, 1 yes, 2 the capture has failed.
    fn cudaStreamIsCapturing(call, stream: u64, status: u64) {
        call.capture_info(stream, CaptureInfo { status, ..CaptureInfo::default() })
    }

    /// What is known of a capture.
    fn cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v2(
        call, stream: u64, status: u64, number: u64, graph: u64, dependencies: u64, count: u64
    ) {
        call.capture_info(stream, CaptureInfo { status, number, graph, dependencies, count })
    }

    /// What is known of a capture; edges have no data here.
    fn cudaStreamGetCaptureInfo_v3(
        call, stream: u64, status: u64, number: u64, graph: u64, dependencies: u64, edges: u64, count: u64
    ) {
        if edges != 0 {
            call.put(edges, 0u64)?;
        }
        call.capture_info(stream, CaptureInfo { status, number, graph, dependencies, count })
    }

    /// What the next node of a captured stream comes after: more (0), or only this (1).
    fn cudaStreamUpdateCaptureDependencies(call, stream: u64, nodes: u64, count: u64, flags: u32) {
        call.update_dependencies(stream, nodes, count, flags == 1)
    }

    /// As cudaStreamUpdateCaptureDependencies; edges have no data here.
    fn cudaStreamUpdateCaptureDependencies_v2(
        call, stream: u64, nodes: u64, _edges: u64, count: u64, flags: u32
    ) {
        call.update_dependencies(stream, nodes, count, flags == 1)
    }

    /// Exchanges what captures forbid to this thread.
    fn cudaThreadExchangeStreamCaptureMode(call, mode: u64) {
        let new: i32 = call.get(mode)?;
        if !(GLOBAL..=RELAXED).contains(&new) {
            return Err(CudaError::InvalidValue.into());
        }
        let old = std::mem::replace(&mut call.runtime.graphs.captures.thread_mode, new);
        call.put(mode, old)
    }
}
