//! Lanes that idle while the ways of a branch run one after the other.

use crate::sim::code::What;
use crate::sim::engine::observer::Step;
use std::collections::BTreeMap;

/// What one branch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// Times a warp came to it, and those where its lanes went both ways.
    pub times: u64,
    pub splits: u64,
    /// Steps that lanes waited for others since, each instruction counting once a lane.
    pub idle: u64,
    /// The lowest block and warp that split.
    pub first: Option<(u64, u32)>,
}

impl Branch {
    pub fn add(&mut self, other: &Branch) {
        self.times += other.times;
        self.splits += other.splits;
        self.idle += other.idle;
        self.first = match (self.first, other.first) {
            (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
    }
}

#[derive(Debug, Default)]
pub struct Branches {
    /// For each warp of the block, the branch that split it last.
    blame: Vec<Option<u32>>,
    pub lane_steps: u64,
    pub tally: BTreeMap<u32, Branch>,
}

impl Branches {
    pub fn begin(&mut self, warps: usize) {
        self.blame.clear();
        self.blame.resize(warps, None);
    }

    /// A warp comes to a stretch of instructions, with the lanes of `mask` of those that still live.
    pub fn enter(&mut self, warp: u32, live: u32, mask: u32, instructions: u32) {
        let steps = u64::from(instructions);
        self.lane_steps += u64::from(live.count_ones()) * steps;
        let idle = u64::from((live & !mask).count_ones()) * steps;
        if idle > 0
            && let Some(Some(pc)) = self.blame.get(warp as usize)
        {
            self.tally.entry(*pc).or_default().idle += idle;
        }
    }

    pub fn before(&mut self, step: &Step) {
        if !matches!(step.inst.what, What::Branch) || !step.inst.guard.is_some() {
            return;
        }
        let mask = step.registers.mask();
        let taken = step.inst.guard.lanes(step.registers, mask);
        let branch = self.tally.entry(step.pc).or_default();
        branch.times += 1;
        if taken != 0 && taken != mask {
            branch.splits += 1;
            let here = (step.block, step.warp);
            branch.first = Some(branch.first.map_or(here, |first| first.min(here)));
            if let Some(blame) = self.blame.get_mut(step.warp as usize) {
                *blame = Some(step.pc);
            }
        }
    }
}
