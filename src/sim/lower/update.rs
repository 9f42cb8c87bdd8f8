//! Non-atomic updates: a volatile or relaxed store of a value computed from such a load of the same place, as in
//! `*count = *count + 1` for a volatile `count`; or a store that depends on whether such a load was less or greater
//! than something, as in `if (*best < x) *best = x`.
//!
//! Limitations: not detected are updates that span several basic blocks, except for the block after the comparison's
//! branch; updates through calls or through memory; and tests for equality, as when a turn is passed on.

use super::function::{Draft, FunctionLowering};
use crate::code::What;
use crate::code::registers::Register;
use crate::lanes::File;
use crate::memory::access::{Action, Order};
use crate::table::Row;
use std::collections::{BTreeSet, HashMap};

/// A place in memory, within a basic block: the address register (while its value is unchanged), an offset and a
/// width.
type AccessKey = (u32, i64, u32);

impl FunctionLowering<'_, '_> {
    /// Marks the stores that complete an update.
    pub fn mark_updates(&mut self) {
        let leaders: BTreeSet<u32> = self.flow.labels.iter().flatten().copied().collect();
        // For each register, the loads of the block that its value is computed from.
        let mut made: HashMap<Register, BTreeSet<AccessKey>> = HashMap::new();
        // For each predicate, the loads that it compares; and the loads on whose comparison the path to this point
        // depends.
        let mut compared: HashMap<u32, BTreeSet<AccessKey>> = HashMap::new();
        let mut chosen: BTreeSet<AccessKey> = BTreeSet::new();
        let mut updates = Vec::new();
        for (n, draft) in self.drafts.iter().enumerate() {
            let goes_on = matches!(draft.inst.what, What::Lanes(_) | What::Memory | What::System(_));
            let guard = draft.inst.guard.register();
            let passes = !goes_on && self.skips(n, draft);
            if leaders.contains(&(n as u32)) || !goes_on && !passes {
                chosen.clear();
            }
            if passes {
                chosen.extend(guard.and_then(|p| compared.get(&p)).into_iter().flatten().copied());
            }
            if leaders.contains(&(n as u32)) || !goes_on {
                made.clear();
                compared.clear();
            }
            let mut sources = BTreeSet::new();
            if let Some(op) = self.module.code.access(&draft.inst) {
                let place = (op.base, op.offset, op.width());
                match op.action {
                    Action::Load if op.order != Order::Weak => sources.extend([place]),
                    Action::Store if op.order != Order::Weak => {
                        let of = |register: &u32| made.get(&(op.file, *register));
                        let stored = &op.registers[..op.elements as usize];
                        let chosen = chosen.contains(&place)
                            || guard.and_then(|p| compared.get(&p)).is_some_and(|its| its.contains(&place));
                        let varies = || {
                            stored.iter().any(|&register| self.immediate_bits(op.file, register).is_none())
                        };
                        if stored.iter().filter_map(of).any(|places| places.contains(&place))
                            || chosen && varies()
                        {
                            updates.push(draft.inst.detail);
                        }
                    }
                    _ => {}
                }
            } else if draft.row.is_some() && !made.is_empty() {
                sources.extend(self.reads(draft).iter().filter_map(|register| made.get(register)).flatten());
            }
            if let Some(row) = draft.row.filter(|row| row.dest == File::Pred) {
                let mut its: BTreeSet<AccessKey> = BTreeSet::new();
                if is_ordering_comparison(row) {
                    its.extend(&sources);
                }
                let from = row.sources.iter().zip(draft.inst.s).filter(|(file, _)| **file == File::Pred);
                its.extend(from.filter_map(|(_, p)| compared.get(&p)).flatten().copied());
                compared.insert(draft.inst.d, its);
            }
            for register in self.writes(draft) {
                if let (File::R64, base) = register {
                    chosen.retain(|place| place.0 != base);
                    compared.values_mut().for_each(|places| places.retain(|place| place.0 != base));
                    made.values_mut().for_each(|places| places.retain(|place| place.0 != base));
                    sources.retain(|place| place.0 != base);
                }
                if sources.is_empty() {
                    made.remove(&register);
                } else {
                    made.insert(register, sources.clone());
                }
            }
        }
        for number in updates {
            self.module.code.details.memory[number as usize].role.updates = true;
        }
    }

    /// Returns whether a draft is a forward branch that some lanes may not take.
    fn skips(&self, n: usize, draft: &Draft) -> bool {
        self.flow.may_jump(draft).is_some_and(|target| target as usize > n)
    }
}

/// Returns whether a row is an ordering comparison.
fn is_ordering_comparison(row: &Row) -> bool {
    row.begins(&["setp.lt", "setp.le", "setp.lo", "setp.ls", "setp.gt", "setp.ge", "setp.hi", "setp.hs"])
}
