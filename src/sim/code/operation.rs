//! The details of instructions that need more than a few registers: copies, calls, barriers, warp collectives.

use crate::evidence::WarpOperation;
use crate::image::{Boundary, ImageShape};
use crate::matrix::{Multiply, WmmaMove};
use crate::tensor_map::{MAX_RANK, TensorType};
use crate::wgmma_op::WgmmaOp;

/// A `cp.async.bulk`: the load and the store that move 16 bytes, the 64-bit registers with their addresses, and
/// the 64-bit register with the address of the mbarrier object that is signalled, if any.
#[derive(Clone, Debug)]
pub struct BulkOp {
    /// Indices of [`DecodedModule::memory`](super::DecodedModule::memory).
    pub load: u32,
    pub store: u32,
    pub at: [u32; 2],
    pub object: Option<u32>,
}

/// A `cp.async.bulk.tensor` or `cp.reduce.async.bulk.tensor`: the 64-bit registers with the addresses of the
/// tensor map (`map`) and of the box in shared memory (`shared`), the 32-bit registers with the coordinates, and
/// the accesses that perform it.
#[derive(Clone, Debug)]
pub struct TensorCopy {
    pub way: TensorWay,
    pub rank: usize,
    pub map: u32,
    pub coordinates: [u32; MAX_RANK],
    pub shared: u32,
    /// Index in [`DecodedModule::memory`](super::DecodedModule::memory) of the access that moves 16 bytes of
    /// shared memory by way of the four 32-bit registers from `words` on.
    pub chunk: u32,
    pub words: u32,
    /// The 64-bit registers with the global and the shared address of the next access.
    pub at: [u32; 2],
}

/// The direction of a tensor copy. Accesses are indices in
/// [`DecodedModule::memory`](super::DecodedModule::memory).
#[derive(Clone, Debug)]
pub enum TensorWay {
    Load {
        global: ChunkAccess,
        /// The 64-bit register with the address of the mbarrier that is signalled, and the 32-bit register with
        /// the mask of ranks that the box is multicast to, if there is one.
        object: u32,
        ranks: Option<u32>,
    },
    /// The access that stores a chunk.
    Store(u32),
    /// The atomic for each type that supports the operator, and the 32-bit and the 64-bit register with its
    /// operand.
    Reduce { atomics: Vec<(TensorType, u32)>, value: [u32; 2] },
}

/// Loads of a 16-byte chunk from global memory, or of its first bytes.
#[derive(Clone, Debug)]
pub struct ChunkAccess {
    pub whole: u32,
    /// For each word of the chunk: the loads of four bytes, of two bytes and of one.
    pub words: [[u32; 3]; 4],
    /// The load of the third byte of a word, and its destination register.
    pub third: u32,
    pub third_byte: u32,
}

/// A texture fetch. Registers have 32 bits, but for those with the object's handle and the texel's address.
#[derive(Clone, Debug)]
pub struct TextureFetch {
    pub place: ImagePlace,
    /// `tex1Dfetch()`: the coordinate is the number of a texel in linear memory. Otherwise coordinates are floats.
    pub by_index: bool,
    /// Whether the results are floats.
    pub floats: bool,
    /// The registers of the channels; those that nothing reads are [`SINK`](crate::memory::access::SINK).
    pub channels: [u32; 4],
    /// The load of a texel of 1, 2, 4, 8 and 16 bytes into the four registers from `words` on. Indices of
    /// [`DecodedModule::memory`](super::DecodedModule::memory).
    pub loads: [u32; 5],
    pub words: u32,
}

/// A read or write of a surface.
#[derive(Clone, Debug)]
pub struct SurfaceAccess {
    pub place: ImagePlace,
    pub boundary: Boundary,
    /// The load or the store. Index of [`DecodedModule::memory`](super::DecodedModule::memory).
    pub access: u32,
}

/// Where an instruction accesses an image: registers.
#[derive(Clone, Debug)]
pub struct ImagePlace {
    pub shape: ImageShape,
    /// The handle, in 64 bits.
    pub object: u32,
    /// The coordinates; the image's dimensions count.
    pub coordinates: [u32; 3],
    pub layer: Option<u32>,
    /// The address of the next access, in 64 bits.
    pub at: u32,
}

/// A function call.
#[derive(Clone, Debug)]
pub struct CallOp {
    pub target: CallTarget,
    /// The first 32-bit register of each argument, in the caller's frame.
    pub arguments: Vec<u32>,
    pub results: Vec<u32>,
    /// Size of each argument in bytes, as the caller passes it.
    pub argument_bytes: Vec<u32>,
    pub result_bytes: Vec<u32>,
}

/// The function that a call invokes.
#[derive(Clone, Debug)]
pub enum CallTarget {
    Function(u32),
    /// Indirect: the 64-bit register with the function's address.
    Register(u32),
    /// A function that the simulator implements.
    Builtin(Builtin),
}

impl CallTarget {
    /// Returns whether the kernel ends with the call, since an assertion failed.
    pub fn fails_assertion(&self) -> bool {
        matches!(self, CallTarget::Builtin(Builtin::AssertFail))
    }

    /// Returns whether the call allocates memory of the heap.
    pub fn allocates(&self) -> bool {
        matches!(self, CallTarget::Builtin(Builtin::Malloc | Builtin::AlignedMalloc))
    }
}

/// A function that the simulator implements itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    Vprintf,
    AssertFail,
    Malloc,
    /// `new` of a type whose alignment is larger than that of `malloc`: bytes and alignment.
    AlignedMalloc,
    Free,
}

impl Builtin {
    /// Returns the name of the function in PTX.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::Vprintf => "vprintf",
            Builtin::AssertFail => "__assertfail",
            Builtin::Malloc => "malloc",
            Builtin::AlignedMalloc => "__cuda_syscall_aligned_malloc",
            Builtin::Free => "free",
        }
    }
}

/// The kind of a barrier instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierKind {
    Sync,
    Arrive,
    /// Barriers of the cluster (`barrier.cluster`).
    ClusterArrive,
    ClusterArriveRelaxed,
    ClusterWait,
    /// Population count into a 32-bit register.
    RedPopc,
    RedAnd,
    RedOr,
}

/// A barrier instruction.
#[derive(Clone, Debug)]
pub struct BarrierOp {
    pub kind: BarrierKind,
    /// 32-bit register with the barrier's number.
    pub id: u32,
    /// 32-bit register with the number of threads; `None`: all threads of the block.
    pub threads: Option<u32>,
    /// For reductions, the predicate and whether it is negated.
    pub source: Option<(u32, bool)>,
}

/// A warp collective.
#[derive(Clone, Debug)]
pub struct CollectiveOp {
    pub kind: CollectiveKind,
    /// 32-bit register with the member mask; `None`: the active lanes.
    pub mask: Option<u32>,
}

/// The operation of a warp collective.
#[derive(Clone, Debug)]
pub enum CollectiveKind {
    /// `bar.warp.sync`
    Sync,
    /// The result `d`, the source, the lane or delta, the clamp and segment mask in `s`; the predicate is
    /// optional.
    Shuffle { mode: ShuffleMode, valid: Option<u32> },
    /// `s[0]` is a predicate.
    Vote { mode: VoteMode },
    /// `s[0]`: value; `all` writes a predicate too.
    Match { all: bool, bits: u32, valid: Option<u32> },
    /// `s[0]`: value.
    Redux(fn(u32, u32) -> u32),
    /// A matrix operation of the warp.
    Matrix(Box<MatrixCode>),
    /// An operation of the warpgroup.
    Group(Box<WgmmaOp>),
    /// `elect.sync d|p`
    Elect { chosen: u32 },
}

impl CollectiveKind {
    /// Returns the operation for findings; `None` for one that always needs all lanes.
    pub fn operation(&self) -> Option<WarpOperation> {
        Some(match self {
            CollectiveKind::Sync => WarpOperation::Sync,
            CollectiveKind::Shuffle { mode: ShuffleMode::Up, .. } => WarpOperation::ShuffleUp,
            CollectiveKind::Shuffle { mode: ShuffleMode::Down, .. } => WarpOperation::ShuffleDown,
            CollectiveKind::Shuffle { mode: ShuffleMode::Bfly, .. } => WarpOperation::ShuffleXor,
            CollectiveKind::Shuffle { mode: ShuffleMode::Idx, .. } => WarpOperation::Shuffle,
            CollectiveKind::Vote { mode: VoteMode::All, .. } => WarpOperation::All,
            CollectiveKind::Vote { mode: VoteMode::Any, .. } => WarpOperation::Any,
            CollectiveKind::Vote { mode: VoteMode::Uni, .. } => WarpOperation::Uni,
            CollectiveKind::Vote { mode: VoteMode::Ballot, .. } => WarpOperation::Ballot,
            CollectiveKind::Match { all: true, .. } => WarpOperation::MatchAll,
            CollectiveKind::Match { all: false, .. } => WarpOperation::MatchAny,
            CollectiveKind::Redux(_) => WarpOperation::Reduce,
            CollectiveKind::Elect { .. } => WarpOperation::Elect,
            CollectiveKind::Matrix(_) | CollectiveKind::Group(_) => return None,
        })
    }
}

/// How a shuffle selects the source lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    Up,
    Down,
    Bfly,
    Idx,
}

/// The predicate that a vote computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteMode {
    All,
    Any,
    Uni,
    Ballot,
}

/// A warp's matrix operation, or the address computation of one that moves a matrix, and its registers.
#[derive(Clone, Debug)]
pub enum MatrixCode {
    /// d ← a·b + c
    Multiply { op: Box<Multiply>, d: Vec<u32>, a: Vec<u32>, b: Vec<u32>, c: Vec<u32> },
    /// Transposes a matrix of 8 by 8 elements of 16 bits.
    Transpose { d: u32, source: u32 },
    /// For each step of the move, the lanes' addresses are written to one register of `d`.
    WmmaAddresses { op: Box<WmmaMove>, base: u32, stride: u32, d: Vec<u32> },
    /// `ldmatrix`, `stmatrix`: lane `r` has the address of row `r` in `base`. `d` has one register for each
    /// matrix, or two if they are transposed, one for each half of a destination register.
    RowAddresses { transposed: bool, base: u32, d: Vec<u32> },
}
