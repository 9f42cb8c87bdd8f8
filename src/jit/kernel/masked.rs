//! Code for some of a warp's lanes: from a branch at which the lanes diverge up to where they all meet.
//!
//! The interpreter runs the lanes that are furthest behind first. Where all branches lead forward, that means: each block once,
//! in the order of the code, for the lanes that have been led there. So the code keeps a mask for each block ahead, skips a
//! block for which no lane is active, and adds the active lanes to the masks of the blocks that they go on to.
//!
//! Arithmetic is done for all lanes; memory is accessed for the active ones, and where a register that these blocks write gets
//! back to the warp's registers, the other lanes keep what they have there. Between such blocks values are in the warp's
//! registers. Accesses whose lanes are not known before are left to the interpreter, so that code for lanes that have taken a
//! branch again and again is a variant of its own.

use super::emit::{Translator, constant_flags, field, mutable_flags};
use super::lane_values::successors;
use super::registers::{Lanes, ValueLocation, lanes_of_part};
use super::row::{Op, row};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::Variable;
use sim::kernel_code::{
    DIVERGED, File, Instruction, KernelContext, KernelRegion, LANES, MAX_WAITING, Operand, Operation,
    Register,
};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;
use std::rc::Rc;

/// All lanes of a warp.
pub const FULL: u32 = u32::MAX;

/// What follows a branch at which lanes diverge.
#[derive(Debug, Default)]
pub struct Divergence {
    /// The sets of lanes that have taken the branch again and again.
    patterns: Vec<u32>,
    /// The blocks up to where all lanes meet, by index in the region, in the order of the code.
    blocks: Vec<usize>,
    /// Number of the instruction at which all lanes meet.
    pub join: u32,
    /// The registers that the blocks write.
    pub written: BTreeSet<Register>,
    /// The conditional branches among them, after the one at which the lanes diverge.
    branches: Vec<u32>,
}

/// A set of lanes.
#[derive(Clone, Copy, Debug)]
pub struct LaneMask {
    /// What it is, if that is known when the code is compiled.
    pub known: Option<u32>,
    pub value: Value,
}

/// The lanes for which a block is executed.
#[derive(Clone, Debug)]
pub struct ActiveLanes {
    pub mask: LaneMask,
    /// The other lanes, by the number of the instruction at which they wait.
    pub waiting: Vec<(u32, LaneMask)>,
    divergence: Rc<Divergence>,
    /// Index in [`sim::kernel_code::CodeDescription::divergences`].
    pub number: usize,
    /// For each of the divergence's branches, the lanes that have reached no other since.
    last: Vec<Value>,
}

/// Returns what follows those branches of a region at which lanes are known to diverge, by the branch's number, where the code
/// can execute it.
pub fn divergences(region: &KernelRegion) -> BTreeMap<u32, Rc<Divergence>> {
    let known = region.divergences.iter();
    known.filter_map(|(&branch, its)| Some((branch, Rc::new(divergence(region, branch, its)?)))).collect()
}

fn divergence(region: &KernelRegion, branch: u32, patterns: &[u32]) -> Option<Divergence> {
    let Operation::Branch(to) = region.instruction(branch).operation else { return None };
    if to <= branch {
        return None;
    }
    let starts: BTreeMap<u32, usize> =
        region.blocks.iter().enumerate().map(|(n, block)| (block.range.start, n)).collect();
    let mut join = to;
    let mut blocks = Vec::new();
    let mut at = branch + 1;
    while at < join {
        let block = *starts.get(&at)?;
        let next = successors(region, block);
        // Every way leads forward, and none out of the code.
        if next.is_empty() || next.iter().any(|&next| next <= at) || blocks.len() + 1 == MAX_WAITING {
            return None;
        }
        join = next.into_iter().fold(join, u32::max);
        blocks.push(block);
        at = region.blocks[block].range.end;
    }
    let numbers = || blocks.iter().flat_map(|&block| region.blocks[block].range.clone());
    let is_conditional = |&number: &u32| {
        let instruction = region.instruction(number);
        matches!(instruction.operation, Operation::Branch(_)) && instruction.guard.is_some()
    };
    let written = numbers().flat_map(|number| &region.instruction(number).writes).copied().collect();
    let branches = std::iter::once(branch).chain(numbers().filter(is_conditional)).collect();
    Some(Divergence { patterns: patterns.to_vec(), join, written, branches, blocks })
}

/// Returns the numbers of the comparisons on which the branches depend at which lanes are known to diverge: the lanes' results
/// differ.
pub fn diverging_comparisons(region: &KernelRegion) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for &branch in region.divergences.keys() {
        let Some(block) = region.blocks.iter().find(|block| block.range.contains(&branch)) else { continue };
        let guard = region.instruction(branch).guard.map(|(predicate, _)| predicate);
        let mut needed: BTreeSet<Register> = guard.into_iter().collect();
        for number in block.range.clone().rev() {
            let instruction = region.instruction(number);
            let Operation::Arithmetic(its) = &instruction.operation else { continue };
            if !needed.remove(&its.to) {
                continue;
            }
            if row(its.name).is_some_and(|row| matches!(row.op, Op::Compare(_))) {
                found.insert(number);
            } else {
                needed.extend(instruction.reads.iter().filter(|register| register.file == File::Pred));
            }
        }
    }
    found
}

/// The lanes that have been led to a place, while what follows a divergence is translated.
struct LanesAt {
    number: u32,
    /// Which lanes, if that is known.
    known: Option<u32>,
    mask: Variable,
}

/// What is kept up to date while what follows a divergence is translated.
struct Progress {
    divergence: Rc<Divergence>,
    number: usize,
    /// The blocks, and then the place where all meet.
    places: Vec<LanesAt>,
    last: Vec<Variable>,
}

impl Translator<'_, '_> {
    /// Returns the lanes that are active at the current point, if that is known.
    pub fn known_mask(&self) -> Option<u32> {
        self.active.as_ref().map_or(Some(FULL), |active| active.mask.known)
    }

    /// Returns whether a register is written between the branch at which the current lanes diverged and the place where
    /// they meet, so that the other lanes' values in the warp's register must be kept.
    pub fn is_masked(&self, register: Register) -> bool {
        self.active.as_ref().is_some_and(|active| active.divergence.written.contains(&register))
    }

    /// Begins to translate a block for some lanes, which are known. `written`: the registers that it writes.
    pub fn begin_masked(&mut self, mask: u32, written: &BTreeSet<Register>) {
        let divergence = Divergence { written: written.clone(), ..Divergence::default() };
        let mask = self.known(mask);
        let divergence = Rc::new(divergence);
        self.active =
            Some(ActiveLanes { mask, waiting: Vec::new(), divergence, number: 0, last: Vec::new() });
    }

    fn known(&mut self, mask: u32) -> LaneMask {
        LaneMask { known: Some(mask), value: self.b.ins().iconst(I32, i64::from(mask as i32)) }
    }

    /// Translates what follows a branch at which lanes diverge, up to where they meet. `taken`: the lanes that take the
    /// branch. Ends the current Cranelift block.
    pub fn diverge(&mut self, branch: u32, taken: Value, divergence: &Rc<Divergence>) {
        let one = self.b.ins().iconst(I32, 1);
        self.b.ins().store(mutable_flags(), one, self.context, field!(masked));
        self.increase(self.context, field!(divergent_branches), 1);
        let places = self.places(divergence);
        let live: BTreeSet<Register> = places.iter().flat_map(|&number| self.live(number).to_vec()).collect();
        for &register in live.intersection(&divergence.written) {
            self.write_back(register);
        }
        let before = self.state.clone();
        for &pattern in &divergence.patterns {
            let (variant, on) = (self.b.create_block(), self.b.create_block());
            let same = self.b.ins().icmp_imm(IntCC::Equal, taken, i64::from(pattern as i32));
            self.b.ins().brif(same, variant, &[], on, &[]);
            self.b.switch_to_block(variant);
            let taken = self.known(pattern);
            self.variant(branch, taken, divergence);
            self.b.switch_to_block(on);
            self.state.clone_from(&before);
        }
        let number = self.b.ins().iconst(I32, i64::from(branch));
        self.b.ins().store(mutable_flags(), number, self.context, field!(diverged));
        self.b.ins().store(mutable_flags(), taken, self.context, field!(diverged) + 4);
        self.variant(branch, LaneMask { known: None, value: taken }, divergence);
    }

    /// Returns the numbers of the instructions at which lanes may wait.
    fn places(&self, divergence: &Divergence) -> Vec<u32> {
        let starts = divergence.blocks.iter().map(|&block| self.region.blocks[block].range.start);
        starts.chain([divergence.join]).collect()
    }

    fn variant(&mut self, branch: u32, taken: LaneMask, divergence: &Rc<Divergence>) {
        self.description.divergences.push(divergence.branches.clone());
        let none = self.known(0);
        let all = self.known(FULL);
        let variable = |emit: &mut Self, value: Value| {
            let variable = emit.b.declare_var(I32);
            emit.b.def_var(variable, value);
            variable
        };
        let places = self.places(divergence).into_iter();
        let mut progress = Progress {
            divergence: divergence.clone(),
            number: self.description.divergences.len() - 1,
            places: places
                .map(|number| LanesAt { number, known: Some(0), mask: variable(self, none.value) })
                .collect(),
            last: divergence
                .branches
                .iter()
                .map(|&its| variable(self, if its == branch { all.value } else { none.value }))
                .collect(),
        };
        let rest = self.without(all, taken);
        let Operation::Branch(to) = self.region.instruction(branch).operation else { return };
        self.lead(&mut progress, to, taken);
        self.lead(&mut progress, branch + 1, rest);
        for n in 0..divergence.blocks.len() {
            self.masked_block(&mut progress, n);
        }
        self.active = None;
        let last: Vec<Value> = progress.last.iter().map(|&variable| self.b.use_var(variable)).collect();
        self.note_last_branches(progress.number, &last);
        self.go(divergence.join);
    }

    /// Returns the lanes of a set that are not in another.
    fn without(&mut self, set: LaneMask, other: LaneMask) -> LaneMask {
        let known = set.known.zip(other.known).map(|(set, other)| set & !other);
        match known {
            Some(known) => self.known(known),
            None => LaneMask { known, value: self.b.ins().band_not(set.value, other.value) },
        }
    }

    /// Adds lanes to those that have been led to an instruction.
    fn lead(&mut self, progress: &mut Progress, number: u32, lanes: LaneMask) {
        let Some(place) = progress.places.iter_mut().find(|place| place.number == number) else { return };
        place.known = place.known.zip(lanes.known).map(|(there, more)| there | more);
        let there = self.b.use_var(place.mask);
        let sum = self.b.ins().bor(there, lanes.value);
        self.b.def_var(place.mask, sum);
    }

    /// Translates the `n`-th block of a divergence for the lanes that have been led there.
    fn masked_block(&mut self, progress: &mut Progress, n: usize) {
        let known = progress.places[n].known;
        if known == Some(0) {
            return;
        }
        let value = self.b.use_var(progress.places[n].mask);
        let on = self.b.create_block();
        if known.is_none() {
            let body = self.b.create_block();
            self.b.ins().brif(value, body, &[], on, &[]);
            self.b.switch_to_block(body);
        }
        let mask = LaneMask { known, value };
        let ahead: Vec<(u32, Option<u32>, Variable)> =
            progress.places[n + 1..].iter().map(|place| (place.number, place.known, place.mask)).collect();
        let ahead = ahead.into_iter().filter(|(_, known, _)| *known != Some(0));
        let waiting = ahead
            .map(|(number, known, mask)| (number, LaneMask { known, value: self.b.use_var(mask) }))
            .collect();
        let last = progress.last.iter().map(|&variable| self.b.use_var(variable)).collect();
        let (divergence, number) = (progress.divergence.clone(), progress.number);
        self.active = Some(ActiveLanes { mask, waiting, divergence, number, last });
        let mut after = self.state.clone();

        let number = progress.divergence.blocks[n];
        let block = &self.region.blocks[number];
        let run = self.region.blocks.len() + self.description.masked_blocks.len();
        self.description.masked_blocks.push(number);
        let place = std::mem::replace(&mut self.place, number);
        self.count_block_entry(number, run);
        let mut written = BTreeSet::new();
        for number in block.range.clone() {
            let instruction = self.region.instruction(number);
            written.extend(instruction.writes.iter().copied());
            if !matches!(instruction.operation, Operation::Branch(_)) {
                self.instruction(number, instruction);
            }
        }
        let live: BTreeSet<Register> =
            progress.places[n + 1..].iter().flat_map(|place| self.live(place.number).to_vec()).collect();
        let last = block.range.end - 1;
        self.leave_masked_block(progress, last, self.region.instruction(last), mask);
        for &register in live.intersection(&written) {
            self.spill(register);
        }
        self.place = place;
        after.extend(written.into_iter().map(|register| (register, ValueLocation::Memory)));
        self.state = after;
        self.b.ins().jump(on, &[]);
        self.b.switch_to_block(on);
    }

    /// Adds the active lanes to those of the blocks that they go on to after an instruction.
    fn leave_masked_block(
        &mut self,
        progress: &mut Progress,
        number: u32,
        instruction: &Instruction,
        mask: LaneMask,
    ) {
        match (&instruction.operation, instruction.guard) {
            (Operation::Branch(to), Some((predicate, negated))) => {
                let holds = self.mask(predicate);
                let taken = match negated {
                    true => self.b.ins().band_not(mask.value, holds),
                    false => self.b.ins().band(mask.value, holds),
                };
                let taken = LaneMask { known: None, value: taken };
                let rest = self.without(mask, taken);
                let (some, others) = (
                    self.b.ins().icmp_imm(IntCC::NotEqual, taken.value, 0),
                    self.b.ins().icmp_imm(IntCC::NotEqual, rest.value, 0),
                );
                let diverges = self.b.ins().band(some, others);
                let diverges = self.b.ins().uextend(I64, diverges);
                self.add(self.context, field!(divergent_branches), diverges);
                for (n, &its) in progress.divergence.branches.iter().enumerate() {
                    let before = self.b.use_var(progress.last[n]);
                    let after = match its == number {
                        true => self.b.ins().bor(before, mask.value),
                        false => self.b.ins().band_not(before, mask.value),
                    };
                    self.b.def_var(progress.last[n], after);
                }
                self.lead(progress, *to, taken);
                self.lead(progress, number + 1, rest);
            }
            (Operation::Branch(to), None) => self.lead(progress, *to, mask),
            _ => self.lead(progress, number + 1, mask),
        }
    }

    /// Records for each branch of a divergence the lanes for which it is the last one.
    fn note_last_branches(&mut self, number: usize, last: &[Value]) {
        for (n, &lanes) in last.iter().enumerate() {
            self.b.ins().store(mutable_flags(), lanes, self.context, field!(last_branches) + 4 * n as i32);
        }
        self.note_branch(DIVERGED | number as u32);
    }

    /// Stores, for an exit, which lanes are where.
    pub fn note_lanes(&mut self, active: &ActiveLanes) {
        self.b.ins().store(mutable_flags(), active.mask.value, self.context, field!(active));
        for (n, (_, lanes)) in active.waiting.iter().enumerate() {
            self.b.ins().store(mutable_flags(), lanes.value, self.context, field!(waiting) + 4 * n as i32);
        }
        self.note_last_branches(active.number, &active.last);
    }

    /// Writes all lanes of a register to the warp's registers, and represents it by a vector or a mask from then on.
    pub fn write_back(&mut self, register: Register) {
        self.spill(register);
        match register.file {
            File::Pred => {
                let mask = self.mask(register);
                self.put(register, ValueLocation::Mask(mask, false));
            }
            file => {
                let lanes = self.lanes(Operand::Register(register), file);
                self.put(register, ValueLocation::Vector(lanes, false));
            }
        }
    }

    /// Writes the active lanes of a register to the warp's registers.
    pub fn store_active_lanes(&mut self, register: Register, lanes: &Lanes, mask: LaneMask) {
        let base = self.file(register.file);
        let each = lanes_of_part(register.file);
        let bytes = 16 / each;
        let start = register.slot as i32 * (LANES * bytes) as i32;
        for (n, &part) in lanes.parts.iter().enumerate() {
            let at = start + n as i32 * 16;
            let all = (1 << each) - 1;
            match mask.known.map(|mask| mask >> (n * each) & all) {
                Some(0) => {}
                Some(active) if active == all => {
                    self.b.ins().store(mutable_flags(), part, base, at);
                }
                _ => {
                    let others = self.inactive(register.file, n, mask);
                    let kind = self.b.func.dfg.value_type(others);
                    let old = self.b.ins().load(kind, mutable_flags(), base, at);
                    let part =
                        if kind == self.b.func.dfg.value_type(part) { part } else { self.as_integers(part) };
                    let new = self.b.ins().bitselect(others, old, part);
                    self.b.ins().store(mutable_flags(), new, base, at);
                }
            }
        }
    }

    /// Returns a vector with all bits set in those of the `n`-th lanes that are not in a mask.
    fn inactive(&mut self, file: File, n: usize, mask: LaneMask) -> Value {
        let each = lanes_of_part(file);
        let bits: Vec<u64> = (n * each..(n + 1) * each).map(|lane| 1 << lane).collect();
        if let Some(known) = mask.known {
            let lanes: Vec<u64> =
                bits.iter().map(|bit| if u64::from(known) & bit == 0 { u64::MAX } else { 0 }).collect();
            return self.vector_constant(file, &lanes);
        }
        let value = match file {
            File::R64 => self.b.ins().uextend(I64, mask.value),
            _ => mask.value,
        };
        let bits = self.vector_constant(file, &bits);
        let kind = self.b.func.dfg.value_type(bits);
        let value = self.b.ins().splat(kind, value);
        let chosen = self.b.ins().band(value, bits);
        let none = vec![0; each];
        let none = self.vector_constant(file, &none);
        self.b.ins().icmp(IntCC::Equal, chosen, none)
    }

    /// Counts the entry of the active lanes, and of the block with this number in the module.
    pub fn count_lanes(&mut self, number: u32) {
        let executed = self.b.ins().load(I64, constant_flags(), self.context, field!(executed));
        let at = number as i32 * 16;
        match self.active.as_ref().map(|active| active.mask) {
            Some(LaneMask { known: None, value }) => {
                let lanes = self.b.ins().popcnt(value);
                let lanes = self.b.ins().uextend(I64, lanes);
                self.increase(executed, at, 1);
                self.add(executed, at + 8, lanes);
            }
            mask => {
                let lanes = mask.and_then(|mask| mask.known).unwrap_or(FULL).count_ones();
                let sums = self.sum(executed, at, File::R64, &[1, u64::from(lanes)]);
                self.b.ins().store(mutable_flags(), sums, executed, at);
            }
        }
    }
}
