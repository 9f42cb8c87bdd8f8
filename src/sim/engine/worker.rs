//! The state that one host thread needs to run blocks, and the state of a block.

use super::cluster::{self, Clusters};
use super::compiled::Compiled;
use super::endless_loop::{BlockClasses, LoopInspection};
use super::findings::FindingLog;
use super::interleaving::Interleaving;
use super::launch::LaunchContext;
use super::note::{NotedAccesses, Saving};
use super::observer::{ClusterStart, GridBarrier, NO_BUFFER, Observer, Start};
use super::step_budget::BlockSteps;
use super::undefined_bytes::UndefinedBytes;
use super::warp::Warp;
use super::warpgroup::WarpgroupState;
use super::work::Runs;
use crate::launch::{Dim3, ExecutionOrder, Outcome, PolledMemory};
use crate::memory::global::POISON_WORD;
use crate::memory::shape::ShapeCache;
use crate::memory::touch::TouchLog;
use crate::record::Recording;
use std::collections::{BTreeMap, HashMap};

/// The state of one host thread during a launch.
pub struct WorkerState<'a> {
    pub launch: &'a LaunchContext<'a>,
    pub accesses: AccessCaches,
    /// The state of compiled execution; `None` where kernels are not compiled.
    pub compiled: Option<Box<Compiled>>,
    pub log: TouchLog,
    /// For memory instructions, by pc, that accessed memory past their function's frame: whether they are meant to
    /// access a local array of that function.
    pub own_locals: HashMap<u32, bool>,
    pub findings: FindingLog,
    pub executed: ExecutedCounts,
    /// Whether checks are on, such as those for reads of memory never written.
    pub checks: bool,
    /// Whether the buffers' contents must be saved before they are written, because the launch may have to be run
    /// again (other host threads run blocks too, or the blocks run in another order than by number).
    pub shared_memory: bool,
    /// Whether a second run of the launch does what the running block does before anything depends on it.
    pub is_repeatable: bool,
    /// Which accesses to global memory are recorded byte by byte.
    pub noted: NotedAccesses,
    /// Steps charged to blocks for the cost of defects: see [`super::step_budget`].
    pub charged: u64,
    /// Counts actions of blocks that other threads may be waiting for.
    pub progress: u64,
    /// Whether warps that wait in a loop keep their turn. Set while no block makes progress, since the loop may
    /// end by itself.
    pub patient: bool,
    /// The schedule of blocks that run alternately; `None` in other execution orders.
    pub turns: Option<Interleaving>,
    /// The basic blocks that matter for detecting endless loops; determined when first needed.
    pub block_classes: Option<BlockClasses>,
    /// The clusters that are running.
    pub clusters: Clusters,
    /// How the launch ended, if it ended prematurely.
    pub stopped: Option<Outcome>,
    /// The memory that an endless loop polled.
    pub polled: Vec<PolledMemory>,
    pub output: KernelOutput,
    /// The recording of the block that was to be recorded.
    pub recording: Option<Box<Recording>>,
}

/// What memory instructions accessed recently.
pub struct AccessCaches {
    /// For each memory instruction, a cache of the access shapes it had recently.
    pub shapes: Vec<ShapeCache>,
    /// For each memory instruction, the index of its cache in `shapes`, and whether it shares that cache with an
    /// earlier instruction of its basic block whose addresses differ only by a constant.
    pub shape_of: Vec<(u32, bool)>,
    /// Whether the interpreter runs the current basic block from its start, so that the sharing in
    /// [`AccessCaches::shape_of`] can be relied on.
    pub whole: bool,
    /// For each memory instruction, the number of the buffer it last accessed; `u32::MAX` before the first access.
    pub recent: Vec<u32>,
}

/// How often parts of the kernel were executed by the blocks that have ended, and by those that are running.
#[derive(Default)]
pub struct ExecutedCounts {
    pub runs: Runs,
    pub control: ControlFlow,
}

/// How many branches warps executed, at how many of them lanes diverged, and how many barriers released.
#[derive(Clone, Copy, Debug, Default)]
pub struct ControlFlow {
    pub branches: u64,
    pub divergent_branches: u64,
    pub barriers: u64,
}

impl ControlFlow {
    /// Returns what was counted since these counts were `before`.
    pub fn since(self, before: ControlFlow) -> ControlFlow {
        ControlFlow {
            branches: self.branches - before.branches,
            divergent_branches: self.divergent_branches - before.divergent_branches,
            barriers: self.barriers - before.barriers,
        }
    }

    /// Adds other counts `times` times.
    pub fn add(&mut self, other: ControlFlow, times: u64) {
        self.branches += times * other.branches;
        self.divergent_branches += times * other.divergent_branches;
        self.barriers += times * other.barriers;
    }
}

/// What blocks that have ended printed.
#[derive(Debug, Default)]
pub struct KernelOutput {
    /// The text of each, by block index; no more blocks than fill the output limit.
    pub by_block: BTreeMap<u64, Vec<u8>>,
    bytes: usize,
    /// Whether something was dropped.
    pub cut: bool,
}

impl<'a> WorkerState<'a> {
    /// Returns whether a buffer's contents are saved before the running block writes to it.
    pub fn saving(&self) -> Saving {
        match (self.shared_memory, self.is_repeatable) {
            (false, _) => Saving::Never,
            (true, false) => Saving::Before,
            (true, true) => Saving::NotYet,
        }
    }

    pub fn new(launch: &'a LaunchContext<'a>, checks: bool, shared_memory: bool) -> WorkerState<'a> {
        let (code, part) = (launch.code, launch.code.device);
        let shape_of = |n: usize| match code.details.like.get(n) {
            // In interleaved order a turn may end between the two instructions, and another warp run.
            Some(&Some(like)) if !launch.order.is_interleaved() => (like, true),
            _ => (n as u32, false),
        };
        WorkerState {
            launch,
            accesses: AccessCaches {
                shapes: code.details.memory[..part.memory]
                    .iter()
                    .map(|op| ShapeCache::new(op.width()))
                    .collect(),
                shape_of: (0..part.memory).map(shape_of).collect(),
                whole: true,
                // No buffer: the first access of each instruction looks its buffer up.
                recent: vec![u32::MAX; part.memory],
            },
            compiled: Compiled::new(launch),
            log: TouchLog::new(launch.memory),
            own_locals: HashMap::new(),
            findings: FindingLog::default(),
            executed: ExecutedCounts { runs: vec![[0, 0]; part.blocks], ..ExecutedCounts::default() },
            checks,
            shared_memory,
            is_repeatable: false,
            noted: if launch.options.touched { NotedAccesses::All } else { NotedAccesses::None },
            charged: 0,
            progress: 0,
            patient: false,
            turns: match launch.order.execution {
                ExecutionOrder::Interleaved(seed) => Some(Interleaving::new(seed)),
                _ => None,
            },
            block_classes: None,
            clusters: Clusters::default(),
            stopped: None,
            polled: Vec::new(),
            output: KernelOutput::default(),
            recording: None,
        }
    }

    /// Returns whether blocks currently alternate. While all of them seem to wait (`patient`) they do not, and
    /// each gets the time it may need.
    pub fn takes_turns(&self) -> bool {
        self.turns.is_some() && !self.patient
    }
}

impl KernelOutput {
    /// Keeps what a block that has ended printed. Blocks with higher indices than those that fill `limit_bytes` are
    /// dropped, so that the result does not depend on the order in which blocks end.
    pub fn add(&mut self, block: u64, text: Vec<u8>, limit_bytes: usize) {
        self.bytes += text.len();
        self.by_block.insert(block, text);
        while let Some(last) = self.by_block.last_entry()
            && self.bytes - last.get().len() >= limit_bytes
        {
            self.bytes -= last.remove().len();
            self.cut = true;
        }
    }
}

/// The moment since which nothing has happened that other threads may wait for, as seen by one block.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuietSince {
    /// [`WorkerState::progress`] and [`BlockSteps::done`] at that moment.
    pub progress: u64,
    pub steps: u64,
    /// Rounds over the block's warps since then, in each of which every warp could check what it waits for.
    pub rounds: u32,
}

/// A running block (CTA), or a finished one whose allocations the next block reuses.
#[derive(Debug, Default)]
pub struct Cta<O> {
    /// Linear index in the grid.
    pub index: u64,
    pub ctaid: Dim3,
    /// The block's rank in its cluster, and the cluster's index in [`WorkerState::clusters`].
    pub rank: u32,
    pub cluster: usize,
    /// The buffer number and base address that events give for its shared memory: [`cluster::name`].
    pub name: (u32, u64),
    pub warps: Vec<Warp>,
    pub shared: Vec<u32>,
    pub shared_bytes: u64,
    pub observer: O,
    pub steps: BlockSteps,
    /// An inspection in progress: does the running warp execute an endless loop?
    pub look: Option<Box<LoopInspection>>,
    /// When the block last saw an action that others may wait for.
    pub quiet: QuietSince,
    /// Whether a clock was read or a warp slept in this block.
    pub timed: bool,
    /// For each of the 16 barriers, the number of threads that arrived without waiting (`bar.arrive`).
    pub arrived: [u64; 16],
    /// The pcs of the branches by which its threads left the kernel.
    pub exit_branches: Vec<u32>,
    /// Bytes of its memory that hold values from memory never written.
    pub unset: UndefinedBytes,
    /// The state of each of its warpgroups.
    pub warpgroup_states: Vec<WarpgroupState>,
    pub output: Vec<u8>,
    pub output_cut: bool,
}

impl<O: Observer> Cta<O> {
    pub fn new(launch: &LaunchContext, wide: bool) -> Cta<O> {
        Cta {
            name: (NO_BUFFER, 0),
            warps: (0..launch.extents.warps()).map(|w| Warp::new(launch, w, wide)).collect(),
            shared: vec![0; launch.extents.shared_bytes.div_ceil(4) as usize + 1],
            shared_bytes: launch.extents.shared_bytes,
            ..Cta::default()
        }
    }

    /// Starts block `index` of the grid here, with rank `rank` in the cluster at index `cluster` of
    /// [`WorkerState::clusters`], and names its shared memory.
    pub fn begin(&mut self, launch: &LaunchContext, index: u64, rank: u32, cluster: usize) {
        self.index = index;
        self.ctaid = launch.extents.grid.at(index);
        (self.rank, self.cluster) = (rank, cluster);
        self.name = cluster::name(launch, cluster, rank);
        // A block that ended early may have left its shared memory with the cluster.
        self.shared.resize(launch.extents.shared_bytes.div_ceil(4) as usize + 1, 0);
        self.shared.fill(POISON_WORD);
        self.steps = BlockSteps::new(&launch.budget);
        (self.look, self.quiet, self.timed) = (None, QuietSince::default(), false);
        self.arrived = [0; 16];
        self.exit_branches.clear();
        self.unset.clear();
        self.warpgroup_states.clear();
        for warp in &mut self.warps {
            warp.begin(launch);
        }
        self.observer.block_begin(&self.start(launch));
    }

    /// Starts block `index` of the grid, which is in no cluster, in place of one that code of a path
    /// has run.
    pub fn begin_next(&mut self, launch: &LaunchContext, index: u64) {
        self.index = index;
        self.ctaid = launch.extents.grid.at(index);
        self.observer.next_block(index);
    }

    fn start(&self, launch: &LaunchContext) -> Start {
        Start {
            block: self.index,
            warps: self.warps.len(),
            row: launch.extents.block.x,
            shared_bytes: self.shared_bytes,
            granule: launch.kernel.shared_granule,
            communicates: launch.kernel.interaction.communicates,
            reads_data: launch.kernel.interaction.reads_data,
            cluster: (launch.extents.cluster.count() > 1).then(|| ClusterStart {
                place: self.cluster,
                number: launch.extents.cluster_of(self.index),
                blocks: launch.extents.cluster.count() as u32,
                rank: self.rank,
                shared: self.name,
            }),
            grid_barrier: launch
                .gpu
                .cooperative
                .then(|| GridBarrier { base: launch.gpu.workspace, blocks: launch.extents.grid.count() }),
            record: launch.options.record.filter(|record| record.block == self.index),
            threads: launch.extents.block_threads(),
        }
    }
}
