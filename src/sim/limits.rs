//! What a launch may ask for, by compute capability
//! (CUDA programming guide, "Technical Specifications per Compute Capability").

use super::launch::{Dim3, LaunchConfig, LaunchError};
use super::memory::local::LOCAL_LIMIT_BYTES;
use super::occupancy::{BlockNeeds, Multiprocessor};

/// Most threads a block.
pub const BLOCK_THREADS: u64 = 1024;
/// Most threads a block in x, y, z.
pub const BLOCK: Dim3 = Dim3::new(1024, 1024, 64);
/// Most blocks a grid in x, y, z.
pub const GRID: Dim3 = Dim3::new(i32::MAX as u32, 65535, 65535);
/// Shared memory of a block without opting in, in bytes.
pub const SHARED_BYTES: u64 = 48 << 10;
/// Most blocks of a cluster on every GPU that has clusters, and where a kernel was opted in to more.
pub const CLUSTER_BLOCKS: u64 = 8;
pub const LARGE_CLUSTER_BLOCKS: u64 = 16;
/// Most bytes of kernel parameters (4 KB before compute capability 7.0).
pub const PARAM_BYTES: u32 = 32764;

/// Most shared memory a block may have after opting in, in bytes.
pub fn opt_in_shared_bytes(major: u32, minor: u32) -> u64 {
    match Multiprocessor::of(major, minor) {
        Some(multiprocessor) => multiprocessor.shared_bytes_per_block.into(),
        None if major <= 6 => SHARED_BYTES,
        None => 99 << 10,
    }
}

fn invalid(message: String) -> LaunchError {
    LaunchError { name: "cudaErrorInvalidConfiguration", message }
}

/// Refuses a configuration that CUDA refuses, with the limit that was passed.
pub fn check(
    config: &LaunchConfig,
    static_shared_bytes: u64,
    max_threads: u64,
    (major, minor): (u32, u32),
) -> Result<(), LaunchError> {
    let sides = |d: Dim3| [("x", d.x), ("y", d.y), ("z", d.z)];
    for (what, unit, asked, most) in
        [("grid", "blocks", config.grid, GRID), ("block", "threads", config.block, BLOCK)]
    {
        for ((axis, asked), (_, most)) in sides(asked).into_iter().zip(sides(most)) {
            if asked == 0 {
                return Err(invalid(format!("the {what} has 0 {unit} in {axis}; it needs at least 1")));
            }
            if asked > most {
                return Err(invalid(format!("the {what} has {asked} {unit} in {axis}; the limit is {most}")));
            }
        }
    }
    let threads = config.block.count();
    if threads > BLOCK_THREADS {
        return Err(invalid(format!("a block of {threads} threads; the limit is {BLOCK_THREADS}")));
    }
    if max_threads != 0 && threads > max_threads {
        return Err(LaunchError {
            name: "cudaErrorLaunchOutOfResources",
            message: format!(
                "a block of {threads} threads; the kernel's __launch_bounds__ say {max_threads}"
            ),
        });
    }
    if static_shared_bytes > SHARED_BYTES {
        return Err(LaunchError {
            name: "cudaErrorInvalidPtx",
            message: format!(
                "{static_shared_bytes} bytes of static shared memory a block; at most {SHARED_BYTES} can be \
                 declared, more only as an extern array with its size in the launch"
            ),
        });
    }
    let shared = static_shared_bytes.saturating_add(config.dynamic_shared_bytes as u64);
    let most = opt_in_shared_bytes(major, minor).max(SHARED_BYTES);
    if shared > most {
        return Err(LaunchError {
            name: "cudaErrorInvalidValue",
            message: format!(
                "{shared} bytes of shared memory a block; compute capability {major}.{minor} has {most}"
            ),
        });
    }
    Ok(())
}

/// Refuses more shared memory than 48 KiB where the kernel was not opted in to it: `limit` bytes of
/// dynamic memory, as set by `cudaFuncSetAttribute`.
pub fn check_opted_in(
    config: &LaunchConfig,
    static_shared_bytes: u64,
    limit: u32,
) -> Result<(), LaunchError> {
    let dynamic = config.dynamic_shared_bytes as u64;
    if dynamic <= limit as u64 || static_shared_bytes + dynamic <= SHARED_BYTES {
        return Ok(());
    }
    Err(LaunchError {
        name: "cudaErrorInvalidValue",
        message: format!(
            "{dynamic} bytes of dynamic shared memory a block, and {static_shared_bytes} of static; more than \
             {SHARED_BYTES} in all need cudaFuncSetAttribute(kernel, \
             cudaFuncAttributeMaxDynamicSharedMemorySize, {dynamic}) before the launch"
        ),
    })
}

/// Refuses a cluster that CUDA refuses; `required`: as the kernel's `__cluster_dims__` say; `large`: the kernel
/// was opted in to clusters that not every GPU has room for.
pub fn check_cluster(
    config: &LaunchConfig,
    cluster: Dim3,
    required: Option<Dim3>,
    large: bool,
    (major, minor): (u32, u32),
) -> Result<(), LaunchError> {
    let refuse = |message: String| Err(LaunchError { name: "cudaErrorInvalidClusterSize", message });
    let (blocks, most) = (cluster.count(), if large { LARGE_CLUSTER_BLOCKS } else { CLUSTER_BLOCKS });
    let words = |d: Dim3| format!("{} x {} x {}", d.x, d.y, d.z);
    if major < 9 {
        return refuse(format!("thread block clusters; compute capability {major}.{minor} has none"));
    }
    if let Some(its) = required.filter(|its| *its != cluster) {
        let (its, asked) = (words(its), words(cluster));
        return refuse(format!("a cluster of {asked} blocks; the kernel's __cluster_dims__ say {its}"));
    }
    if blocks == 0 || blocks > most {
        let more =
            if large { "" } else { ", or 16 where cudaFuncAttributeNonPortableClusterSizeAllowed is set" };
        return refuse(format!("a cluster of {blocks} blocks; the limit is {most}{more}"));
    }
    let (grid, of) = (config.grid, cluster);
    if grid.x % of.x != 0 || grid.y % of.y != 0 || grid.z % of.z != 0 {
        let (grid, of) = (words(grid), words(of));
        return refuse(format!("a grid of {grid} blocks is not made of whole clusters of {of} blocks"));
    }
    Ok(())
}

/// Refuses a cooperative grid that does not fit the GPU at once. `registers` are those of a thread; 0:
/// not known.
pub fn check_cooperative(
    config: &LaunchConfig,
    static_shared_bytes: u64,
    registers: u32,
    multiprocessors: u32,
    (major, minor): (u32, u32),
) -> Result<(), LaunchError> {
    let Some(multiprocessor) = Multiprocessor::of(major, minor) else { return Ok(()) };
    let shared = static_shared_bytes.saturating_add(config.dynamic_shared_bytes as u64);
    let threads = config.block.count();
    let needs = BlockNeeds {
        threads: threads.min(u32::MAX as u64) as u32,
        registers,
        shared_bytes: shared.min(u32::MAX as u64) as u32,
    };
    let each = multiprocessor.occupancy(needs).blocks as u64;
    let room = each * multiprocessors as u64;
    let blocks = config.grid.count();
    if blocks <= room {
        return Ok(());
    }
    Err(LaunchError {
        name: "cudaErrorCooperativeLaunchTooLarge",
        message: format!(
            "{blocks} blocks of {threads} threads; all blocks of a cooperative launch must be on the GPU at              once, and {multiprocessors} multiprocessors hold {each} each: {room}"
        ),
    })
}

/// Refuses a kernel whose own arrays no thread has room for, as the driver does when it compiles it.
pub fn check_local(bytes: u64) -> Result<(), LaunchError> {
    if bytes <= LOCAL_LIMIT_BYTES {
        return Ok(());
    }
    Err(LaunchError {
        name: "cudaErrorInvalidPtx",
        message: format!("{bytes} bytes of local arrays a thread; the limit is {LOCAL_LIMIT_BYTES} bytes"),
    })
}
