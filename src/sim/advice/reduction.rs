//! Reductions: what is combined, pass by pass, in one element of shared memory or in one lane of a warp.
//!
//! In shared memory a pass is what lies between two barriers, where each thread that writes has read one other element. Between lanes it is a shuffle. Only the launch's first block is looked at, and of lanes its
//! first warp.

use crate::code::{CollectiveKind, What};
use crate::engine::collective::shuffle_source;
use crate::engine::observer::{Event, MemorySpace, Step};
use crate::finding::{AccessKind, SourceLocation};
use crate::lanes::LANES;
use crate::memory::shape::Shape;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Passes that are kept, the last ones: more than any block needs for one reduction.
const MOST_PASSES: usize = 64;
/// Fewer are not worth a picture.
const LEAST_PASSES: usize = 2;
const LEAST_LEAVES: usize = 4;

/// How many values come together in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The array in shared memory; `None`: the lanes of a warp.
    pub array: Option<Arc<str>>,
    /// The element, or the lane, that has all of them in the end.
    pub into: u64,
    pub passes: Vec<ReductionPass>,
}

/// Some of them take others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReductionPass {
    pub location: Option<SourceLocation>,
    /// Who takes, and what is taken: only what the last one needs.
    pub moves: Vec<(u64, u64)>,
}

/// As it was seen: elements by number in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Bytes of an element; `None`: lanes.
    pub width: Option<u32>,
    pub into: u64,
    pub passes: Vec<Pass>,
}

/// As [`ReductionPass`], before it has a place: all moves, or those that are needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub pc: u32,
    pub moves: Vec<(u64, u64)>,
}

/// What a thread did since the barrier before.
#[derive(Clone, Debug, Default)]
struct Thread {
    reads: BTreeSet<u64>,
    written: Option<u64>,
    /// It wrote several elements.
    many: bool,
}

#[derive(Debug, Default)]
pub(super) struct Watcher {
    block: u64,
    /// Of shared memory.
    width: u32,
    store: u32,
    threads: HashMap<u32, Thread>,
    shared: Vec<Pass>,
    shuffles: Vec<Pass>,
    pub tally: Vec<Seen>,
}

impl Watcher {
    pub fn begin(&mut self, block: u64) {
        self.block = block;
    }

    pub fn access(&mut self, event: &Event, shape: &Shape) {
        if self.block != 0 || event.place != MemorySpace::Shared || event.width == 0 {
            return;
        }
        if self.width != event.width {
            self.end_of_chain();
            (self.width, self.threads) = (event.width, HashMap::new());
        }
        for lane in (0..LANES).filter(|lane| event.mask >> lane & 1 != 0) {
            let element = event.first.wrapping_add(shape.offsets[lane]) / u64::from(self.width);
            let thread = self.threads.entry(event.warp * LANES as u32 + lane as u32).or_default();
            match event.kind {
                AccessKind::Read => drop(thread.reads.len() < 3 && thread.reads.insert(element)),
                AccessKind::Write => {
                    self.store = event.pc;
                    thread.many |= thread.written.is_some_and(|its| its != element);
                    thread.written = Some(element);
                }
                AccessKind::Atomic => thread.many = true,
            }
        }
    }

    /// Lanes of a warp shuffle.
    pub fn before(&mut self, step: &Step) {
        let What::Collective = step.inst.what else { return };
        if self.block != 0 || step.warp != 0 {
            return;
        }
        let Some(op) = step.code.collectives.get(step.inst.detail as usize) else { return };
        let CollectiveKind::Shuffle { mode, .. } = op.kind else { return };
        let mask = step.inst.guard.lanes(step.registers, step.registers.mask());
        let (by, clamp) = (step.registers.r32(step.inst.s[1]), step.registers.r32(step.inst.s[2]));
        let moves = (0..LANES as u32)
            .filter(|lane| mask >> lane & 1 != 0)
            .map(|lane| (lane, shuffle_source(mode, lane, by[lane as usize], clamp[lane as usize]).0))
            .filter(|(lane, from)| lane != from && mask >> from & 1 != 0)
            .map(|(lane, from)| (lane.into(), from.into()))
            .collect();
        // Values of eight bytes take two.
        if self.shuffles.last().is_none_or(|last| last.moves != moves) {
            push(&mut self.shuffles, Pass { pc: step.pc, moves });
        }
    }

    /// Threads have waited for each other: all of the block, or those of one warp.
    pub fn barrier(&mut self, warp: Option<u32>) {
        if self.block != 0 || self.threads.is_empty() {
            return;
        }
        let is_of = |thread: &u32| warp.is_none_or(|warp| thread / LANES as u32 == warp);
        if !self.threads.keys().all(is_of) {
            return;
        }
        let mut moves = Vec::new();
        let mut combines = true;
        for thread in self.threads.values() {
            let Some(written) = thread.written else { continue };
            let mut others = thread.reads.iter().filter(|read| **read != written);
            match (others.next(), others.next()) {
                (Some(other), None) if !thread.many => moves.push((written, *other)),
                _ => combines = false,
            }
        }
        self.threads.clear();
        if !combines {
            self.end_of_chain();
        } else if !moves.is_empty() {
            moves.sort_unstable();
            push(&mut self.shared, Pass { pc: self.store, moves });
        }
    }

    fn end_of_chain(&mut self) {
        let passes = std::mem::take(&mut self.shared);
        self.keep(Some(self.width), passes);
    }

    pub fn end(&mut self) {
        self.barrier(None);
        self.end_of_chain();
        let shuffles = std::mem::take(&mut self.shuffles);
        self.keep(None, shuffles);
    }

    /// Of shared memory, and of lanes, the first is kept.
    fn keep(&mut self, width: Option<u32>, passes: Vec<Pass>) {
        if self.tally.iter().all(|seen| seen.width.is_some() != width.is_some())
            && let Some((into, passes)) = tree(&passes)
        {
            self.tally.push(Seen { width, into, passes });
        }
    }
}

fn push(passes: &mut Vec<Pass>, pass: Pass) {
    if passes.len() == MOST_PASSES {
        passes.remove(0);
    }
    passes.push(pass);
}

/// What reaches the lowest that takes anything in the last pass; `None` where few do. Where that pass has others, too,
/// and takes from lower ones, it is a scan, of which there is no one result.
fn tree(passes: &[Pass]) -> Option<(u64, Vec<Pass>)> {
    let last = &passes.last()?.moves;
    let into = last.iter().map(|(to, _)| *to).min()?;
    if last.len() > 1 && last.iter().any(|(_, from)| *from < into) {
        return None;
    }
    let mut reached = BTreeSet::from([into]);
    let mut kept = Vec::new();
    for Pass { pc, moves } in passes.iter().rev() {
        let needed = moves.iter().filter(|(to, from)| reached.contains(to) && !reached.contains(from));
        let needed: Vec<(u64, u64)> = needed.copied().collect();
        // What begins before is another's.
        if needed.is_empty() {
            break;
        }
        reached.extend(needed.iter().map(|(_, from)| *from));
        kept.push(Pass { pc: *pc, moves: needed });
    }
    kept.reverse();
    (kept.len() >= LEAST_PASSES && reached.len() >= LEAST_LEAVES).then_some((into, kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passes in which each of `d` elements takes the one `d` further.
    fn halving(from: u64) -> Vec<Pass> {
        let halves = std::iter::successors(Some(from), |d| (*d > 1).then_some(d / 2));
        halves.map(|d| Pass { pc: d as u32, moves: (0..d).map(|n| (n, n + d)).collect() }).collect()
    }

    #[test]
    fn what_reaches_the_first_is_a_tree() {
        let (into, passes) = tree(&halving(8)).unwrap();
        assert_eq!(into, 0);
        assert_eq!(passes.iter().map(|pass| pass.moves.len()).collect::<Vec<_>>(), [8, 4, 2, 1]);
    }

    #[test]
    fn a_reduction_before_another_is_left_out() {
        let twice = [halving(8), halving(8)].concat();
        assert_eq!(tree(&twice), tree(&halving(8)));
    }

    #[test]
    fn a_scan_is_none() {
        let up: Vec<_> =
            [1, 2, 4].map(|d| Pass { pc: d as u32, moves: (d..8).map(|n| (n, n - d)).collect() }).into();
        assert_eq!(tree(&up), None);
        assert_eq!(tree(&halving(1)), None);
    }
}
