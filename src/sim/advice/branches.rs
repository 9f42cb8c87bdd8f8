//! Lanes that idle while the two sides of a divergent branch run one after the other.

use crate::code::What;
use crate::engine::observer::Step;
use crate::lanes::LANES;
use std::collections::BTreeMap;

/// Rows of the thread block with fewer threads than this are not distinguished within a warp.
const MIN_ROW: u32 = 8;

/// The tally of one branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// Times a warp executed the branch, and how many of those split its lanes.
    pub times: u64,
    pub splits: u64,
    /// Splits in which the lanes of the two sides are interleaved rather than contiguous.
    pub mixed: u64,
    /// Splits of lanes that stayed together at this branch's previous split: iterations of a loop.
    pub turns: u64,
    /// Lane steps (instructions times lanes) spent waiting for other lanes after a split.
    pub idle: u64,
    /// The part of `idle` during which the lanes that jumped ran, and the part during which the others ran.
    pub idle_of_ways: [u64; 2],
    /// The first split of the lowest block and warp.
    pub first: Option<FirstSplit>,
}

/// A warp whose lanes take both sides of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FirstSplit {
    pub block: u64,
    pub warp: u32,
    /// The lanes that jump, and the lanes that don't.
    pub ways: [u32; 2],
}

/// How a branch makes lanes wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// The lanes of one side wait for those of the other.
    Ways,
    /// Lanes that left a loop wait for those that are still iterating.
    Turns,
}

impl Branch {
    pub fn add(&mut self, other: &Branch) {
        self.times += other.times;
        self.splits += other.splits;
        self.mixed += other.mixed;
        self.turns += other.turns;
        self.idle += other.idle;
        for (mine, theirs) in self.idle_of_ways.iter_mut().zip(other.idle_of_ways) {
            *mine += theirs;
        }
        self.first = match (self.first, other.first) {
            (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
    }

    /// Returns how the branch makes lanes wait. `None` for a bounds check at the edge of the data: the lanes that
    /// continue are contiguous, the others have next to nothing to do, and no other assignment of work to lanes would
    /// save a step.
    pub fn kind(&self) -> Option<Split> {
        let [jumped, stayed] = self.idle_of_ways;
        if self.turns * 2 > self.splits {
            Some(Split::Turns)
        } else if self.mixed * 2 >= self.splits || jumped.min(stayed) * 4 >= jumped.max(stayed) {
            Some(Split::Ways)
        } else {
            None
        }
    }
}

/// The most recent divergence of a warp's lanes.
#[derive(Clone, Copy, Debug)]
struct LastDivergence {
    pc: u32,
    /// The lanes that jumped, and the lanes that didn't.
    ways: [u32; 2],
}

#[derive(Debug, Default)]
pub struct Branches {
    /// For each warp of the block, its most recent divergent branch.
    parted: Vec<Option<LastDivergence>>,
    /// Threads in one row of the block: its x dimension.
    row: u32,
    pub lane_steps: u64,
    pub tally: BTreeMap<u32, Branch>,
}

impl Branches {
    pub fn begin(&mut self, warps: usize, row: u32) {
        self.parted.clear();
        self.parted.resize(warps, None);
        self.row = row;
    }

    /// Called when a warp enters a basic block of `instructions` instructions: of the lanes in `live`, which have not
    /// exited, those in `mask` are active.
    pub fn enter(&mut self, warp: u32, live: u32, mask: u32, instructions: u32) {
        let steps = u64::from(instructions);
        self.lane_steps += u64::from(live.count_ones()) * steps;
        let idle = u64::from((live & !mask).count_ones()) * steps;
        if idle > 0
            && let Some(Some(parted)) = self.parted.get(warp as usize)
        {
            let branch = self.tally.entry(parted.pc).or_default();
            branch.idle += idle;
            for (way, idle_of_way) in parted.ways.iter().zip(&mut branch.idle_of_ways) {
                if mask & !way == 0 {
                    *idle_of_way += idle;
                }
            }
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
        if taken == 0 || taken == mask {
            return;
        }
        let ways = [taken, mask & !taken];
        branch.splits += 1;
        branch.mixed += u64::from(are_mixed(ways, step.warp, self.row));
        let here = FirstSplit { block: step.block, warp: step.warp, ways };
        let is_earlier = |first: &FirstSplit| (first.block, first.warp) <= (here.block, here.warp);
        branch.first = branch.first.filter(is_earlier).or(Some(here));
        if let Some(parted) = self.parted.get_mut(step.warp as usize) {
            let again =
                |last: LastDivergence| last.pc == step.pc && last.ways.iter().any(|way| mask & !way == 0);
            branch.turns += u64::from(parted.is_some_and(again));
            *parted = Some(LastDivergence { pc: step.pc, ways });
        }
    }
}

/// Returns whether, within some row of threads, the lanes of each side form at least two separate runs.
fn are_mixed(ways: [u32; 2], warp: u32, row: u32) -> bool {
    let row = if row < MIN_ROW { u32::MAX } else { row };
    let start = u64::from(warp) * LANES as u64;
    let row_of = |lane: usize| (start + lane as u64) / u64::from(row);
    let mut runs = [0u32; 2];
    let mut last = None;
    for lane in 0..LANES {
        let Some(way) = ways.iter().position(|way| way >> lane & 1 != 0) else { continue };
        let now = (row_of(lane), way);
        if last.is_none_or(|(row, _)| row != now.0) {
            runs = [0; 2];
        }
        if last != Some(now) {
            runs[way] += 1;
        }
        if runs == [2, 2] {
            return true;
        }
        last = Some(now);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_in_turn_are_mixed_and_lanes_side_by_side_are_not() {
        let mixed = |taken: u32, row| are_mixed([taken, !taken], 0, row);
        assert!(mixed(0x5555_5555, 64));
        assert!(mixed(0x0001_0001, 256));
        assert!(!mixed(0x0000_0001, 256));
        assert!(!mixed(0x0000_ffff, 256));
        // Everything but the border of a row.
        assert!(!mixed(0x7fff_fffe, 32));
        // 14 of 16 columns, in two rows; the same lanes of one long row lie apart.
        assert!(!mixed(0x3fff_3fff, 16));
        assert!(mixed(0x3fff_3fff, 32));
        // Rows too short to be distinguished.
        assert!(mixed(0x5555_5555, 2));
    }
}
