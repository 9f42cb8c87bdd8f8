//! What an instruction needs that is more than a few registers: copies, calls, barriers, operations of several lanes.

use crate::matrix::{Multiply, WmmaMove};
use crate::tensor_map::{MOST_RANK, TensorType};
use crate::wgmma_op::WgmmaOp;

/// A `cp.async.bulk`: what moves 16 bytes, the 64-bit registers with the addresses of these, and the address of the
/// mbarrier object that is told, if one is.
#[derive(Clone, Debug)]
pub struct BulkOp {
    /// Indices of [`DecodedModule::memory`](super::DecodedModule::memory).
    pub load: u32,
    pub store: u32,
    pub at: [u32; 2],
    pub object: Option<u32>,
}

/// A `cp.async.bulk.tensor` or `cp.reduce.async.bulk.tensor`: 64-bit registers with the address of the tensor map
/// and of shared memory, 32-bit ones with the coordinates; then what it is done by.
#[derive(Clone, Debug)]
pub struct TensorCopy {
    pub way: TensorWay,
    pub rank: usize,
    pub map: u32,
    pub coordinates: [u32; MOST_RANK],
    pub shared: u32,
    /// Index in [`DecodedModule::memory`](super::DecodedModule::memory) of what moves 16 bytes of shared memory, by way of four 32-bit registers
    /// from `words` on.
    pub chunk: u32,
    pub words: u32,
    /// The 64-bit registers with the addresses in global and in shared memory of what is moved next.
    pub at: [u32; 2],
}

/// Between which memories a tensor copy moves a box. Indices of [`DecodedModule::memory`](super::DecodedModule::memory).
#[derive(Clone, Debug)]
pub enum TensorWay {
    Load {
        global: ChunkAccess,
        /// The address of the mbarrier that is told, and the 32-bit register with the ranks of the blocks that the
        /// box goes to, where they are named.
        object: u32,
        ranks: Option<u32>,
    },
    /// Index of the access that stores a chunk.
    Store(u32),
    /// Atomics for each type that has the operator, on a 32-bit and a 64-bit register.
    Reduce { atomics: Vec<(TensorType, u32)>, value: [u32; 2] },
}

/// Loads of the 16 bytes of a chunk from global memory, or of the first few of them.
#[derive(Clone, Debug)]
pub struct ChunkAccess {
    pub whole: u32,
    /// For each word: of four, two bytes and one.
    pub words: [[u32; 3]; 4],
    /// The third byte of a word, in a register of its own.
    pub third: u32,
    pub third_byte: u32,
}

#[derive(Clone, Debug)]
pub struct CallOp {
    pub target: CallTarget,
    /// First 32-bit registers of the caller's frame with each argument's bytes.
    pub arguments: Vec<u32>,
    pub results: Vec<u32>,
    /// Bytes of each argument, as the caller gives it.
    pub argument_bytes: Vec<u32>,
    pub result_bytes: Vec<u32>,
}

#[derive(Clone, Debug)]
pub enum CallTarget {
    Function(u32),
    /// 64-bit register with a function's address.
    Register(u32),
    /// Answered by the simulator.
    Builtin(Builtin),
}

impl CallTarget {
    /// Whether the kernel ends with the call, since an assertion failed.
    pub fn fails_assertion(&self) -> bool {
        matches!(self, CallTarget::Builtin(Builtin::AssertFail))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    Vprintf,
    AssertFail,
    Malloc,
    Free,
}

impl Builtin {
    /// As PTX calls it.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::Vprintf => "vprintf",
            Builtin::AssertFail => "__assertfail",
            Builtin::Malloc => "malloc",
            Builtin::Free => "free",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierKind {
    Sync,
    Arrive,
    /// Of the cluster.
    ClusterArrive,
    ClusterArriveRelaxed,
    ClusterWait,
    /// Population count into a 32-bit register.
    RedPopc,
    RedAnd,
    RedOr,
}

#[derive(Clone, Debug)]
pub struct BarrierOp {
    pub kind: BarrierKind,
    /// 32-bit register with the barrier's number.
    pub id: u32,
    /// 32-bit register with the number of threads; `None`: all of the block.
    pub threads: Option<u32>,
    /// Reductions: the predicate, and whether it is negated.
    pub source: Option<(u32, bool)>,
}

#[derive(Clone, Debug)]
pub struct CollectiveOp {
    pub kind: CollectiveKind,
    /// 32-bit register with the member mask; `None`: the lanes that are active.
    pub mask: Option<u32>,
    /// Name for messages, as in CUDA: `__shfl_sync`.
    pub name: &'static str,
}

#[derive(Clone, Debug)]
pub enum CollectiveKind {
    /// `bar.warp.sync`
    Sync,
    /// `d`, source, lane or delta, clamp and segment mask; the predicate may be absent.
    Shuffle {
        mode: ShuffleMode,
        valid: Option<u32>,
    },
    /// `s[0]` is a predicate.
    Vote {
        mode: VoteMode,
        negated: bool,
    },
    /// `s[0]`: value; `all` writes a predicate too.
    Match {
        all: bool,
        bits: u32,
        valid: Option<u32>,
    },
    /// `s[0]`: value.
    Redux(fn(u32, u32) -> u32),
    Matrix(Box<MatrixCode>),
    Group(Box<WgmmaOp>),
    /// `elect.sync d|p`
    Elect {
        chosen: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    Up,
    Down,
    Bfly,
    Idx,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteMode {
    All,
    Any,
    Uni,
    Ballot,
}

/// A matrix operation, or the addresses of one that moves a matrix, and its registers.
#[derive(Clone, Debug)]
pub enum MatrixCode {
    Multiply {
        op: Box<Multiply>,
        d: Vec<u32>,
        a: Vec<u32>,
        b: Vec<u32>,
        c: Vec<u32>,
    },
    Transpose {
        d: u32,
        source: u32,
    },
    /// For each step of the move, each lane's address goes to one of `d`.
    WmmaAddresses {
        op: Box<WmmaMove>,
        base: u32,
        stride: u32,
        d: Vec<u32>,
    },
    /// `ldmatrix`, `stmatrix`: lane `r` has the address of row `r` in `base`. One of `d` for each
    /// matrix, or for each half of a transposed one's registers.
    RowAddresses {
        transposed: bool,
        base: u32,
        d: Vec<u32>,
    },
}
