//! What was done when and where, for traces.

use super::op::{After, Cost, HostMemory, OpId, Pending, Ps, Route, to_ns};
use crate::device::{DeviceId, StreamId};
use sim::FindingKind;
use std::sync::Arc;

/// Spans that are kept; a trace of more would not be looked at.
pub const MOST_SPANS: usize = 1_000_000;

/// What a span was done by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// The program's own thread.
    Host,
    /// Host functions that streams call.
    HostFunction,
    /// A device's multiprocessors.
    Compute(DeviceId),
    CopyToDevice(DeviceId),
    CopyToHost(DeviceId),
    /// From this device to another.
    CopyToPeer(DeviceId),
}

/// Something that took from `start_ns` to `end_ns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub resource: Resource,
    /// Whose stream it is in; `None` for the host's own doing.
    pub device: Option<DeviceId>,
    pub stream: Option<StreamId>,
    pub name: Arc<str>,
    pub start_ns: u64,
    pub end_ns: u64,
    pub args: Vec<(&'static str, String)>,
    /// Which op it is; `None` for the host's own doing.
    pub op: Option<OpId>,
    /// The work that it comes behind, of those that have spans: what only passes an order on, such as the record of an
    /// event, is not among it. For a call in which the host waits, the work that it waits for.
    pub after: Vec<After>,
    /// What was found about it first.
    pub finding: Option<FindingKind>,
}

impl Span {
    /// That of an op which ends at `end`; `None` for what takes no resource.
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
