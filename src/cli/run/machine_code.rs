//! When kernels and host code are compiled to machine code.

use super::Args;
use sim::compiled::CompileWhen;

/// Returns when to compile to machine code according to [`MACHINE_CODE`](compiler::environment::MACHINE_CODE), and
/// whether the variable asks for it explicitly; `None` if never.
pub fn machine_code() -> Option<(CompileWhen, bool)> {
    let asked = std::env::var(compiler::environment::MACHINE_CODE).ok();
    let when = match asked.as_deref() {
        Some("never") => return None,
        Some("hot") => (CompileWhen::Hot, true),
        Some("always") => (CompileWhen::Always, true),
        _ => (CompileWhen::Hot, false),
    };
    jit::is_available().then_some(when)
}

/// Returns when this process compiles to machine code; `None` if never. By default it does only if it can be kept
/// from starting processes, a restriction that then remains in place.
pub fn machine_code_here(args: &Args) -> Option<CompileWhen> {
    // The page is drawn from a second run, for which another process compiles the program again.
    let (when, is_asked_for) = machine_code().filter(|_| args.view.is_none())?;
    let is_kept = compiler::no_processes().is_ok();
    Some(when).filter(|_| is_kept || is_asked_for)
}
