//! The worker process: this binary, started again by the parent to use the GPU.

/// First argument of a worker.
pub const ARGUMENT: &str = "__gpu-worker";
/// Environment variable set for workers: a program that uses this library and does not call [`entry`] must
/// not start workers endlessly.
pub const MARK: &str = "GPULEARN_GPU_WORKER";

/// Acts as a worker if this process was started as one, and returns the exit status. Call it first in `main`.
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
