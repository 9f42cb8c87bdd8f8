//! Details of facts about kernels: what waits, and what is misused.

use crate::tensor_map::TensorType;

/// A warp collective that takes a mask of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WarpOperation {
    All,
    Any,
    Ballot,
    Elect,
    MatchAll,
    MatchAny,
    Reduce,
    Shuffle,
    ShuffleDown,
    ShuffleUp,
    ShuffleXor,
    Sync,
    Uni,
}

impl WarpOperation {
    /// Returns how CUDA C++ calls it, or PTX where it is an instruction only.
    pub fn name(self) -> &'static str {
        match self {
            WarpOperation::All => "__all_sync()",
            WarpOperation::Any => "__any_sync()",
            WarpOperation::Ballot => "__ballot_sync()",
            WarpOperation::Elect => "elect.sync",
            WarpOperation::MatchAll => "__match_all_sync()",
            WarpOperation::MatchAny => "__match_any_sync()",
            WarpOperation::Reduce => "__reduce_sync()",
            WarpOperation::Shuffle => "__shfl_sync()",
            WarpOperation::ShuffleDown => "__shfl_down_sync()",
            WarpOperation::ShuffleUp => "__shfl_up_sync()",
            WarpOperation::ShuffleXor => "__shfl_xor_sync()",
            WarpOperation::Sync => "__syncwarp()",
            WarpOperation::Uni => "vote.uni",
        }
    }

    /// Returns the name of its function in CUDA C++; `None` for an instruction without one.
    pub fn function(self) -> Option<&'static str> {
        self.name().strip_suffix("()")
    }
}

/// What has the scope of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BlockScope {
    /// One of the two accesses, or both.
    Access,
    /// A fence or an access that orders the one before the other.
    Between,
}

/// Where threads are when a barrier releases that not all reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum BarrierPosition {
    /// At the barrier of this line.
    Barrier { line: Option<u32> },
    /// They have left the kernel.
    Ended,
}

/// What threads wait for that cannot continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WaitsFor {
    /// They execute a loop.
    Loop,
    /// A barrier of the block.
    Barrier,
    /// The barrier of the grid, at which one thread of each block waits for the other blocks.
    Grid,
    /// A barrier object whose state is not known.
    Object,
    /// A barrier object: the arrivals so far, those that it expects, and the bytes that were announced but have
    /// not arrived.
    Phase { arrived: u32, expected: u32, bytes: i32 },
}

/// How a register of a matrix product in flight is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ProductRegister {
    SumRead,
    SumChanged,
    /// A register of A.
    OperandChanged,
}

/// Why a tensor copy cannot be performed with its tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TensorMisuse {
    /// The memory was not encoded by `cuTensorMapEncodeTiled`, or was changed since.
    NotEncoded,
    /// The tensor map is in shared or local memory.
    Memory,
    /// The tensor map is this many bytes past a multiple of 64.
    Unaligned { past: u64 },
    /// The map and the copy have different numbers of dimensions.
    Rank { map: usize, copy: usize },
    /// The first coordinate is not at a multiple of 16 bytes.
    FirstCoordinate { at: i32, element_bytes: u64 },
    /// The box that is stored begins before the tensor.
    StoreBefore,
    /// The type does not support the operator.
    Operator { element: TensorType },
}

/// An operand of a bulk copy. Each must be a multiple of 16 bytes; the box of a tensor copy, of 128.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BulkOperand {
    Source,
    Destination,
    Size,
}

/// A misuse of `barrier.cluster`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClusterMisuse {
    /// Threads arrive a second time without having waited in between.
    ArrivesTwice,
    /// Threads wait that have not arrived.
    WaitsWithoutArrival,
}

/// How the products of two warps of one warpgroup differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WarpDifference {
    Instruction,
    DescriptorA,
    DescriptorB,
    /// Whether the product is added to the accumulators.
    Adds,
}

/// Which wgmma.fence is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MissingFence {
    /// Between products of different shapes with the same accumulators.
    BetweenShapes,
    /// Before the first product, on some path.
    BeforeFirst,
    /// After the last change of its registers, on some path.
    AfterChange,
}
