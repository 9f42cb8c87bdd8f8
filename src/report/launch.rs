//! Why a launch was refused, or failed on a GPU.

use judge::LaunchFailure;
use sim::{
    BLOCK_THREADS, CLUSTER_BLOCKS, Dim3, Extent, LARGE_CLUSTER_BLOCKS, LOCAL_LIMIT_BYTES, LaunchLimit,
    LaunchRefusal, PARAM_BYTES, SHARED_BYTES,
};

/// Says what happened, without CUDA's name for it. `clean`: the simulator runs the launch and finds no defect.
pub fn launch_failure(failure: &LaunchFailure, clean: bool) -> String {
    let said = match failure {
        LaunchFailure::Refused(LaunchRefusal::Limit(limit)) => launch_limit(limit),
        LaunchFailure::Refused(LaunchRefusal::Invalid { message, .. }) => message.clone(),
        LaunchFailure::OnGpu { meaning, .. } => format!("on the GPU, {meaning}"),
        LaunchFailure::Timed { error, meaning } => format!("{}: {meaning}", error.name()),
        LaunchFailure::Lost { gpu, error, said } => format!("on {gpu}: {} ({said})", error.text()),
        LaunchFailure::Stray { buffer, bytes, before } => {
            let side = if *before { "before" } else { "after" };
            format!("on the GPU, a thread wrote {bytes} bytes {side} \"{buffer}\"")
        }
        LaunchFailure::WroteReadOnly { buffer } => {
            format!("on the GPU, a thread wrote to \"{buffer}\", which is read-only")
        }
    };
    let agrees = if clean { ". The simulator runs it on the same inputs and finds no defect" } else { "" };
    said + agrees
}

/// Says what was asked for, and the limit that it exceeds.
pub fn launch_limit(limit: &LaunchLimit) -> String {
    let extent = |of: Extent| match of {
        Extent::Grid => ("grid", "blocks"),
        Extent::Block => ("block", "threads"),
    };
    let words = |d: Dim3| format!("{} x {} x {}", d.x, d.y, d.z);
    match *limit {
        LaunchLimit::Empty { of, axis } => {
            let (what, unit) = extent(of);
            format!("the {what} has 0 {unit} in {axis}; it needs at least 1")
        }
        LaunchLimit::TooMany { of, axis, asked, most } => {
            let (what, unit) = extent(of);
            format!("the {what} has {asked} {unit} in {axis}; the limit is {most}")
        }
        LaunchLimit::Threads { threads } => {
            format!("a block of {threads} threads; the limit is {BLOCK_THREADS}")
        }
        LaunchLimit::LaunchBounds { threads, most } => {
            format!("a block of {threads} threads; the kernel's __launch_bounds__ say {most}")
        }
        LaunchLimit::Registers { threads, registers, multiprocessor, most } => format!(
            "a block of {threads} threads with {registers} registers each; a multiprocessor has {multiprocessor}, enough \
             for {most}"
        ),
        LaunchLimit::StaticShared { bytes } => format!(
            "{bytes} bytes of static shared memory per block; at most {SHARED_BYTES} can be declared, more only as an \
             extern array with its size in the launch"
        ),
        LaunchLimit::Shared { bytes, capability: (major, minor), most } => {
            format!("{bytes} bytes of shared memory per block; compute capability {major}.{minor} has {most}")
        }
        LaunchLimit::OptIn { dynamic_bytes, static_bytes } => format!(
            "{dynamic_bytes} bytes of dynamic shared memory per block, and {static_bytes} of static; more than \
             {SHARED_BYTES} in all need cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, \
             {dynamic_bytes}) before the launch"
        ),
        LaunchLimit::Cooperative { blocks, threads, multiprocessors, each } => format!(
            "{blocks} blocks of {threads} threads; all blocks of a cooperative launch must be on the GPU at once, and \
             {multiprocessors} multiprocessors hold {each} each: {}",
            each * u64::from(multiprocessors)
        ),
        LaunchLimit::NoClusters { capability: (major, minor) } => {
            format!("thread block clusters; compute capability {major}.{minor} has none")
        }
        LaunchLimit::ClusterDims { cluster, required } => format!(
            "a cluster of {} blocks; the kernel's __cluster_dims__ say {}",
            words(cluster),
            words(required)
        ),
        LaunchLimit::ClusterBlocks { blocks, large: true } => {
            format!("a cluster of {blocks} blocks; the limit is {LARGE_CLUSTER_BLOCKS}")
        }
        LaunchLimit::ClusterBlocks { blocks, large: false } => format!(
            "a cluster of {blocks} blocks; the limit is {CLUSTER_BLOCKS}, or {LARGE_CLUSTER_BLOCKS} if \
             cudaFuncAttributeNonPortableClusterSizeAllowed is set"
        ),
        LaunchLimit::PartOfCluster { grid, cluster } => format!(
            "a grid of {} blocks does not divide into whole clusters of {} blocks",
            words(grid),
            words(cluster)
        ),
        LaunchLimit::Local { bytes } => {
            format!("{bytes} bytes of local arrays per thread; the limit is {LOCAL_LIMIT_BYTES} bytes")
        }
        LaunchLimit::Parameters { bytes } => {
            format!("{bytes} bytes of parameters; the limit is {PARAM_BYTES}")
        }
    }
}
