//! Spans of time in which work was executed, for traces.

use super::op::{After, Cost, HostMemory, OpId, Pending, Ps, Route, to_ns};
use crate::device::{DeviceId, StreamId};
use sim::FindingKind;
use std::sync::Arc;

/// Maximum number of spans kept; nobody would inspect a longer trace.
pub const MAX_SPANS: usize = 1_000_000;

/// The resource that a span occupied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// The program's own thread.
    Host,
    /// Host functions called by streams.
    HostFunction,
    /// A device's multiprocessors.
    Compute(DeviceId),
    CopyToDevice(DeviceId),
    CopyToHost(DeviceId),
    /// Copies from this device to another.
    CopyToPeer(DeviceId),
}

/// An interval from `start_ns` to `end_ns` in which a resource was occupied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub resource: Resource,
    /// Device of the stream; `None` for the host's own activity.
    pub device: Option<DeviceId>,
    pub stream: Option<StreamId>,
    pub name: Arc<str>,
    pub start_ns: u64,
    pub end_ns: u64,
    pub args: Vec<(&'static str, String)>,
    /// The op; `None` for the host's own activity.
    pub op: Option<OpId>,
    /// The predecessors that have spans themselves; those that merely pass on an order, such as an event's
    /// record, are replaced by their own predecessors. For a host call that waits: the work that it waits
    /// for.
    pub after: Vec<After>,
    /// The kind of the first finding that concerns it.
    pub finding: Option<FindingKind>,
}

impl Span {
    /// Returns the span of an op that ends at `end`; `None` for an op that uses no resource.
    pub(super) fn of(id: OpId, pending: &Pending, end: Ps) -> Option<Span> {
        let op = &pending.op;
        let device = op.device;
        let mut args = op.args.clone();
        let resource = match &op.cost {
            Cost::Kernel(cost) => {
                args.push(("blocks", cost.blocks.to_string()));
                Resource::Compute(device)
            }
            Cost::Host { .. } => Resource::HostFunction,
            Cost::Marker => return None,
            Cost::Copy { route, bytes } => {
                args.push(("bytes", bytes.to_string()));
                match route {
                    Route::ToDevice(memory) | Route::ToHost(memory) => {
                        args.push(("host memory", name(*memory).into()));
                    }
                    _ => {}
                }
                match route {
                    Route::ToDevice(_) => Resource::CopyToDevice(device),
                    Route::ToHost(_) => Resource::CopyToHost(device),
                    Route::Within => Resource::Compute(device),
                    Route::ToPeer(_) | Route::StagedToPeer(_) => Resource::CopyToPeer(device),
                    Route::HostToHost => Resource::HostFunction,
                }
            }
        };
        Some(Span {
            resource,
            device: Some(device),
            stream: op.stream,
            name: op.name.clone(),
            start_ns: pending.started / 1000,
            end_ns: to_ns(end),
            args,
            op: Some(id),
            after: pending.behind.clone(),
            finding: pending.finding,
        })
    }
}

fn name(memory: HostMemory) -> &'static str {
    match memory {
        HostMemory::Pageable => "pageable",
        HostMemory::Pinned => "pinned",
        HostMemory::Faulted => "managed, on a page fault",
        HostMemory::Prefetched => "managed, prefetched",
    }
}
