//! What every launch did, for who asks afterwards.

use super::queue::Op;
use super::virtual_time::SpanId;
use crate::device::{DeviceId, Launch, StreamId};
use sim::time::KernelWork;
use sim::{Counts, LaunchConfig, Request};

/// Launches that are told one by one; all are in the sums.
pub const MOST_LAUNCHES: usize = 4096;

/// A kernel that ran.
#[derive(Clone, Debug)]
pub struct Launched {
    /// The launch.
    pub what: Request,
    /// Line of the launch, where known.
    pub line: Option<u32>,
    pub device: DeviceId,
    pub stream: StreamId,
    pub config: LaunchConfig,
    pub work: KernelWork,
    pub(super) span: SpanId,
}

#[derive(Debug, Default)]
pub struct Ledger {
    /// In the order in which they were done.
    pub launches: Vec<Launched>,
    /// Those that are not told one by one.
    pub dropped: u64,
    pub totals: Counts,
}

impl Ledger {
    pub(super) fn add(&mut self, op: &Op, launch: &Launch, work: KernelWork, span: SpanId) {
        self.totals.add(&work.counts);
        if self.launches.len() >= MOST_LAUNCHES {
            self.dropped += 1;
            return;
        }
        self.launches.push(Launched {
            what: op.site.what.clone(),
            line: op.site.location.as_ref().map(|at| at.line),
            device: op.device,
            stream: op.stream,
            config: launch.config,
            work,
            span,
        });
    }
}
