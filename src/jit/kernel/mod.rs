//! Machine code for kernels, by Cranelift: a [`KernelEmitter`] for [`sim`], which says in [`sim::kernel_code`] what a
//! region is, and what code of one must do.
//!
//! - `row`: which rows of the instruction table there are instructions for.
//! - `holds`: what the lanes of a warp hold in registers, worked out along a region.
//! - `emit`: blocks, exits, and where values of registers are.
//! - `scalar`: rows on values that are known but for the first lane's.
//! - `vector`: rows on 32 lanes, four at a time.
//! - `access`, `shadow`: loads and stores, with all that is checked and counted of them.
//!
//! Values that vary from lane to lane are in the warp's registers from one basic block to the next, and in the processor's
//! within one. All else is one value a register.

mod access;
mod emit;
mod holds;
mod row;
mod scalar;
mod shadow;
mod vector;

use crate::target::Target;
use sim::kernel_code::{Enter, KernelCode, KernelEmitter, KernelRegion};

/// The emitter of kernels.
#[derive(Debug)]
pub struct Kernels(pub Target);

impl KernelEmitter for Kernels {
    fn emit(&self, region: &KernelRegion) -> Option<KernelCode> {
        let made = emit::translate(region, self.0.isa())?;
        let memory = self.0.compile(made.function)?.memory;
        // SAFETY: the code has the signature of `Enter`, with which `translate` began it.
        let enter = unsafe { std::mem::transmute::<*const std::ffi::c_void, Enter>(memory.start()) };
        let holder = Box::new((memory, made.tables));
        // SAFETY: what `KernelCode::new` asks for is what the modules here emit, and nothing else.
        Some(unsafe { KernelCode::new(enter, made.exits, made.interpreted, made.accesses, holder) })
    }
}
