//! The parameters of one launch, shared by all its blocks.

use super::compiled::LastRow;
use super::kernel_heap::KernelHeap;
use crate::code::{DecodedKernel, DecodedModule};
use crate::image::ImageObjects;
use crate::kernel_code::KernelEmitter;
use crate::lanes::LANES;
use crate::launch::{Dim3, ExecutionOrder, Options};
use crate::memory::global::{GlobalMemory, Owner, PoolNumber, Saved};
use crate::printf::ShortCalls;
use crate::random;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The parameters of one launch, which its blocks share.
#[derive(Debug)]
pub struct LaunchContext<'a> {
    pub code: &'a DecodedModule,
    /// Source lines of conditions under which a thread only leaves the kernel.
    pub early_returns: &'a BTreeSet<u32>,
    pub short_calls: &'a ShortCalls,
    pub kernel: &'a DecodedKernel,
    pub kernel_index: u32,
    pub extents: LaunchExtents,
    pub gpu: LaunchGpu<'a>,
    pub order: RunOrder,
    pub budget: StepBudget,
    /// For memory instructions, the byte range of the shared variable they are meant to access, where that is
    /// known.
    pub intended_shared: Vec<Option<(u64, u64)>>,
    /// Kernel parameters, as memory.
    pub param_words: Vec<AtomicU32>,
    pub memory: &'a GlobalMemory,
    /// The texture and surface objects, and the handles of those that were destroyed before the launch.
    pub images: &'a ImageObjects,
    pub destroyed_images: &'a [u64],
    /// Device addresses of the module's variables.
    pub variables: &'a [u64],
    pub options: &'a Options,
    /// [`Options::emitter`], where checks are on.
    pub emitter: Option<&'a Arc<dyn KernelEmitter>>,
    /// What host threads that run machine code tell each other.
    pub last_row: LastRow,
    /// Memory for `malloc` in kernels.
    pub heap: KernelHeap<'a>,
    /// For each buffer, its contents before the launch, once a host thread has written to it.
    pub saved: &'a [OnceLock<Saved>],
}

/// The size of a launch and its blocks.
#[derive(Clone, Copy, Debug)]
pub struct LaunchExtents {
    pub grid: Dim3,
    /// Blocks per cluster along each axis; 1 × 1 × 1 where the launch has no clusters.
    pub cluster: Dim3,
    /// Whether the launch specifies a cluster size.
    pub has_clusters: bool,
    /// Whether blocks are managed by cluster: clusters have several blocks, or the kernel uses cluster features.
    pub clustered: bool,
    pub block: Dim3,
    pub dynamic_shared_bytes: u32,
    /// Static and dynamic shared memory per block.
    pub shared_bytes: u64,
}

/// The GPU that a launch runs on, as its kernel sees it.
#[derive(Debug)]
pub struct LaunchGpu<'a> {
    pub device: u32,
    /// For each GPU, whether the kernel may use its memory.
    pub reaches: &'a [bool],
    /// The pools whose memory another GPU may use, with that GPU.
    pub pool_access: &'a BTreeSet<(PoolNumber, u32)>,
    /// Size of a thread's stack in bytes.
    pub stack_bytes: u64,
    pub multiprocessors: u32,
    /// [`Gpu::clock_khz`](crate::machine::Gpu).
    pub clock_khz: u32,
    /// The value of `%globaltimer` when a block begins.
    pub begin_ns: u64,
    /// Whether it is a cooperative launch: all blocks are resident at once.
    pub cooperative: bool,
    /// Address of the grid's barrier; 0 where it has none.
    pub workspace: u64,
    pub grid_id: u64,
}

/// Which blocks run, and in what order.
#[derive(Clone, Copy, Debug)]
pub struct RunOrder {
    /// [`Options::order`], or another where that has findings.
    pub execution: ExecutionOrder,
    /// [`Options::sample_every`] where blocks may be left out, otherwise 1.
    pub sample_every: u64,
}

/// How many warp instructions may be executed.
#[derive(Debug)]
pub struct StepBudget {
    /// `most_steps`: by one block; 0 means that `step_budget` is the limit. `step_budget`: those after which a
    /// block is inspected. See [`super::step_budget`].
    pub most_steps: u64,
    pub step_budget: u64,
    /// `launch_budget`: by all blocks together. `spent`: those executed by all blocks until they last ended or
    /// yielded.
    pub launch_budget: u64,
    pub spent: AtomicU64,
}

impl StepBudget {
    /// Returns how many more the blocks may execute together.
    pub fn left(&self) -> u64 {
        self.launch_budget.saturating_sub(self.spent.load(Relaxed))
    }

    /// Returns whether the blocks have executed more than they may together.
    pub fn is_spent(&self) -> bool {
        self.spent.load(Relaxed) > self.launch_budget
    }
}

impl RunOrder {
    /// Returns whether resident blocks alternate after a few instructions.
    pub fn is_interleaved(&self) -> bool {
        matches!(self.execution, ExecutionOrder::Interleaved(_))
    }

    /// Returns the `n`-th of `count` blocks, clusters or warps in the launch's order; `salt` makes drawn orders
    /// differ.
    pub fn scheduled(&self, n: u64, count: u64, salt: u64) -> u64 {
        let seed = match self.execution {
            ExecutionOrder::ByNumber => return n,
            ExecutionOrder::Reversed => return count - 1 - n,
            ExecutionOrder::Drawn(seed) | ExecutionOrder::Interleaved(seed) => seed,
        };
        if count < 2 {
            return n;
        }
        let mix = random::finalise;
        let random = mix(seed ^ mix(salt));
        let (start, mut step) = (random as u32 as u64 % count, ((random >> 32) % count) | 1);
        while greatest_common_divisor(step, count) != 1 {
            step += 1;
        }
        ((n as u128 * step as u128 + start as u128) % count as u128) as u64
    }

    /// Returns the `n`-th of `count` blocks or clusters that runs: one of each stretch of
    /// [`RunOrder::sample_every`], at an offset drawn for each stretch, so that no column of the grid is
    /// preferred.
    fn drawn(&self, n: u64, count: u64) -> u64 {
        let stretch = self.sample_every;
        if stretch == 1 {
            return self.scheduled(n, count, u64::MAX);
        }
        let first = self.scheduled(n, count.div_ceil(stretch), u64::MAX) * stretch;
        first + random::finalise(first + stretch) % stretch.min(count - first)
    }
}

impl LaunchExtents {
    /// Returns the number of clusters of the grid along each axis.
    pub fn clusters(&self) -> Dim3 {
        let (grid, of) = (self.grid, self.cluster);
        Dim3::new(grid.x / of.x, grid.y / of.y, grid.z / of.z)
    }

    /// Returns the linear index of a block's cluster in the grid.
    pub fn cluster_of(&self, block: u64) -> u64 {
        let (at, of, clusters) = (self.grid.at(block), self.cluster, self.clusters());
        let (x, y, z) = (at.x / of.x, at.y / of.y, at.z / of.z);
        u64::from(x) + u64::from(clusters.x) * (u64::from(y) + u64::from(clusters.y) * u64::from(z))
    }

    pub fn block_threads(&self) -> u64 {
        self.block.count()
    }

    /// Returns the number of warps per block.
    pub fn warps(&self) -> u32 {
        self.block_threads().div_ceil(LANES as u64) as u32
    }
}

impl LaunchGpu<'_> {
    /// Returns whether the kernel may access a buffer of this owner.
    #[inline]
    pub fn may_use(&self, owner: Owner) -> bool {
        match owner {
            Owner::Device(device) => self.reaches.get(device as usize).copied().unwrap_or(false),
            Owner::Pool { device, pool } => {
                device == self.device || self.pool_access.contains(&(pool, self.device))
            }
            Owner::Pinned | Owner::Managed => true,
        }
    }
}

impl LaunchContext<'_> {
    /// Returns whether the launch is to end soon, for a reason outside of it.
    pub fn is_stopped(&self) -> bool {
        self.options.stop.as_ref().is_some_and(|stop| stop.load(Relaxed))
    }

    /// Returns the linear index of the `n`-th block that begins, and its rank in its cluster: the blocks of a
    /// cluster begin together.
    pub fn block_at(&self, n: u64) -> (u64, u32) {
        let LaunchExtents { grid, cluster: of, .. } = self.extents;
        let size = of.count();
        if size < 2 {
            return (self.order.drawn(n, grid.count()), 0);
        }
        let clusters = self.extents.clusters();
        let its = clusters.at(self.order.drawn(n / size, clusters.count()));
        let rank = n % size;
        let within = of.at(rank);
        let (x, y, z) = (its.x * of.x + within.x, its.y * of.y + within.y, its.z * of.z + within.z);
        let (width, height) = (u64::from(grid.x), u64::from(grid.y));
        (u64::from(x) + width * (u64::from(y) + height * u64::from(z)), rank as u32)
    }

    /// Returns the number of blocks that run.
    pub fn blocks_run(&self) -> u64 {
        let size = self.extents.cluster.count().max(1);
        (self.extents.grid.count() / size).div_ceil(self.order.sample_every) * size
    }

    /// Returns a kernel parameter's value of at most 8 bytes, sign-extended where `signed`.
    pub fn param(&self, offset: u32, bytes: u32, signed: bool) -> u64 {
        let byte = |at: u32| {
            let word = self.param_words.get(at as usize / 4).map_or(0, |w| w.load(Relaxed));
            (word >> (at % 4 * 8)) as u8 as u64
        };
        let value = (0..bytes).fold(0, |v, b| v | byte(offset + b) << (b * 8));
        if signed && bytes < 8 {
            let shift = 64 - bytes * 8;
            return ((value << shift) as i64 >> shift) as u64;
        }
        value
    }

    /// Returns the byte offset of a shared variable in the block's shared memory.
    pub fn shared_offset(&self, variable: u32) -> u64 {
        self.kernel.shared.iter().find(|(v, _)| *v == variable).map_or(0, |(_, offset)| *offset)
    }
}
