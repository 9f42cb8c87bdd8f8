//! Why a launch is rejected.

use super::dim3::Dim3;
use crate::cuda_error::CudaError;

/// Most threads per block.
pub const BLOCK_THREADS: u64 = 1024;
/// Most shared memory per block without opting in, in bytes.
pub const SHARED_BYTES: u64 = 48 << 10;
/// Most blocks per cluster: on every GPU that has clusters, and where a kernel has opted in to a non-portable
/// cluster size.
pub const CLUSTER_BLOCKS: u64 = 8;
pub const LARGE_CLUSTER_BLOCKS: u64 = 16;

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
    /// Too many bytes of parameters.
    Parameters { bytes: u32 },
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
            LaunchLimit::Shared { .. } | LaunchLimit::OptIn { .. } | LaunchLimit::Parameters { .. } => {
                CudaError::InvalidValue
            }
            LaunchLimit::Cooperative { .. } => CudaError::CooperativeLaunchTooLarge,
            LaunchLimit::NoClusters { .. }
            | LaunchLimit::ClusterDims { .. }
            | LaunchLimit::ClusterBlocks { .. }
            | LaunchLimit::PartOfCluster { .. } => CudaError::InvalidClusterSize,
        }
    }
}
