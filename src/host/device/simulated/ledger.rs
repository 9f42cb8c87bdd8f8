//! A record of every launch, for later queries.

use super::queue::Op;
use super::virtual_time::SpanId;
use crate::device::{DeviceId, GpuShares, Launch, StreamId};
use sim::time::KernelWork;
use sim::{Counts, LaunchConfig, Request};

/// Maximum number of launches recorded individually; the sums include all.
pub const MAX_LAUNCHES: usize = 4096;

/// A kernel that has been executed.
#[derive(Clone, Debug)]
pub struct Launched {
    /// The request that launched it.
    pub what: Request,
    /// Source line of the launch, if known.
    pub line: Option<u32>,
    pub device: DeviceId,
    pub stream: StreamId,
    pub config: LaunchConfig,
    pub work: KernelWork,
    pub(super) span: SpanId,
}

#[derive(Debug, Default)]
pub struct Ledger {
    /// The launches, in the order of execution.
    pub launches: Vec<Launched>,
    /// Number of launches that were not recorded individually.
    pub dropped: u64,
    pub totals: Counts,
    pub shares: GpuShares,
}

impl Ledger {
    pub(super) fn add(&mut self, op: &Op, launch: &Launch, work: KernelWork, span: SpanId) {
        self.totals.add(&work.counts);
        self.shares.add_kernel(op.device, work.counts.thread_instructions);
        if self.launches.len() >= MAX_LAUNCHES {
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
