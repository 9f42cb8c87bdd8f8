//! This machine's GPUs, as reported by the driver.

use serde::{Deserialize, Serialize};

/// A driver with at least one GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Newest CUDA release that the driver supports, major and minor.
    pub driver: (u32, u32),
    pub devices: Vec<DeviceInfo>,
}

/// One GPU. Sizes in bytes, rates in kHz.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    pub name: String,
    /// Compute capability, such as `(9, 0)`.
    pub capability: (u32, u32),
    pub memory_bytes: u64,
    pub multiprocessors: u32,
    /// Size of the L2 cache.
    pub cache_bytes: u64,
    /// Maximum clock of the multiprocessors; `memory_clock_khz`: that of the memory.
    pub clock_khz: u32,
    pub memory_clock_khz: u32,
    /// Width of the memory bus.
    pub bus_bits: u32,
    /// Maximum shared memory of a block that opts in.
    pub shared_bytes: u32,
}

impl DeviceInfo {
    /// Describes the device: `NVIDIA H100 80GB HBM3 (compute capability 9.0, 79 GiB)`.
    pub fn describe(&self) -> String {
        let (major, minor) = self.capability;
        format!("{} (compute capability {major}.{minor}, {} GiB)", self.name, self.memory_bytes >> 30)
    }
}
