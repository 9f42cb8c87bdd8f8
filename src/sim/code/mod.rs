//! Decoded instructions and modules: the output of lowering and the input of the engine.

mod module;
mod operation;
pub mod registers;

pub use super::wgmma_op::{Unfenced, WgmmaOp, WgmmaOperand};
pub use module::{
    AddressInit, BasicBlock, DecodedKernel, DecodedModule, ExecutedWork, Fixed, FixedSlot, FunctionCode,
    GlobalVariable, HOST_VALUES, Interaction, ParamSlot, SharedVariable, SpecialRegister, Waits,
};
pub use operation::{
    BarrierKind, BarrierOp, Builtin, BulkOp, CallOp, CallTarget, ChunkAccess, CollectiveKind, CollectiveOp,
    ImagePlace, MatrixCode, ShuffleMode, SurfaceAccess, TensorCopy, TensorWay, TextureFetch, VoteMode,
};

use super::lanes::Registers;

/// The function that executes one instruction over the lanes of a warp: one for the baseline processor, and one for
/// AVX2 and FMA, which the engine uses where the processor has them.
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

/// The guard predicate of an instruction, `@p` or `@!p`: bit 31 is set when there is one, bit 0 when it is
/// negated, and the predicate register is between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guard(u32);

impl Guard {
    pub const NONE: Guard = Guard(0);

    pub fn new(register: u32, negated: bool) -> Guard {
        Guard(1 << 31 | register << 1 | negated as u32)
    }

    /// Returns the predicate register.
    pub fn register(self) -> Option<u32> {
        self.is_some().then_some((self.0 & 0x7fff_ffff) >> 1)
    }

    #[inline(always)]
    pub fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Returns the predicate register, and whether it is negated.
    pub fn parts(self) -> Option<(u32, bool)> {
        self.is_some().then_some(((self.0 & 0x7fff_ffff) >> 1, self.0 & 1 != 0))
    }

    /// Returns the lanes of `mask` that pass the guard.
    #[inline(always)]
    pub fn lanes(self, registers: &Registers, mask: u32) -> u32 {
        if self.0 == 0 {
            return mask;
        }
        let bits = registers.pred((self.0 & 0x7fff_ffff) >> 1);
        mask & if self.0 & 1 != 0 { !bits } else { bits }
    }
}

/// A decoded instruction. Operands are register numbers, whose meaning depends on `what`.
#[derive(Clone, Debug)]
pub struct Inst {
    pub what: What,
    pub guard: Guard,
    /// Destination.
    pub d: u32,
    /// Sources.
    pub s: [u32; 4],
    /// A mode, or an index into one of [`DecodedModule`]'s lists, depending on `what`.
    pub detail: u32,
}

/// The operation of an instruction. Those after `System` end a basic block.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// Arithmetic over the lanes; `detail` is the mode, or which [`Division`](crate::division::Division) it is.
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
    /// Return to the caller, or exit from the kernel at call depth zero.
    Return,
    Exit,
    /// `trap`; `detail` is 1 for the one in `cooperative_groups.h`, which `grid_group::sync` executes in a launch
    /// that is not cooperative.
    Trap,
    /// Barrier of the block; `detail` indexes [`DecodedModule::barriers`].
    Barrier,
    /// Warp collective; `detail` indexes [`DecodedModule::collectives`].
    Collective,
}

/// Adds an item to a list, and returns its number there.
pub fn add_to<T>(list: &mut Vec<T>, item: T) -> u32 {
    list.push(item);
    list.len() as u32 - 1
}

/// Reads and changes of the machine's state. The result is written to `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// `activemask`
    ActiveMask,
    /// Cycle counter, low 32 bits.
    Clock32,
    Clock64,
    /// Nanoseconds.
    GlobalTimer,
    /// The block's position in the grid or its cluster: `detail` is one of [`block_place`] plus an axis.
    BlockIndex,
    /// `%smid`
    Multiprocessor,
    /// Address of byte `detail` of the function's local memory, in the local space; `s[0]` is 1 if a variable begins
    /// there that only this instruction names.
    LocalAddress,
    /// `nanosleep` of `s[0]` nanoseconds: other warps may run first.
    Yield,
    /// `membar`, `fence`.
    Fence,
    /// `fence.proxy.async`; `detail` is 1 if it covers shared memory.
    ProxyFence,
    /// `cp.async.wait_group` and related instructions: copies are performed at once, so nothing is left to wait
    /// for.
    AsyncWait,
    /// `cp.async.mbarrier.arrive`: the earlier copies are to be signalled by the mbarrier at `s[0]`.
    AsyncSignal,
    /// `mapa`: maps the address `s[0]` to the shared memory of the block of rank `s[1]`; `detail` is 1 for generic
    /// addresses.
    MapShared,
    /// `getctarank`: the rank of the block that the address `s[0]` names; `detail` as for `MapShared`.
    SharedRank,
    /// `cp.async.bulk` from `s[0]` to `s[1]`, `s[2]` bytes; `detail` indexes [`DecodedModule::bulks`].
    Bulk,
    /// A tensor copy; `detail` indexes [`DecodedModule::tensor_copies`]. The size of the box in bytes is written
    /// to `d`.
    Tensor,
    /// A texture fetch; `detail` indexes [`DecodedModule::textures`].
    Texture,
    /// A read or write of a surface; `detail` indexes [`DecodedModule::surfaces`].
    Surface,
    /// `cp.async.bulk.wait_group` and related instructions; `detail` as for `AsyncWait`.
    BulkWait,
    /// The lanes of predicate `s[0]` saw a phase of the mbarrier at `s[1]` complete: that of state `s[2]`, or of
    /// parity `s[2]` if `detail` is 1.
    PhaseOver,
    /// `isspacep`; `s[0]` is the address, `detail` the space as a number.
    IsSpace,
    /// Checks that the change with number `detail` of the mbarrier `s[0]` by `s[1]` is allowed.
    MbarrierCheck,
    /// Predicate `s[0]` is true in the lanes that use a variable without a value.
    CheckDefined,
    /// Register `d` belongs to a variable without a value so far: of 64 or 32 bits or a predicate, by `detail`.
    /// Host code tracks it; kernels check it with [`System::CheckDefined`].
    Unset,
    /// Not supported by the simulator; `detail` indexes [`DecodedModule::unsupported`].
    Unsupported,
    /// No effect on results: prefetches, hints.
    Nothing,
}

/// The values of [`System::BlockIndex`]: the index of the block in the grid, of its cluster in the grid, and of
/// the block in its cluster, each for three axes; and the block's rank in its cluster.
pub mod block_place {
    pub const IN_GRID: u32 = 0;
    pub const OF_CLUSTER: u32 = 3;
    pub const IN_CLUSTER: u32 = 6;
    pub const RANK: u32 = 9;
}

/// The origin of a decoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The table's row, for arithmetic.
    pub row: Option<&'static crate::table::Row>,
    /// Whether it is the first instruction that a PTX instruction was lowered to.
    pub first: bool,
    /// The span of its PTX text; empty where it has none.
    pub span: ptx::Span,
}
