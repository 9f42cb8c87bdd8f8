//! The compiler as others use it: real compiles, in real workers.

mod cache;
mod compile;
mod hostile;
mod resources;

use gpulearn::nvrtc::{CompileError, Compiled, Compiler, Diagnostic, Request};
use std::sync::OnceLock;

/// The compiler of this machine, fetched if need be. Its workers are the binary under test, and every
/// request is compiled.
pub fn compiler() -> Compiler {
    static COMPILER: OnceLock<Compiler> = OnceLock::new();
    COMPILER
        .get_or_init(|| {
            Compiler::locate(false).expect("a CUDA compiler").with_worker(env!("CARGO_BIN_EXE_gpulearn"))
        })
        .clone()
}

/// A request with nothing special in it.
pub fn request(source: &str) -> Request<'_> {
    Request {
        source,
        file_name: "kernels/lesson.cu",
        compute_capability: (8, 0),
        headers: &[],
        options: &[],
        resources: false,
    }
}

pub fn compile(source: &str) -> Result<Compiled, CompileError> {
    compiler().compile(&request(source))
}

/// What the compiler says to a source that it must refuse.
pub fn refused(source: &str) -> Vec<Diagnostic> {
    match compile(source) {
        Err(CompileError::Rejected(diagnostics)) => diagnostics,
        other => panic!("not refused: {other:?}"),
    }
}
