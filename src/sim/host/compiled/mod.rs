//! Host code as machine code: what an emitter is given, what it must make of it, and when it is asked.
//!
//! The simulator interprets host code and emits nothing itself. Whoever has an [`Emitter`] hands it to a
//! thread ([`HostThread::compile_with`]), which asks it for the loops and functions that the thread is found in. The
//! interpreter runs all the rest, and stays what says what a program means.
//!
//! # A region
//!
//! A [`Region`] is a function, or of a large one a run of consecutive operations around a loop. The interpreter enters
//! its code at one of its [`entries`](Region::entries), before that operation; other code calls it. It is left
//! before some operation, at which the interpreter goes on: where control leaves the region, and at whatever the code
//! does not do itself. So the code has to do nothing that is rare or hard: calls of the environment, accesses that are
//! not plainly good, looks at limits, divisions without a quotient, results that are no numbers. An operation that was
//! begun and is not done has changed nothing.
//!
//! Where code is left before an operation, frames and the count are what they would be there had the
//! interpreter run, except for registers that nothing reads any more. Findings, outputs and counts
//! of instructions are then the interpreter's own.
//!
//! # Calls
//!
//! Code calls code ([`Callable`]) with arguments in [`Context::passed`], where results come back; the callee's frame
//! lies behind the caller's, as in the interpreter, and it makes room for its variables on the program's stack and takes
//! that back. Where code is left in the midst of calls, every caller in turn leaves its frame as the interpreter's and
//! notes its call in [`Context::calls`]; the thread then puts down those frames as callers that wait.
//!
//! - `describe`: operations as an emitter sees them.
//! - `shape`: which functions a call may go to.
//! - `hot`: what is compiled, and when.
//! - `enter`: into code, and back.
//! - `extent`: which operations to make code of together.

mod describe;
mod enter;
mod extent;
mod hot;
mod shape;

pub use crate::memory::FUNCTION_WINDOW;
pub use describe::{Arithmetic, Callee, Operand, Operation, Register, Stretch, When};
pub use hot::CompileWhen;
pub use shape::{PASSED_BYTES, Shape, places};

pub use super::memory::{PAGE_BITS, Page, StackBytes, UNWRITTEN, WINDOW_BITS, WINDOW_SLOTS, Window};
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
    /// Numbers of operations in the range at which the interpreter enters the code.
    pub entries: Vec<u32>,
    pub frame: Frame,
    /// The first [`LastPage`] that is the region's.
    pub first_page: usize,
}

/// What a call of a function makes.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Bytes of the frame: behind it begins that of a function that it calls.
    pub bytes: u32,
    /// Bytes of the function's variables, and what they take of the program's stack.
    pub local_bytes: u64,
    pub stack_bytes: u64,
    /// In the frame.
    pub params: Vec<Stretch>,
    /// What is taken from the count.
    pub counted: i64,
    /// What the call takes of what there is room for.
    pub charge: i64,
}

impl Region {
    /// The operation with a number.
    pub fn operation(&self, number: u32) -> Option<&Operation> {
        self.operations.get(number.checked_sub(self.start)? as usize)
    }

    /// Whether it is a function from its start on, and may be called.
    pub fn is_function(&self) -> bool {
        self.range.start == self.start
    }
}

/// Enters code, with the frame of the region's function: as [`Entry`] says. The code may make calls that take `room`
/// together; `count` are instructions run, less those of the code up to the operation that runs; `variables` is
/// the address of the running function's variables.
///
/// A call: of the caller's, with the arguments passed, `count` and `variables`; the frame is the next one.
pub type Enter = unsafe extern "C" fn(
    context: *mut Context,
    frame: *mut u8,
    entry: u32,
    room: i64,
    count: i64,
    variables: u64,
) -> Left;

/// Where code is entered: as a call, or else at one of [`Region::entries`], by its place there.
pub struct Entry;

impl Entry {
    /// The number for a call of a region that is a function.
    pub const CALL: u32 = 0;

    /// The number for the entry at a place.
    pub const fn at(place: u32) -> u32 {
        place + 1
    }
}

/// How code was left.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Left {
    /// The number of the operation at which the interpreter goes on; or [`Left::RETURNED`], or [`Left::REFUSED`].
    pub at: u64,
    pub count: i64,
}

impl Left {
    /// The function has returned: its results are passed, its variables are gone, and the count has its own
    /// instructions. Its caller goes on.
    pub const RETURNED: u64 = u64::MAX;
    /// The call was not begun: the interpreter is to make it. There is not room enough, or a look is due.
    pub const REFUSED: u64 = u64::MAX - 1;
}

/// The code of a region.
#[derive(Debug)]
pub struct Code {
    pub(super) enter: Enter,
    pub(super) accesses: usize,
    pub(super) stack_bytes: usize,
    /// What holds the code in memory.
    _memory: Box<dyn Any + Send + Sync>,
}

impl Code {
    /// Code that lives as long as `memory` does, keeps so many [`LastPage`]s, and takes so much of the processor's stack,
    /// without what it calls.
    ///
    /// # Safety
    /// Until `memory` is dropped, `enter` may be called as [`Enter`] says with a [`Context`] that a
    /// [`HostThread`](super::HostThread) has filled in. It reads and writes no memory but
    /// the frame, within the bytes of registers that the region names; of the context what is passed, calls
    /// that wait, and the region's last pages; the variables that it makes room for, and their counts; and bytes of the
    /// host program that the context's windows allow ([`Window`]). It gives the number of an operation of
    /// the region's function, or what a function gives that it has called.
    pub unsafe fn new(
        enter: Enter,
        accesses: usize,
        stack_bytes: usize,
        memory: Box<dyn Any + Send + Sync>,
    ) -> Code {
        Code { enter, accesses, stack_bytes, _memory: memory }
    }
}

/// A function as a call of code finds it, by its number.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Callable {
    pub enter: Option<Enter>,
    /// What it takes and gives; `None` where it has no code.
    pub shape: Option<Shape>,
}

/// What code works on beside the frame.
#[derive(Debug)]
#[repr(C)]
pub struct Context {
    /// A jump that would make the count as large as this is left to the interpreter, and so is a call.
    pub look_at: i64,
    /// The same for a jump at the end of a loop that the interpreter may do in one go.
    pub sweep_at: i64,
    /// Where the host program's memory is: at `address >> WINDOW_BITS` modulo their number.
    pub windows: [Window; WINDOW_SLOTS],
    /// Where the bytes of its stack are.
    pub stack: StackBytes,
    /// Those of all regions. They begin as [`LastPage::NONE`], and again so where pages have changed.
    pub last_pages: *mut LastPage,
    /// Runs [`Arithmetic::row`] on the frame.
    pub run_row: unsafe extern "C" fn(frame: *mut u8, row: *const Row),
    /// The program's functions.
    pub functions: *const Callable,
    pub function_count: u64,
    /// Numbers of the calls that wait, the last one first: code that is left within a call adds its own.
    pub calls: *mut u32,
    pub call_count: u64,
    /// Arguments, or results, where [`places`] puts them.
    pub passed: [u64; PASSED_BYTES / 8],
}

// SAFETY: what it leads to is the thread's own, and goes where the thread goes.
unsafe impl Send for Context {}

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
