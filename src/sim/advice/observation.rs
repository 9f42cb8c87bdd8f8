//! What a piece of advice rests on, as data.

use super::branches::Split;
use super::nan::NanCause;
use super::watched::{FloatOp, IndexOp};
use crate::occupancy::Limit;

/// Lanes of a warp that go on together behind a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// A bit for each.
    pub lanes: u32,
    /// Of the first instruction that they come to.
    pub line: Option<u32>,
}

/// What was observed at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// The lanes' addresses of one access of a warp to global memory, the worst.
    Sectors {
        lanes: u32,
        sectors: u64,
        /// Sectors that would hold the same bytes.
        least: u64,
        /// Bytes between neighbouring lanes, where most have the same.
        stride: Option<i64>,
        /// Accesses of warps in all.
        loads: u64,
        stores: u64,
    },
    /// Words of one bank of shared memory that one access of a warp wants: for each the lowest lane.
    Banks { bank: u32, lanes: Vec<usize> },
    /// Threads of a warp that update one address.
    Atomics { lanes: u64 },
    Divergence {
        split: Split,
        /// Of `times` that warps came here, those in which they split.
        splits: u64,
        times: u64,
        /// Of all steps that lanes of the kernel could take, those they wait.
        percent: u64,
        /// Of the first warp that split: the lanes that jumped, and the others.
        ways: [Way; 2],
    },
    /// A barrier that orders no two accesses, and how often each block waits at it.
    Barrier { times_a_block: u64 },
    /// A value of the lowest thread.
    Value(Computed),
    /// What a multiprocessor holds of the blocks of a launch.
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
    /// Traffic of an array of the thread's own.
    LocalArray { requests: u64, sectors: u64 },
}

impl Observation {
    /// Whether two observations at one line are of one kind and differ in their totals alone.
    pub(super) fn is_like(&self, other: &Observation) -> bool {
        use Observation::Sectors;
        match (self, other) {
            (
                Sectors { lanes, sectors, least, .. },
                Sectors { lanes: its_lanes, sectors: its_sectors, least: its_least, .. },
            ) => (lanes, sectors, least) == (its_lanes, its_sectors, its_least),
            // Of values the first says enough.
            (Observation::Value(_), Observation::Value(_)) => true,
            _ => self == other,
        }
    }

    /// Adds the totals of one that is like this.
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

/// An instruction with its operands and its result. Floats are given as `f64`, which holds those of `bytes` bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Computed {
    Float {
        op: FloatOp,
        bytes: u8,
        operands: [f64; 3],
        result: f64,
        /// Why it is a NaN, where the operands alone make it one.
        cause: Option<NanCause>,
    },
    /// An integer by 0.
    Divided {
        dividend: Dividend,
        remainder: bool,
    },
    Index {
        op: IndexOp,
        operands: [i32; 3],
        result: i32,
        exact: Option<i64>,
    },
    /// A float that an integer of these bounds can't hold.
    Truncated {
        bytes: u8,
        value: f64,
        least: f64,
        most: f64,
    },
    /// A float that became one of fewer bytes.
    Narrowed {
        from: u8,
        to: u8,
        value: f64,
        result: f64,
    },
}

/// An integer that was divided, by its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dividend {
    Signed(i64),
    Unsigned(u64),
}
