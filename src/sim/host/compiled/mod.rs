//! Host code as machine code: what an emitter is given, what it must make of it, and when it is asked.
//!
//! The simulator interprets host code and emits nothing itself. Whoever has an [`Emitter`] hands it to a
//! thread ([`HostThread::compile_with`]), which asks it for the loops that the thread is found in. The
//! interpreter runs all the rest, and stays what says what a program means.
//!
//! # A region
//!
//! A [`Region`] is a run of consecutive operations of one function, around a loop. Its code is entered at one of
//! its [`entries`](Region::entries), before that operation, and left before some operation, at which the
//! interpreter goes on: where control leaves the region, and at whatever the code does not do itself. So the
//! code has to do nothing that is rare or hard: calls, accesses that are not plainly good, looks at limits,
//! divisions without a quotient, results that are no numbers. An operation that was begun and is not done has
//! changed nothing.
//!
//! Where code is left before an operation, the frame and the [`Context::count`] are what they would be there had
//! the interpreter run, except for registers that nothing reads any more. Findings, outputs and counts
//! of instructions are then the interpreter's own.

mod describe;
mod hot;
mod loops;

pub use describe::{Arithmetic, Operand, Operation, Register, When};
pub use hot::CompileWhen;

pub use super::memory::{PAGE_BITS, Page, UNWRITTEN, WINDOW_BITS, Window};
pub(super) use hot::Compiled;

use super::op::Op;
use std::any::Any;
use std::ops::Range;

/// Makes machine code of host code.
pub trait Emitter: Send + Sync + std::fmt::Debug {
    /// Code of a region; `None` where there is none to be had, or it would not be worth it.
    fn emit(&self, region: &Region) -> Option<Code>;
}

/// What is to be made machine code, with the function around it.
#[derive(Debug)]
pub struct Region {
    /// The number of the function's first operation.
    pub start: u32,
    /// All operations of the function.
    pub operations: Vec<Operation>,
    /// Numbers of the operations to make code of.
    pub range: Range<u32>,
    /// Numbers of operations in the range at which the code is entered: heads of loops.
    pub entries: Vec<u32>,
}

impl Region {
    /// The operation with a number.
    pub fn operation(&self, number: u32) -> Option<&Operation> {
        self.operations.get(number.checked_sub(self.start)? as usize)
    }
}

/// Enters code: with the place of its entry among [`Region::entries`], and the frame of the function that runs.
/// Gives the number of the operation at which to go on.
pub type Enter = unsafe extern "C" fn(context: *mut Context, frame: *mut u8, entry: u32) -> u32;

/// The code of a region.
#[derive(Debug)]
pub struct Code {
    pub(super) enter: Enter,
    pub(super) accesses: usize,
    /// What holds the code in memory.
    _memory: Box<dyn Any + Send + Sync>,
}

impl Code {
    /// Code that lives as long as `memory` does, and keeps so many [`LastPage`]s.
    ///
    /// # Safety
    /// Until `memory` is dropped, `enter` may be called with an entry of the region, a [`Context`] that a
    /// [`HostThread`](super::HostThread) has filled in, and a frame of the region's function. It reads and writes no memory but
    /// the frame, within the bytes of registers that the region names; the context's count and last
    /// pages; and bytes of the host program that the context's windows allow ([`Window`]). It gives the number of an operation of
    /// the region's function.
    pub unsafe fn new(enter: Enter, accesses: usize, memory: Box<dyn Any + Send + Sync>) -> Code {
        Code { enter, accesses, _memory: memory }
    }
}

/// What code works on beside the frame.
#[derive(Debug)]
#[repr(C)]
pub struct Context {
    /// Instructions run, less those of the code up to the operation that runs; code keeps it. A jump that
    /// is taken adds [`counted`](Operation::Jump::counted) to it.
    pub count: i64,
    /// A jump that would make the count as large as this is left to the interpreter.
    pub look_at: i64,
    /// The same for a jump at the end of a loop that the interpreter may do in one go.
    pub sweep_at: i64,
    /// Address of the running function's variables.
    pub variables: u64,
    /// Where the host program's memory is: at `address >> WINDOW_BITS & 3`.
    pub windows: [Window; 4],
    /// As many as the code keeps. They begin as [`LastPage::NONE`], and again so where pages have changed.
    pub last_pages: *mut LastPage,
    /// Runs [`Arithmetic::row`] on the frame.
    pub run_row: unsafe extern "C" fn(frame: *mut u8, row: *const Row),
}

/// The page that an access was to last, so that it need not be looked up for the next one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LastPage {
    /// Its number: that of the window's first page and its place in the window.
    pub number: u64,
    /// What to add to an address in it for where the byte is.
    pub data: u64,
    /// What to add to an eighth of an address in it for where the count is.
    pub counts: u64,
}

impl LastPage {
    /// No address has this page.
    pub const NONE: LastPage = LastPage { number: u64::MAX, data: 0, counts: 0 };
}

/// An arithmetic operation as the interpreter has it; code only hands it on.
#[repr(transparent)]
pub struct Row(Op);

/// Runs an arithmetic operation as the interpreter does.
///
/// # Safety
/// `row` is that of an operation of the function that `frame` belongs to, whose program is alive.
pub(super) unsafe extern "C" fn run_row(frame: *mut u8, row: *const Row) {
    // SAFETY: the caller's promise; decoding placed every operand in the frame.
    unsafe { ((*row).0.run)(frame, &(*row).0.operands) }
}
