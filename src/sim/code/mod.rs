//! Decoded instructions and the modules that they make up: what lowering makes and the engine runs.

mod module;
mod operation;

pub use super::wgmma_op::{Unfenced, WgmmaOp, WgmmaOperand};
pub use module::{
    AddressInit, BasicBlock, CriticalPath, DecodedModule, Fixed, FixedSlot, FunctionCode, GlobalVariable,
    HOST_VALUES, KernelCode, ParamSlot, SharedVariable, SpecialRegister,
};
pub use operation::{
    BarrierKind, BarrierOp, Builtin, BulkOp, CallOp, CallTarget, ChunkAccess, CollectiveKind, CollectiveOp,
    MatrixCode, ShuffleMode, TensorCopy, TensorWay, VoteMode,
};

use super::lanes::Registers;

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
    /// Register `d` is of a variable that has no value yet: one of 64 or 32 bits or a predicate, by `detail`. Host code
    /// follows it; kernels look at it by [`System::CheckDefined`].
    Unset,
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
    pub row: Option<&'static crate::table::Row>,
    /// Whether it is the first of a PTX instruction.
    pub first: bool,
    /// Its text; empty where it has none.
    pub span: ptx::Span,
}
