//! Machine code by Cranelift for what [`sim`] is asked to run: for kernels, a [`KernelEmitter`] in `kernel`, which tells
//! how that is done; and for loops and functions of host code, an [`Emitter`]. [`sim::kernel_code`] and
//! [`sim::compiled`] say what a region is, and what code of one must do.
//!
//! # Host code
//!
//! - `flow`: what registers hold between operations, and which are read again.
//! - `region`: blocks, jumps, and the exits back to the interpreter.
//! - `call`: calls of code by code, and returns.
//! - `access`: loads and stores, checked.
//! - `arithmetic`: rows of the instruction table.
//! - `target`: this processor, and compiling for it.
//! - `code`: memory for code.
//!
//! Registers of the frame are variables of Cranelift's, loaded where code is entered. An exit writes those back that
//! the region changes and that something may still read. A register whose bytes are used in different sizes
//! stays in the frame.
//!
//! # What code leaves to the interpreter
//!
//! Calls of the environment and of functions that have no code, calls for which there may not be room on a stack, and
//! those at which the interpreter is to look at limits; atomics, jumps through tables, clocks; accesses outside the
//! windows of pageable memory, that reach a byte which may not be accessed, or that load the mark of a value that nobody
//! wrote; integer divisions by zero, and signed ones by minus one; results of floating-point operations that are NaN; a
//! jump where the interpreter is to look at limits, or may do a loop in one go. Rows that [`arithmetic`] has no code for
//! are run by the interpreter's own function, from within the code.
//!
//! # What is trusted
//!
//! That Cranelift's code does what its instructions say, and that what is emitted here checks each access by the
//! windows and counts that [`sim::compiled::Window`] leads to, or by the bounds of a [`sim::kernel_code::Site`], before
//! it is made. No value of the program is taken for an address in any other way; jumps go only to places in the code,
//! and calls only to code that [`sim::compiled::Callable`] gives, whatever number a pointer to a function is. Memory for
//! code can be written or executed, never both.
//!
//! There is an emitter where there has been one to test: on x86-64 with AVX2 and FMA, on Unix.

#[cfg(all(unix, target_arch = "x86_64"))]
mod access;
#[cfg(all(unix, target_arch = "x86_64"))]
mod arithmetic;
#[cfg(all(unix, target_arch = "x86_64"))]
mod call;
#[cfg(all(unix, target_arch = "x86_64"))]
mod code;
#[cfg(all(unix, target_arch = "x86_64"))]
mod flow;
#[cfg(all(unix, target_arch = "x86_64"))]
mod kernel;
#[cfg(all(unix, target_arch = "x86_64"))]
mod region;
#[cfg(all(unix, target_arch = "x86_64"))]
mod target;

use sim::compiled::Emitter;
use sim::kernel_code::KernelEmitter;
use std::sync::Arc;

/// Whether there are emitters for this machine.
pub fn is_available() -> bool {
    #[cfg(all(unix, target_arch = "x86_64"))]
    return target::is_supported();
    #[cfg(not(all(unix, target_arch = "x86_64")))]
    false
}

/// The emitter for this machine, where there is one.
pub fn emitter() -> Option<Arc<dyn Emitter>> {
    #[cfg(all(unix, target_arch = "x86_64"))]
    return target::Target::new().map(|target| Arc::new(region::HostCode(target)) as Arc<dyn Emitter>);
    #[cfg(not(all(unix, target_arch = "x86_64")))]
    None
}

/// The emitter of kernels for this machine, where there is one.
pub fn kernel_emitter() -> Option<Arc<dyn KernelEmitter>> {
    #[cfg(all(unix, target_arch = "x86_64"))]
    return target::Target::new().map(|target| Arc::new(kernel::Kernels(target)) as Arc<dyn KernelEmitter>);
    #[cfg(not(all(unix, target_arch = "x86_64")))]
    None
}
