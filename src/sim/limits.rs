//! The limits of a launch, by compute capability (CUDA programming guide, "Technical Specifications per Compute
//! Capability").

use super::launch::{Dim3, LaunchConfig, LaunchError};
use super::memory::local::LOCAL_LIMIT_BYTES;
use super::occupancy::{BlockNeeds, Multiprocessor};
use crate::cuda_error::CudaError;

/// Most threads per block.
pub const BLOCK_THREADS: u64 = 1024;
/// Most threads per block in x, y and z.
pub const BLOCK: Dim3 = Dim3::new(1024, 1024, 64);
/// Most blocks per grid in x, y and z.
pub const GRID: Dim3 = Dim3::new(i32::MAX as u32, 65535, 65535);
/// Most shared memory per block without opting in, in bytes.
pub const SHARED_BYTES: u64 = 48 << 10;
/// Most blocks per cluster: on every GPU that has clusters, and where a kernel has opted in to a non-portable
/// cluster size.
pub const CLUSTER_BLOCKS: u64 = 8;
pub const LARGE_CLUSTER_BLOCKS: u64 = 16;
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

/// A CUDA limit for which a launch is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LaunchLimit {
    /// No blocks in the grid, or no threads in a block, along an axis (`x`, `y`, `z`).
    Empty { of: Extent, axis: char },
    /// Too many blocks or threads along an axis.
    TooMany { of: Extent, axis: char, asked: u32, most: u32 },
    /// Too many threads per block.
    Threads { threads: u64 },
    /// More threads per block than the kernel's `__launch_bounds__` allow.
    LaunchBounds { threads: u64, most: u64 },
    /// More threads per block than a multiprocessor's registers allow at this number of registers per thread.
    Registers { threads: u64, registers: u32, multiprocessor: u32, most: u32 },
    /// Too much static shared memory per block.
    StaticShared { bytes: u64 },
    /// Too much shared memory per block for the compute capability.
    Shared { bytes: u64, capability: (u32, u32), most: u64 },
    /// More shared memory than is allowed without opting in.
    OptIn { dynamic_bytes: u64, static_bytes: u64 },
    /// More blocks in a cooperative launch than fit on the GPU at once; a multiprocessor holds `each`.
    Cooperative { blocks: u64, threads: u64, multiprocessors: u32, each: u64 },
    /// The GPU does not support clusters.
    NoClusters { capability: (u32, u32) },
    /// A cluster size different from the kernel's `__cluster_dims__`.
    ClusterDims { cluster: Dim3, required: Dim3 },
    /// Too many blocks per cluster; `large`: the kernel has opted in to non-portable sizes.
    ClusterBlocks { blocks: u64, large: bool },
    /// A grid that does not consist of whole clusters.
    PartOfCluster { grid: Dim3, cluster: Dim3 },
    /// Too much local memory per thread.
    Local { bytes: u64 },
}

/// What an extent is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Extent {
    /// Blocks of the grid.
    Grid,
    /// Threads of a block.
    Block,
}

impl LaunchLimit {
    /// Returns the error that CUDA reports.
    pub fn error(&self) -> CudaError {
        match self {
            LaunchLimit::Empty { .. } | LaunchLimit::TooMany { .. } | LaunchLimit::Threads { .. } => {
                CudaError::InvalidConfiguration
            }
            LaunchLimit::LaunchBounds { .. } | LaunchLimit::Registers { .. } => {
                CudaError::LaunchOutOfResources
            }
            LaunchLimit::StaticShared { .. } | LaunchLimit::Local { .. } => CudaError::InvalidPtx,
            LaunchLimit::Shared { .. } | LaunchLimit::OptIn { .. } => CudaError::InvalidValue,
            LaunchLimit::Cooperative { .. } => CudaError::CooperativeLaunchTooLarge,
            LaunchLimit::NoClusters { .. }
            | LaunchLimit::ClusterDims { .. }
            | LaunchLimit::ClusterBlocks { .. }
            | LaunchLimit::PartOfCluster { .. } => CudaError::InvalidClusterSize,
        }
    }
}

impl std::fmt::Display for LaunchLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let extent = |of: Extent| match of {
            Extent::Grid => ("grid", "blocks"),
            Extent::Block => ("block", "threads"),
        };
        let words = |d: Dim3| format!("{} x {} x {}", d.x, d.y, d.z);
        match *self {
            LaunchLimit::Empty { of, axis } => {
                let (what, unit) = extent(of);
                write!(f, "the {what} has 0 {unit} in {axis}; it needs at least 1")
            }
            LaunchLimit::TooMany { of, axis, asked, most } => {
                let (what, unit) = extent(of);
                write!(f, "the {what} has {asked} {unit} in {axis}; the limit is {most}")
            }
            LaunchLimit::Threads { threads } => {
                write!(f, "a block of {threads} threads; the limit is {BLOCK_THREADS}")
            }
            LaunchLimit::LaunchBounds { threads, most } => {
                write!(f, "a block of {threads} threads; the kernel's __launch_bounds__ say {most}")
            }
            LaunchLimit::Registers { threads, registers, multiprocessor, most } => write!(
                f,
                "a block of {threads} threads with {registers} registers each; a multiprocessor has \
                 {multiprocessor}, enough for {most}"
            ),
            LaunchLimit::StaticShared { bytes } => write!(
                f,
                "{bytes} bytes of static shared memory per block; at most {SHARED_BYTES} can be declared, more only \
                 as an extern array with its size in the launch"
            ),
            LaunchLimit::Shared { bytes, capability: (major, minor), most } => write!(
                f,
                "{bytes} bytes of shared memory per block; compute capability {major}.{minor} has {most}"
            ),
            LaunchLimit::OptIn { dynamic_bytes, static_bytes } => write!(
                f,
                "{dynamic_bytes} bytes of dynamic shared memory per block, and {static_bytes} of static; more than \
                 {SHARED_BYTES} in all need cudaFuncSetAttribute(kernel, \
                 cudaFuncAttributeMaxDynamicSharedMemorySize, {dynamic_bytes}) before the launch"
            ),
            LaunchLimit::Cooperative { blocks, threads, multiprocessors, each } => write!(
                f,
                "{blocks} blocks of {threads} threads; all blocks of a cooperative launch must be on the GPU at \
                 once, and {multiprocessors} multiprocessors hold {each} each: {}",
                each * u64::from(multiprocessors)
            ),
            LaunchLimit::NoClusters { capability: (major, minor) } => {
                write!(f, "thread block clusters; compute capability {major}.{minor} has none")
            }
            LaunchLimit::ClusterDims { cluster, required } => write!(
                f,
                "a cluster of {} blocks; the kernel's __cluster_dims__ say {}",
                words(cluster),
                words(required)
            ),
            LaunchLimit::ClusterBlocks { blocks, large: true } => {
                write!(f, "a cluster of {blocks} blocks; the limit is {LARGE_CLUSTER_BLOCKS}")
            }
            LaunchLimit::ClusterBlocks { blocks, large: false } => write!(
                f,
                "a cluster of {blocks} blocks; the limit is {CLUSTER_BLOCKS}, or {LARGE_CLUSTER_BLOCKS} if \
                 cudaFuncAttributeNonPortableClusterSizeAllowed is set"
            ),
            LaunchLimit::PartOfCluster { grid, cluster } => write!(
                f,
                "a grid of {} blocks does not divide into whole clusters of {} blocks",
                words(grid),
                words(cluster)
            ),
            LaunchLimit::Local { bytes } => {
                write!(f, "{bytes} bytes of local arrays per thread; the limit is {LOCAL_LIMIT_BYTES} bytes")
            }
        }
    }
}

impl std::error::Error for LaunchLimit {}

impl From<LaunchLimit> for LaunchError {
    fn from(limit: LaunchLimit) -> LaunchError {
        LaunchError::new(limit.error(), limit.to_string())
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
/// `cudaErrorInvalidValue`
pub fn check_params(bytes: u32) -> Result<(), LaunchError> {
    if bytes <= PARAM_BYTES {
        return Ok(());
    }
    let message = format!("{bytes} bytes of parameters; the limit is {PARAM_BYTES}");
    Err(LaunchError::new(CudaError::InvalidValue, message))
}
