//! The compiler as others use it: real compiles, in real workers.

mod cache;
mod compile;
mod hostile;
mod index;
mod install;
#[cfg(target_os = "linux")]
mod kept;
mod locate;
mod resources;
mod speed;

use gpulearn::compiler::{CompileError, Compiled, Compiler, Diagnostic, Request};
use std::process::Command;
use std::sync::OnceLock;

/// The compiler of this machine, fetched if need be. Its workers are the binary under test, and every
/// request is compiled.
pub fn compiler() -> Compiler {
    static COMPILER: OnceLock<Compiler> = OnceLock::new();
    COMPILER
        .get_or_init(|| {
            let found = Compiler::locate(false).expect("a CUDA compiler");
            found.with_worker(env!("CARGO_BIN_EXE_gpulearn")).with_results(None)
        })
        .clone()
}

/// A request with nothing special in it.
pub fn request(source: &str) -> Request<'_> {
    Request::new(source, "kernels/lesson.cu", (8, 0))
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

/// One test of this binary, marked as ignored, in a process of its own: for what an environment, a
/// current directory or a kill decides.
pub fn again(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--ignored", "--nocapture"]);
    command
}
