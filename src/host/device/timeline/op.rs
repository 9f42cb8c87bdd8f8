//! Work in virtual time: what it costs and what it comes after.

use crate::device::{DeviceId, StreamId};
use sim::FindingKind;
use sim::time::{BlockCost, Gpu};
use std::sync::Arc;

/// An op, in the order of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u64);

/// Work that other work comes behind, and what keeps them in that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct After {
    pub op: OpId,
    pub by: OrderedBy,
}

/// What keeps work behind other work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderedBy {
    /// The stream that both were given to.
    Stream,
    /// A wait for an event.
    Event,
    /// The default stream, which waits for other streams and is waited for, or a copy between GPUs, which all work of
    /// both waits for.
    Implicit,
    /// An edge of a graph.
    Graph,
    /// A call in which the host waits.
    Host,
}

/// Host memory, as copies see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostMemory {
    Pageable,
    Pinned,
    /// Managed memory that moves because somebody came to it, or because it was asked to.
    Faulted,
    Prefetched,
}

/// From where to where a copy goes, seen from the op's device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    ToDevice(HostMemory),
    ToHost(HostMemory),
    /// Within the device. As a kernel that streams: it shares the memory's bandwidth.
    Within,
    /// To another device, directly.
    ToPeer(DeviceId),
    /// To another device by way of host memory, as the driver copies between two that may not use each other's
    /// memory (CUDA C++ Programming Guide, "Peer-to-Peer Memory Copy").
    StagedToPeer(DeviceId),
    HostToHost,
}

/// What an op takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost {
    Kernel(Arc<BlockCost>),
    Copy {
        route: Route,
        bytes: u64,
    },
    /// A host function: how long it runs.
    Host {
        ns: u64,
    },
    /// Takes no time: an event's record or wait, an empty node, a pool's allocation.
    Marker,
}

impl Cost {
    /// Its blocks, where it runs on the multiprocessors.
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

/// Work that is given to a device.
#[derive(Clone, Debug)]
pub struct Op {
    pub device: DeviceId,
    /// Where a trace shows it.
    pub stream: Option<StreamId>,
    /// What a trace calls it.
    pub name: Arc<str>,
    /// When the host gave it away.
    pub submitted_ns: u64,
    /// What must be done before: what is in front of it in its stream, and what it waits for.
    pub after: Vec<OpId>,
    pub cost: Cost,
    /// What keeps it behind those of `after` that are not of its stream.
    pub across: OrderedBy,
    /// Of its stream: lower numbers go first.
    pub priority: i32,
    /// A node of a graph: it is known to the GPU beforehand, so less time passes between nodes.
    pub in_graph: bool,
    /// Facts for a trace.
    pub args: Vec<(&'static str, String)>,
}

impl Op {
    /// An op with nothing before it.
    pub fn new(device: DeviceId, name: impl Into<Arc<str>>, submitted_ns: u64, cost: Cost) -> Op {
        Op {
            device,
            stream: None,
            name: name.into(),
            submitted_ns,
            after: Vec::new(),
            cost,
            across: OrderedBy::Implicit,
            priority: 0,
            in_graph: false,
            args: Vec::new(),
        }
    }
}

/// An op that is not done.
#[derive(Debug)]
pub(super) struct Pending {
    pub op: Op,
    /// Earliest start, as far as is known.
    pub ready: Ps,
    /// Ops before it that are not done.
    pub waits: usize,
    /// Ops that wait for it.
    pub waiters: Vec<OpId>,
    pub started: Ps,
    /// What it comes behind, as its [`Span`](super::Span) says.
    pub behind: Vec<After>,
    pub finding: Option<FindingKind>,
    /// Its blocks, once it has started on the multiprocessors.
    pub kernel: Option<Arc<BlockCost>>,
}

impl Pending {
    pub fn new(op: Op, ready: Ps, behind: Vec<After>) -> Pending {
        Pending { op, ready, waits: 0, waiters: Vec::new(), started: 0, behind, finding: None, kernel: None }
    }
}

/// Picoseconds.
pub(super) type Ps = u64;

pub(super) fn to_ps(ns: u64) -> Ps {
    ns.saturating_mul(1000)
}

/// Whole nanoseconds, upwards: nobody hears of an end before it.
pub(super) fn to_ns(ps: Ps) -> u64 {
    ps.div_ceil(1000)
}

/// Nanoseconds of a model as picoseconds.
pub(super) fn ps(ns: f64) -> Ps {
    (ns * 1000.0).ceil() as Ps
}
