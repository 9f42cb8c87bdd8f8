//! Compiles kernels to machine code by means of Cranelift: a [`KernelEmitter`]. [`sim::kernel_code`] defines what
//! a region is, and what its code must do.
//!
//! - `row`: the rows of the instruction table that are translated.
//! - `lane_values`: what registers hold in a warp's lanes, by data-flow analysis of a region.
//! - `emit`: basic blocks and exits. `registers`: where the values of registers are.
//! - `masked`: blocks that are executed for some lanes only.
//! - `scalar`: rows on values that are known except for the first lane's.
//! - `vector`: rows on all 32 lanes, four at a time.
//! - `access`, `shadow`: loads and stores, with their checks and counts.
//! - `path`: a path that all warps of a block follow.
//!
//! Values that vary from lane to lane are in the warp's registers between basic blocks, and in the processor's
//! vector registers within one. Any other register is represented by a single value.

mod access;
mod emit;
mod lane_values;
mod masked;
mod path;
mod registers;
mod row;
mod scalar;
mod shadow;
mod vector;

use crate::target::Target;
use sim::kernel_code::{Enter, KernelCode, KernelEmitter, KernelPath, KernelRegion, PathCode, RunPath};
use std::ffi::c_void;

/// The emitter of kernels.
#[derive(Debug)]
pub struct CraneliftKernelEmitter(pub Target);

impl KernelEmitter for CraneliftKernelEmitter {
    fn emit(&self, region: &KernelRegion) -> Option<KernelCode> {
        let made = emit::translate(region, self.0.isa());
        let memory = self.0.compile(made.function)?.memory;
        // SAFETY: the code has the signature of `Enter`, which `translate` gave the function.
        let enter = unsafe { std::mem::transmute::<*const c_void, Enter>(memory.start()) };
        let holder = Box::new((memory, made.tables));
        // SAFETY: the modules here emit only code that does what `KernelCode::new` requires.
        Some(unsafe { KernelCode::new(enter, made.description, holder) })
    }

    fn emit_path(&self, path: &KernelPath) -> Option<PathCode> {
        let made = path::translate(path, self.0.isa())?;
        let [probe, perform] = [self.0.compile(made.probe)?.memory, self.0.compile(made.perform)?.memory];
        // SAFETY: the code has the signature of `RunPath`, which `path::translate` gave the functions.
        let [start, then] = [&probe, &perform]
            .map(|code| unsafe { std::mem::transmute::<*const c_void, RunPath>(code.start()) });
        // SAFETY: `path` emits only code that does what `PathCode::new` requires.
        Some(unsafe { PathCode::new((start, then), made.accesses, made.checks, Box::new((probe, perform))) })
    }
}
