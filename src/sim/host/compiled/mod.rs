//! Compilation of host code to machine code: what an emitter receives, what its code must do, and when it is
//! invoked.
//!
//! The simulator interprets host code and emits no machine code itself. Whoever has an [`Emitter`] passes it to
//! a thread ([`HostThread::compile_with`](super::HostThread::compile_with)), which asks it to compile the loops and functions in which the
//! thread spends its time. The interpreter executes everything else, and remains the definition of what a
//! program means.
//!
//! # Regions
//!
//! A [`Region`] is a function, or in a large function a run of consecutive operations around a loop. The
//! interpreter enters its code at one of its [`entries`](Region::entries), before that operation; other machine
//! code calls it. The code exits before some operation, at which the interpreter continues: where control
//! leaves the region, and wherever the code does not handle the operation itself. So the code need not handle
//! anything rare or difficult: calls of the environment, accesses that are not plainly valid, checks of limits,
//! divisions without a quotient, results that are NaN. An operation that was begun but not completed must not
//! have changed anything.
//!
//! When code exits before an operation, the frames and the count are as if the interpreter had run up to there,
//! except for dead registers. Findings, outputs and instruction counts are therefore the interpreter's own.
//!
//! # Calls
//!
//! Machine code calls machine code ([`Callable`]) with arguments in [`Context::passed`], where the results are
//! returned, too. The callee's frame lies after the caller's, as in the interpreter; the callee allocates its
//! variables on the program's stack and frees them. When code exits within such calls, every caller in turn
//! leaves its frame as the interpreter would have it and records its call in [`Context::calls`]; the thread
//! then pushes those frames as callers that wait.
//!
//! - `describe`: operations as an emitter sees them.
//! - `shape`: which functions a call may call.
//! - `hot`: what is compiled, and when.
//! - `enter`: entering code, and returning to the interpreter.
//! - `extent`: which operations are compiled together.

mod describe;
mod enter;
mod extent;
mod hot;
mod shape;

pub use crate::memory::FUNCTION_WINDOW;
pub use describe::{Arithmetic, Callee, FrameRange, JumpCondition, Operand, Operation, Register};
pub use hot::CompileWhen;
pub use shape::{PASSED_BYTES, Shape, passed_offsets};

pub use super::memory::{PAGE_BITS, Page, StackBytes, UNWRITTEN, WINDOW_BITS, WINDOW_SLOTS, Window};
pub(super) use hot::Compiled;

use super::op::Op;
use std::any::Any;
use std::ops::Range;

/// Compiles host code to machine code.
pub trait Emitter: Send + Sync + std::fmt::Debug {
    /// Returns the code of a region; `None` if it can't be compiled or that would not be worth it.
    fn emit(&self, region: &Region) -> Option<Code>;
}

/// What to compile, with the function around it.
#[derive(Debug)]
pub struct Region {
    /// Number of the function's first operation.
    pub start: u32,
    /// All operations of the function.
    pub operations: Vec<Operation>,
    /// Numbers of the operations to compile.
    pub range: Range<u32>,
    /// Numbers of operations in the range at which the interpreter enters the code.
    pub entries: Vec<u32>,
    pub frame: Frame,
    /// Index of the region's first [`LastPage`].
    pub first_page: usize,
}

/// What a call of a function requires.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Size of the frame in bytes; the frame of a callee begins right after it.
    pub bytes: u32,
    /// Size of the function's local variables in bytes, and what they take of the program's stack.
    pub local_bytes: u64,
    pub stack_bytes: u64,
    /// The gaps between the variables: offset and size in bytes, in whole granules of eight bytes.
    pub gaps: Vec<(u64, u64)>,
    /// Where the parameters are in the frame.
    pub params: Vec<FrameRange>,
    /// What a call subtracts from the count.
    pub counted: i64,
    /// What a call uses up of the `room` that [`Enter`] receives.
    pub charge: i64,
}

impl Region {
    /// Returns the operation with a number.
    pub fn operation(&self, number: u32) -> Option<&Operation> {
        self.operations.get(number.checked_sub(self.start)? as usize)
    }

    /// Returns whether the region starts with the function, so that it may be called.
    pub fn is_function(&self) -> bool {
        self.range.start == self.start
    }
}

/// Enters code with the frame of the region's function, at an entry given as [`Entry`] says. The calls that the
/// code makes may use up `room` in total; `count` is the number of PTX instructions executed, minus those of
/// the code up to the current operation; `variables` is the address of the running function's local variables.
///
/// For a call, the arguments are in [`Context::passed`], `room` and `variables` are the caller's, `count` is the
/// number of PTX instructions executed so far, and `frame` is the callee's, which follows the caller's.
pub type Enter = unsafe extern "C" fn(
    context: *mut Context,
    frame: *mut u8,
    entry: u32,
    room: i64,
    count: i64,
    variables: u64,
) -> CodeExit;

/// Where code is entered: as a call, or at one of [`Region::entries`], by its index there.
pub struct Entry;

impl Entry {
    /// The number for a call of a region that starts with its function.
    pub const CALL: u32 = 0;

    /// Returns the number for the entry with an index.
    pub const fn at(place: u32) -> u32 {
        place + 1
    }
}

/// How code exited.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CodeExit {
    /// The number of the operation at which the interpreter continues, or [`CodeExit::RETURNED`], or
    /// [`CodeExit::REFUSED`].
    pub at: u64,
    pub count: i64,
}

impl CodeExit {
    /// The function has returned: its results are in [`Context::passed`], its variables are freed, and the
    /// count includes its own instructions. Its caller continues.
    pub const RETURNED: u64 = u64::MAX;
    /// The call was not begun, since there is not enough room or a check of limits is due: the interpreter is
    /// to make it.
    pub const REFUSED: u64 = u64::MAX - 1;
}

/// The code of a region.
#[derive(Debug)]
pub struct Code {
    pub(super) enter: Enter,
    pub(super) accesses: usize,
    pub(super) stack_bytes: usize,
    /// Owns the memory that holds the code.
    _memory: Box<dyn Any + Send + Sync>,
}

impl Code {
    /// Creates code that lives as long as `memory` does, uses `accesses` [`LastPage`]s, and takes `stack_bytes`
    /// of the processor's stack, without what it calls.
    ///
    /// # Safety
    /// Until `memory` is dropped, `enter` may be called as [`Enter`] says with a [`Context`] that a
    /// [`HostThread`](super::HostThread) has filled in. The code reads and writes no memory but the frame,
    /// within the bytes of registers that the region names; in the context, what is passed, the calls that
    /// wait, and the region's last pages; the variables that it allocates, and their counts; and bytes of the
    /// host program that the context's windows allow ([`Window`]). It returns the number of an operation of the
    /// region's function, or what a function that it called has returned.
    pub unsafe fn new(
        enter: Enter,
        accesses: usize,
        stack_bytes: usize,
        memory: Box<dyn Any + Send + Sync>,
    ) -> Code {
        Code { enter, accesses, stack_bytes, _memory: memory }
    }
}

/// A function as calls in machine code find it, by its number.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Callable {
    pub enter: Option<Enter>,
    /// The sizes of its parameters and results; `None` if it has no code.
    pub shape: Option<Shape>,
}

/// What machine code works on in addition to the frame.
#[derive(Debug)]
#[repr(C)]
pub struct Context {
    /// A jump that would raise the count to this value or above is left to the interpreter, and so is a call.
    pub check_limits_at: i64,
    /// The same for a jump at the end of a loop that the interpreter may execute in bulk.
    pub bulk_from: i64,
    /// The host program's memory: an address is in the window at index `address >> WINDOW_BITS` modulo the
    /// number of windows.
    pub windows: [Window; WINDOW_SLOTS],
    /// Where the bytes of the program's stack are.
    pub stack: StackBytes,
    /// The last pages of all regions. They are reset to [`LastPage::NONE`], their initial value, when pages
    /// have changed.
    pub last_pages: *mut LastPage,
    /// Runs [`Arithmetic::row`] on the frame.
    pub run_row: unsafe extern "C" fn(frame: *mut u8, row: *const RowCode),
    /// The program's functions.
    pub functions: *const Callable,
    pub function_count: u64,
    /// Numbers of the calls that wait, innermost first: code that exits within a call appends its own.
    pub calls: *mut u32,
    pub call_count: u64,
    /// Arguments or results, at the offsets that [`passed_offsets`] returns.
    pub passed: [u64; PASSED_BYTES / 8],
}

// SAFETY: everything that the pointers lead to belongs to the thread and moves with it.
unsafe impl Send for Context {}

/// The page of the last access at a place in the code, so that it need not be looked up for the next one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LastPage {
    /// The page's number: that of the window's first page plus its index in the window.
    pub number: u64,
    /// What to add to an address in the page to obtain where its byte is.
    pub data: u64,
    /// What to add to an eighth of an address in the page to obtain where its count is.
    pub counts: u64,
}

impl LastPage {
    /// A page that contains no address.
    pub const NONE: LastPage = LastPage { number: u64::MAX, data: 0, counts: 0 };
}

/// An arithmetic operation in the interpreter's form; machine code only passes it on.
#[repr(transparent)]
pub struct RowCode(Op);

/// Executes an arithmetic operation as the interpreter does.
///
/// # Safety
/// `row` must be that of an operation of the function that `frame` belongs to, and its program must be alive.
pub(super) unsafe extern "C" fn run_row(frame: *mut u8, row: *const RowCode) {
    // SAFETY: the caller's promise; decoding placed every operand in the frame.
    unsafe { ((*row).0.run)(frame, &(*row).0.operands) }
}
