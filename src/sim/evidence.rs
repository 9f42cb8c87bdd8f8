//! The facts known about a finding beyond its kind and its sides, as data: the text is produced by whoever
//! displays it.

mod kernel;

pub use kernel::{
    BarrierPosition, BlockScope, BulkOperand, ClusterMisuse, MissingFence, ProductRegister, TensorMisuse,
    WaitsFor, WarpDifference, WarpOperation,
};

use crate::cuda_error::CudaError;
use crate::dim3::Dim3;
use crate::finding::FindingKind;
use crate::image::{ImageMisuse, ImageShape};
use crate::launch_limit::LaunchLimit;
use crate::mbarrier::Misuse;
use crate::memory_name::MemoryName;
use crate::operation::HandleKind;
use crate::operation::{Operation, Request, StreamName};
use crate::tensor_map::MapCondition;
use std::sync::Arc;

/// One fact about a finding. Line numbers refer to the file of the finding's first side.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Evidence {
    // Barriers, and waits that never end.
    /// Of a block's `total` threads, `waiting` are at the barrier and `ended` have left the kernel.
    EndedBeforeBarrier { waiting: u64, total: u64, ended: u64 },
    /// Threads of one block wait at different barriers.
    DifferentBarriers,
    /// Threads wait at one barrier for different numbers of threads.
    BarrierCounts([u64; 2]),
    /// `here` threads were at a barrier for `threads` at once.
    BarrierCrowd { here: u64, threads: u64 },
    /// Where some of the block's threads were when the barrier released: a mask of lanes for each warp.
    Stands { place: BarrierPosition, warps: Vec<u32> },
    /// The barrier is in this line of a function that is called in the finding's line.
    BarrierInFunction { line: u32, function: Arc<str> },
    /// This many threads of a block that cannot continue wait here for this.
    Waits { threads: u64, line: Option<u32>, awaited: WaitsFor },
    /// This many threads of the block that cannot continue have ended.
    ThreadsEnded(u64),
    /// Every running block waits in a loop for a change that no other block makes.
    NothingChanges,
    /// The loop does only arithmetic, and returned to the same place with the same values.
    ArithmeticAlone,
    /// `waiting` blocks could not begin, because the `running` ones that wait occupy the GPU.
    BlocksNotBegun { waiting: u64, running: u64 },
    /// Warp instructions that the block had executed when it was stopped.
    StoppedAfter { steps: u64 },
    /// The launch was stopped because of the number of its findings.
    StoppedForFindings,
    /// Later reads of the same buffer were not looked at, since there were so many.
    LaterReadsIgnored,

    // Races, and copies and products in flight.
    /// A barrier is on every way between the two, but it does not order these two accesses.
    BarrierDoesNotOrder,
    /// Both sides read a value and write back an updated one.
    LostUpdate,
    /// The writer then told the reader's block by another write, with no fence between its two writes.
    SignalledWithoutFence,
    /// A fence or an atomic has the scope of one block, and the two threads are of different blocks: with device scope
    /// there would be no race.
    BlockScope(BlockScope),
    /// Each thread that reads here then writes to the same address.
    WrittenBack,
    /// One side initialises or invalidates a barrier object that the other uses.
    BarrierObjectMade,
    /// A call requests `asked_bytes` bytes of this memory, which has only `room_bytes` from there on.
    Room { memory: Arc<str>, asked_bytes: u64, room_bytes: u64 },
    /// The source of a copy is changed before the program waits for the copy.
    CopySourceChanged,
    /// The destination of a copy held values that the block had written.
    CopyOverValues,
    /// The source of a matrix product is changed before the program waits for the product.
    ProductSourceChanged,
    /// The end of a copy by threads is signalled by a barrier object, and the program does not wait there.
    CopySignalsBarrier,
    /// The program does not wait for a bulk copy at its mbarrier.
    BulkCopy,
    /// A bulk copy may read shared memory of a block that has ended.
    BulkCopyOutlivesBlock,
    /// An operand of a bulk copy is not a multiple of this many bytes.
    BulkUnaligned { what: BulkOperand, value: u64, multiple: u64 },
    /// Why a tensor copy cannot be performed.
    TensorMap(TensorMisuse),
    /// Why a texture or surface object cannot be used so.
    Image(ImageMisuse),
    /// The place that is accessed of an image, from 0: along the row (in texels, or of a surface in bytes), the row,
    /// and the slice or layer; and how many of each there are.
    OutsideImage { at: [i64; 3], extents: [u64; 3], in_bytes: bool, shape: ImageShape },
    /// A register of a matrix product is used before the program waits for the product.
    ProductRegister(ProductRegister),
    /// The address is computed from the value that this line reads, which is the subject of another finding of
    /// this kind.
    AddressFrom { line: u32, kind: FindingKind },

    // Clusters.
    /// Nothing guarantees that the other block of the cluster has begun.
    BlockNotBegun,
    /// Nothing keeps the other block of the cluster from ending before the access.
    BlockMayEnd,
    /// No block of a cluster of `blocks` blocks has this rank.
    NoSuchRank { rank: u32, blocks: u64 },
    /// How the cluster's barrier is misused.
    ClusterBarrier(ClusterMisuse),

    // Warpgroups.
    /// The lanes of a warp pass different descriptors.
    LanesGiveDescriptors,
    /// The location of the matrix according to its descriptor, in bytes; `swizzle_bytes` is `None` if it is not
    /// swizzled.
    DescriptorPlace { start: u64, leading: u64, stride: u64, swizzle_bytes: Option<u64> },
    /// The descriptor has bits set that must be zero.
    DescriptorBits,
    /// A swizzled matrix begins at `start`, which is not a multiple of `pattern_bytes`.
    SwizzleStart { start: u64, swizzle_bytes: u64, pattern_bytes: u64 },
    /// The block's threads do not fill the warpgroup.
    WarpgroupNotFull { threads: u64 },
    /// Two warps of one warpgroup execute different products.
    WarpsDiffer { warps: [u32; 2], by: WarpDifference },
    /// Warp `ahead` reaches `most` products, and warp `behind` of the same warpgroup only `least`.
    WarpBehind { ahead: u32, most: u64, behind: u32, least: u64 },
    /// A product begins without the fence that it needs.
    Unfenced(MissingFence),

    // Warp collectives. Masks have one bit per lane.
    /// A collective's mask names lanes that do not execute it.
    NamedButAbsent { operation: WarpOperation, named: u32, here: u32, absent: u32 },
    /// Only these lanes reach a matrix operation, which needs all of them.
    MatrixLanes { here: u32 },
    /// These lanes make the call but are not in the mask that they pass.
    CallersNotNamed { operation: WarpOperation, lanes: u32 },
    /// A collective reads from lanes that do not take part; `named`: although its mask names them.
    ReadsAbsent { operation: WarpOperation, lanes: u32, named: bool },
    /// The warp has only this many threads, and so fewer than 32 lanes.
    WarpIsShort { threads: u32 },
    /// A value read from a lane that does not take part is used.
    UsesAbsentLane,

    // Values that nobody wrote.
    /// A call of `printf()` or the like passes fewer values than its format asks for.
    FormatValues { wanted: usize, given: usize },
    /// The undefined value first affects the program in this line.
    FirstMatters { line: u32, used: Use },
    /// Neither a kernel nor a copy has stored a value there.
    NeverWritten,
    /// The call of a line copied there what was itself never written, host memory or other.
    CopiedUnwritten { request: Arc<str>, line: u32, from_host: bool },
    /// The call of a line, to a library, read it as an input and left no defined values there.
    InputUsedUp { request: Arc<str>, line: u32 },
    /// Another block of the launch stores it, but nothing makes that come before the read.
    StoredByOtherBlock,
    /// A library computes with an element that nobody wrote.
    ComputesWithUnwritten,
    /// A call of the host reads `bytes` bytes, of which only the first `written` ones were ever written.
    CallReadsMore { function: Arc<str>, bytes: u64, written: u64 },
    /// For a range of the buffer that begins `offset_bytes` from its start: for each element, as wide as the
    /// access, whether all of it was written at that time.
    WrittenAround { offset_bytes: u64, written: Vec<bool>, when: WrittenWhen },

    // Addresses and calls in kernels.
    /// The same place also reads outside this other memory.
    ReadsAlso(MemoryName),
    /// The compiler moved the read: it is one of those in these lines, if any are known. `also`: memory that is read outside at the place
    /// to which it moved it.
    ReadMoved { lines: Vec<u32>, also: Vec<MemoryName> },
    /// What the warp's other lanes access with the same instruction: for each lane, the bytes between its address
    /// and that of the finding's side, which is lane `lane`; `None` for a lane that takes no part. `block`: the
    /// extent of a block in threads.
    LanesAccess { lane: u32, block: Dim3, from_side: Vec<Option<i64>> },
    /// The result of an integer division by zero is undefined.
    QuotientUndefined,
    /// The program has computed nothing that an extent of this launch would be.
    LaunchHasNoValue,
    /// The program has computed nothing that `main` would return.
    MainHasNoValue,
    /// An unsigned index that wrapped around; as a signed number it is this.
    WrappedIndex(i64),
    /// The memory belongs to GPU `owner`, perhaps to a memory pool of it, and the kernel runs on GPU `runs_on`.
    OwnedBy { buffer: MemoryName, owner: u32, from_pool: bool, runs_on: u32 },
    /// A call goes through a pointer that is not the address of a function.
    NoFunction { address: u64 },
    /// A call goes to a function whose address was taken by host code.
    HostAddressOf { function: Arc<str> },
    /// Nested calls of a kernel's thread when its stack overflowed, and the bytes that their variables occupy.
    CallDepth { calls: u64, bytes: u64, limit: u64 },
    /// Nested calls of host code when the stack overflowed: the bytes that each takes in addition to its
    /// variables, and those of the variables of all of them.
    HostCallDepth { calls: u64, call_bytes: u64, local_bytes: u64 },
    /// The local variables of this function take more than the host's whole stack.
    HostLocals { function: Arc<str>, bytes: u64, stack_bytes: u64 },
    /// The condition of the assertion.
    Assertion(Arc<str>),
    /// A kernel has already freed this memory.
    FreedInKernelBefore,
    /// A kernel's free() was passed a pointer that no kernel's malloc() returned.
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
    /// The running function was called in this line.
    CalledAt(u32),
    /// What free() or delete was passed instead of the start of a block.
    NotABlock(NotABlock),
    /// What a block was allocated with, in this line if it is known, and what it is released with instead.
    ReleasedAs { allocated: HostAllocator, line: Option<u32>, released: HostRelease },
    /// What host code uses of a container that does not have it, as in "front() of an empty std::vector".
    NoElement(Arc<str>),
    /// In this line, a vector got memory for elements that it does not have yet.
    OnlyReserved { line: Option<u32> },
    /// The source says so; whether the run executed the line is not known.
    SourceAlone,
    /// Host code uses something that only kernels have.
    DeviceOnly(Arc<str>),
    /// The host calls through a pointer that is null or not the address of a function.
    BadFunctionPointer { address: u64 },
    /// The host calls a kernel through its pointer.
    CallsKernel { kernel: Arc<str> },
    /// A division whose quotient does not exist or does not fit its type.
    NoQuotient { dividend: i128, divisor: i128 },

    // The program's use of CUDA.
    /// Nothing orders `earlier` before `later`, or `later` came after its memory was freed: the kind of the
    /// finding says which.
    Order { earlier: Operation, later: Operation },
    /// The work in the streams of both sides, in the order in which the program submitted it, and the indices of
    /// the two sides.
    SubmittedWork { works: Vec<SubmittedWork>, sides: [usize; 2] },
    /// The launch in which it was found, the line that requested it, and the file of that line if it is another one
    /// than that of the finding.
    FoundIn { work: Operation, line: Option<u32>, file: Option<Arc<str>> },
    /// This many launches have the same finding.
    SameInLaunches(u64),
    /// The program ended before the kernel that printed.
    PrintLost,
    /// A library needs `bytes` bytes from the address, and `there` are available, if the address is in memory at
    /// all.
    LibraryNeeds { bytes: u64, there: Option<u64> },
    /// The address is the value of this element of the `kernelParams` of a kernel with so many parameters.
    KernelParameter { element: usize, kernel: Arc<str>, parameters: usize },
    /// The call is not allowed while the capture of a stream goes on that began in this line.
    DuringCapture { since: Option<u32>, why: CaptureRule },
    /// A GPU has too little free memory for an allocation of `asked_bytes` bytes. The program holds `held_bytes` of it in
    /// `blocks` allocations.
    OutOfMemory {
        asked_bytes: u64,
        free_bytes: u64,
        held_bytes: u64,
        blocks: u64,
        largest: Option<HeldMemory>,
    },
    /// A tensor map was not encoded, because its description violates this condition.
    TensorMapCondition(MapCondition),
    /// The leading dimension of a matrix is less than the matrix has rows as it is stored.
    LeadingDimension { name: Arc<str>, given: i32, rows: i32 },
    /// The extents (N, C, H, W) that the descriptor of a convolution's output has, and those that it gives.
    ConvolutionOutput { described: [u64; 4], gives: [u64; 4] },
    /// A convolution's algorithm needs so many bytes of workspace, and was given so many.
    Workspace { given_bytes: u64, needed_bytes: u64 },
    /// An algorithm of CUB needs so many bytes of temporary storage, and was given so many.
    TemporaryStorage { given_bytes: u64, needed_bytes: u64 },
    /// The call in this line, whose result would go there, had no temporary storage: it returned only its size.
    OnlyAskedForStorage { function: Arc<str>, line: u32 },
    /// The channels of a convolution's image, and those that its filter has for each of its groups.
    ConvolutionChannels { image: u64, filter: u64, groups: u64 },
    /// The other ranks have made no calls.
    OtherRanksMissing,
    /// The number of calls made for a collective, out of those that it needs, while the host waits.
    PartsGiven { given: u32, parts: u32 },
    /// Two ranks request different operations of one collective.
    RanksDiffer { ranks: [u32; 2] },
    /// Two ranks pass different element counts or types to one collective.
    RanksGive { ranks: [u32; 2], counts: [u64; 2], types: [Arc<str>; 2] },
    /// A collective outside a group waits for calls that the same thread would make later.
    OutsideGroup,
    /// The group of a collective was never ended.
    GroupNotEnded,
    /// How memory like this is freed.
    FreedBy(FreedBy),
    /// The memory is still registered.
    StillRegistered,
    /// The exit code with which the program ended itself.
    ExitCode(i32),
    /// The work that a call queried was not complete; `between_events`: it asked for the time between two events.
    NotReady { between_events: bool },
    /// An error persists until cudaGetLastError() is called.
    ErrorStays,
    /// CUDA rejects the launch with this error, because of this limit.
    Refused { error: CudaError, limit: LaunchLimit },
    /// A call was passed a value that is not an existing handle of this kind.
    NoHandle(HandleKind),
    /// The call is given a stream of GPU `owner` while GPU `current` is the current one.
    StreamOfOtherDevice { owner: u32, current: u32 },
    /// The event in this variable has no time.
    Untimed { event: Option<Arc<str>>, why: Untimed },
    /// The latest copy to the memory ended before this element: it wrote `written_bytes` of the memory's
    /// `memory_bytes` bytes.
    CopyEnds { request: Arc<str>, line: u32, written_bytes: u64, memory_bytes: u64 },
    /// The latest copy to the memory, of rows with gaps between them, ended before this element of a row: it wrote the
    /// first `written_bytes` bytes of each.
    CopyEndsRows { request: Arc<str>, line: u32, written_bytes: u64 },
    /// An allocation on this line was asked for no bytes, and set this pointer to null.
    AskedForNothing { request: Arc<str>, line: u32, pointer: Arc<str> },
    /// Some of what was copied, or all of it that lacks a value, was stored by a kernel, and comes from this line,
    /// where nothing gave it one.
    StoredWithoutValue { line: u32, all: bool },
    /// A call was passed the address of this pointer instead of the pointer.
    AddressOfPointer(Arc<str>),
    /// A copy was passed a null pointer as its destination or its source, by this name.
    NullPointer { writes: bool, pointer: Option<Arc<str>> },
    /// A copy was passed a pointer that refers to no memory; the finding's side describes it.
    NoMemory,
    /// A copy was passed a pointer just outside an allocation; the finding's side describes it.
    OutsideMemory,
    /// A library reads its scalars from device memory, as configured; the finding's side describes the pointer.
    DevicePointerMode,
    /// This input of the program was modified.
    InputChanged(Arc<str>),
}

/// Why a capture does not allow a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CaptureRule {
    /// It waits for captured work, which is not executed.
    NothingToWaitFor,
    /// It may wait for work, which the mode of the capture forbids.
    MayWait,
    /// It submits work to the default stream, which synchronises with the captured stream.
    DefaultStream,
}

/// An allocation that the program holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HeldMemory {
    pub name: MemoryName,
    pub bytes: u64,
    /// The line that allocated it, if known.
    pub line: Option<u32>,
}

/// Why an event has no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Untimed {
    NeverRecorded,
    /// `cudaEventDisableTiming`
    Disabled,
}

/// The time at which a buffer's written elements were recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WrittenWhen {
    /// For shared memory: when the thread read.
    Read,
    /// For global memory: when the launch had ended.
    LaunchEnded,
}

/// Work that the program submitted to a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SubmittedWork {
    pub request: Request,
    pub stream: StreamName,
    /// For a node of a graph, the branch of the graph that it is in, counted from 0 in the order of the list.
    pub branch: Option<u32>,
    /// The line that requested it, if known.
    pub line: Option<u32>,
    /// Index of the last work in another stream that it is ordered after, unless earlier work in its own stream
    /// already was.
    pub after: Option<usize>,
    /// Number of earlier pieces of work in these streams that are left out of the list.
    pub left_out: u64,
}

/// How an undefined value affects the program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Use {
    /// Control flow depends on it.
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
    /// The kernel leaves it in the buffer of this name.
    LeftIn(MemoryName),
    Printed,
    /// Read as text by the C library.
    Text,
    /// It determines which function is called.
    Callee,
    /// Passed to this function.
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

/// The position of an address relative to a block, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Distance {
    Before(u64),
    /// Past its end; 0 is the first byte after it.
    Past(u64),
    Inside,
}

/// What is freed instead of the start of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NotABlock {
    /// An address this many bytes after a block's start.
    Inside { offset: u64 },
    /// A variable with this name.
    Variable(Arc<str>),
    /// A local variable.
    Local,
}

/// What allocated a block of the host's heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HostAllocator {
    /// `malloc()` or another function of the C library.
    #[default]
    C,
    New,
    NewArray,
}

/// What releases a block of the host's heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HostRelease {
    Free,
    Realloc,
    Delete,
    DeleteArray,
}

impl HostRelease {
    /// Returns what allocates the blocks that this may release.
    pub fn allocator(self) -> HostAllocator {
        match self {
            HostRelease::Free | HostRelease::Realloc => HostAllocator::C,
            HostRelease::Delete => HostAllocator::New,
            HostRelease::DeleteArray => HostAllocator::NewArray,
        }
    }
}

/// The function that frees CUDA memory of some kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FreedBy {
    CudaFree,
    CudaFreeAsync,
    CudaFreeHost,
    CudaFreeArray,
    /// cudaHostUnregister(), and then the function that frees the underlying memory.
    Unregister,
    /// Nothing: it is a variable of the program.
    Nobody,
}

impl Evidence {
    /// Returns the warp collective that this is about.
    pub fn operation(&self) -> Option<WarpOperation> {
        match self {
            Evidence::NamedButAbsent { operation, .. }
            | Evidence::CallersNotNamed { operation, .. }
            | Evidence::ReadsAbsent { operation, .. } => Some(*operation),
            _ => None,
        }
    }

    /// Returns the misuse of an mbarrier that this is about, if any.
    pub fn misuse(&self) -> Option<Misuse> {
        match self {
            Evidence::Mbarrier(misuse) => Some(*misuse),
            _ => None,
        }
    }
}
