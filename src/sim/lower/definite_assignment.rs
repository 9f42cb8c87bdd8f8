//! Registers that may be read before they are written: those for which some path leads from the start of a function
//! to a read without passing a write.
//!
//! Paths are those of the control-flow graph; that a branch never takes one of them is not known here. A guarded
//! write doesn't count, since it may not be executed. The registers that calls and returns read and write are
//! included.

use super::function::{Draft, FunctionLowering};
use crate::code::registers::{self, Register, words};
use crate::code::{ParamSlot, What};
use crate::lanes::FIXED;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Limit on the number of edges followed backwards for one function; registers not resolved by then count as read too
/// early, although they need not be. Kernels that NVRTC compiles for the lessons need a few hundred.
const MAX_STEPS: usize = 1 << 22;

/// The registers that may be read before they are written.
#[derive(Default)]
pub struct Unassigned {
    pub registers: BTreeSet<Register>,
    /// Whether the analysis finished. If not, `registers` may contain too many.
    pub exact: bool,
}

/// A function's control-flow graph, with what each basic block does to registers.
#[derive(Default)]
struct Flow {
    /// The predecessors of each block.
    before: Vec<Vec<u32>>,
    /// For each register, the blocks that read it before writing it.
    exposed: BTreeMap<Register, Vec<u32>>,
    written: HashSet<(u32, Register)>,
}

impl FunctionLowering<'_, '_> {
    pub fn unassigned(&self, params: &[ParamSlot], returns: &[ParamSlot]) -> Unassigned {
        let mut flow = self.flow(returns);
        for register in params.iter().flat_map(words) {
            flow.exposed.remove(&register);
        }
        let (mut found, mut steps) = (BTreeSet::new(), 0);
        let mut seen = vec![u32::MAX; flow.before.len()];
        for (n, (&register, blocks)) in flow.exposed.iter().enumerate() {
            let mut todo = blocks.clone();
            while let Some(block) = todo.pop() {
                if block == 0 || steps >= MAX_STEPS {
                    found.insert(register);
                    break;
                }
                for &earlier in &flow.before[block as usize] {
                    steps += 1;
                    let known = std::mem::replace(&mut seen[earlier as usize], n as u32) == n as u32;
                    if !known && !flow.written.contains(&(earlier, register)) {
                        todo.push(earlier);
                    }
                }
            }
        }
        Unassigned { registers: found, exact: steps < MAX_STEPS }
    }

    fn flow(&self, returns: &[ParamSlot]) -> Flow {
        let ends = |draft: &Draft| {
            !matches!(draft.inst.what, What::Lanes(_) | What::Memory | What::System(_) | What::Collective)
        };
        let count = self.drafts.len();
        let mut leads = vec![false; count + 1];
        (leads[0], leads[count]) = (true, true);
        for &label in self.flow.labels.iter().flatten() {
            leads[(label as usize).min(count)] = true;
        }
        for (n, draft) in self.drafts.iter().enumerate() {
            leads[n + 1] |= ends(draft);
        }
        // The block of each draft. The last block is the end of the text, which returns.
        let mut number = 0;
        let block_of: Vec<u32> = leads
            .iter()
            .enumerate()
            .map(|(n, &leads)| {
                number += u32::from(leads && n > 0);
                number
            })
            .collect();
        let block_at = |label: u32| {
            let place = self.flow.draft_at(label);
            block_of[place.map_or(count, |place| (place as usize).min(count))]
        };
        let mut flow = Flow { before: vec![Vec::new(); number as usize + 1], ..Flow::default() };
        let returned: Vec<Register> = returns.iter().flat_map(words).collect();
        for (n, draft) in self.drafts.iter().enumerate() {
            let block = block_of[n];
            for register in self.reads(draft) {
                flow.read(block, register);
            }
            if let What::Return = draft.inst.what {
                returned.iter().for_each(|&register| flow.read(block, register));
            }
            let guarded = draft.inst.guard.is_some();
            if !guarded {
                flow.written.extend(self.writes(draft).into_iter().map(|register| (block, register)));
            }
            let mut targets: Vec<u32> = self.flow.jumps(&draft.inst).into_iter().map(block_at).collect();
            if leads[n + 1] && (guarded || self.falls_through_alone(n)) {
                targets.push(block_of[n + 1]);
            }
            for target in targets {
                let before = &mut flow.before[target as usize];
                if before.last() != Some(&block) {
                    before.push(block);
                }
            }
        }
        returned.iter().for_each(|&register| flow.read(number, register));
        flow
    }

    /// Returns the registers of its frame that a draft reads.
    pub fn reads(&self, draft: &Draft) -> Vec<Register> {
        let mut reads = registers::reads(&self.module.code, &draft.inst, draft.row);
        reads.retain(|(_, register)| register & FIXED == 0);
        reads
    }

    /// Returns the registers that a draft writes.
    pub fn writes(&self, draft: &Draft) -> Vec<Register> {
        registers::writes(&self.module.code, &draft.inst, draft.row)
    }
}

impl Flow {
    fn read(&mut self, block: u32, register: Register) {
        if !self.written.contains(&(block, register)) {
            let blocks = self.exposed.entry(register).or_default();
            if blocks.last() != Some(&block) {
                blocks.push(block);
            }
        }
    }
}
