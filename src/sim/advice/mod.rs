//! Advice: code that is not wrong but could be faster, or that deserves a second look. It comes from an observer that
//! inspects every instruction while a kernel runs; the observer is enabled by
//! [`Options::advice`](crate::Options::advice) and costs nothing otherwise.
//!
//! - `sites`: traffic of each memory instruction, compared with the minimum its bytes need.
//! - `branches`: lanes that idle while the two sides of a divergent branch run one after the other.
//! - `phases`: barriers, and whether any pair of accesses needs them.
//! - `values`: where NaNs and infinities originate, index overflow, divisions by zero, lossy conversions; `watched`
//!   selects the instructions that are examined for this, and `nan` says why an operation returned a NaN.
//! - `reduction`: values that are combined pass by pass into one.
//! - `emit`: turns the tallies into advice; `observation` represents it as data, which the caller words.
//! - `profile`: figures for each source line.
//!
//! Values that are the same in every block of a launch are computed once for each warp, before its first block, and
//! are not inspected: an index that wraps around is missed if it depends on `threadIdx` and parameters alone.

mod branches;
mod emit;
mod nan;
mod observation;
mod phases;
mod profile;
mod reduction;
mod sites;
mod values;
mod watched;

use super::code::{DecodedModule, What};
use super::counts::Counts;
use super::engine::findings::FindingLog;
use super::engine::observer::{Event, Observer, Product, Start, Step, Synchronisation};
use super::finding::{Access, FindingKind, SourceLocation};
use super::memory::shape::Shape;
use std::collections::{BTreeMap, BTreeSet};

pub use branches::Split;
pub use emit::{AdviceOptions, emit};
pub use nan::NanCause;
pub use observation::{BranchSide, Computed, Observation};
pub use profile::{LineAccess, LineWork, Profile};
pub use reduction::{Reduction, ReductionPass};
pub use watched::{FloatOp, IndexOp, Watched};

/// One piece of advice about one place in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub kind: FindingKind,
    /// An access that shows the problem, by the lowest thread of its warp.
    pub at: Access,
    /// What happens at that place.
    pub observation: Observation,
    /// How often it happened.
    pub hits: u64,
    /// What it costs; `None` where there is nothing to count.
    pub cost: Option<Cost>,
    /// The caller's name for the run in which it was observed, if there are several runs.
    pub run: Option<String>,
    /// A picture of the lanes' addresses, for advice about memory accesses.
    pub picture: Option<Picture>,
}

impl Advice {
    fn cost_in_all(&self) -> u64 {
        self.cost.map_or(0, |cost| cost.yours)
    }
}

/// The advice of one launch, or of several launches combined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AdviceReport {
    /// Sorted by kind, then by place.
    pub list: Vec<Advice>,
    /// Barriers that some pair of accesses needed.
    pub needed: BTreeSet<SourceLocation>,
    /// The work by source line.
    pub profile: Profile,
}

impl AdviceReport {
    /// Labels all advice with the name of the run in which it was observed.
    pub fn of_run(mut self, run: &str) -> AdviceReport {
        for advice in &mut self.list {
            advice.run = Some(run.into());
        }
        self
    }

    /// Removes the advice of one kind.
    pub fn without(mut self, code: FindingKind) -> AdviceReport {
        self.list.retain(|advice| advice.kind != code);
        self
    }

    /// Merges the advice of another launch. Of several pieces of one kind at one place the costliest remains; a
    /// barrier that any of the launches needed is not reported as redundant.
    pub fn join(&mut self, other: AdviceReport) {
        self.needed.extend(other.needed);
        self.profile.add(other.profile);
        for advice in other.list {
            let same =
                |known: &&mut Advice| known.kind == advice.kind && known.at.location == advice.at.location;
            match self.list.iter_mut().find(same) {
                Some(known) if (known.cost_in_all(), known.hits) < (advice.cost_in_all(), advice.hits) => {
                    *known = advice
                }
                Some(_) => {}
                None => self.list.push(advice),
            }
        }
        let needed = |advice: &Advice| advice.at.location.as_ref().is_some_and(|at| self.needed.contains(at));
        self.list.retain(|advice| advice.kind != FindingKind::RedundantBarrier || !needed(advice));
        self.list.sort_by(|a, b| (a.kind, &a.at.location).cmp(&(b.kind, &b.at.location)));
    }
}

/// What an instruction used, and what would have been enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cost {
    /// The unit of both figures.
    #[cfg_attr(feature = "serde", serde(rename = "what"))]
    pub unit: CostUnit,
    /// What the kernel used.
    pub yours: u64,
    /// What would have been enough; for [`CostUnit::Warps`], what the multiprocessor could hold.
    pub least: u64,
}

/// The unit of a [`Cost`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum CostUnit {
    /// 32-byte sectors of global or local memory.
    Sectors,
    /// Wavefronts: passes over the banks of shared memory.
    Wavefronts,
    /// Lane steps: instructions during which a lane waits for others of its warp.
    #[cfg_attr(feature = "serde", serde(rename = "idle lane steps"))]
    IdleLaneSteps,
    /// Barriers passed, summed over all blocks.
    Barriers,
    /// Serialised updates of one address by the threads of a warp.
    Passes,
    /// Warps resident on a multiprocessor.
    Warps,
}

/// The addresses that a warp's lanes touch in one access.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Picture {
    pub kind: PictureKind,
    /// Bytes accessed by each lane.
    pub width: u32,
    /// For each lane, the byte offset from the start of the buffer or of shared memory; `None` if the lane is not
    /// active.
    pub lanes: Vec<Option<i64>>,
}

/// The unit in which a [`Picture`] is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum PictureKind {
    /// 32-byte sectors of global memory.
    Sectors,
    /// The 32 banks of shared memory, 4 bytes each.
    Banks,
}

/// The tallies of a launch, by instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    sites: BTreeMap<u32, sites::Site>,
    branches: BTreeMap<u32, branches::Branch>,
    /// Lane steps that were possible: each instruction counts once for every lane that has not exited.
    lane_steps: u64,
    barriers: BTreeMap<u32, phases::Barrier>,
    values: BTreeMap<(FindingKind, u32), values::Seen>,
    /// How often each instruction was executed, indexed by program counter.
    executed: Vec<u64>,
    /// Reductions of the launch's first block.
    reductions: Vec<reduction::Seen>,
}

impl Details {
    /// Adds the tallies of other blocks.
    pub fn add(&mut self, other: &Details) {
        for (pc, theirs) in &other.sites {
            self.sites.entry(*pc).or_default().add(theirs);
        }
        for (pc, theirs) in &other.branches {
            self.branches.entry(*pc).or_default().add(theirs);
        }
        self.lane_steps += other.lane_steps;
        for (pc, theirs) in &other.barriers {
            self.barriers.entry(*pc).or_default().add(theirs);
        }
        for (place, theirs) in &other.values {
            match self.values.get_mut(place) {
                Some(mine) => mine.add(theirs),
                None => drop(self.values.insert(*place, theirs.clone())),
            }
        }
        if self.executed.len() < other.executed.len() {
            self.executed.resize(other.executed.len(), 0);
        }
        self.executed.iter_mut().zip(&other.executed).for_each(|(mine, theirs)| *mine += theirs);
        self.reductions.extend_from_slice(&other.reductions);
    }
}

/// The observer that gathers everything advice is based on.
#[derive(Debug, Default)]
pub struct AdviceObserver {
    block: u64,
    sites: sites::Sites,
    branches: branches::Branches,
    phases: phases::Phases,
    values: values::Values,
    executed: Vec<u64>,
    reductions: reduction::Watcher,
}

impl Observer for AdviceObserver {
    type World = ();
    const EVERY_INSTRUCTION: bool = true;

    fn block_begin(&mut self, start: &Start) {
        self.block = start.block;
        self.branches.begin(start.warps, start.row);
        self.phases.begin(start);
        self.values.begin(start.warps);
        self.reductions.begin(start.block);
    }

    fn memory_access(&mut self, event: &Event, shape: &mut Shape, _: &mut FindingLog) {
        if event.role.bulk {
            return;
        }
        // A GPU keeps the neighbours of a texel together in all directions: rows say nothing about the traffic.
        if !event.role.image {
            self.sites.access(self.block, event, shape);
        }
        self.phases.access(event, shape);
        self.reductions.access(event, shape);
    }

    fn basic_block_begin(&mut self, warp: u32, live: u32, mask: u32, instructions: u32) {
        self.branches.enter(warp, live, mask, instructions);
    }

    fn instruction_begin(&mut self, step: &Step) {
        let pc = step.pc as usize;
        if self.executed.len() <= pc {
            self.executed.resize(pc + 1, 0);
        }
        self.executed[pc] += 1;
        self.branches.before(step);
        self.values.before(step);
        self.phases.before(step);
        self.reductions.before(step);
    }

    fn instruction_executed(&mut self, step: &Step) {
        if let What::Lanes(_) = step.inst.what {
            self.values.after(step);
        }
    }

    fn block_barrier(&mut self, pc: u32, plain: bool) {
        self.phases.at_barrier(pc, plain);
        self.reductions.barrier(None);
    }

    fn synchronised(&mut self, event: Synchronisation) {
        match event {
            Synchronisation::BarrierReached(..) | Synchronisation::CopyGroup(..) => self.phases.unsure(),
            Synchronisation::WarpSync(lanes) => self.reductions.barrier(Some(lanes.warp)),
            _ => {}
        }
    }

    fn wgmma_begin(&mut self, _: &Product, _: &mut FindingLog) {
        self.phases.unsure();
    }

    fn block_complete(&mut self) {
        self.phases.end();
        self.reductions.end();
    }

    fn add_counts(&self, _: &DecodedModule, counts: &mut Counts) {
        let details = Details {
            sites: self.sites.tally(),
            branches: self.branches.tally.clone(),
            lane_steps: self.branches.lane_steps,
            barriers: self.phases.tally.clone(),
            values: self.values.tally.clone(),
            executed: self.executed.clone(),
            reductions: self.reductions.tally.clone(),
        };
        counts.details.get_or_insert_default().add(&details);
    }
}
