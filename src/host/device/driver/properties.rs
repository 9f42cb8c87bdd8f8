//! Reads a GPU's properties from the driver, in the form of a model's data.

use crate::device::model::Properties;
use gpu::direct::Direct;
use gpu::{DeviceInfo, Failed};

/// Returns the properties of every device. Only the first gets a context by it, which the range of priorities needs:
/// that is the same on all.
///
/// # Errors
///
/// The first device has no context to give, or rejects the code.
pub fn all(direct: &mut Direct) -> Result<Vec<Properties>, Failed> {
    let (_, greatest) = direct.priorities(0)?;
    let infos = (0..).zip(&direct.machine().devices);
    Ok(infos.map(|(device, info)| of(direct, device, info, greatest)).collect())
}

/// Returns the properties of a device, using the attribute numbers of `cuda.h`.
fn of(direct: &Direct, device: u32, info: &DeviceInfo, greatest_stream_priority: i32) -> Properties {
    let number = |which| direct.attribute(device, which).and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    let is = |which| number(which) != 0;
    Properties {
        name: info.name.clone(),
        major: info.capability.0,
        minor: info.capability.1,
        memory_bytes: info.memory_bytes,
        context_bytes: 0,
        multiprocessors: info.multiprocessors,
        clock_khz: info.clock_khz,
        memory_clock_khz: info.memory_clock_khz,
        memory_bus_bits: info.bus_bits,
        l2_bytes: info.cache_bytes,
        persisting_l2_bytes: number(108).into(),
        copy_engines: number(40),
        constant_bytes: number(9).into(),
        single_to_double_ratio: number(87),
        ecc: is(32),
        pci_domain: number(50),
        pci_bus: number(33),
        pci_device: number(34),
        stream_priorities: is(78),
        greatest_stream_priority,
        cooperative_launch: is(95),
        host_native_atomics: is(86),
        pageable_memory_access: is(88),
        concurrent_managed_access: is(89),
        memory_pools: is(115),
    }
}
