//! At which branches the lanes of warps diverge, and how.

use crate::lanes::FULL;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// How many times lanes must diverge at a branch before code is compiled for this case; and a set of lanes must take it before
/// a variant is compiled for this set, more often than all that are not among the [`MAX_CANDIDATES`].
const REPETITIONS: u32 = 4;

/// Most sets of lanes that are counted at a time, and for which a variant is compiled.
const MAX_CANDIDATES: usize = 8;
const MAX_PATTERNS: usize = 6;

/// Most records of a kernel's divergences: sets of lanes that come again and again are known by then.
const MAX_RECORDS: u32 = 1 << 16;

/// What has been observed of the conditional branches of a kernel.
#[derive(Debug, Default)]
pub struct Divergences {
    branches: Mutex<BTreeMap<u32, DivergentBranch>>,
    records: AtomicU32,
}

#[derive(Debug, Default)]
struct DivergentBranch {
    times: u32,
    /// Sets of lanes that took the branch, and how often, minus what others took (the frequent-items algorithm of Misra and
    /// Gries).
    candidates: Vec<(u32, u32)>,
    /// Those that took it again and again.
    patterns: Vec<u32>,
}

impl Divergences {
    /// Records that the lanes of `mask` diverged at a branch, which the lanes of `taken` took. A record is dropped if another
    /// host thread makes one, or if there are [`MAX_RECORDS`].
    pub fn note(&self, pc: u32, taken: u32, mask: u32) {
        if self.records.load(Relaxed) >= MAX_RECORDS {
            return;
        }
        let Ok(mut branches) = self.branches.try_lock() else { return };
        self.records.fetch_add(1, Relaxed);
        let its = branches.entry(pc).or_default();
        its.times = its.times.saturating_add(1);
        if mask != FULL || its.patterns.len() == MAX_PATTERNS || its.patterns.contains(&taken) {
            return;
        }
        if let Some((_, times)) = its.candidates.iter_mut().find(|(lanes, _)| *lanes == taken) {
            *times += 1;
        } else if its.candidates.len() < MAX_CANDIDATES {
            its.candidates.push((taken, 1));
        } else {
            its.candidates.iter_mut().for_each(|(_, times)| *times -= 1);
            its.candidates.retain(|(_, times)| *times > 0);
        }
        if its.candidates.contains(&(taken, REPETITIONS)) {
            its.candidates.retain(|(lanes, _)| *lanes != taken);
            its.patterns.push(taken);
        }
    }

    /// Returns what code is to be compiled for, of these branches: see
    /// [`KernelRegion::divergences`](crate::kernel_code::KernelRegion::divergences).
    pub fn of(&self, branches: impl Iterator<Item = u32>) -> BTreeMap<u32, Vec<u32>> {
        let known = self.branches.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |pc: u32| known.get(&pc).filter(|its| its.times >= REPETITIONS);
        branches.filter_map(|pc| Some((pc, known(pc)?.patterns.clone()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_lanes_that_alternate_are_found() {
        let divergences = Divergences::default();
        let sets = [0xffff, 0xff, 0xf, 3, 1];
        for n in 0..50 {
            divergences.note(7, sets[n % sets.len()], FULL);
        }
        assert_eq!(divergences.of([7, 8].into_iter()), BTreeMap::from([(7, sets.to_vec())]));
    }

    #[test]
    fn sets_of_lanes_that_depend_on_data_are_none() {
        let divergences = Divergences::default();
        for n in 0..50_000u32 {
            divergences.note(7, n.wrapping_mul(0x9e37_79b9) | 1, FULL);
        }
        assert_eq!(divergences.of([7].into_iter()), BTreeMap::from([(7, Vec::new())]));
    }
}
