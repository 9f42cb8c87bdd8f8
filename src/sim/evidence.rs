//! What is known of a finding beyond its kind and its sides, as data: whoever shows it makes the sentences.

use crate::finding::FindingKind;
use crate::launch::Dim3;
use crate::limits::LaunchLimit;
use crate::mbarrier::Misuse;
use crate::operation::HandleKind;
use crate::operation::{Operation, Request, StreamName};
use crate::tensor_map::TensorType;
use std::sync::Arc;

/// One fact about a finding. Lines are those of the file of the finding's first side.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Evidence {
    // Barriers, and waits that do not end.
    /// Of a block's `total` threads, `waiting` are at the barrier, and `ended` have left the kernel.
    EndedBeforeBarrier { waiting: u64, total: u64, ended: u64 },
    /// Threads of one block wait at different barriers.
    DifferentBarriers,
    /// Where the threads of the block stood when the barrier let them go: a mask of lanes for each warp.
    Stands { place: Stand, warps: Vec<u32> },
    /// The barrier is in this line of a function, which the finding's line calls.
    BarrierInFunction { line: u32, function: Arc<str> },
    /// So many threads of a block that cannot go on wait for this.
    Waits { threads: u64, line: Option<u32>, awaited: WaitsFor },
    /// Every block that runs waits in a loop for what no other changes.
    NothingChanges,
    /// The loop does arithmetic alone, and came to the same place with the same values again.
    ArithmeticAlone,
    /// Blocks had no room to begin, because others wait in theirs.
    BlocksNotBegun { waiting: u64, running: u64 },
    /// Warp instructions that the block had taken when it was stopped.
    StoppedAfter { steps: u64 },
    /// The launch was stopped because so much was found in it.
    StoppedForFindings,

    // Races, copies and products under way.
    /// A barrier stands between the two lines, but does not order these two accesses.
    BarrierDoesNotOrder,
    /// Both sides read a value and write back what they made of it.
    LostUpdate,
    /// One side makes or ends a barrier object that the other uses.
    BarrierObjectMade,
    /// A call asks for so many bytes of this memory, which has so many from there on.
    Room { memory: Arc<str>, asked_bytes: u64, room_bytes: u64 },
    /// The source of a copy is changed before the copy is waited for.
    CopySourceChanged,
    /// Where a copy goes, values that the block wrote stood before.
    CopyOverValues,
    /// The source of a matrix product is changed before the product is waited for.
    ProductSourceChanged,
    /// A bulk copy is not waited for at its mbarrier.
    BulkCopy,
    /// A bulk copy may read shared memory of a block that has ended.
    BulkCopyOutlivesBlock,
    /// What a bulk copy is given is no multiple of so many bytes.
    BulkUnaligned { what: BulkOperand, value: u64, multiple: u64 },
    /// Why a tensor copy can't be done.
    TensorMap(TensorMisuse),
    /// A register of a matrix product is used before the product is waited for.
    ProductRegister(ProductRegister),
    /// The address is made of what this line reads, which another finding is about.
    AddressFrom { line: u32, kind: FindingKind },

    // Clusters.
    /// Nothing says that the other block of the cluster has begun.
    BlockNotBegun,
    /// Nothing keeps the other block of the cluster from ending before.
    BlockMayEnd,
    /// No block of a cluster, which has so many, has this rank.
    NoSuchRank { rank: u32, blocks: u64 },
    /// How the barrier of a cluster is misused.
    ClusterBarrier(ClusterMisuse),

    // Warpgroups.
    /// The lanes of a warp give different descriptors.
    LanesGiveDescriptors,
    /// Where a descriptor places its matrix. All in bytes; no `swizzle_bytes`: not swizzled.
    DescriptorPlace { start: u64, leading: u64, stride: u64, swizzle_bytes: Option<u64> },
    /// The descriptor has bits where there must be none.
    DescriptorBits,
    /// A swizzled matrix begins at `start`, which is no multiple of `pattern_bytes`.
    SwizzleStart { start: u64, swizzle_bytes: u64, pattern_bytes: u64 },
    /// The block's threads do not fill the warpgroup.
    WarpgroupNotFull { threads: u64 },
    /// Two warps of one warpgroup differ.
    WarpsDiffer { warps: [u32; 2], by: WarpDifference },
    /// A warp comes to more multiplications than another of its warpgroup.
    WarpBehind { ahead: u32, most: u64, behind: u32, least: u64 },
    /// A product begins without the fence that it needs.
    Unfenced(MissingFence),

    // Operations of a warp. Masks have a bit for each lane.
    /// An operation's mask names lanes that do not come.
    NamedButAbsent { operation: Arc<str>, named: u32, here: u32, absent: u32 },
    /// Only these lanes come to a matrix operation, which needs all.
    MatrixLanes { here: u32 },
    /// These lanes make the call and are not in the mask that they give.
    CallersNotNamed { operation: Arc<str>, lanes: u32 },
    /// An operation reads from lanes that do not take part; `named`: though its mask names them.
    ReadsAbsent { operation: Arc<str>, lanes: u32, named: bool },
    /// What was read of a lane that does not take part is used.
    UsesAbsentLane,

    // Values that nobody wrote.
    /// In this line it first matters what the value is.
    FirstMatters { line: u32, used: Use },
    /// Neither a kernel nor a copy has written anything there.
    NeverWritten,
    /// A library computes with an element that nobody has written.
    ComputesWithUnwritten,
    /// Of a stretch of the buffer that begins `offset_bytes` from its start, whether each element, as wide as the
    /// access, was written in whole at that time.
    WrittenAround { offset_bytes: u64, written: Vec<bool>, when: WrittenWhen },

    // Addresses and calls in kernels.
    /// What the warp's other lanes access with the same instruction: for each lane, the bytes between its address
    /// and that of the finding's side, which is lane `lane`; `None` where a lane takes no part. `block`: how many
    /// threads a block has.
    LanesAccess { lane: u32, block: Dim3, from_side: Vec<Option<i64>> },
    /// What comes out of a division of integers by zero is undefined.
    QuotientUndefined,
    /// An unsigned index that would be this, and wrapped round.
    WrappedIndex(i64),
    /// The memory is of another device than the one that the kernel runs on.
    OwnedBy { buffer: Arc<str>, owner: u32, runs_on: u32 },
    /// A call goes through a pointer that is no function.
    NoFunction { address: u64 },
    /// A call goes to a function whose address was taken by host code.
    HostAddressOf { function: Arc<str> },
    /// Calls of a kernel's thread in progress where its stack ended, and the bytes that their variables take.
    CallDepth { calls: u64, bytes: u64 },
    /// Calls of host code in progress where the stack ended: the bytes that each takes besides its variables,
    /// and those of the variables of all.
    HostCallDepth { calls: u64, call_bytes: u64, local_bytes: u64 },
    /// The condition of the assertion.
    Assertion(Arc<str>),
    /// A kernel's free() was called for this memory before.
    FreedInKernelBefore,
    /// A kernel's free() was given what no kernel's malloc() gave.
    NotFromKernelMalloc,
    /// What is wrong with the use of an mbarrier.
    Mbarrier(Misuse),

    // The host thread.
    /// How far an address is from a block of host memory.
    Distance { block: HostBlockName, at: Distance },
    /// The memory was allocated in this line.
    AllocatedAt(u32),
    /// The memory was freed in this line.
    FreedAt(u32),
    /// The function that runs was called in this line.
    CalledAt(u32),
    /// What free() or delete was given instead of the start of a block.
    NotABlock(NotABlock),
    /// The host's code uses what only kernels have.
    DeviceOnly(Arc<str>),
    /// The host calls through a pointer that is null, or leads to no function.
    BadFunctionPointer { address: u64 },
    /// The host calls a kernel through its pointer.
    CallsKernel { kernel: Arc<str> },
    /// A division without a quotient that its type holds.
    NoQuotient { dividend: i128, divisor: i128 },

    // What a program asks of CUDA.
    /// Nothing orders one piece of work before another, or one came after memory was gone: the kind says
    /// which.
    Order { earlier: Operation, later: Operation },
    /// Work of the streams of both sides, in the order in which the program gave it; which of it the sides are.
    GivenWork { works: Vec<GivenWork>, sides: [usize; 2] },
    /// The launch in which it was found, and the line that asked for it.
    FoundIn { work: Operation, line: Option<u32> },
    /// So many launches show the same.
    SameInLaunches(u64),
    /// The program ended before the kernel that printed.
    PrintLost,
    /// A library needs so many bytes from the address, and so many are there, if any.
    LibraryNeeds { bytes: u64, there: Option<u64> },
    /// The address is what this element of `kernelParams` leads to.
    KernelParameter(usize),
    /// The other ranks have made no calls.
    OtherRanksMissing,
    /// Parts of a collective that were given, of those that it has, while the host waits.
    PartsGiven { given: u32, parts: u32 },
    /// Two ranks ask for different operations of one collective.
    RanksDiffer { ranks: [u32; 2] },
    /// Two ranks give so many elements of these types to one collective.
    RanksGive { ranks: [u32; 2], counts: [u64; 2], types: [Arc<str>; 2] },
    /// A collective outside a group waits for calls that the same thread would make.
    OutsideGroup,
    /// The group of a collective was never ended.
    GroupNotEnded,
    /// How memory like this is freed.
    FreedBy(FreedBy),
    /// The memory is still registered.
    StillRegistered,
    /// The exit code with which the program ended itself.
    ExitCode(i32),
    /// What a call asked about was not done; `between_events`: the time between two events.
    NotReady { between_events: bool },
    /// An error stays until cudaGetLastError() is asked for it.
    ErrorStays,
    /// CUDA refuses the launch, with this error, for this limit.
    Refused { error: Arc<str>, limit: LaunchLimit },
    /// A call was given no handle of this kind that was made before.
    NoHandle(HandleKind),
    /// The time of an event, in this variable, can't be asked for.
    Untimed { event: Option<Arc<str>>, why: Untimed },
    /// The latest copy to the memory stopped before this element: it wrote so many bytes of so many.
    CopyEnds { request: Arc<str>, line: u32, written_bytes: u64, memory_bytes: u64 },
    /// A call was given the address of this pointer instead of the pointer.
    AddressOfPointer(Arc<str>),
    /// A pointer that a copy was given leads to no memory; its side tells of it.
    NoMemory,
    /// A pointer that a copy was given lies beside memory; its side tells of it.
    BesideMemory,
    /// A library takes its scalars from device memory, as it was asked to; its side tells of it.
    DevicePointerMode,
    /// This input was changed.
    InputChanged(Arc<str>),
}

/// Why an event has no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Untimed {
    NeverRecorded,
    /// `cudaEventDisableTiming`
    Disabled,
}

/// When it is looked at what of a buffer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WrittenWhen {
    /// Of shared memory: the thread read.
    Read,
    /// Of global memory.
    LaunchEnded,
}

/// Work that the program gave to a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GivenWork {
    pub request: Request,
    pub stream: StreamName,
    /// The line that asked for it, where that is known.
    pub line: Option<u32>,
    /// The last work of another stream that it is ordered behind and nothing before it in its stream was.
    pub after: Option<usize>,
    /// Work of these streams that was given before it and is left out.
    pub left_out: u64,
}

/// Where threads stand at a barrier that not all reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Stand {
    /// At the barrier of this line.
    Barrier { line: Option<u32> },
    /// They have left the kernel.
    Ended,
}

/// What threads wait for that cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WaitsFor {
    /// They go round a loop.
    Loop,
    /// A barrier of the block.
    Barrier,
    /// A barrier object, of which the state is not known.
    Object,
    /// A barrier object: arrivals that have come and that it expects, bytes that were announced and have
    /// not come.
    Phase { arrived: u32, expected: u32, bytes: i32 },
}

/// How a register of a matrix product that is under way is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ProductRegister {
    SumRead,
    SumChanged,
    /// A register of A.
    OperandChanged,
}

/// Why a tensor copy can't be done by its tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TensorMisuse {
    /// What lies there was not made by `cuTensorMapEncodeTiled`, or was changed since.
    NotEncoded,
    /// It lies in shared or local memory.
    Memory,
    /// So many bytes past a multiple of 64.
    Unaligned { past: u64 },
    /// Dimensions of the map, and of the copy.
    Rank { map: usize, copy: usize },
    /// The first coordinate is not at a multiple of 16 bytes.
    FirstCoordinate { at: i32, element_bytes: u64 },
    /// What is stored begins before the tensor.
    StoreBefore,
    /// The operator is not one of the map's type, as PTX names it.
    Operator { element: TensorType },
}

/// An operand of a bulk copy, of which each must be a multiple of 16 bytes; for tensor copies of 128.
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
    /// Threads arrive that did not wait since the last time.
    ArrivesTwice,
    /// Threads wait that did not arrive.
    WaitsWithoutArrival,
}

/// In what warps of one warpgroup differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WarpDifference {
    Instruction,
    DescriptorA,
    DescriptorB,
    /// Whether the sums are added to.
    Adds,
}

/// Which wgmma.fence is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MissingFence {
    /// Between products of two shapes with the same sums.
    BetweenShapes,
    /// Before the first product, on some way.
    BeforeFirst,
    /// Behind the last change of its registers, on some way.
    AfterChange,
}

/// Why it matters what a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Use {
    /// What happens next depends on it.
    Condition,
    Address,
    Atomic,
    /// The lane that a shuffle reads.
    ShuffleLane,
    Vote,
    /// The lanes of a warp compare it.
    Match,
    Reduction,
    Matrix,
    /// The kernel leaves it in this buffer.
    LeftIn(Arc<str>),
    Printed,
    /// Read as text by the C library.
    Text,
    /// It says which function is called.
    Callee,
    /// Given to this function.
    GivenTo(Arc<str>),
}

/// A block of host memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HostBlockName {
    Locals,
    Named { name: Arc<str>, bytes: u64 },
    Allocated { bytes: u64 },
}

/// Where an address lies, seen from a block. In bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Distance {
    Before(u64),
    /// Past its end; 0: the first byte behind it.
    Past(u64),
    Inside,
}

/// What is freed that is no block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NotABlock {
    /// So many bytes behind a block's start.
    Inside {
        offset: u64,
    },
    Variable(Arc<str>),
    Local,
}

/// What frees memory of CUDA's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FreedBy {
    CudaFree,
    CudaFreeAsync,
    CudaFreeHost,
    /// cudaHostUnregister(), and then what frees memory of its kind.
    Unregister,
    /// A variable of the program: nobody.
    Nobody,
}

impl Evidence {
    /// The operation of a warp that it is about, such as `__shfl_sync()`.
    pub fn operation(&self) -> Option<&str> {
        match self {
            Evidence::NamedButAbsent { operation, .. }
            | Evidence::CallersNotNamed { operation, .. }
            | Evidence::ReadsAbsent { operation, .. } => Some(operation),
            _ => None,
        }
    }

    /// Of an mbarrier.
    pub fn misuse(&self) -> Option<Misuse> {
        match self {
            Evidence::Mbarrier(misuse) => Some(*misuse),
            _ => None,
        }
    }
}
