//! Decoded instructions: what lowering makes and the engine runs.

use super::counts::Class;
use super::finding::SourceLocation;
use super::lanes::{File, Registers, Slots};
use super::launch::Dim3;
use super::matrix::{Multiply, WmmaMove};
use super::memory::access::MemoryOp;
use super::record::FunctionSymbols;
use super::tensor_map::{MOST_RANK, TensorType};
pub use super::wgmma_op::{Unfenced, WgmmaOp, WgmmaOperand};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Runs one instruction over the lanes of a warp. Two builds of the same body: one for the
/// baseline processor, one for AVX2 and FMA, which the engine takes where the processor has them.
#[derive(Clone, Copy)]
pub struct Handler {
    pub baseline: unsafe fn(&mut Registers, &Inst),
    pub wide: unsafe fn(&mut Registers, &Inst),
}

impl std::fmt::Debug for Handler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handler")
    }
}

/// `@p` or `@!p` of a decoded instruction: bit 31 set when there is one, bit 0 when negated, the
/// predicate register between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guard(u32);

impl Guard {
    pub const NONE: Guard = Guard(0);

    pub fn new(register: u32, negated: bool) -> Guard {
        Guard(1 << 31 | register << 1 | negated as u32)
    }

    /// The predicate register.
    pub fn register(self) -> Option<u32> {
        self.is_some().then_some((self.0 & 0x7fff_ffff) >> 1)
    }

    #[inline(always)]
    pub fn is_some(self) -> bool {
        self.0 != 0
    }

    /// The predicate register, and whether it is negated.
    pub fn parts(self) -> Option<(u32, bool)> {
        self.is_some().then_some(((self.0 & 0x7fff_ffff) >> 1, self.0 & 1 != 0))
    }

    /// Lanes of `mask` that pass.
    #[inline(always)]
    pub fn lanes(self, registers: &Registers, mask: u32) -> u32 {
        if self.0 == 0 {
            return mask;
        }
        let bits = registers.pred((self.0 & 0x7fff_ffff) >> 1);
        mask & if self.0 & 1 != 0 { !bits } else { bits }
    }
}

/// One decoded instruction. Operands are register numbers; what they mean is up to `what`.
#[derive(Clone, Debug)]
pub struct Inst {
    pub what: What,
    pub guard: Guard,
    /// Destination.
    pub d: u32,
    /// Sources.
    pub s: [u32; 4],
    /// A mode, or an index into one of [`DecodedModule`]'s lists, as `what` says.
    pub detail: u32,
}

/// What an instruction does. Those after `System` end a basic block.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// Arithmetic over the lanes; `detail` is the mode.
    Lanes(Handler),
    /// Load, store, atomic or asynchronous copy; `detail` indexes [`DecodedModule::memory`].
    Memory,
    /// A read or change of the machine's state.
    System(System),
    /// Jump to instruction `detail`.
    Branch,
    /// Jump to the `s[0]`-th instruction of [`DecodedModule::tables`]`[detail]`.
    BranchIndexed,
    /// `detail` indexes [`DecodedModule::calls`].
    Call,
    /// Back to the caller; out of the kernel at depth zero.
    Return,
    Exit,
    /// `detail`: 1 where a grid's barrier stands in a plain launch.
    Trap,
    /// Barrier of the block; `detail` indexes [`DecodedModule::barriers`].
    Barrier,
    /// Operation of the lanes that a mask names; `detail` indexes [`DecodedModule::collectives`].
    Collective,
}

/// Reads and changes of the machine's state. The result goes to `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// `activemask`
    ActiveMask,
    /// Cycle counter, low 32 bits.
    Clock32,
    Clock64,
    /// Nanoseconds.
    GlobalTimer,
    /// Where the block is in the grid or its cluster: `detail` is one of [`block_place`], and an axis.
    BlockIndex,
    /// `%smid`
    Multiprocessor,
    /// Address of byte `detail` of the function's local memory, in the local space.
    LocalAddress,
    /// `nanosleep` of `s[0]` nanoseconds: others may run first.
    Yield,
    /// `membar`, `fence`.
    Fence,
    /// `fence.proxy.async`; `detail` is 1 where it is about shared memory.
    ProxyFence,
    /// `cp.async.wait_group` and its kin: copies are done at once, so nothing is left to wait for.
    AsyncWait,
    /// `mapa`: the address `s[0]` in the shared memory of the block of rank `s[1]`; `detail` is 1 for generic
    /// addresses.
    MapShared,
    /// `getctarank`: the rank of the block that the address `s[0]` names; `detail` as of `MapShared`.
    SharedRank,
    /// `cp.async.bulk` from `s[0]` to `s[1]`, `s[2]` bytes; `detail` indexes [`DecodedModule::bulks`].
    Bulk,
    /// A tensor copy; `detail` indexes [`DecodedModule::tensor_copies`]. One to shared memory gives the bytes of the
    /// box.
    Tensor,
    /// `cp.async.bulk.wait_group` and its kin; `detail` as of `AsyncWait`.
    BulkWait,
    /// Lanes of predicate `s[0]` found a phase of the mbarrier at `s[1]` over: that of state `s[2]`, or of parity
    /// `s[2]` where `detail` is 1.
    PhaseOver,
    /// `isspacep`; `s[0]` is the address, `detail` the space by number.
    IsSpace,
    /// Whether the change numbered `detail` of the mbarrier `s[0]` by `s[1]` was allowed.
    MbarrierCheck,
    /// Predicate `s[0]` is true in the lanes where a variable is used that has no value.
    CheckDefined,
    /// Outside what the simulator does; `detail` indexes [`DecodedModule::unsupported`].
    Unsupported,
    /// No effect on results: prefetches, hints.
    Nothing,
}

/// What [`System::BlockIndex`] gives: of the block in the grid, of its cluster in the grid, and of the block in
/// its cluster, each by axis; and the block's rank in its cluster.
pub mod block_place {
    pub const IN_GRID: u32 = 0;
    pub const OF_CLUSTER: u32 = 3;
    pub const IN_CLUSTER: u32 = 6;
    pub const RANK: u32 = 9;
}

/// What a decoded instruction was made from.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The table's row, for arithmetic.
    pub row: Option<&'static super::table::Row>,
    /// Whether it is the first of a PTX instruction.
    pub first: bool,
    /// Its text; empty where it has none.
    pub span: ptx::Span,
}

/// Steps of a chain of instructions that need each other's results, by what each step waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    pub arithmetic: u32,
    pub special: u32,
    pub shared: u32,
    pub global: u32,
}

impl CriticalPath {
    /// With further steps.
    pub fn then(self, more: CriticalPath) -> CriticalPath {
        CriticalPath {
            arithmetic: self.arithmetic + more.arithmetic,
            special: self.special + more.special,
            shared: self.shared + more.shared,
            global: self.global + more.global,
        }
    }

    /// What is left without its beginning.
    pub fn minus(self, beginning: CriticalPath) -> CriticalPath {
        CriticalPath {
            arithmetic: self.arithmetic - beginning.arithmetic,
            special: self.special - beginning.special,
            shared: self.shared - beginning.shared,
            global: self.global - beginning.global,
        }
    }

    /// About how many cycles it takes on any GPU, to tell the longer of two chains.
    pub fn cycles(self) -> u64 {
        u64::from(self.arithmetic) * 4
            + u64::from(self.special) * 20
            + u64::from(self.shared) * 25
            + u64::from(self.global) * 400
    }
}

/// A stretch of code that runs from its start to its end once entered.
#[derive(Clone, Debug)]
pub struct BasicBlock {
    pub start: u32,
    /// One past the last instruction.
    pub end: u32,
    /// Instructions the learner's PTX has here; lowering may need more for one of them.
    pub written: u32,
    /// `written`, by class.
    pub classes: Vec<(Class, u32)>,
    /// Unguarded floating-point operations a lane.
    pub flops: Vec<(super::table::Flop, u32)>,
    /// The longest chain through it, and its length in cycles.
    pub path: CriticalPath,
    pub cycles: u64,
    /// Instructions of that chain, and what each adds to it.
    pub steps: Vec<(u32, CriticalPath)>,
    /// Machine instructions beyond one for each of PTX: all, special functions, double precision.
    pub extra: [u32; 3],
    /// Where it is a loop: rounds of it whose loads from global memory are under way together.
    pub together: u32,
}

/// A parameter or result of a function: 32-bit registers that hold its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamSlot {
    /// First register of the callee's frame.
    pub register: u32,
    pub words: u32,
}

#[derive(Clone, Debug, Default)]
pub struct FunctionCode {
    pub name: String,
    /// First instruction; `None` for a declaration that nothing defines.
    pub start: Option<u32>,
    pub frame: Slots,
    /// Bytes of local memory a thread.
    pub local_bytes: u64,
    pub params: Vec<ParamSlot>,
    pub returns: Vec<ParamSlot>,
}

/// What a fixed register holds during a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Fixed {
    Immediate(u64),
    /// Bytes of a kernel parameter, from its start; sign-extended where `signed`.
    Param {
        kernel: u32,
        offset: u32,
        bytes: u32,
        signed: bool,
    },
    Special(SpecialRegister),
    /// Address in the shared space of a shared variable, by its number, plus an offset.
    Shared {
        variable: u32,
        offset: i64,
    },
    /// Address of a global or constant variable.
    Global {
        variable: u32,
        offset: i64,
    },
    Function(u32),
}

/// Special registers whose value does not change while a thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialRegister {
    ThreadIndex(u8),
    BlockSize(u8),
    GridSize(u8),
    /// Blocks of a cluster along an axis, and in all; clusters of the grid along an axis.
    ClusterSize(u8),
    ClusterBlocks,
    ClusterCount(u8),
    /// Whether the launch has clusters.
    HasClusters,
    Lane,
    Warp,
    Warps,
    /// Multiprocessors of the GPU.
    Sms,
    /// Which launch of the machine it is.
    Grid,
    /// Address of the barrier of a cooperative grid: high and low word.
    WorkspaceHigh,
    WorkspaceLow,
    LaneMaskEq,
    LaneMaskLe,
    LaneMaskLt,
    LaneMaskGe,
    LaneMaskGt,
    DynamicSharedBytes,
    TotalSharedBytes,
    Zero,
}

#[derive(Clone, Debug)]
pub struct FixedSlot {
    pub file: super::lanes::File,
    pub register: u32,
    pub value: Fixed,
}

/// A variable of shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// As in the learner's source.
    pub name: Arc<str>,
    pub bytes: u64,
    pub align: u64,
    /// `extern __shared__`: as large as the launch says.
    pub dynamic: bool,
}

/// A module-scope variable in global or constant memory.
#[derive(Clone, Debug)]
pub struct GlobalVariable {
    /// As in the learner's source.
    pub name: Arc<str>,
    /// As in the PTX.
    pub symbol: String,
    pub bytes: u64,
    pub align: u64,
    pub constant: bool,
    /// `__managed__`: one for the whole machine.
    pub managed: bool,
    /// Initial bytes; shorter than `bytes` when the rest is zero.
    pub init: Vec<u8>,
    /// Addresses within it: byte offset, what is addressed.
    pub addresses: Vec<(u64, AddressInit)>,
}

#[derive(Clone, Copy, Debug)]
pub enum AddressInit {
    Variable { variable: u32, offset: i64 },
    Function(u32),
}

#[derive(Clone, Debug, Default)]
pub struct KernelCode {
    pub name: String,
    pub function: u32,
    /// Bytes of each parameter, and its offset.
    pub params: Vec<(u32, u32)>,
    /// Bytes of all parameters.
    pub param_bytes: u32,
    /// Run once for each warp, before its first block: they depend on nothing that changes.
    pub hoisted: Vec<Inst>,
    /// The table's row of each.
    pub hoisted_rows: Vec<Option<&'static super::table::Row>>,
    /// Shared variables it or what it calls uses, with their offsets.
    pub shared: Vec<(u32, u64)>,
    /// Static shared bytes.
    pub shared_bytes: u64,
    /// `.maxntid` or `.reqntid`, as a product; 0 where absent.
    pub max_threads: u64,
    /// `.reqnctapercluster`: blocks of a cluster.
    pub cluster: Option<Dim3>,
    /// It or what it calls uses what clusters have.
    pub clustered: bool,
    /// Blocks may see each other's effects: atomics, fences, volatile accesses.
    pub communicates: bool,
    /// It uses what atomics and volatile loads bring from global memory, or has fences for other blocks.
    pub listens: bool,
    /// Smallest access to shared memory, in bytes: 1, 2 or 4.
    pub shared_granule: u32,
    /// For each memory instruction, the shared variable that it is meant for; worked out when it is first
    /// asked for.
    pub homes: OnceLock<Box<[Option<u32>]>>,
    /// Its loops that only wait; worked out when one seems not to end.
    pub waits: OnceLock<super::checks::origin::WaitLoops>,
    /// What of it was compiled.
    pub compiled: OnceLock<Option<Arc<super::engine::compiled::CompiledKernel>>>,
}

/// A `cp.async.bulk`: what moves 16 bytes, the 64-bit registers with the addresses of these, and the address of the
/// mbarrier object that is told, if one is.
#[derive(Clone, Debug)]
pub struct BulkOp {
    /// Indices of [`DecodedModule::memory`].
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
    /// Index in [`DecodedModule::memory`] of what moves 16 bytes of shared memory, by way of four 32-bit registers
    /// from `words` on.
    pub chunk: u32,
    pub words: u32,
    /// The 64-bit registers with the addresses in global and in shared memory of what is moved next.
    pub at: [u32; 2],
}

/// Between which memories a tensor copy moves a box. Indices of [`DecodedModule::memory`].
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

/// A module, decoded.
#[derive(Debug, Default)]
pub struct DecodedModule {
    pub insts: Vec<Inst>,
    /// For each instruction, what it was made from.
    pub origins: Vec<Origin>,
    /// For each instruction, one more than its place in `locations`; 0: unknown.
    pub places: Vec<u32>,
    pub locations: Vec<SourceLocation>,
    /// Names of the learner's files, where they were told.
    pub own_files: Vec<Arc<str>>,
    /// For each location, the lines of the learner's file that call the function it was inlined from,
    /// from the inside out.
    pub call_lines: Vec<Vec<u32>>,
    pub blocks: Vec<BasicBlock>,
    /// For each instruction, its basic block.
    pub block_of: Vec<u32>,
    pub memory: Vec<MemoryOp>,
    /// For each memory instruction, an earlier one of its basic block with the same addresses but for
    /// an offset that all lanes share.
    pub like: Vec<Option<u32>>,
    /// For each memory instruction, the first of its basic block with the same address register: what
    /// goes through one pointer.
    pub together: Vec<u32>,
    pub calls: Vec<CallOp>,
    pub bulks: Vec<BulkOp>,
    pub tensor_copies: Vec<TensorCopy>,
    pub barriers: Vec<BarrierOp>,
    pub collectives: Vec<CollectiveOp>,
    pub tables: Vec<Vec<u32>>,
    pub unsupported: Vec<String>,
    pub functions: Vec<FunctionCode>,
    pub kernels: Vec<KernelCode>,
    /// What kernels and all that they may call take; what lies behind it is host code.
    pub device: Part,
    /// Sizes of the fixed part of every register file.
    pub fixed: Slots,
    pub fixed_slots: Vec<FixedSlot>,
    pub shared: Vec<SharedVariable>,
    pub variables: Vec<GlobalVariable>,
    /// Kernels by name.
    pub kernel_names: HashMap<String, u32>,
    /// Of modules for debugging, by function: what it calls its registers and places.
    pub symbols: Vec<(u32, FunctionSymbols)>,
    /// Of modules for debugging, by instruction: registers that it writes, if it is no arithmetic.
    pub writes: HashMap<u32, Vec<(File, u32)>>,
    /// For each instruction, what advice looks at; worked out when it is first asked for.
    pub watched: OnceLock<Vec<super::advice::Watched>>,
}

/// The first so many of each of [`DecodedModule`]'s lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub insts: u32,
    pub blocks: usize,
    pub memory: usize,
    pub calls: usize,
    pub fixed: Slots,
    pub fixed_slots: usize,
}

impl DecodedModule {
    /// All there is so far.
    pub fn part(&self) -> Part {
        Part {
            insts: self.insts.len() as u32,
            blocks: self.blocks.len(),
            memory: self.memory.len(),
            calls: self.calls.len(),
            fixed: self.fixed,
            fixed_slots: self.fixed_slots.len(),
        }
    }

    /// For each function, its instructions; `None` where it has none here.
    pub fn function_ranges(&self) -> Vec<Option<Range<u32>>> {
        let mut starts: Vec<u32> = self.functions.iter().filter_map(|f| f.start).collect();
        starts.sort_unstable();
        let end = |start: u32| {
            let next = starts.partition_point(|&s| s <= start);
            starts.get(next).copied().unwrap_or(self.insts.len() as u32)
        };
        self.functions.iter().map(|f| f.start.map(|start| start..end(start))).collect()
    }

    /// The lines that call the inlined function an instruction comes from, from the inside out.
    pub fn call_lines(&self, pc: u32) -> &[u32] {
        let place = self.places.get(pc as usize).and_then(|place| (*place as usize).checked_sub(1));
        place.and_then(|place| self.call_lines.get(place)).map_or(&[], Vec::as_slice)
    }

    /// Registers that an instruction writes, numbered from its function's frame; for modules for debugging.
    pub fn written_by(&self, pc: u32) -> Vec<(File, u32)> {
        let of_row = self.origins.get(pc as usize).and_then(|origin| origin.row);
        let of_row = of_row.zip(self.insts.get(pc as usize)).map(|(row, inst)| (row.dest, inst.d));
        of_row.into_iter().chain(self.writes.get(&pc).into_iter().flatten().copied()).collect()
    }

    /// Where an instruction comes from.
    pub fn location(&self, pc: u32) -> Option<&SourceLocation> {
        let place = *self.places.get(pc as usize)?;
        self.locations.get((place as usize).checked_sub(1)?)
    }
}
