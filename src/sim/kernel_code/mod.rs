//! Kernels as machine code: what an emitter is given, and what its code must do.
//!
//! The simulator interprets kernels and emits nothing itself. Whoever has a [`KernelEmitter`] hands it to a launch
//! ([`Options::emitter`](crate::Options)), which asks it for code of what its warps run often. The interpreter
//! runs all the rest, and stays what says what a kernel means.
//!
//! # A region
//!
//! A [`KernelRegion`] is what one warp runs from an entry on, with all of its 32 lanes together: the basic blocks that
//! can be reached from there without a barrier, an atomic, a call or whatever else is the interpreter's. It is
//! made for what registers held when the entry was come to before ([`Holds`]): the same value in every lane, or
//! values that differ from that of the first lane by offsets that never change, as an index does that is made of
//! `threadIdx.x`. Code is entered only where they hold that again.
//!
//! Code ends before an instruction, at which the interpreter goes on: at one that is not the region's, at a branch
//! that lanes take different ways at, and wherever what the code relies on is not so. Then registers, and what was
//! counted, are what they would be there had the interpreter run, except for registers that nothing reads any
//! more. An instruction that code can't do at once it hands to the interpreter and goes on behind it
//! ([`KernelContext::interpret`]). So findings, counts and results are the interpreter's own.

mod describe;
mod live;
mod shape;

pub(crate) use describe::{describe, frame_register};
pub use describe::{Access, Arithmetic, Instruction, Operand, Operation, Register};
pub(crate) use live::Liveness;
pub use shape::{AccessShape, ONE_LANE, Span};

pub use crate::lanes::{File, LANES, Lanes32, Lanes64};
use std::any::Any;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

/// Makes machine code of kernels.
pub trait KernelEmitter: Send + Sync + std::fmt::Debug {
    /// Code of a region; `None` where there is none to be had, or it would not be worth it.
    fn emit(&self, region: &KernelRegion) -> Option<KernelCode>;
}

/// What the lanes of a warp hold in a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The same value in every lane and every warp.
    Constant(u64),
    /// The first lane's value plus an offset for each lane, which wraps around as the register does. The first is 0.
    Offsets(Arc<Lanes64>),
    /// Nothing is known of it.
    Varying,
}

/// What is to be made machine code.
#[derive(Debug)]
pub struct KernelRegion {
    /// The number of the first of `instructions`.
    pub start: u32,
    /// All instructions of the kernel's function.
    pub instructions: Arc<[Instruction]>,
    /// The region's basic blocks, that of the entry first.
    pub blocks: Vec<RegionBlock>,
    /// What is known of registers where the code is entered. Of those that are not named, nothing.
    pub known: Vec<(Register, Holds)>,
}

/// A basic block of a region.
#[derive(Clone, Debug)]
pub struct RegionBlock {
    /// Its number among the module's.
    pub number: u32,
    /// Numbers of its instructions.
    pub range: Range<u32>,
    /// The length of its longest chain of dependent instructions.
    pub cycles: u64,
    /// Registers that may be read before they are written, where each instruction of it begins, and where its last
    /// one has been run.
    pub live: Vec<Arc<[Register]>>,
}

impl KernelRegion {
    /// The instruction with a number.
    pub fn instruction(&self, number: u32) -> &Instruction {
        &self.instructions[(number - self.start) as usize]
    }
}

/// Enters code. Gives the place of the way out among [`KernelCode::exits`].
pub type Enter = unsafe extern "C" fn(context: *mut KernelContext) -> u32;

/// A register whose lanes are to be made of one value: with [`Holds::Offsets`] added; a predicate is that value,
/// a bit a lane.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub register: Register,
    pub offsets: Option<Arc<Lanes64>>,
}

/// Where code ends.
#[derive(Clone, Debug)]
pub struct Exit {
    /// The instruction at which the interpreter goes on.
    pub number: u32,
    /// Its basic block was begun, and counted.
    pub within: bool,
    /// Registers whose values are in [`KernelContext::scalars`], in this order.
    pub scalars: Vec<Scalar>,
}

/// An instruction that code may hand to the interpreter.
#[derive(Clone, Debug)]
pub struct Interpreted {
    pub number: u32,
    /// As in [`Exit`].
    pub scalars: Vec<Scalar>,
}

/// An access whose lanes' addresses are known but for one value.
#[derive(Clone, Debug)]
pub struct KnownAccess {
    pub number: u32,
    /// What is added to the address of the first lane.
    pub offsets: Arc<Lanes64>,
}

/// The code of a region.
#[derive(Debug)]
pub struct KernelCode {
    pub(crate) enter: Enter,
    pub(crate) exits: Vec<Exit>,
    pub(crate) interpreted: Vec<Interpreted>,
    pub(crate) accesses: Vec<KnownAccess>,
    /// What holds the code in memory.
    _memory: Box<dyn Any + Send + Sync>,
}

impl KernelCode {
    /// Code that lives as long as `memory` does.
    ///
    /// # Safety
    /// Until `memory` is dropped, `enter` may be called with a [`KernelContext`] that a launch has filled in for a warp
    /// that is as the region says. It reads and writes no memory but what the context leads to, within the bounds that
    /// are told there, and gives a place among `exits`.
    pub unsafe fn new(
        enter: Enter,
        exits: Vec<Exit>,
        interpreted: Vec<Interpreted>,
        accesses: Vec<KnownAccess>,
        memory: Box<dyn Any + Send + Sync>,
    ) -> KernelCode {
        KernelCode { enter, exits, interpreted, accesses, _memory: memory }
    }
}

/// What code works on. It is filled in each time that code is entered.
#[derive(Debug)]
#[repr(C)]
pub struct KernelContext {
    /// The files of the warp's registers, by slot.
    pub r32: *mut Lanes32,
    pub r64: *mut Lanes64,
    pub predicates: *mut u32,
    /// For each basic block of the region: how often it was begun. Code counts.
    pub runs: *mut u64,
    /// Instructions that the block of threads took; code adds those of each basic block that it begins.
    pub steps: u64,
    /// A basic block that would make `steps` larger is the interpreter's.
    pub limit: u64,
    /// The last conditional branch; code keeps it.
    pub turned: u32,
    /// `%ctaid`.
    pub block_index: [u32; 3],
    /// Where values of an [`Exit`], or of an [`Interpreted`], go.
    pub scalars: *mut u64,
    /// By the place of the access among those of the [`KernelCode`].
    pub sites: *mut Site,
    pub shared: SharedView,
    /// A line of global memory is noted where no bit of this is set in its [`line_hash`].
    pub trace_mask: u64,
    /// Notes that sectors, from one to another, of a line of global memory were read; that they were written.
    pub note_line: unsafe extern "C" fn(*mut KernelContext, line: u64, first: u64, last: u64),
    pub note_written_line: unsafe extern "C" fn(*mut KernelContext, line: u64, first: u64, last: u64),
    /// Has the interpreter run the `n`-th of [`KernelCode::interpreted`]. Where that gives other than 0, the code must
    /// end behind the instruction.
    pub interpret: unsafe extern "C" fn(*mut KernelContext, n: u32) -> u32,
    /// Looks for races of a good read of global memory, and notes what it touched: the `n`-th of the accesses of the
    /// [`KernelCode`], whose first lane is at an address.
    pub check: unsafe extern "C" fn(*mut KernelContext, n: u32, first: u64),
    /// The same of a write, before it is made. Where that gives other than 0, nothing was noted: the write is the
    /// interpreter's.
    pub check_write: unsafe extern "C" fn(*mut KernelContext, n: u32, first: u64) -> u32,
    /// The launch's own.
    pub(crate) running: *mut c_void,
}

/// The place in the hash of a line by which lines are sampled. (The multiplier is that of Fibonacci hashing.)
pub fn line_hash(line: u64) -> u64 {
    let h = line.wrapping_mul(LINE_FACTOR);
    h ^ h >> LINE_SHIFT
}

/// The constants of [`line_hash`].
pub const LINE_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
pub const LINE_SHIFT: u32 = 29;

/// One access of a region, as it goes in this launch. Code adds to what is counted.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Site {
    /// The lowest address that may be accessed, and how many addresses from it on the lowest one of an access may have,
    /// so that all of it is good; 0: none.
    pub low: u64,
    pub room: u64,
    /// Where in this process the byte at `low` is. Of global memory.
    pub memory: u64,
    /// The lowest byte read, and the end of the highest, from `low` on: code keeps them. Of global memory.
    pub read: [u64; 2],
    /// The first byte, and the end of the last, from `low` on, that are read without [`KernelContext::check`]: it would
    /// leave all as it is. Of global memory.
    pub redundant: [u64; 2],
    /// Sectors and lines of global memory that were touched.
    pub sectors: u64,
    pub lines: u64,
    /// Global memory: whether [`KernelContext::check`] is to be called. Shared memory: the number that stands for the
    /// access in the shadow.
    pub mark: u32,
    /// The buffer by number. Of global memory.
    pub(crate) buffer: u32,
}

impl Site {
    /// No access is known to be good.
    pub const NONE: Site = Site {
        low: 0,
        room: 0,
        memory: 0,
        read: [u64::MAX, 0],
        redundant: [0, 0],
        sectors: 0,
        lines: 0,
        mark: 0,
        buffer: u32::MAX,
    };
}

/// The block's shared memory, and what is known of who touched its words: for each a stamp of the last write and of the
/// last read, and the number of the access that it was ([`Site::mark`]).
///
/// A stamp is a time, shifted by [`TIME_SHIFT`], and below it who: a thread of the block; `1024 | lane << 5 |
/// warp`: several of a warp, one of which, below 30, is named; all bits: several warps. A read leaves no doubt where
/// no write is after `fresh` or before `born`; a write, where moreover no read or write since `fresh` is another's.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SharedView {
    pub words: *mut u32,
    pub writes: *mut u32,
    pub reads: *mut u32,
    pub write_marks: *mut u16,
    pub read_marks: *mut u16,
    /// The block began; its last barrier was; it is now. Times, shifted.
    pub born: u32,
    pub fresh: u32,
    pub now: u32,
    /// The warp's number in the block.
    pub warp: u32,
    /// Nothing but barriers orders accesses: a word that warps read one after the other was read by several, from the
    /// first one's access on.
    pub plain: u32,
}

impl SharedView {
    /// Of no memory.
    pub const NONE: SharedView = SharedView {
        words: std::ptr::null_mut(),
        writes: std::ptr::null_mut(),
        reads: std::ptr::null_mut(),
        write_marks: std::ptr::null_mut(),
        read_marks: std::ptr::null_mut(),
        born: 0,
        fresh: 0,
        now: 0,
        warp: 0,
        plain: 0,
    };
}

pub use crate::checks::races::TIME_SHIFT;
