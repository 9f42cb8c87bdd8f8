//! Work in virtual time: its cost and its dependencies.

use crate::device::{DeviceId, StreamId};
use sim::FindingKind;
use sim::time::{BlockCost, Gpu};
use std::sync::Arc;

/// An op's number, in order of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u64);

/// A predecessor of work, and what imposes the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct After {
    pub op: OpId,
    pub by: OrderedBy,
}

/// What orders work after other work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OrderedBy {
    /// Both are in the same stream.
    Stream,
    /// The later work waits for an event.
    Event,
    /// The default stream, which waits for other streams and vice versa, or a copy between GPUs, which is
    /// ordered with all work of both.
    #[default]
    Implicit,
    /// An edge of a graph.
    Graph,
    /// A host call that waits.
    Host,
}

/// The kind of host memory, as far as copies are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostMemory {
    Pageable,
    Pinned,
    /// Managed memory that migrates on demand (`Faulted`) or by request (`Prefetched`).
    Faulted,
    Prefetched,
}

/// The source and destination of a copy, relative to the op's device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    ToDevice(HostMemory),
    ToHost(HostMemory),
    /// Within the device. Executes like a streaming kernel, and shares the memory bandwidth.
    Within,
    /// To another device, directly.
    ToPeer(DeviceId),
    /// To another device, staged through host memory, as the driver copies between devices without peer
    /// access (CUDA C++ Programming Guide, "Peer-to-Peer Memory Copy").
    StagedToPeer(DeviceId),
    HostToHost,
}

/// The cost of an op, which determines the resource it uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cost {
    /// The blocks of a kernel.
    Kernel(Arc<BlockCost>),
    /// A copy, by the route that its bytes take.
    Copy { route: Route, bytes: u64 },
    /// A host function, with its duration.
    Host { ns: u64 },
    /// Takes no time: an event's record or wait, an empty node, an allocation from a pool.
    #[default]
    Marker,
}

impl Cost {
    /// Returns the cost of the op's blocks, if it runs on the multiprocessors.
    pub(super) fn as_kernel(&self, gpu: &Gpu) -> Option<Arc<BlockCost>> {
        match self {
            Cost::Kernel(cost) => Some(cost.clone()),
            // Every byte is read and written.
            Cost::Copy { route: Route::Within, bytes } => {
                Some(Arc::new(BlockCost::streaming(gpu, bytes.saturating_mul(2))))
            }
            _ => None,
        }
    }
}

/// Work submitted to a device.
#[derive(Clone, Debug, Default)]
pub struct Op {
    pub device: DeviceId,
    /// The stream under which a trace shows it.
    pub stream: Option<StreamId>,
    /// Its name in a trace.
    pub name: Arc<str>,
    /// When the host submitted it.
    pub submitted_ns: u64,
    /// Ops that must be done before it: its predecessor in the stream, and those that it waits for.
    pub after: Vec<OpId>,
    pub cost: Cost,
    /// What orders it after those ops in `after` that are in another stream.
    pub across: OrderedBy,
    /// Its stream's priority: lower numbers go first.
    pub priority: i32,
    /// Whether it is a node of a graph: the GPU knows it beforehand, so the gap between nodes is shorter.
    pub in_graph: bool,
    /// Details for a trace.
    pub args: Vec<(&'static str, String)>,
}

impl Op {
    /// Creates an op with no dependencies.
    pub fn new(device: DeviceId, name: impl Into<Arc<str>>, submitted_ns: u64, cost: Cost) -> Op {
        Op { device, name: name.into(), submitted_ns, cost, ..Op::default() }
    }
}

/// An op that is not done yet.
#[derive(Debug)]
pub(super) struct Pending {
    pub op: Op,
    /// Earliest start known so far.
    pub ready: Ps,
    /// Number of its dependencies that are not done.
    pub waits: usize,
    /// Ops that depend on it.
    pub waiters: Vec<OpId>,
    pub started: Ps,
    /// Its predecessors, as reported in its [`Span`](super::Span).
    pub behind: Vec<After>,
    pub finding: Option<FindingKind>,
    /// The cost of its blocks, once it has started on the multiprocessors.
    pub kernel: Option<Arc<BlockCost>>,
}

impl Pending {
    pub fn new(op: Op, ready: Ps, behind: Vec<After>) -> Pending {
        Pending { op, ready, waits: 0, waiters: Vec::new(), started: 0, behind, finding: None, kernel: None }
    }
}

/// A time or duration in picoseconds.
pub(super) type Ps = u64;

pub(super) fn to_ps(ns: u64) -> Ps {
    ns.saturating_mul(1000)
}

/// Converts to whole nanoseconds, rounding up so that no end is reported before it occurs.
pub(super) fn to_ns(ps: Ps) -> u64 {
    ps.div_ceil(1000)
}

/// Converts a model's nanoseconds to picoseconds.
pub(super) fn ps(ns: f64) -> Ps {
    (ns * 1000.0).ceil() as Ps
}
