//! The processor that this runs on, as Cranelift knows it.

use crate::code::CodeMemory;
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};

/// Compiles functions for this processor.
pub struct Target(OwnedTargetIsa);

/// A function's code.
pub struct Compiled {
    pub memory: CodeMemory,
    /// What it keeps on the stack, without the address to return to.
    pub frame_bytes: usize,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cranelift")
    }
}

/// Whether the processor has what code needs: fused multiply-adds, which are calls without, and comparisons, products
/// and choices of vectors.
pub fn is_supported() -> bool {
    std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2")
}

impl Target {
    /// `None` where the processor lacks what code needs.
    pub fn new() -> Option<Target> {
        if !is_supported() {
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
        Some(Target(isa))
    }

    pub fn isa(&self) -> &dyn TargetIsa {
        &*self.0
    }

    /// `None` where Cranelift can't, or the system refuses memory for code.
    pub fn compile(&self, function: Function) -> Option<Compiled> {
        let mut context = Context::for_function(function);
        let compiled = context.compile(self.isa(), &mut ControlPlane::default()).ok()?;
        // Nothing outside is called by name.
        if !compiled.buffer.relocs().is_empty() {
            return None;
        }
        let memory = CodeMemory::new(compiled.code_buffer())?;
        Some(Compiled { memory, frame_bytes: compiled.frame_size as usize })
    }
}
