//! A compiled program.

use super::source::Source;
use compiler::Diagnostic;
use sim::Module;
use std::collections::HashMap;
use std::sync::Arc;

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Program {
    pub module: Arc<Module>,
    /// The PTX of `module`: host code and kernels together.
    pub ptx: Arc<str>,
    pub source: Source,
    /// All functions that it defines or declares, except kernels, in order of appearance.
    pub functions: Vec<HostFunction>,
    /// Registers per thread of each kernel, by its name in the PTX; empty if they are not known.
    pub registers: HashMap<String, u32>,
    /// Machine code (a cubin) of the kernels for the requested compute capability, or NUL-terminated PTX for
    /// the driver to compile; empty if neither is available.
    pub cubin: Arc<[u8]>,
    /// Warnings of the compiler and of the checks on the source.
    pub diagnostics: Vec<Diagnostic>,
}

impl Program {
    /// Returns the major number of the CUDA release that produced the PTX: PTX 9 came with CUDA 13.
    pub fn cuda_release(&self) -> u32 {
        let version = self.ptx.lines().find_map(|line| line.trim().strip_prefix(".version "));
        let major = version.and_then(|version| version.split('.').next()?.trim().parse::<u32>().ok());
        if major.is_some_and(|major| major >= 9) { 13 } else { 12 }
    }
}

/// A function that is not a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFunction {
    /// Name in the PTX, mangled unless it is `extern "C"`.
    pub symbol: String,
    /// Size of each parameter in bytes; `None` if the function is only declared.
    pub parameters: Option<Vec<u64>>,
}

impl HostFunction {
    /// Returns all functions of a module that are not kernels, in order of appearance. Names with a `$` are
    /// skipped: the compiler uses them for outlined parts of functions, and `linked` for the GPU's copies
    /// of functions.
    pub fn all(module: &ptx::Module) -> Vec<HostFunction> {
        let is_of_program = |its: &&ptx::Function| !its.entry && !its.name.contains('$');
        module.functions.iter().filter(is_of_program).map(HostFunction::of).collect()
    }

    fn of(function: &ptx::Function) -> HostFunction {
        let bytes = || function.params.iter().map(ptx::Variable::bytes).collect();
        HostFunction { symbol: function.name.to_owned(), parameters: function.body.as_ref().map(|_| bytes()) }
    }
}
