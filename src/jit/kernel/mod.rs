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
//!
//! Values that vary from lane to lane are in the warp's registers between basic blocks, and in the processor's
//! vector registers within one. Any other register is represented by a single value.

mod access;
mod emit;
mod lane_values;
mod masked;
mod registers;
mod row;
mod scalar;
mod shadow;
mod vector;

use crate::target::Target;
use sim::kernel_code::{Enter, KernelCode, KernelEmitter, KernelRegion};

/// The emitter of kernels.
#[derive(Debug)]
pub struct CraneliftKernelEmitter(pub Target);

impl KernelEmitter for CraneliftKernelEmitter {
    fn emit(&self, region: &KernelRegion) -> Option<KernelCode> {
        let made = emit::translate(region, self.0.isa());
        let memory = self.0.compile(made.function)?.memory;
        // SAFETY: the code has the signature of `Enter`, which `translate` gave the function.
        let enter = unsafe { std::mem::transmute::<*const std::ffi::c_void, Enter>(memory.start()) };
        let holder = Box::new((memory, made.tables));
        // SAFETY: the modules here emit only code that does what `KernelCode::new` requires.
        Some(unsafe { KernelCode::new(enter, made.description, holder) })
    }
}
