//! Compiles what [`sim`] executes to machine code, by means of Cranelift: kernels with a [`KernelEmitter`],
//! described in the module `kernel`, and loops and functions of host code with an [`Emitter`].
//! [`sim::kernel_code`] and [`sim::compiled`] define what a region is, and what its code must do.
//!
//! # Host code
//!
//! - `flow`: registers kept in variables, and liveness.
//! - `region`: basic blocks, jumps, and the exits to the interpreter.
//! - `call`: calls from machine code to machine code, and returns.
//! - `access`: loads and stores, with their checks.
//! - `arithmetic`: rows of the instruction table; `type_names`: the types that PTX names.
//! - `target`: the host processor, and compiling for it.
//! - `code`: executable memory.
//!
//! The registers of a frame are Cranelift variables, loaded from the frame where code is entered. An exit writes
//! back the registers that the region changes and that are live there. A register whose bytes are accessed in
//! different sizes stays in the frame.
//!
//! # Why Cranelift
//!
//! Prototypes of a matrix product's warps, with all checks and counts inline, were compared with the interpreter in one
//! process (2026-11-22): compiled by Cranelift, with vectors of 128 bits, they were 16 to 17 times as fast, and took
//! 2.7 ms to compile; written by hand in Rust, for AVX2's 256 bits, 12 to 16 times. So the width of vectors does not
//! decide. Cranelift is maintained, tested by others, and knows further processors; it has no gathers, and adds about a
//! minute of one core to a first build.
//!
//! # What is left to the interpreter
//!
//! - Calls of the environment and of functions that have no code, calls for which a stack may not have enough
//!   room, and calls at which a check of limits is due.
//! - Atomics, jumps through tables, and clocks.
//! - Accesses outside the windows of pageable memory, accesses that reach a byte that may not be accessed, and
//!   loads of the mark that stands for a value never written.
//! - Integer divisions by zero, and signed ones by minus one; floating-point operations whose result is NaN.
//! - Jumps at which a check of limits is due, or at the end of a loop that the interpreter may execute in bulk.
//!
//! Rows that `arithmetic` has no code for are executed by the interpreter's own function, which the code calls.
//!
//! # What is trusted
//!
//! It is trusted that Cranelift's code does what its instructions say, and that the emitters here check each
//! access before it is made: by the windows and counts that [`sim::compiled::Window`] leads to, or by the bounds
//! of a [`sim::kernel_code::AccessSite`]. No value computed by the program is used as a host address in any other way.
//! Jumps lead only to places within the code, and calls only to code in a [`sim::compiled::Callable`], whatever
//! the number that serves as a function pointer. Memory for code is either writable or executable, never both.
//!
//! Emitters exist only for the hosts on which they have been tested: x86-64 with AVX2 and FMA, on Unix.

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
#[cfg(all(unix, target_arch = "x86_64"))]
mod type_names;

use sim::Options;
use sim::compiled::{CompileWhen, Emitter};
use sim::kernel_code::KernelEmitter;
use std::sync::Arc;

/// Returns whether there are emitters for this machine.
pub fn is_available() -> bool {
    #[cfg(all(unix, target_arch = "x86_64"))]
    return target::is_supported();
    #[cfg(not(all(unix, target_arch = "x86_64")))]
    false
}

/// Adds the compilation of kernels to machine code to the options of launches. `when`: `None` means never.
pub fn compiling(options: Options, when: Option<CompileWhen>) -> Options {
    let compile_after = if when == Some(CompileWhen::Always) { 0 } else { options.compile_after };
    Options { emitter: when.and_then(|_| kernel_emitter()), compile_after, ..options }
}

/// Returns the emitter of host code for this machine; `None` if there is none.
pub fn emitter() -> Option<Arc<dyn Emitter>> {
    #[cfg(all(unix, target_arch = "x86_64"))]
    return target::Target::new()
        .map(|target| Arc::new(region::CraneliftEmitter(target)) as Arc<dyn Emitter>);
    #[cfg(not(all(unix, target_arch = "x86_64")))]
    None
}

/// Returns the emitter of kernels for this machine; `None` if there is none.
pub fn kernel_emitter() -> Option<Arc<dyn KernelEmitter>> {
    #[cfg(all(unix, target_arch = "x86_64"))]
    return target::Target::new()
        .map(|target| Arc::new(kernel::CraneliftKernelEmitter(target)) as Arc<dyn KernelEmitter>);
    #[cfg(not(all(unix, target_arch = "x86_64")))]
    None
}
