//! Whether it is worth asking: a look at files, so that a machine without a GPU waits for nothing.

use super::trouble::{Trouble, Why};
use std::path::Path;

/// What a kernel driver leaves for programs: of a card, of Windows under Linux, of a Jetson.
const NODES: [&str; 4] = ["/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-gpu", "/proc/driver/nvidia/version"];

/// Whether NVIDIA's kernel driver shows itself here.
pub fn is_present() -> bool {
    cfg!(target_os = "linux") && NODES.iter().any(|node| Path::new(node).exists())
}

/// `Err` where no worker need be asked.
pub fn look() -> Result<(), Trouble> {
    if !cfg!(target_os = "linux") {
        return Err(Trouble::new(Why::OtherSystem, ""));
    }
    if is_present() { Ok(()) } else { Err(Trouble::new(Why::NoDriver, "")) }
}
