//! From a source to a program that can be run.

use super::source::Source;
use crate::nvrtc::{CompileError, Compiler, Diagnostic, Request};
use crate::sim::{LoadError, Module, SourceLocation};
use std::collections::HashMap;
use std::sync::Arc;

/// A program that was compiled.
#[derive(Clone, Debug)]
pub struct Program {
    pub module: Arc<Module>,
    pub source: Source,
    /// Registers a thread of each kernel, by its name in the PTX.
    pub registers: HashMap<String, u32>,
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why there is no program.
#[derive(Debug)]
pub enum NoProgram {
    Compile(CompileError),
    /// Something that the simulator lacks.
    Unsupported {
        what: String,
        line: Option<SourceLocation>,
    },
}

/// Compiles a source for a compute capability. `file_name` is what messages call it.
pub fn compile(
    compiler: &Compiler,
    source: &str,
    file_name: &str,
    compute_capability: (u32, u32),
    options: &[&str],
) -> Result<Program, NoProgram> {
    let request = Request {
        source,
        file_name,
        compute_capability,
        headers: &[],
        options,
        resources: false,
        program: true,
    };
    let compiled = compiler.compile(&request).map_err(NoProgram::Compile)?;
    let module = Module::load(&compiled.ptx).map_err(|error| match error {
        LoadError::Unsupported { what, line } => NoProgram::Unsupported { what, line },
        LoadError::Parse(error) => NoProgram::Unsupported { what: error.to_string(), line: None },
    })?;
    Ok(Program {
        module: Arc::new(module),
        source: Source::new(file_name, source),
        registers: compiled.resources.into_iter().map(|kernel| (kernel.name, kernel.registers)).collect(),
        diagnostics: compiled.diagnostics,
    })
}
