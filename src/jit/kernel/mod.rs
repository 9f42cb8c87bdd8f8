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

use crate::code::CodeMemory;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use sim::kernel_code::{Enter, KernelCode, KernelEmitter, KernelRegion};

/// The emitter of kernels.
pub struct Kernels {
    isa: OwnedTargetIsa,
}

impl std::fmt::Debug for Kernels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cranelift")
    }
}

impl Kernels {
    /// `None` where the processor lacks what code needs.
    pub fn new() -> Option<Kernels> {
        // Comparisons, products and choices of vectors (SSE4.1), and fused multiply-adds.
        if !(std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2")) {
            return None;
        }
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", "speed"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
        ] {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        Some(Kernels { isa })
    }
}

impl KernelEmitter for Kernels {
    fn emit(&self, region: &KernelRegion) -> Option<KernelCode> {
        let made = emit::translate(region, &*self.isa)?;
        let mut context = cranelift_codegen::Context::for_function(made.function);
        let compiled = context.compile(&*self.isa, &mut ControlPlane::default()).ok()?;
        // Nothing outside is called by name.
        if !compiled.buffer.relocs().is_empty() {
            return None;
        }
        let memory = CodeMemory::new(compiled.code_buffer())?;
        // SAFETY: the code has the signature of `Enter`, with which `translate` began it.
        let enter = unsafe { std::mem::transmute::<*const std::ffi::c_void, Enter>(memory.start()) };
        let holder = Box::new((memory, made.tables));
        // SAFETY: what `KernelCode::new` asks for is what the modules here emit, and nothing else.
        Some(unsafe { KernelCode::new(enter, made.exits, made.interpreted, made.accesses, holder) })
    }
}
