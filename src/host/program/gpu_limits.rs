//! Limits on the work of modelled GPUs.

/// Limits on what a program may request from modelled GPUs: work that a real GPU completes in a moment can
/// keep this machine busy for hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuLimits {
    /// Most threads in one launch.
    pub launch_threads: u64,
    /// Most bytes allocated from CUDA and not yet freed.
    pub allocated_bytes: u64,
    /// Most pieces of work enqueued.
    pub enqueued: u64,
}

impl Default for GpuLimits {
    /// At most 2³⁰ threads in a launch, as much memory as the GPUs have, and four million pieces of work, which take
    /// minutes and some 4 GiB.
    fn default() -> GpuLimits {
        GpuLimits { launch_threads: 1 << 30, allocated_bytes: u64::MAX, enqueued: 1 << 22 }
    }
}
