//! Stream capture: work submitted to a stream becomes nodes of a graph instead of being executed.
//!
//! A capture begins in one stream. Another stream joins it by waiting for an event that was recorded in the
//! capture, and must be joined back before the capture ends. An operation that cannot be captured invalidates
//! the capture, with an error that `cudaStreamEndCapture` repeats (CUDA programming guide, "Prohibited and
//! Unhandled Operations").

use super::stream::Stream;
use crate::device::{CudaError, Failure, Result, Site, StreamId, Work, fail_if};
use crate::program::call::{Call, Fact, Row, calls};
use sim::{CaptureRule, Evidence};
use std::collections::{BTreeMap, HashSet};

/// `enum cudaStreamCaptureMode`
const GLOBAL: i32 = 0;
const RELAXED: i32 = 2;

/// `enum cudaStreamCaptureStatus`
const STATUS_NONE: i32 = 0;
const STATUS_ACTIVE: i32 = 1;
const STATUS_INVALIDATED: i32 = 2;

/// Pointers through which a call returns facts about a capture; null where they are not wanted.
#[derive(Default)]
struct CaptureInfo {
    status: u64,
    number: u64,
    graph: u64,
    dependencies: u64,
    count: u64,
}

/// A capture in progress.
#[derive(Debug)]
pub struct Capture {
    /// Identifier, unique within the process.
    pub number: u64,
    origin: StreamId,
    mode: i32,
    /// Handle of the graph that receives the nodes.
    pub graph: u64,
    /// For each participating stream, the nodes that the next node of that stream depends on.
    streams: BTreeMap<StreamId, Vec<u64>>,
    /// Whether a participating stream synchronises with the default stream.
    blocking: bool,
    invalid: bool,
    /// The call that began it.
    begun: Site,
}

impl Capture {
    /// Invalidates the capture because of a call that it does not allow; returns the reason.
    fn invalidate(&mut self, why: CaptureRule) -> Evidence {
        self.invalid = true;
        Evidence::DuringCapture { since: self.begun.location.as_ref().map(|at| at.line), why }
    }
}

/// The captures in progress.
#[derive(Debug, Default)]
pub struct Captures {
    open: Vec<Capture>,
    made: u64,
    /// The thread's capture mode, as set by `cudaThreadExchangeStreamCaptureMode`.
    thread_mode: i32,
}

impl Captures {
    /// Returns the capture that a stream participates in.
    pub fn of(&self, stream: StreamId) -> Option<&Capture> {
        self.open.iter().find(|c| c.streams.contains_key(&stream))
    }

    pub fn of_mut(&mut self, stream: StreamId) -> Option<&mut Capture> {
        self.open.iter_mut().find(|c| c.streams.contains_key(&stream))
    }

    /// Returns the number of a stream's capture, and the nodes that the next node of the stream depends on.
    pub fn frontier(&self, stream: StreamId) -> Option<(u64, Vec<u64>)> {
        let capture = self.of(stream)?;
        Some((capture.number, capture.streams.get(&stream)?.clone()))
    }
}

/// Refuses a call that a capture in progress does not allow, and invalidates that capture.
///
/// # Errors
///
/// `cudaErrorStreamCaptureUnsupported`: the call is refused.
pub fn guard(call: &mut Call, row: &Row) -> Result<()> {
    let captures = &mut call.runtime.graphs.captures;
    if captures.open.is_empty() {
        return Ok(());
    }
    let (never, relaxed) = (row.is(Fact::NeverInCapture), captures.thread_mode == RELAXED);
    let mut refused = None;
    for capture in &mut captures.open {
        if never || !relaxed && capture.mode != RELAXED && row.is(Fact::UnsafeInCapture) {
            let why = if never { CaptureRule::NothingToWaitFor } else { CaptureRule::MayWait };
            refused = Some(capture.invalidate(why));
        }
    }
    let Some(why) = refused else { return Ok(()) };
    call.runtime.errors.set_reason(why);
    Err(CudaError::StreamCaptureUnsupported.into())
}

impl Call<'_> {
    /// Refuses a call that a captured stream does not allow, and invalidates the stream's capture.
    ///
    /// # Errors
    ///
    /// `cudaErrorStreamCaptureUnsupported`: the stream is being captured.
    pub fn refuse_in_capture(&mut self, stream: StreamId) -> Result<()> {
        let Some(capture) = self.runtime.graphs.captures.of_mut(stream) else { return Ok(()) };
        let why = capture.invalidate(CaptureRule::NothingToWaitFor);
        self.runtime.errors.set_reason(why);
        Err(CudaError::StreamCaptureUnsupported.into())
    }

    /// Captures work into a graph if its stream is being captured. Returns whether it was; if not, the work
    /// is for the stream.
    ///
    /// # Errors
    ///
    /// CUDA's error, if the capture is invalid or this work invalidates one. Memory that a graph allocates is not
    /// supported.
    pub fn captured(&mut self, stream: &Stream, work: &Work) -> Result<bool> {
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
                    let why = capture.invalidate(CaptureRule::DefaultStream);
                    refused = Some((CudaError::StreamCaptureImplicit, why));
                } else if waits && capture.mode != RELAXED {
                    let why = capture.invalidate(CaptureRule::MayWait);
                    refused.get_or_insert((CudaError::StreamCaptureUnsupported, why));
                }
            }
            let Some((error, why)) = refused else { return Ok(false) };
            self.runtime.errors.set_reason(why);
            return Err(error.into());
        };
        fail_if(capture.invalid, CudaError::StreamCaptureInvalidated)?;
        if waits {
            return self.refuse_in_capture(stream.id).map(|()| false);
        }
        if let Work::PoolAllocate { .. } | Work::PoolFree { .. } = work {
            return Err(Failure::unsupported("memory that a graph allocates"));
        }
        let (graph, after) = (capture.graph, capture.streams.get(&stream.id).cloned().unwrap_or_default());
        let node = self.add_work(graph, work.clone(), after, stream.device)?;
        if let Some(capture) = self.runtime.graphs.captures.of_mut(stream.id) {
            capture.streams.insert(stream.id, vec![node]);
        }
        Ok(true)
    }

    /// Records that a stream waits for an event recorded in a capture: the stream joins the capture, or
    /// depends on these nodes in addition to its own.
    ///
    /// # Errors
    ///
    /// `cudaErrorStreamCaptureMerge`: the stream is in another capture. `cudaErrorCapturedEvent`: the capture has
    /// ended. `cudaErrorStreamCaptureInvalidated`: it is invalid. `cudaErrorStreamCaptureImplicit`: the stream is the
    /// default one.
    pub fn join_capture(&mut self, stream: &Stream, number: u64, nodes: &[u64]) -> Result<()> {
        let captures = &mut self.runtime.graphs.captures;
        if let Some(other) = captures.of_mut(stream.id)
            && other.number != number
        {
            other.invalid = true;
            return Err(CudaError::StreamCaptureMerge.into());
        }
        let open = captures.open.iter_mut().find(|c| c.number == number);
        let capture = open.ok_or(CudaError::CapturedEvent)?;
        fail_if(capture.invalid, CudaError::StreamCaptureInvalidated)?;
        if stream.id.0 < StreamId::FIRST_CREATED {
            let why = capture.invalidate(CaptureRule::DefaultStream);
            self.runtime.errors.set_reason(why);
            return Err(CudaError::StreamCaptureImplicit.into());
        }
        capture.blocking |= !stream.options.non_blocking;
        let known = capture.streams.entry(stream.id).or_default();
        known.extend(nodes);
        known.sort_unstable();
        known.dedup();
        Ok(())
    }

    /// Returns the failure of a captured stream that would wait for work outside the capture, which is
    /// invalidated.
    pub fn isolation_failure(&mut self, stream: StreamId) -> Failure {
        if let Some(capture) = self.runtime.graphs.captures.of_mut(stream) {
            capture.invalid = true;
        }
        CudaError::StreamCaptureIsolation.into()
    }

    fn begin_capture(&mut self, stream: u64, mode: i32, into: Option<(u64, Vec<u64>)>) -> Result<()> {
        let stream = self.known_stream(stream)?;
        fail_if(!(GLOBAL..=RELAXED).contains(&mode), CudaError::InvalidValue)?;
        fail_if(stream.id.0 < StreamId::FIRST_CREATED, CudaError::StreamCaptureUnsupported)?;
        fail_if(self.runtime.graphs.captures.of(stream.id).is_some(), CudaError::IllegalState)?;
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
            begun: self.site.clone(),
        });
        Ok(())
    }

    /// Returns whether every node of a capture is a dependency of the end of the stream it began in.
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

    /// Writes what is known of the capture of a stream to the non-null pointers in `to`.
    fn capture_info(&mut self, stream: u64, to: CaptureInfo) -> Result<()> {
        let CaptureInfo { status, number, graph, dependencies, count } = to;
        let id = self.stream(stream)?;
        let found = self.runtime.graphs.captures.of(id).map(|c| (c.number, c.graph, c.invalid));
        let Some((its_number, its_graph, invalid)) = found else { return self.put(status, STATUS_NONE) };
        self.put(status, if invalid { STATUS_INVALIDATED } else { STATUS_ACTIVE })?;
        let (_, after) = self.runtime.graphs.captures.frontier(id).unwrap_or_default();
        for (pointer, value) in [(number, its_number), (graph, its_graph), (count, after.len() as u64)] {
            self.put_if_wanted(pointer, value)?;
        }
        if dependencies != 0 {
            let bytes: Vec<u8> = after.iter().flat_map(|node| node.to_le_bytes()).collect();
            let room = self.thread.allocate(bytes.len().max(8) as u64).ok_or(CudaError::MemoryAllocation)?;
            self.store(room, &bytes)?;
            self.put(dependencies, room)?;
        }
        Ok(())
    }

    fn update_dependencies(&mut self, stream: u64, nodes: u64, count: u64, set: bool) -> Result<()> {
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
}

calls! {
    /// Begins to capture the work of a stream into a new graph.
    fn cudaStreamBeginCapture(call, stream: u64, mode: i32) {
        call.begin_capture(stream, mode, None)
    }

    /// As cudaStreamBeginCapture, into an existing graph.
    fn cudaStreamBeginCaptureToGraph(
        call, stream: u64, graph: u64, nodes: u64, _edges: u64, count: u64, mode: i32
    ) {
        call.graph(graph)?;
        let after = call.node_list(nodes, count)?;
        call.begin_capture(stream, mode, Some((graph, after)))
    }

    /// Ends a capture and returns its graph.
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

    /// Returns whether a stream is being captured: 0 no, 1 yes, 2 the capture is invalidated.
    fn cudaStreamIsCapturing(call, stream: u64, status: u64) {
        call.capture_info(stream, CaptureInfo { status, ..CaptureInfo::default() })
    }

    /// Returns the status, identifier, graph and current dependencies of a capture.
    fn cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v2(
        call, stream: u64, status: u64, number: u64, graph: u64, dependencies: u64, count: u64
    ) {
        call.capture_info(stream, CaptureInfo { status, number, graph, dependencies, count })
    }

    /// As cudaStreamGetCaptureInfo_v2; edges have no data here.
    fn cudaStreamGetCaptureInfo_v3(
        call, stream: u64, status: u64, number: u64, graph: u64, dependencies: u64, edges: u64, count: u64
    ) {
        call.put_if_wanted(edges, 0u64)?;
        call.capture_info(stream, CaptureInfo { status, number, graph, dependencies, count })
    }

    /// Adds to the dependencies of the next node of a captured stream (flag 0), or replaces them (flag 1).
    fn cudaStreamUpdateCaptureDependencies(call, stream: u64, nodes: u64, count: u64, flags: u32) {
        call.update_dependencies(stream, nodes, count, flags == 1)
    }

    /// As cudaStreamUpdateCaptureDependencies; edges have no data here.
    fn cudaStreamUpdateCaptureDependencies_v2(
        call, stream: u64, nodes: u64, _edges: u64, count: u64, flags: u32
    ) {
        call.update_dependencies(stream, nodes, count, flags == 1)
    }

    /// Exchanges the capture mode of this thread.
    fn cudaThreadExchangeStreamCaptureMode(call, mode: u64) {
        let new: i32 = call.get(mode)?;
        fail_if(!(GLOBAL..=RELAXED).contains(&new), CudaError::InvalidValue)?;
        let old = std::mem::replace(&mut call.runtime.graphs.captures.thread_mode, new);
        call.put(mode, old)
    }
}
