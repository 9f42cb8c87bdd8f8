//! Blocks that code executes for some lanes only: from a branch at which the lanes diverge up to where they meet again.
//!
//! While such a block is translated, [`Translator::active`] says which lanes it is for. Values are computed for all lanes
//! all the same; memory is accessed for the active ones, and where a register that the block writes gets back to the warp's
//! registers, the other lanes keep what they have there.

use super::emit::{Translator, field, mutable_flags};
use super::lane_values::successors;
use super::registers::{Lanes, ValueLocation, lanes_of_part};
use super::row::{Op, row};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I32;
use cranelift_codegen::ir::{InstBuilder, Value};
use sim::kernel_code::{
    File, KernelContext, KernelRegion, LANES, MaskedBlock, Operand, Operation, Register, WaitingLanes,
};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;
use std::rc::Rc;

/// All lanes of a warp.
pub const FULL: u32 = u32::MAX;

/// What follows a branch at which lanes diverge.
#[derive(Debug)]
pub struct Divergence {
    /// The lanes that take the branch.
    taken: u32,
    /// The blocks in which they differ, in the order in which they are executed.
    blocks: Vec<ActiveLanes>,
    /// Number of the instruction at which all lanes meet.
    pub join: u32,
    /// The registers that the blocks write.
    pub written: Rc<BTreeSet<Register>>,
}

/// The lanes for which a block is executed.
#[derive(Clone, Debug)]
pub struct ActiveLanes {
    pub mask: u32,
    pub waiting: WaitingLanes,
    /// Index of the block in the region.
    block: usize,
    /// The registers that are written between the branch and the place where all lanes meet.
    pub written: Rc<BTreeSet<Register>>,
}

/// Returns what follows those branches of a region at which the lanes are known to diverge, by the branch's number, where
/// the code can execute it: one block that some lanes skip, or one block for each of two sets of lanes.
pub fn divergences(region: &KernelRegion) -> BTreeMap<u32, Rc<Divergence>> {
    let known = region.divergences.iter();
    known
        .filter_map(|(&branch, &taken)| Some((branch, Rc::new(divergence(region, branch, taken)?))))
        .collect()
}

fn divergence(region: &KernelRegion, branch: u32, taken: u32) -> Option<Divergence> {
    let Operation::Branch(to) = region.instruction(branch).operation else { return None };
    let block_at = |number: u32| region.blocks.iter().position(|block| block.range.start == number);
    let next = |block: usize| match successors(region, block)[..] {
        [next] => Some(next),
        _ => None,
    };
    let near = block_at(branch + 1)?;
    let join = next(near)?;
    let far = if join == to { None } else { Some(block_at(to)?) };
    if let Some(far) = far
        && next(far) != Some(join)
    {
        return None;
    }
    // The interpreter runs the lanes that are behind first, as far as the next block.
    if !(branch < to && to <= join && taken != 0 && taken != FULL) {
        return None;
    }
    let numbers =
        [Some(near), far].into_iter().flatten().flat_map(|block| region.blocks[block].range.clone());
    let written: BTreeSet<Register> =
        numbers.flat_map(|number| &region.instruction(number).writes).copied().collect();
    let written = Rc::new(written);
    let lanes = |block, mask: u32, number| {
        let waiting = WaitingLanes { mask: !mask, number };
        ActiveLanes { mask, waiting, block, written: written.clone() }
    };
    let mut blocks = vec![lanes(near, !taken, to)];
    blocks.extend(far.map(|far| lanes(far, taken, join)));
    Some(Divergence { taken, blocks, join, written })
}

/// Returns the numbers of the comparisons on which these divergences depend: the lanes' results differ.
pub fn diverging_comparisons(
    region: &KernelRegion,
    divergences: &BTreeMap<u32, Rc<Divergence>>,
) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for &branch in divergences.keys() {
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

impl Translator<'_, '_> {
    /// Returns the lanes that are active at the current point.
    pub fn active_mask(&self) -> u32 {
        self.active.as_ref().map_or(FULL, |active| active.mask)
    }

    /// Returns whether a register is written between the branch at which the current lanes diverged and the place where
    /// they meet, so that the other lanes' values in the warp's register must be kept.
    pub fn is_masked(&self, register: Register) -> bool {
        self.active.as_ref().is_some_and(|active| active.written.contains(&register))
    }

    /// Translates what follows a branch at which lanes diverge, up to where they meet. `taken`: the lanes that take the
    /// branch. Exits before the branch if they are others than those known. Ends the current Cranelift block.
    pub fn diverge(&mut self, branch: u32, taken: Value, divergence: &Divergence) {
        let expected = self.b.ins().icmp_imm(IntCC::Equal, taken, i64::from(divergence.taken as i32));
        let (masked, exit) = (self.b.create_block(), self.divergence_exit(branch));
        self.b.ins().brif(expected, masked, &[], exit, &[]);
        self.b.switch_to_block(masked);
        self.note_branch(branch);
        let one = self.b.ins().iconst(I32, 1);
        self.b.ins().store(mutable_flags(), one, self.context, field!(masked));
        let waiting = divergence.blocks.iter().flat_map(|active| self.live(active.waiting.number).to_vec());
        let kept: BTreeSet<Register> =
            waiting.filter(|register| divergence.written.contains(register)).collect();
        for &register in &kept {
            self.write_back(register);
        }
        let before = self.state.clone();
        for active in &divergence.blocks {
            self.state = before.clone();
            self.active = Some(active.clone());
            self.masked_block(branch, active);
            for &register in &kept {
                self.spill(register);
            }
        }
        self.active = None;
        let mut after = before;
        after.extend(divergence.written.iter().map(|&register| (register, ValueLocation::Memory)));
        self.state = after;
        self.go(divergence.join);
    }

    fn masked_block(&mut self, branch: u32, active: &ActiveLanes) {
        let block = &self.region.blocks[active.block];
        let run = self.region.blocks.len() + self.description.masked.len();
        self.description.masked.push(MaskedBlock { block: active.block, mask: active.mask, branch });
        let place = std::mem::replace(&mut self.place, active.block);
        self.count_block_entry(active.block, run);
        for number in block.range.clone() {
            let instruction = self.region.instruction(number);
            if !matches!(instruction.operation, Operation::Branch(_)) {
                self.instruction(number, instruction);
            }
        }
        self.place = place;
    }

    /// Writes all lanes of a register to the warp's registers, and represents it by a vector or a mask from then on.
    fn write_back(&mut self, register: Register) {
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
    pub fn store_active_lanes(&mut self, register: Register, lanes: &Lanes) {
        let (base, mask) = (self.file(register.file), self.active_mask());
        let each = lanes_of_part(register.file);
        let bytes = 16 / each;
        let start = register.slot as i32 * (LANES * bytes) as i32;
        for (n, &part) in lanes.parts.iter().enumerate() {
            let at = start + n as i32 * 16;
            let its = mask >> (n * each) & ((1 << each) - 1);
            if its == (1 << each) - 1 {
                self.b.ins().store(mutable_flags(), part, base, at);
                continue;
            }
            for lane in (0..each).filter(|lane| its >> lane & 1 != 0) {
                let value = match register.file {
                    File::R64 => self.b.ins().extractlane(part, lane as u8),
                    _ => self.lane_of(lanes, n * each + lane),
                };
                self.b.ins().store(mutable_flags(), value, base, at + (lane * bytes) as i32);
            }
        }
    }
}
