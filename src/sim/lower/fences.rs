//! Warpgroup matrix multiplications without a preceding `wgmma.fence` (PTX ISA, `wgmma.fence`). A fence is required
//! before the first multiplication, and whenever the registers of the accumulators or of A were modified since the
//! last one.
//!
//! The analysis considers every path through the function. Moves are how the compiler renames registers, so they
//! propagate whether a register was modified. A move of a constant doesn't count as a modification: the compiler
//! places it where the value is needed, whatever the source says.

use super::function::{Draft, FunctionLowering};
use crate::code::{CollectiveKind, Unfenced, WgmmaOp, WgmmaOperand, What};
use crate::lanes::{FIXED, File};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The data-flow state at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FenceState {
    /// Whether there is a path to here without any fence.
    first: bool,
    /// 32-bit registers that were modified since the last fence.
    changed: BTreeSet<u32>,
}

/// The effect of a draft, as far as this analysis is concerned.
enum Effect {
    Fence,
    /// Takes these registers as accumulators or as A.
    Multiply(Vec<u32>),
    /// Copies a register: source, destination.
    Move(u32, u32),
    /// Writes these registers.
    Write(Vec<u32>),
}

impl FunctionLowering<'_, '_> {
    /// Marks the multiplications that lack a fence.
    pub fn mark_unfenced(&mut self) {
        let effect: Vec<Effect> = self.drafts.iter().map(|draft| self.effect(draft)).collect();
        let mut matter: HashSet<u32> = HashSet::new();
        for effect in &effect {
            if let Effect::Multiply(registers) = effect {
                matter.extend(registers);
            }
        }
        if matter.is_empty() {
            return;
        }
        // Registers that are moved into relevant ones are relevant as well.
        loop {
            let before = matter.len();
            for effect in &effect {
                if let Effect::Move(from, to) = effect
                    && from & FIXED == 0
                    && matter.contains(to)
                {
                    matter.insert(*from);
                }
            }
            if matter.len() == before {
                break;
            }
        }
        let mut places: HashMap<usize, FenceState> = HashMap::new();
        places.insert(0, FenceState { first: true, changed: BTreeSet::new() });
        let leaders: BTreeSet<usize> =
            self.flow.labels.iter().flatten().map(|&label| label as usize).collect();
        let mut todo = vec![0];
        let mut unfenced: HashMap<usize, Unfenced> = HashMap::new();
        while let Some(start) = todo.pop() {
            let Some(mut known) = places.get(&start).cloned() else { continue };
            let mut n = start;
            while n < self.drafts.len() {
                let guarded = self.drafts[n].inst.guard.is_some();
                if let Effect::Multiply(registers) = &effect[n] {
                    let changed = registers.iter().any(|register| known.changed.contains(register));
                    let now = match (known.first, changed) {
                        (true, _) => Unfenced::First,
                        (_, true) => Unfenced::Changed,
                        _ => Unfenced::No,
                    };
                    let mark = unfenced.entry(n).or_insert(Unfenced::No);
                    *mark = (*mark).max(now);
                }
                known.pass(&effect[n], guarded, &matter);
                for next in self.follows(n) {
                    let plain = next == n + 1 && !leaders.contains(&next);
                    if plain && self.falls_through_alone(n) {
                        continue;
                    }
                    let there = places.get(&next);
                    let joined = there.map_or_else(|| known.clone(), |there| there.joined(&known));
                    if there != Some(&joined) {
                        places.insert(next, joined);
                        todo.push(next);
                    }
                }
                if !self.falls_through_alone(n) || leaders.contains(&(n + 1)) {
                    break;
                }
                n += 1;
            }
        }
        for (n, mark) in unfenced {
            let op = &mut self.module.code.details.collectives[self.drafts[n].inst.detail as usize];
            if let CollectiveKind::Group(group) = &mut op.kind
                && let WgmmaOp::Multiply { unfenced, .. } = &mut **group
            {
                *unfenced = mark;
            }
        }
    }

    fn effect(&self, draft: &Draft) -> Effect {
        if let What::Collective = draft.inst.what
            && let CollectiveKind::Group(group) =
                &self.module.code.details.collectives[draft.inst.detail as usize].kind
        {
            return match &**group {
                WgmmaOp::Fence => Effect::Fence,
                WgmmaOp::Multiply { sums, a, .. } => {
                    let mut registers = sums.clone();
                    if let WgmmaOperand::Registers(a) = a {
                        registers.extend(a);
                    }
                    Effect::Multiply(registers)
                }
                WgmmaOp::Commit | WgmmaOp::Wait(_) => Effect::Write(Vec::new()),
            };
        }
        if draft.row.is_some_and(|row| row.is_move()) {
            return Effect::Move(draft.inst.s[0], draft.inst.d);
        }
        let own = self.writes(draft).into_iter().filter(|(file, _)| *file == File::R32);
        Effect::Write(own.map(|(_, register)| register).collect())
    }

    /// Returns whether the next draft is the only possible successor.
    pub fn falls_through_alone(&self, n: usize) -> bool {
        let inst = &self.drafts[n].inst;
        !matches!(inst.what, What::Branch | What::BranchIndexed | What::Return | What::Exit | What::Trap)
    }

    /// Returns the drafts that may follow.
    fn follows(&self, n: usize) -> Vec<usize> {
        let inst = &self.drafts[n].inst;
        let jumps = self.flow.jumps(inst).into_iter().filter_map(|label| self.flow.draft_at(label));
        let mut next: Vec<usize> = jumps.map(|at| at as usize).collect();
        if self.falls_through_alone(n) || inst.guard.is_some() {
            next.push(n + 1);
        }
        next
    }
}

impl FenceState {
    fn joined(&self, other: &FenceState) -> FenceState {
        FenceState {
            first: self.first || other.first,
            changed: self.changed.union(&other.changed).copied().collect(),
        }
    }

    fn pass(&mut self, effect: &Effect, guarded: bool, matter: &HashSet<u32>) {
        match effect {
            Effect::Fence => *self = FenceState::default(),
            Effect::Multiply(_) => {}
            Effect::Move(from, to) => {
                if self.changed.contains(from) {
                    self.changed.insert(*to);
                } else if !guarded {
                    self.changed.remove(to);
                }
            }
            Effect::Write(registers) => {
                self.changed.extend(registers.iter().filter(|register| matter.contains(register)));
            }
        }
    }
}
