//! Detection of reductions: values that are combined pass by pass into one element of shared memory or into one lane
//! of a warp.
//!
//! In shared memory a pass is the work between two barriers, in which each thread that writes has read one other
//! element; between lanes a pass is a shuffle. Whether values are combined, rather than just moved, is inferred from
//! the values: for all participants, one and the same operation must yield the new value from the old value and the
//! value read. Only four-byte values of the launch's first block are examined, and for shuffles only its first warp.

use crate::code::{CollectiveKind, What};
use crate::engine::access::resolve;
use crate::engine::collective::shuffle_source;
use crate::engine::observer::{Event, MemorySpace, Step};
use crate::finding::{AccessKind, MemoryName, SourceLocation};
use crate::lanes::{File, LANES, Lanes32, lanes_of};
use crate::memory::access::{Action, Space};
use crate::memory::shape::Shape;
use std::collections::{BTreeSet, HashMap};

/// The number of passes that are kept: more than any block needs for one reduction.
const MAX_PASSES: usize = 64;
/// The number of distinct reductions that are kept for one launch.
const MAX_REDUCTIONS: usize = 4;
/// Reductions with fewer passes, or with fewer values, are not worth a picture.
const MIN_PASSES: usize = 2;
const MIN_LEAVES: usize = 4;

/// A reduction: how many values are combined into one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The name of the array in shared memory; `None` for the lanes of a warp.
    pub array: Option<MemoryName>,
    /// The index of the element, or of the lane, that holds the result.
    pub into: u64,
    pub passes: Vec<ReductionPass>,
}

/// One pass of a reduction, in which some elements or lanes combine others into themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReductionPass {
    pub location: Option<SourceLocation>,
    /// Pairs of destination and source, as indices of elements or lanes; only those that contribute to the result.
    pub moves: Vec<(u64, u64)>,
    /// How many elements or lanes combine another one into themselves in this pass, whether or not they contribute.
    pub takers: u64,
}

/// A reduction as it was observed, with elements numbered from the start of shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub place: ReductionSpace,
    pub into: u64,
    pub passes: Vec<Pass>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReductionSpace {
    Shared,
    Lanes,
}

/// A [`ReductionPass`] before its source location is resolved. Holds all moves, or only those that contribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub pc: u32,
    pub moves: Vec<(u64, u64)>,
    /// All moves of the pass, including those that contribute nothing to the result.
    pub takers: u64,
}

/// Bytes per element.
pub(super) const WIDTH: u64 = 4;

/// A set of operations, one bit each: those that yield the new value from two given ones.
type Operations = u16;

/// Returns the operations that yield `new` from `a` and `b`.
fn operations(a: u32, b: u32, new: u32) -> Operations {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let (i, j) = (a as i32, b as i32);
    let results = [
        (x + y).to_bits(),
        (x * y).to_bits(),
        x.max(y).to_bits(),
        x.min(y).to_bits(),
        a.wrapping_add(b),
        a.wrapping_mul(b),
        i.max(j) as u32,
        i.min(j) as u32,
        a.max(b),
        a.min(b),
        a & b,
        a | b,
        a ^ b,
    ];
    results.iter().enumerate().fold(0, |all, (n, result)| all | u16::from(*result == new) << n)
}

/// What a thread did in shared memory since the last barrier.
#[derive(Clone, Debug, Default)]
struct Thread {
    reads: BTreeSet<u64>,
    stored: Option<Stored>,
    /// Whether it wrote in a way that a reduction does not.
    other: bool,
}

/// An element that a thread stored to, the one other element that it had read, and the operations that explain the
/// value.
#[derive(Clone, Copy, Debug)]
struct Stored {
    pc: u32,
    to: u64,
    from: u64,
    operations: Operations,
}

/// A shuffle of the first warp, and the values that its lanes contributed.
#[derive(Clone, Debug)]
struct Shuffle {
    pc: u32,
    /// For each lane, the lane whose value it receives; itself if it receives none.
    from: [u32; LANES],
    values: Lanes32,
}

#[derive(Debug, Default)]
pub(super) struct Watcher {
    block: u64,
    threads: HashMap<u32, Thread>,
    /// Passes over shared memory so far, and the operations that explain all of them.
    shared: Vec<Pass>,
    operations: Operations,
    /// Whether any of these passes changed a value.
    changed: bool,
    shuffles: Vec<Shuffle>,
    pub tally: Vec<Seen>,
}

impl Watcher {
    pub fn begin(&mut self, block: u64) {
        self.block = block;
    }

    /// Records which elements of shared memory each thread reads, and writes that don't belong to a reduction.
    pub fn access(&mut self, event: &Event, shape: &Shape) {
        if self.block != 0 || event.place != MemorySpace::Shared {
            return;
        }
        for lane in lanes_of(event.mask) {
            let thread = self.threads.entry(event.warp * LANES as u32 + lane as u32).or_default();
            let element = event.first.wrapping_add(shape.offsets[lane]) / WIDTH;
            match event.kind {
                AccessKind::Read if u64::from(event.width) == WIDTH => {
                    if thread.reads.len() < 3 {
                        thread.reads.insert(element);
                    }
                }
                AccessKind::Write if thread.stored.is_some_and(|its| its.pc == event.pc) => {}
                AccessKind::Write | AccessKind::Atomic => thread.other = true,
                AccessKind::Read => {}
            }
        }
    }

    pub fn before(&mut self, step: &Step) {
        if self.block != 0 {
            return;
        }
        match step.inst.what {
            What::Memory => self.store(step),
            What::Collective if step.warp == 0 => self.shuffle(step),
            _ => {}
        }
    }

    /// Examines a store of lanes to shared memory, before it is executed.
    fn store(&mut self, step: &Step) {
        let Some(op) = step.code.details.memory.get(step.inst.detail as usize) else { return };
        if !matches!(op.action, Action::Store) || u64::from(op.width()) != WIDTH || op.file != File::R32 {
            return;
        }
        let mask = step.inst.guard.lanes(step.registers, step.registers.mask());
        let (bases, values) = (step.registers.r64(op.base), step.registers.r32(op.registers[0]));
        for lane in lanes_of(mask) {
            let (space, at) = resolve(op.space, bases[lane].wrapping_add(op.offset as u64));
            let Some(thread) = self.threads.get_mut(&(step.warp * LANES as u32 + lane as u32)) else {
                continue;
            };
            let to = at / WIDTH;
            let mut others = thread.reads.iter().filter(|read| **read != to);
            let word = |element: u64| step.shared.get(element as usize).copied();
            let (Space::Shared, Some(from), None, Some(old)) =
                (space, others.next(), others.next(), word(to))
            else {
                continue;
            };
            let operations = operations(old, word(*from).unwrap_or_default(), values[lane]);
            self.changed |= old != values[lane];
            thread.other |= thread.stored.is_some() || operations == 0;
            thread.stored = Some(Stored { pc: step.pc, to, from: *from, operations });
        }
    }

    fn shuffle(&mut self, step: &Step) {
        let Some(op) = step.code.details.collectives.get(step.inst.detail as usize) else { return };
        let CollectiveKind::Shuffle { mode, .. } = op.kind else { return };
        let mask = step.inst.guard.lanes(step.registers, step.registers.mask());
        let (by, clamp) = (step.registers.r32(step.inst.s[1]), step.registers.r32(step.inst.s[2]));
        let mut from = std::array::from_fn(|lane| lane as u32);
        for lane in lanes_of(mask) {
            let (source, _) = shuffle_source(mode, lane as u32, by[lane], clamp[lane]);
            if mask >> source & 1 != 0 {
                from[lane] = source;
            }
        }
        let shuffle = Shuffle { pc: step.pc, from, values: *step.registers.r32(step.inst.s[0]) };
        // A shuffle whose inputs don't follow from the previous shuffle's results starts another reduction.
        if self.shuffles.last().is_some_and(|before| goes_on(before, &shuffle) == 0) {
            self.end_of_shuffles();
        }
        if self.shuffles.len() < MAX_PASSES {
            self.shuffles.push(shuffle);
        }
    }

    /// Called when threads have waited for each other: those of warp `warp`, or all of the block for `None`.
    pub fn barrier(&mut self, warp: Option<u32>) {
        if self.block != 0 || self.threads.is_empty() {
            return;
        }
        let is_of = |thread: &u32| warp.is_none_or(|warp| thread / LANES as u32 == warp);
        if !self.threads.keys().all(is_of) {
            return;
        }
        let combines = self.threads.values().all(|thread| !thread.other);
        let stored: Vec<Stored> = self.threads.values().filter_map(|thread| thread.stored).collect();
        self.threads.clear();
        let Some(pc) = stored.iter().map(|its| its.pc).min() else {
            if !combines {
                self.end_of_shared();
            }
            return;
        };
        let operations = stored.iter().fold(Operations::MAX, |all, its| all & its.operations);
        let mut moves: Vec<(u64, u64)> = stored.iter().map(|its| (its.to, its.from)).collect();
        moves.sort_unstable();
        let alone = moves.windows(2).all(|two| two[0].0 != two[1].0);
        let goes_on = self.shared.is_empty() || self.operations & operations != 0;
        if !goes_on || !combines || !alone || operations == 0 || self.shared.len() == MAX_PASSES {
            self.end_of_shared();
        }
        if combines && alone && operations != 0 {
            self.operations = if self.shared.is_empty() { operations } else { self.operations & operations };
            let takers = moves.len() as u64;
            self.shared.push(Pass { pc, moves, takers });
        }
    }

    fn end_of_shared(&mut self) {
        let (passes, changed) = (std::mem::take(&mut self.shared), std::mem::take(&mut self.changed));
        self.keep(ReductionSpace::Shared, tree(&passes).filter(|_| changed));
    }

    fn end_of_shuffles(&mut self) {
        let mut shuffles = std::mem::take(&mut self.shuffles);
        // Values may match by chance where one reduction ends and the next begins, so the shuffles before the last
        // reduction are examined again.
        let mut trees = Vec::new();
        while !shuffles.is_empty() {
            let (passes, tree) = tree_of_lanes(&shuffles);
            shuffles.truncate(shuffles.len() - passes.max(1));
            trees.push(tree);
        }
        trees.into_iter().rev().for_each(|tree| self.keep(ReductionSpace::Lanes, tree));
    }

    pub fn end(&mut self) {
        self.barrier(None);
        self.end_of_shared();
        self.end_of_shuffles();
    }

    /// Keeps a reduction unless one of the same instructions is known already.
    fn keep(&mut self, place: ReductionSpace, tree: Option<(u64, Vec<Pass>)>) {
        let Some((into, passes)) = tree else { return };
        let pcs = |passes: &[Pass]| passes.iter().map(|pass| pass.pc).collect::<Vec<u32>>();
        let known = |seen: &Seen| seen.place == place && pcs(&seen.passes) == pcs(&passes);
        if self.tally.len() < MAX_REDUCTIONS && !self.tally.iter().any(known) {
            self.tally.push(Seen { place, into, passes });
        }
    }
}

/// Returns the operations that may have combined a lane's own value with the value received in the first shuffle,
/// judging by the values that enter the second. Considers lane 0 and the lane that it receives from in the second
/// shuffle; zero means that the second shuffle does not continue the first.
fn goes_on(first: &Shuffle, then: &Shuffle) -> Operations {
    let mut needed = vec![0u32, then.from[0]];
    needed.dedup();
    needed.iter().fold(Operations::MAX, |all, &lane| all & done(first, then, lane))
}

/// As [`goes_on`], for a single lane.
fn done(first: &Shuffle, then: &Shuffle, lane: u32) -> Operations {
    let lane = lane as usize;
    let from = first.from[lane] as usize;
    match from == lane {
        true if first.values[lane] == then.values[lane] => Operations::MAX,
        true => 0,
        false => operations(first.values[lane], first.values[from], then.values[lane]),
    }
}

/// Returns how many passes at the end of `shuffles` lead to lane 0, and the reduction that they form; `None` if it
/// has too few passes or lanes.
fn tree_of_lanes(shuffles: &[Shuffle]) -> (usize, Option<(u64, Vec<Pass>)>) {
    let mut needed = BTreeSet::from([0u32]);
    let mut kept: Vec<Pass> = Vec::new();
    let mut operations = Operations::MAX;
    // An unchanged value may be the minimum of two, which is no evidence that anything was computed.
    let mut changed = false;
    for (n, shuffle) in shuffles.iter().enumerate().rev() {
        if let Some(then) = shuffles.get(n + 1) {
            operations = needed.iter().fold(operations, |all, lane| all & done(shuffle, then, *lane));
            if operations == 0 {
                break;
            }
            changed |=
                needed.iter().any(|lane| shuffle.values[*lane as usize] != then.values[*lane as usize]);
        }
        let from = |lane: &u32| (*lane, shuffle.from[*lane as usize]);
        let moves: Vec<(u32, u32)> = needed.iter().map(from).filter(|(lane, from)| lane != from).collect();
        // Each move of a reduction must contribute a lane that was not included yet.
        if moves.is_empty() || moves.iter().any(|(_, from)| needed.contains(from)) {
            break;
        }
        needed.extend(moves.iter().map(|(_, from)| *from));
        let moves = moves.into_iter().map(|(to, from)| (to.into(), from.into())).collect();
        let takers = (0..LANES as u32).filter(|lane| shuffle.from[*lane as usize] != *lane).count() as u64;
        kept.push(Pass { pc: shuffle.pc, moves, takers });
    }
    kept.reverse();
    let is_one = changed && kept.len() >= MIN_PASSES && needed.len() >= MIN_LEAVES;
    (kept.len(), is_one.then_some((0, kept)))
}

/// Returns the reduction into the lowest destination of the last pass, and its passes; `None` if it has too few of
/// them or too few values. If the last pass has further destinations and reads from an element below the lowest, it
/// is a scan (a prefix sum), which has no single result.
fn tree(passes: &[Pass]) -> Option<(u64, Vec<Pass>)> {
    let last = &passes.last()?.moves;
    let into = last.iter().map(|(to, _)| *to).min()?;
    if last.len() > 1 && last.iter().any(|(_, from)| *from < into) {
        return None;
    }
    let mut reached = BTreeSet::from([into]);
    let mut kept = Vec::new();
    for Pass { pc, moves, takers } in passes.iter().rev() {
        let needed = moves.iter().filter(|(to, from)| reached.contains(to) && !reached.contains(from));
        let needed: Vec<(u64, u64)> = needed.copied().collect();
        // Earlier passes belong to another reduction.
        if needed.is_empty() {
            break;
        }
        reached.extend(needed.iter().map(|(_, from)| *from));
        kept.push(Pass { pc: *pc, moves: needed, takers: *takers });
    }
    kept.reverse();
    (kept.len() >= MIN_PASSES && reached.len() >= MIN_LEAVES).then_some((into, kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passes in which each of `d` elements combines the element `d` further on into itself.
    fn halving(from: u64) -> Vec<Pass> {
        let halves = std::iter::successors(Some(from), |d| (*d > 1).then_some(d / 2));
        halves
            .map(|d| Pass { pc: d as u32, moves: (0..d).map(|n| (n, n + d)).collect(), takers: d })
            .collect()
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

    /// A shuffle in which each lane receives from the lane this many further on.
    fn down(by: u32, values: [u32; LANES]) -> Shuffle {
        let from =
            std::array::from_fn(|lane| if lane as u32 + by < 32 { lane as u32 + by } else { lane as u32 });
        Shuffle { pc: by, from, values: Lanes32::from(values) }
    }

    #[test]
    fn lanes_that_add_what_they_take_are_a_tree_and_others_none() {
        let ones: [u32; LANES] = std::array::from_fn(|lane| 3 * lane as u32 + 7);
        let mut values = ones;
        let mut shuffles = Vec::new();
        for by in [16, 8, 4, 2, 1] {
            let shuffle = down(by, values);
            values =
                std::array::from_fn(|lane| values[lane].wrapping_add(values[shuffle.from[lane] as usize]));
            shuffles.push(shuffle);
        }
        let (into, passes) = tree_of_lanes(&shuffles).1.unwrap();
        assert_eq!(
            (into, passes.iter().map(|pass| pass.moves.len()).collect::<Vec<_>>()),
            (0, vec![16, 8, 4, 2, 1])
        );
        // Each pass reads only elements that no pass has changed.
        let same: Vec<Shuffle> = [16, 8, 4, 2, 1].map(|by| down(by, ones)).into();
        assert_eq!(tree_of_lanes(&same).1, None);
    }

    #[test]
    fn a_scan_is_none() {
        let up: Vec<_> = [1, 2, 4]
            .map(|d| Pass { pc: d as u32, moves: (d..8).map(|n| (n, n - d)).collect(), takers: 8 - d })
            .into();
        assert_eq!(tree(&up), None);
        assert_eq!(tree(&halving(1)), None);
    }
}
