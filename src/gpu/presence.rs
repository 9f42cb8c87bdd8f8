//! Checks whether it is worth starting a worker, by looking at files, so that a machine without a GPU need
//! not wait.

use super::error::{Cause, GpuError};
use std::path::Path;

/// Files that a kernel driver provides for programs: of a card, of WSL, of a Jetson.
const NODES: [&str; 4] = ["/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-gpu", "/proc/driver/nvidia/version"];

/// Returns whether NVIDIA's kernel driver is present.
pub fn is_present() -> bool {
    cfg!(target_os = "linux") && NODES.iter().any(|node| Path::new(node).exists())
}

/// Checks that there is a point in starting a worker.
///
/// # Errors
///
/// Fails if this system is not Linux, or has no driver.
pub fn check() -> Result<(), GpuError> {
    if !cfg!(target_os = "linux") {
        return Err(GpuError::new(Cause::OtherSystem, ""));
    }
    if is_present() { Ok(()) } else { Err(GpuError::new(Cause::NoDriver, "")) }
}
