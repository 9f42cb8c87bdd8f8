//! The worker process: this binary again, started by the parent to use the GPU and end.

/// First argument of a worker.
pub const ARGUMENT: &str = "__gpu-worker";
/// Set for workers: a program that uses this library and does not call [`entry`] must not start
/// workers without end.
pub const MARK: &str = "GPULEARN_GPU_WORKER";

/// Does a worker's work if this process was started as one, and says what to exit with. Call it
/// first thing in `main`.
pub fn entry() -> Option<u8> {
    if std::env::args_os().nth(1)? != ARGUMENT {
        return None;
    }
    std::env::var_os(MARK)?;
    #[cfg(target_os = "linux")]
    return Some(u8::from(super::serve::serve().is_err()));
    #[cfg(not(target_os = "linux"))]
    return Some(1);
}
