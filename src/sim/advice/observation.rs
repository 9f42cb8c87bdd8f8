//! What a piece of advice is based on, as data.

use super::branches::Split;
use super::nan::NanCause;
use super::watched::{FloatOp, IndexOp};
use crate::occupancy::Limit;

/// Lanes of a warp that take the same side of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchSide {
    /// One bit per lane.
    pub lanes: u32,
    /// Source line of the first instruction that they reach.
    pub line: Option<u32>,
}

/// What was observed at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// The worst access of a warp to global memory, by the addresses of its lanes.
    Sectors {
        /// Active lanes.
        lanes: u32,
        /// Sectors that they touch.
        sectors: u64,
        /// Sectors that would hold the same bytes if they were contiguous.
        least: u64,
        /// Distance in bytes between neighbouring lanes, if most neighbours have the same.
        stride: Option<i64>,
        /// Whether the lanes lie side by side, but for gaps where lanes are not active.
        has_gaps: bool,
        /// All loads of the instruction by warps, not just this access.
        loads: u64,
        /// All stores of the instruction by warps.
        stores: u64,
    },
    /// A bank of shared memory, and for each distinct word that one access of a warp requests from it, the lowest
    /// lane that requests it.
    Banks { bank: u32, lanes: Vec<usize> },
    /// The number of threads of a warp that update one address.
    Atomics { lanes: u64 },
    /// A branch at which the lanes of a warp diverge.
    Divergence {
        split: Split,
        /// How many of the `times` that warps executed the branch split their lanes.
        splits: u64,
        times: u64,
        /// Lane steps left idle by this branch, in percent of all lane steps of the kernel.
        percent: u64,
        /// Of the first warp that split: the lanes that jumped, then the lanes that fell through.
        ways: [BranchSide; 2],
    },
    /// A barrier that orders no two accesses, and how often each block waits at it.
    Barrier { times_per_block: u64 },
    /// A value computed by the lowest thread that the defect happened to.
    Value(Computed),
    /// How many blocks of a launch are resident on a multiprocessor, and what limits them.
    Occupancy {
        limit: Limit,
        kernel: String,
        threads: u32,
        registers: u32,
        shared_bytes: u32,
        blocks: u32,
        warps: u32,
        most_warps: u32,
    },
    /// Local-memory traffic of a thread's array.
    LocalArray { requests: u64, sectors: u64 },
}

impl Observation {
    /// Returns whether two observations at one line are of the same kind and differ only in their totals.
    pub(super) fn is_like(&self, other: &Observation) -> bool {
        use Observation::Sectors;
        match (self, other) {
            (
                Sectors { lanes, sectors, least, .. },
                Sectors { lanes: its_lanes, sectors: its_sectors, least: its_least, .. },
            ) => (lanes, sectors, least) == (its_lanes, its_sectors, its_least),
            // The first value is enough to report.
            (Observation::Value(_), Observation::Value(_)) => true,
            _ => self == other,
        }
    }

    /// Adds the totals of an observation for which [`Observation::is_like`] holds.
    pub(super) fn add(&mut self, other: &Observation) {
        if let (
            Observation::Sectors { loads, stores, .. },
            Observation::Sectors { loads: its_loads, stores: its_stores, .. },
        ) = (self, other)
        {
            *loads += its_loads;
            *stores += its_stores;
        }
    }
}

/// An instruction's operands and result. Floats are widened to `f64`, which represents every float of `bytes` bytes
/// exactly.
#[derive(Clone, Debug, PartialEq)]
pub enum Computed {
    Float {
        op: FloatOp,
        bytes: u8,
        operands: [f64; 3],
        result: f64,
        /// Why the result is a NaN, if the operands alone explain it.
        cause: Option<NanCause>,
    },
    /// Index arithmetic that wrapped around; `exact` is the mathematical result, or `None` if 64 bits don't hold it.
    Index { op: IndexOp, operands: [i32; 3], result: i32, exact: Option<i64> },
    /// A float whose integer part is outside the bounds `least` to `most` of the integer type.
    Truncated { bytes: u8, value: f64, least: f64, most: f64 },
    /// A finite float that became infinite in a type of fewer bytes.
    Narrowed { from: u8, to: u8, value: f64, result: f64 },
}
