//! Advice: what is not wrong, and could be better or gives pause. An observer that looks at every
//! instruction while a kernel runs; it is switched on by
//! [`Options::advice`](crate::Options::advice), and costs nothing otherwise.
//!
//! - `sites`: traffic of each memory instruction, beside the least its bytes need.
//! - `branches`: lanes that idle while their warp's two ways run one after the other.
//! - `phases`: barriers, and whether any pair of accesses needs them.
//! - `values`: where NaN and infinity are born, wrapped indices, divisions by zero, lossy
//!   conversions; `watched` says which instructions are looked at for that.
//! - `emit`: from what was tallied to what is worth saying; `observation` holds it as data, and whoever shows it
//!   makes the sentences. `profile`: figures of each line.
//!
//! What never changes during a launch is worked out once for each warp, before its first block, and
//! not looked at: an index of `threadIdx` and parameters alone that wraps is missed.

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
use super::engine::observer::{CopyStep, Event, Lanes, Observer, Product, Start, Step};
use super::finding::{Access, FindingKind, SourceLocation};
use super::memory::shape::Shape;
use std::collections::{BTreeMap, BTreeSet};

pub use branches::Split;
pub use emit::{Asked, emit};
pub use nan::NanCause;
pub use observation::{Computed, Dividend, Observation, Way};
pub use profile::{LineAccess, LineWork, Profile, Waits};
pub use reduction::{Reduction, ReductionPass};
pub use watched::{FloatOp, IndexOp, Watched};

/// One piece of advice about one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub kind: FindingKind,
    /// An access that shows it, by the lowest thread of its warp.
    pub at: Access,
    /// What happens at that place.
    pub observation: Observation,
    /// How often it happened.
    pub hits: u64,
    /// `None` where nothing is counted.
    pub cost: Option<Cost>,
    /// The run it was seen in, as its caller calls it, where there are several.
    pub run: Option<String>,
    pub picture: Option<Picture>,
}

impl Advice {
    fn cost_in_all(&self) -> u64 {
        self.cost.map_or(0, |cost| cost.yours)
    }
}

/// The advice of one launch, or of several together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advised {
    /// By code, then place.
    pub list: Vec<Advice>,
    /// Barriers that some pair of accesses needed.
    pub needed: BTreeSet<SourceLocation>,
    /// The work by line, from which all that is seen.
    pub profile: Profile,
}

impl Advised {
    /// What was seen in the run of this name.
    pub fn of_run(mut self, run: &str) -> Advised {
        for advice in &mut self.list {
            advice.run = Some(run.into());
        }
        self
    }

    /// Without advice of this code.
    pub fn without(mut self, code: FindingKind) -> Advised {
        self.list.retain(|advice| advice.kind != code);
        self
    }

    /// Takes in what another launch gave. Of one place the costliest stays, and no barrier that any
    /// of them needed.
    pub fn join(&mut self, other: Advised) {
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

/// What is spent, and what would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    pub unit: CostUnit,
    pub yours: u64,
    pub least: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostUnit {
    /// Of 32 bytes.
    Sectors,
    /// Passes of a warp's access over the banks of shared memory.
    Wavefronts,
    /// Steps that lanes wait.
    IdleLaneSteps,
    Barriers,
    /// Turns of the threads that update one address.
    Passes,
    /// Warps that a multiprocessor holds.
    Warps,
}

/// A warp's lanes against the addresses they touch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Picture {
    pub kind: PictureKind,
    /// Bytes a lane touches.
    pub width: u32,
    /// For each lane, the byte offset from the start of the buffer, or of shared memory; `None` where it
    /// is not active.
    pub lanes: Vec<Option<i64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum PictureKind {
    /// 32-byte sectors of global memory.
    Sectors,
    /// The 32 banks of shared memory, 4 bytes each.
    Banks,
}

/// What was tallied, by instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    sites: BTreeMap<u32, sites::Site>,
    branches: BTreeMap<u32, branches::Branch>,
    /// Steps that lanes could have taken, each instruction counting once a lane.
    lane_steps: u64,
    barriers: BTreeMap<u32, phases::Barrier>,
    values: BTreeMap<(FindingKind, u32), values::Seen>,
    /// How often each instruction ran, by its number.
    executed: Vec<u64>,
    /// Of the first block.
    reductions: Vec<reduction::Seen>,
}

impl Details {
    /// Adds what other blocks did.
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

/// Looks at everything.
#[derive(Debug, Default)]
pub struct Closely {
    block: u64,
    sites: sites::Sites,
    branches: branches::Branches,
    phases: phases::Phases,
    values: values::Values,
    executed: Vec<u64>,
    reductions: reduction::Watcher,
}

impl Observer for Closely {
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
        self.sites.access(self.block, event, shape);
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

    fn barrier_reached(&mut self, _: u32, _: Lanes) {
        self.phases.unsure();
    }

    fn warp_sync(&mut self, lanes: Lanes) {
        self.reductions.barrier(Some(lanes.warp));
    }

    fn copy_group(&mut self, _: Lanes, _: CopyStep) {
        self.phases.unsure();
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
