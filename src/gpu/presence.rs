//! Whether it is worth asking: a look at files, so that a machine without a GPU waits for nothing.

use super::error::{Cause, GpuError};
use std::path::Path;

/// What a kernel driver leaves for programs: of a card, of Windows under Linux, of a Jetson.
const NODES: [&str; 4] = ["/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-gpu", "/proc/driver/nvidia/version"];

/// Whether NVIDIA's kernel driver shows itself here.
pub fn is_present() -> bool {
    cfg!(target_os = "linux") && NODES.iter().any(|node| Path::new(node).exists())
}

/// `Err` where no worker need be asked.
pub fn look() -> Result<(), GpuError> {
    if !cfg!(target_os = "linux") {
        return Err(GpuError::new(Cause::OtherSystem, ""));
    }
    if is_present() { Ok(()) } else { Err(GpuError::new(Cause::NoDriver, "")) }
}
