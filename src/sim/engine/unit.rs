//! What one host thread works with while it runs blocks, and the state of a block.

use super::cluster::{self, Clusters};
use super::compiled::Compiled;
use super::endless_loop::{FIRST_LOOK, Look, Marked};
use super::findings::FindingLog;
use super::interleaving::Interleaving;
use super::launch::LaunchContext;
use super::observer::{ClusterStart, NO_BUFFER, Observer, Start};
use super::undefined::Unset;
use super::warp::Warp;
use super::warpgroup::Company;
use super::work::Runs;
use crate::launch::{Dim3, ExecutionOrder, Outcome, PolledMemory};
use crate::memory::global::POISON_WORD;
use crate::memory::shape::ShapeCache;
use crate::memory::touch::TouchLog;
use crate::record::Recording;
use std::collections::{BTreeMap, HashMap};

/// One host thread's side of a launch.
pub struct Unit<'a> {
    pub launch: &'a LaunchContext<'a>,
    /// For each memory instruction, the shapes it had lately.
    pub shapes: Vec<ShapeCache>,
    /// For each memory instruction, where its shapes are, and whether the one before it in its basic
    /// block had the same.
    pub shape_of: Vec<(u32, bool)>,
    /// The interpreter runs all of the present basic block: what [`Unit::shape_of`] says holds.
    pub whole: bool,
    /// For each memory instruction, the buffer it last met.
    pub recent: Vec<u32>,
    /// Where kernels are compiled: what is known of the code.
    pub compiled: Option<Box<Compiled>>,
    pub log: TouchLog,
    /// For memory instructions that left the locals of their function: whether they are meant for them.
    pub own_locals: HashMap<u32, bool>,
    pub findings: FindingLog,
    pub runs: Runs,
    pub branches: u64,
    pub divergent_branches: u64,
    pub barriers: u64,
    /// Look for reads of memory never written.
    pub checks: bool,
    /// Other host threads run blocks of this launch too.
    pub shared_memory: bool,
    /// What blocks were charged for defects: see [`super::spent`].
    pub charged: u64,
    /// Counts what blocks do that others may wait for.
    pub progress: u64,
    /// Warps that wait in a loop keep their turn: nobody else made progress, and the loop may end by
    /// itself.
    pub patient: bool,
    /// Where blocks take turns.
    pub turns: Option<Interleaving>,
    /// What is looked at for loops that never end.
    pub marked: Option<Marked>,
    /// Clusters that run.
    pub clusters: Clusters,
    /// How the launch ended, once it did before its time.
    pub stopped: Option<Outcome>,
    /// What a loop looked at that did not end.
    pub polled: Vec<PolledMemory>,
    /// What blocks that ended printed, by block; no more than the limit asks for.
    pub output: BTreeMap<u64, Vec<u8>>,
    output_bytes: usize,
    pub output_cut: bool,
    /// Of the block that was to be recorded.
    pub recording: Option<Box<Recording>>,
}

impl<'a> Unit<'a> {
    pub fn new(launch: &'a LaunchContext<'a>, checks: bool, shared_memory: bool) -> Unit<'a> {
        let (code, part) = (launch.code, launch.code.device);
        let shape_of = |n: usize| match code.like.get(n) {
            // A turn may end between the two, and another warp go on.
            Some(&Some(like)) if !launch.order.is_interleaved() => (like, true),
            _ => (n as u32, false),
        };
        Unit {
            launch,
            shapes: code.memory[..part.memory].iter().map(|op| ShapeCache::new(op.width())).collect(),
            shape_of: (0..part.memory).map(shape_of).collect(),
            whole: true,
            compiled: Compiled::new(launch),
            // None: the first access of each instruction looks its buffer up.
            recent: vec![u32::MAX; part.memory],
            log: TouchLog::new(launch.memory),
            own_locals: HashMap::new(),
            findings: FindingLog::default(),
            runs: vec![[0, 0]; part.blocks],
            branches: 0,
            divergent_branches: 0,
            barriers: 0,
            checks,
            shared_memory,
            charged: 0,
            progress: 0,
            patient: false,
            turns: match launch.order.execution {
                ExecutionOrder::Interleaved(seed) => Some(Interleaving::new(seed)),
                _ => None,
            },
            marked: None,
            clusters: Clusters::default(),
            stopped: None,
            polled: Vec::new(),
            output: BTreeMap::new(),
            output_bytes: 0,
            output_cut: false,
            recording: None,
        }
    }

    /// Whether blocks take turns now: while all of them seem to wait, each has the time that it may need.
    pub fn takes_turns(&self) -> bool {
        self.turns.is_some() && !self.patient
    }

    /// A block that ended printed `text`. Blocks behind those that fill the limit are dropped, so that
    /// what is kept does not depend on the order in which blocks end.
    pub fn printed(&mut self, block: u64, text: Vec<u8>) {
        self.output_bytes += text.len();
        self.output.insert(block, text);
        while let Some(last) = self.output.last_entry()
            && self.output_bytes - last.get().len() >= self.launch.output_limit_bytes
        {
            self.output_bytes -= last.remove().len();
            self.output_cut = true;
        }
    }
}

/// Since when nothing happened that others may wait for, as a block sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet {
    /// [`Unit::progress`] then, and [`Cta::steps`].
    pub progress: u64,
    pub steps: u64,
    /// Rounds over the block's warps since, each of which had the time to look at what it waits for.
    pub rounds: u32,
}

/// A block that runs, or the place for the next one.
#[derive(Debug)]
pub struct Cta<O> {
    /// Linear index in the grid.
    pub index: u64,
    pub ctaid: Dim3,
    /// Its rank in its cluster, and the cluster's place in [`Unit::clusters`].
    pub rank: u32,
    pub cluster: usize,
    /// What events call its shared memory: [`cluster::name`].
    pub name: (u32, u64),
    pub warps: Vec<Warp>,
    pub shared: Vec<u32>,
    pub shared_bytes: u64,
    pub observer: O,
    /// Warp instructions taken.
    pub steps: u64,
    /// Those of them that are part of what all blocks took.
    pub summed: u64,
    /// How many it may take until it is looked at, and in all.
    pub limit: u64,
    pub allowed: u64,
    /// A look at whether the warp that runs goes round a loop for ever.
    pub look: Option<Box<Look>>,
    /// Those of them that were not taken, but stand for the time that defects cost: see [`super::step_budget`].
    pub charged: u64,
    /// Since when nobody has done anything that others may wait for.
    pub quiet: Quiet,
    /// Clocks were read, or warps slept.
    pub timed: bool,
    /// For each barrier, threads that arrived without waiting.
    pub arrived: [u64; 16],
    /// Branches by which its threads left the kernel.
    pub left_by: Vec<u32>,
    /// Values in memory that come from memory never written.
    pub unset: Unset,
    /// Of its warpgroups.
    pub companies: Vec<Company>,
    pub output: Vec<u8>,
    pub output_cut: bool,
}

impl<O: Observer> Cta<O> {
    pub fn new(launch: &LaunchContext, wide: bool) -> Cta<O> {
        Cta {
            index: 0,
            ctaid: Dim3::new(0, 0, 0),
            rank: 0,
            cluster: 0,
            name: (NO_BUFFER, 0),
            warps: (0..launch.extents.warps()).map(|w| Warp::new(launch, w, wide)).collect(),
            shared: vec![0; launch.extents.shared_bytes.div_ceil(4) as usize + 1],
            shared_bytes: launch.extents.shared_bytes,
            observer: O::default(),
            steps: 0,
            summed: 0,
            limit: 0,
            allowed: launch.budget.step_budget,
            look: None,
            charged: 0,
            quiet: Quiet::default(),
            timed: false,
            arrived: [0; 16],
            left_by: Vec::new(),
            unset: Unset::default(),
            companies: Vec::new(),
            output: Vec::new(),
            output_cut: false,
        }
    }

    /// Makes it block `index` of the grid, at its start; `rank` in the cluster at this place, and the name of
    /// its shared memory.
    pub fn begin(&mut self, launch: &LaunchContext, index: u64, rank: u32, cluster: usize) {
        self.index = index;
        self.ctaid = launch.extents.grid.at(index);
        (self.rank, self.cluster) = (rank, cluster);
        self.name = cluster::name(launch, cluster, rank);
        // A block that ended early may have left it to its cluster.
        self.shared.resize(launch.extents.shared_bytes.div_ceil(4) as usize + 1, 0);
        self.shared.fill(POISON_WORD);
        (self.steps, self.summed, self.charged, self.quiet, self.timed) = (0, 0, 0, Quiet::default(), false);
        self.allowed = launch.budget.step_budget;
        (self.limit, self.look) = (self.allowed.min(FIRST_LOOK), None);
        self.arrived = [0; 16];
        self.left_by.clear();
        self.unset.clear();
        self.companies.clear();
        for warp in &mut self.warps {
            warp.begin(launch);
        }
        self.observer.block_begin(&Start {
            block: index,
            warps: self.warps.len(),
            row: launch.extents.block.x,
            shared_bytes: self.shared_bytes,
            granule: launch.kernel.shared_granule,
            communicates: launch.kernel.communicates,
            cluster: (launch.extents.cluster.count() > 1).then(|| ClusterStart {
                place: cluster,
                number: launch.extents.cluster_of(index),
                blocks: launch.extents.cluster.count() as u32,
                rank,
                shared: self.name,
            }),
            record: launch.record.filter(|record| record.block == index),
            threads: launch.extents.block_threads(),
        });
    }
}
