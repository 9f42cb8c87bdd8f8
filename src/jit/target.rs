//! The host processor as a Cranelift target.

use crate::code::CodeMemory;
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};

/// Compiles functions for the host processor.
pub struct Target(OwnedTargetIsa);

/// A compiled function.
pub struct CompiledFunction {
    pub memory: CodeMemory,
    /// Size of its stack frame in bytes, without the return address.
    pub frame_bytes: usize,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cranelift")
    }
}

/// Returns whether the processor has the features that code needs: FMA, without which Cranelift would emit calls
/// for fused multiply-adds, and AVX2 for comparisons, multiplication and selection of vectors.
pub fn is_supported() -> bool {
    std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2")
}

impl Target {
    /// Returns `None` if the processor lacks features that code needs.
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

    /// Returns `None` if Cranelift can't compile the function, or the system provides no executable memory.
    pub fn compile(&self, function: Function) -> Option<CompiledFunction> {
        let mut context = Context::for_function(function);
        let compiled = context.compile(self.isa(), &mut ControlPlane::default()).ok()?;
        // Code must not refer to symbols by name, since nothing would resolve them.
        if !compiled.buffer.relocs().is_empty() {
            return None;
        }
        let memory = CodeMemory::new(compiled.code_buffer())?;
        Some(CompiledFunction { memory, frame_bytes: compiled.frame_size as usize })
    }
}
