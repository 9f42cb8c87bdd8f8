//! Compilation of kernels to machine code: what an emitter receives, and what its code must do.
//!
//! The simulator interprets kernels and emits no machine code itself. Whoever has a [`KernelEmitter`] passes it to
//! a launch ([`Options::emitter`](crate::Options)), which asks it to compile what the warps execute often. The
//! interpreter executes everything else, and remains the definition of what a kernel means.
//!
//! # Regions
//!
//! A [`KernelRegion`] is what one warp executes from an entry on, with all 32 lanes active: the basic blocks
//! reachable from there without passing a barrier, an atomic, a call or anything else that is left to the
//! interpreter. It is compiled under assumptions about the warp's registers ([`LaneValues`]), taken from the values
//! they had when warps reached the entry before: a register holds the same value in every lane, or values that
//! differ from the first lane's by constant offsets, as an index computed from `threadIdx.x` does. The code is
//! entered only by warps whose registers match these assumptions.
//!
//! Where the lanes diverge at a branch, the code may execute the blocks up to the place where they meet again for the
//! active lanes alone, as the interpreter does.
//!
//! The code exits before some instruction, at which the interpreter continues: one that is not part of the region,
//! a branch at which the lanes diverge, or one for which something that the code relies on does not hold. The
//! registers and the counts are then the same as if the interpreter had executed everything up to there, except
//! for dead registers. A single instruction that the code cannot execute itself is handed to the interpreter,
//! after which the code continues ([`KernelContext::interpret`]). Findings, counts and results are therefore the
//! interpreter's own.
//!
//! - `describe`: instructions as an emitter sees them.
//! - `live`: liveness of registers.
//! - `shape`: how the addresses of a warp's lanes relate to each other.
//! - `path`: code for all warps of a block.

mod describe;
mod live;
mod path;
mod shape;

pub use describe::{Access, Arithmetic, Instruction, Operand, Operation, Register};
pub(crate) use describe::{describe, frame_register};
pub(crate) use live::Liveness;
pub use path::{
    KernelPath, PathBranch, PathCode, PathContext, PathPart, PathPhase, PathStep, RunPath, WarpFiles,
};
pub use shape::{AccessShape, ONE_LANE, Span};

pub use crate::lanes::{File, LANES, Lanes32, Lanes64};
use crate::memory::shape::Shape;
use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

/// Compiles kernels to machine code.
pub trait KernelEmitter: Send + Sync + std::fmt::Debug {
    /// Returns the code of a region; `None` if it can't be compiled or that would not be worth it.
    fn emit(&self, region: &KernelRegion) -> Option<KernelCode>;

    /// Returns the code of a path; `None` if it can't be compiled.
    fn emit_path(&self, path: &KernelPath) -> Option<PathCode>;
}

/// What is known about a register's values in the lanes of a warp: an abstract value, used both as an assumption
/// that code is compiled under and in the analysis of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaneValues {
    /// The register holds this value in every lane and every warp.
    Constant(u64),
    /// Each lane holds the first lane's value plus that lane's offset; the sum wraps around at the register's
    /// width. The first lane's offset is 0.
    Offsets(Arc<Lanes64>),
    /// Nothing is known.
    Varying,
}

/// What to compile, with the function around it.
#[derive(Debug)]
pub struct KernelRegion {
    /// Number of the first instruction in `instructions`.
    pub start: u32,
    /// All instructions of the kernel's function.
    pub instructions: Arc<[Instruction]>,
    /// The region's basic blocks; the first is the entry.
    pub blocks: Vec<RegionBlock>,
    /// What may be assumed about registers when the code is entered. Nothing is known of registers that are not
    /// listed.
    pub assumptions: Vec<(Register, LaneValues)>,
    /// Conditional branches at which lanes have diverged: the branch's number, and the sets of lanes that took it again
    /// and again; none if they were others each time.
    pub divergences: BTreeMap<u32, Vec<u32>>,
}

/// A basic block of a region.
#[derive(Clone, Debug)]
pub struct RegionBlock {
    /// Index of the block in the module.
    pub number: u32,
    /// Numbers of the block's instructions.
    pub range: Range<u32>,
    /// Length of the block's longest chain of dependent instructions, in cycles.
    pub cycles: u64,
    /// The live registers before each instruction of the block, and after the last one: those that may be read
    /// before they are written.
    pub live: Vec<Arc<[Register]>>,
}

impl KernelRegion {
    /// Returns the instruction with this number.
    pub fn instruction(&self, number: u32) -> &Instruction {
        &self.instructions[(number - self.start) as usize]
    }
}

/// Most places at which lanes of a warp may wait for others while code runs.
pub const MAX_WAITING: usize = 16;

/// Set in [`KernelContext::last_branch`] if the lanes' last branches are in [`KernelContext::last_branches`].
pub const DIVERGED: u32 = 1 << 31;

/// Enters code. Returns the index in [`CodeDescription::exits`] of the exit that was taken.
pub type Enter = unsafe extern "C" fn(context: *mut KernelContext) -> u32;

/// A register whose lanes must be reconstructed from one value. For a general register the value is the first
/// lane's, to which `offsets` are added ([`LaneValues::Offsets`]); for a predicate it is the mask, one bit per lane.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub register: Register,
    pub offsets: Option<Arc<Lanes64>>,
}

/// A point at which code exits to the interpreter.
#[derive(Clone, Debug)]
pub struct Exit {
    /// Number of the instruction at which the interpreter continues.
    pub number: u32,
    /// Whether that instruction's basic block was entered by the code, which has already counted it.
    pub block_counted: bool,
    /// Registers whose values are in [`KernelContext::scalars`], in this order.
    pub scalars: Vec<Scalar>,
    /// Whether it is taken because the lanes diverge.
    pub diverges: bool,
    /// If the lanes have diverged: the numbers of the instructions at which others than [`KernelContext::active`] may
    /// wait. Which they are is in [`KernelContext::waiting`], in this order.
    pub waiting: Option<Vec<u32>>,
}

/// An instruction that code may hand to the interpreter while it runs.
#[derive(Clone, Debug)]
pub struct Interpreted {
    pub number: u32,
    /// The lanes that execute it; `None`: those of [`KernelContext::active`].
    pub mask: Option<u32>,
    /// Where it is an access that the code otherwise performs itself: its index in [`CodeDescription::accesses`].
    pub access: Option<usize>,
    /// The registers to reconstruct before the instruction is executed, as in [`Exit::scalars`].
    pub scalars: Vec<Scalar>,
}

/// An access that code performs itself: all lanes' addresses follow from the first lane's.
#[derive(Clone, Debug)]
pub struct InlineAccess {
    pub number: u32,
    /// The lanes that make it.
    pub mask: u32,
    /// Whether it is in a block that the code executes for some lanes only. These may be all, if they have met again.
    pub in_masked_block: bool,
    /// Each active lane's address minus the first active lane's; 0 for the others.
    pub offsets: Arc<Lanes64>,
}

impl InlineAccess {
    /// Returns the shape of the access, of which each lane accesses `width` bytes.
    pub(crate) fn shape(&self, width: u32) -> Shape {
        Shape::of(&self.offsets, self.mask, width)
    }
}

/// What kind of access code performs itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompiledAccess {
    GlobalLoad,
    GlobalStore,
    SharedLoad,
    SharedStore,
}

/// A number of accesses of each kind, indexed by [`CompiledAccess`]; sums and differences wrap around.
pub type AccessesByKind = [u32; 4];

impl CompiledAccess {
    /// Returns the kind of loads or stores, of shared or of global memory.
    pub fn new(shared: bool, stores: bool) -> CompiledAccess {
        match (shared, stores) {
            (false, false) => CompiledAccess::GlobalLoad,
            (false, true) => CompiledAccess::GlobalStore,
            (true, false) => CompiledAccess::SharedLoad,
            (true, true) => CompiledAccess::SharedStore,
        }
    }
}

/// What the interpreter needs to know about code.
#[derive(Debug, Default)]
pub struct CodeDescription {
    pub exits: Vec<Exit>,
    pub interpreted: Vec<Interpreted>,
    pub accesses: Vec<InlineAccess>,
    /// The blocks that the code executes for some lanes only, by index in [`KernelRegion::blocks`].
    pub masked_blocks: Vec<usize>,
    /// For each place where lanes diverge, the numbers of the conditional branches that lanes may have reached last when
    /// they meet again.
    pub divergences: Vec<Vec<u32>>,
}

/// The code of a region.
#[derive(Debug)]
pub struct KernelCode {
    pub(crate) enter: Enter,
    pub(crate) description: CodeDescription,
    /// Owns the memory that holds the code.
    _memory: Box<dyn Any + Send + Sync>,
}

impl KernelCode {
    /// Creates code that lives as long as `memory` does.
    ///
    /// # Safety
    /// Until `memory` is dropped, `enter` may be called with a [`KernelContext`] that a launch has filled in for a
    /// warp whose registers match the region's assumptions ([`KernelRegion::assumptions`]). The code reads and writes
    /// no memory but what the context leads to, within the bounds given there, and returns an index into the
    /// description's exits.
    pub unsafe fn new(
        enter: Enter,
        description: CodeDescription,
        memory: Box<dyn Any + Send + Sync>,
    ) -> KernelCode {
        KernelCode { enter, description, _memory: memory }
    }
}

/// What code works on. The simulator fills it in each time it enters code.
#[derive(Debug)]
#[repr(C)]
pub struct KernelContext {
    /// The warp's register files, indexed by slot ([`Register::slot`]): 32-bit registers, 64-bit registers, and
    /// predicates with one bit per lane.
    pub r32: *mut Lanes32,
    pub r64: *mut Lanes64,
    pub predicates: *mut u32,
    /// How often each basic block of the region was entered by all lanes, then each of [`CodeDescription::masked_blocks`];
    /// incremented by the code.
    pub runs: *mut u64,
    /// For each basic block of the module ([`RegionBlock::number`]), how often it was entered, and by how many threads
    /// in total; the code adds 1 and the number of active lanes.
    pub executed: *mut [u64; 2],
    /// Warp instructions executed by the thread block, and the cycles that the warp took since the code was entered.
    /// The code adds, for each basic block that it enters, the number of instructions and [`RegionBlock::cycles`].
    pub steps_and_cycles: [u64; 2],
    /// The number of accesses by all lanes that the code performed itself. For each basic block that it enters, the code
    /// adds those of the block's accesses that are in [`CodeDescription::accesses`].
    pub made: AccessesByKind,
    /// Not 0 if lanes have diverged in the code.
    pub masked: u32,
    /// How many branches lanes diverged at; the code adds to it.
    pub divergent_branches: u64,
    /// The last branch at which other lanes diverged than before, and the lanes that took it; `u32::MAX` if there was none.
    pub diverged: [u32; 2],
    /// The lanes that execute an instruction which is handed to the interpreter, or that continue at an exit, and those that
    /// wait.
    pub active: u32,
    pub waiting: [u32; MAX_WAITING],
    /// For each branch of one of [`CodeDescription::divergences`], the lanes for which it is the last.
    pub last_branches: [u32; MAX_WAITING],
    /// The code must exit before a basic block that would raise the number of instructions above this value.
    pub limit: u64,
    /// Number of the last conditional branch executed, stored by the code; `u32::MAX` if there was none. If it is not the
    /// same for all lanes: [`DIVERGED`] and an index in [`CodeDescription::divergences`].
    pub last_branch: u32,
    /// The block's index in the grid, `%ctaid`.
    pub block_index: [u32; 3],
    /// Where the code stores the values for [`Exit::scalars`] and [`Interpreted::scalars`].
    pub scalars: *mut u64,
    /// One per access, in the order of [`CodeDescription::accesses`].
    pub sites: *mut AccessSite,
    pub shared: SharedView,
    /// Selects the sample of 128-byte lines of global memory that are recorded: those whose [`line_hash`] has none
    /// of these bits set.
    pub trace_mask: u64,
    /// Records that the sectors `first..=last` that lie in a line of global memory were read, or were written.
    /// Sectors are numbered by address / 32.
    pub note_line: unsafe extern "C" fn(*mut KernelContext, line: u64, first: u64, last: u64),
    pub note_written_line: unsafe extern "C" fn(*mut KernelContext, line: u64, first: u64, last: u64),
    /// Has the interpreter execute instruction `n` of [`CodeDescription::interpreted`]. If this returns anything but 0,
    /// the code must exit after that instruction.
    pub interpret: unsafe extern "C" fn(*mut KernelContext, n: u32) -> u32,
    /// Checks a valid read of global memory for races and records what it touched. `n` is the index in
    /// [`CodeDescription::accesses`], `first` the address that the first active lane accesses.
    pub check: unsafe extern "C" fn(*mut KernelContext, n: u32, first: u64),
    /// The same for a write, before it is performed. If this returns anything but 0, nothing was recorded and the
    /// write must be left to the interpreter.
    pub check_write: unsafe extern "C" fn(*mut KernelContext, n: u32, first: u64) -> u32,
    /// Private to the launch, as is the next: the number of accesses that were handed to the interpreter.
    pub(crate) running: *mut c_void,
    pub(crate) handed_over: u32,
}

/// Returns the hash of a line's number by which lines are sampled. (The multiplier is that of Fibonacci hashing.)
pub fn line_hash(line: u64) -> u64 {
    let h = line.wrapping_mul(LINE_FACTOR);
    h ^ h >> LINE_SHIFT
}

/// The constants of [`line_hash`].
pub const LINE_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
pub const LINE_SHIFT: u32 = 29;

/// The state of one of a region's accesses during a launch. The code adds to the counts.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AccessSite {
    /// The bounds for accesses by code: an access is in bounds if its lowest address is one of the `room`
    /// addresses from `low` on. `room` is 0 if no access is known to be valid.
    pub low: u64,
    pub room: u64,
    /// Host address of the byte at `low`. Global memory only.
    pub memory: u64,
    /// The range of bytes read so far, relative to `low`: the first, and the end of the last; updated by the code.
    /// Global memory only.
    pub read: [u64; 2],
    /// The range of bytes, relative to `low`, that may be read without calling [`KernelContext::check`], since a
    /// further check would find nothing and change nothing. Global memory only.
    pub redundant: [u64; 2],
    /// Number of sectors and of lines touched, added up over all accesses. Global memory only.
    pub sectors: u64,
    pub lines: u64,
    /// How many times the code performed the access, if some lanes only make it.
    pub made: u64,
    /// Global memory: not 0 if [`KernelContext::check`] must be called for reads. Shared memory: the number by
    /// which shadow memory names the access.
    pub check_or_number: u32,
    /// Number of the buffer. Global memory only.
    pub(crate) buffer: u32,
}

impl AccessSite {
    /// A site for which no access is known to be valid.
    pub const NONE: AccessSite = AccessSite {
        low: 0,
        room: 0,
        memory: 0,
        read: [u64::MAX, 0],
        redundant: [0, 0],
        sectors: 0,
        lines: 0,
        made: 0,
        check_or_number: 0,
        buffer: u32::MAX,
    };
}

/// The block's shared memory and its shadow memory. For each word, the shadow holds a stamp of the last write and
/// one of the last read, and the number of the access that left each stamp ([`AccessSite::check_or_number`]).
///
/// A stamp is a time, shifted left by [`TIME_SHIFT`], and in the bits below, who made the access: a thread of the
/// block; `1024 | lane << 5 | warp` for several threads of a warp, one of which is `lane` if that is below 30; or
/// all bits set for threads of several warps. A read is certainly free of defects if the last write of each word
/// was neither after `last_barrier` nor before `block_begin`; a write, if no other thread has read or written any
/// of its words since `last_barrier`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SharedView {
    pub words: *mut u32,
    pub writes: *mut u32,
    pub reads: *mut u32,
    pub write_sites: *mut u16,
    pub read_sites: *mut u16,
    /// The times at which the block began and at which it passed its last barrier, and the current time, all
    /// shifted left by [`TIME_SHIFT`].
    pub block_begin: u32,
    pub last_barrier: u32,
    pub now: u32,
    /// Index of the warp in the block.
    pub warp: u32,
    /// Not 0 if barriers alone order the block's accesses. If several warps then read a word one after the other,
    /// the stamp becomes that of several warps, and the number remains that of the first reader's access.
    pub barriers_only: u32,
}

impl SharedView {
    /// A view without memory.
    pub const NONE: SharedView = SharedView {
        words: std::ptr::null_mut(),
        writes: std::ptr::null_mut(),
        reads: std::ptr::null_mut(),
        write_sites: std::ptr::null_mut(),
        read_sites: std::ptr::null_mut(),
        block_begin: 0,
        last_barrier: 0,
        now: 0,
        warp: 0,
        barriers_only: 0,
    };
}

/// Bits of a stamp below its time: see [`SharedView`].
pub const TIME_SHIFT: u32 = 11;
