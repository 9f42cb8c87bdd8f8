//! The limits of a launch, by compute capability (CUDA programming guide, "Technical Specifications per Compute
//! Capability").

use super::dim3::Dim3;
use super::launch::LaunchConfig;
pub use super::launch_limit::{
    BLOCK_THREADS, CLUSTER_BLOCKS, Extent, LARGE_CLUSTER_BLOCKS, LaunchLimit, SHARED_BYTES,
};
use super::memory::local::LOCAL_LIMIT_BYTES;
use super::occupancy::{BlockNeeds, Multiprocessor};

/// Most threads per block in x, y and z.
pub const BLOCK: Dim3 = Dim3::new(1024, 1024, 64);
/// Most blocks per grid in x, y and z.
pub const GRID: Dim3 = Dim3::new(i32::MAX as u32, 65535, 65535);
/// Most bytes of kernel parameters (4 KB before compute capability 7.0).
pub const PARAM_BYTES: u32 = 32764;

/// Returns the most shared memory per block after opting in, in bytes.
pub fn opt_in_shared_bytes(major: u32, minor: u32) -> u64 {
    match Multiprocessor::of(major, minor) {
        Some(multiprocessor) => multiprocessor.shared_bytes_per_block.into(),
        None if major <= 6 => SHARED_BYTES,
        None => 99 << 10,
    }
}

/// Checks an execution configuration against CUDA's limits.
///
/// # Errors
///
/// The first limit that it exceeds.
pub fn check(
    config: &LaunchConfig,
    static_shared_bytes: u64,
    max_threads: u64,
    capability: (u32, u32),
) -> Result<(), LaunchLimit> {
    let axes = |d: Dim3| [('x', d.x), ('y', d.y), ('z', d.z)];
    for (of, asked, most) in [(Extent::Grid, config.grid, GRID), (Extent::Block, config.block, BLOCK)] {
        for ((axis, asked), (_, most)) in axes(asked).into_iter().zip(axes(most)) {
            if asked == 0 {
                return Err(LaunchLimit::Empty { of, axis });
            }
            if asked > most {
                return Err(LaunchLimit::TooMany { of, axis, asked, most });
            }
        }
    }
    let threads = config.block.count();
    if threads > BLOCK_THREADS {
        return Err(LaunchLimit::Threads { threads });
    }
    if max_threads != 0 && threads > max_threads {
        return Err(LaunchLimit::LaunchBounds { threads, most: max_threads });
    }
    if static_shared_bytes > SHARED_BYTES {
        return Err(LaunchLimit::StaticShared { bytes: static_shared_bytes });
    }
    let bytes = static_shared_bytes.saturating_add(config.dynamic_shared_bytes as u64);
    let most = opt_in_shared_bytes(capability.0, capability.1).max(SHARED_BYTES);
    if bytes > most { Err(LaunchLimit::Shared { bytes, capability, most }) } else { Ok(()) }
}

/// Checks that a block needs no more shared memory than 48 KiB unless the kernel has opted in; `limit` is the
/// number of bytes of dynamic memory set by `cudaFuncSetAttribute`.
///
/// # Errors
///
/// [`LaunchLimit::OptIn`].
pub fn check_opted_in(
    config: &LaunchConfig,
    static_shared_bytes: u64,
    limit: u32,
) -> Result<(), LaunchLimit> {
    let dynamic_bytes = config.dynamic_shared_bytes as u64;
    if dynamic_bytes <= limit as u64 || static_shared_bytes + dynamic_bytes <= SHARED_BYTES {
        return Ok(());
    }
    Err(LaunchLimit::OptIn { dynamic_bytes, static_bytes: static_shared_bytes })
}

/// Checks the cluster size of a launch. `required`: the size that the kernel's `__cluster_dims__` specify;
/// `large`: the kernel has opted in to clusters that not every GPU has room for.
///
/// # Errors
///
/// The first limit of clusters that it exceeds.
pub fn check_cluster(
    config: &LaunchConfig,
    cluster: Dim3,
    required: Option<Dim3>,
    large: bool,
    capability: (u32, u32),
) -> Result<(), LaunchLimit> {
    let (blocks, most) = (cluster.count(), if large { LARGE_CLUSTER_BLOCKS } else { CLUSTER_BLOCKS });
    if capability.0 < 9 {
        return Err(LaunchLimit::NoClusters { capability });
    }
    if let Some(required) = required.filter(|its| *its != cluster) {
        return Err(LaunchLimit::ClusterDims { cluster, required });
    }
    if blocks == 0 || blocks > most {
        return Err(LaunchLimit::ClusterBlocks { blocks, large });
    }
    let (grid, of) = (config.grid, cluster);
    if grid.x % of.x != 0 || grid.y % of.y != 0 || grid.z % of.z != 0 {
        return Err(LaunchLimit::PartOfCluster { grid, cluster });
    }
    Ok(())
}

/// Checks that a cooperative grid fits on the GPU at once. `registers` is the number per thread; 0: not known.
///
/// # Errors
///
/// [`LaunchLimit::Cooperative`].
pub fn check_cooperative(
    config: &LaunchConfig,
    static_shared_bytes: u64,
    registers: u32,
    multiprocessors: u32,
    (major, minor): (u32, u32),
) -> Result<(), LaunchLimit> {
    let Some(multiprocessor) = Multiprocessor::of(major, minor) else { return Ok(()) };
    let shared = static_shared_bytes.saturating_add(config.dynamic_shared_bytes as u64);
    let threads = config.block.count();
    let needs = BlockNeeds {
        threads: threads.min(u32::MAX as u64) as u32,
        registers,
        shared_bytes: shared.min(u32::MAX as u64) as u32,
    };
    let each = multiprocessor.occupancy(needs).blocks as u64;
    let blocks = config.grid.count();
    if blocks <= each * multiprocessors as u64 {
        return Ok(());
    }
    Err(LaunchLimit::Cooperative { blocks, threads, multiprocessors, each })
}

/// Checks that a thread has room for a kernel's local memory, as the driver does when it compiles the kernel.
///
/// # Errors
///
/// [`LaunchLimit::Local`].
pub fn check_local(bytes: u64) -> Result<(), LaunchLimit> {
    if bytes <= LOCAL_LIMIT_BYTES { Ok(()) } else { Err(LaunchLimit::Local { bytes }) }
}

/// Checks that a kernel's parameters are within the size limit.
///
/// # Errors
///
/// [`LaunchLimit::Parameters`].
pub fn check_params(bytes: u32) -> Result<(), LaunchLimit> {
    if bytes <= PARAM_BYTES { Ok(()) } else { Err(LaunchLimit::Parameters { bytes }) }
}
