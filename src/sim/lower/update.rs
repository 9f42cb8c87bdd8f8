//! Updates that are no atomics: a volatile or relaxed store of a value that was made of such a load from
//! the same place, as in `*count = *count + 1` for a volatile `count`.
//!
//! What it does not see: updates over several basic blocks, through calls or through memory.

use super::assigned::Register;
use super::function::FunctionLowering;
use crate::sim::code::What;
use crate::sim::lanes::File;
use crate::sim::memory::access::{Action, Order};
use std::collections::{BTreeSet, HashMap};

/// A place in a basic block: the address register, while it keeps its value, an offset and a width.
type Place = (u32, i64, u32);

impl FunctionLowering<'_, '_> {
    /// Marks the stores that end an update.
    pub fn mark_updates(&mut self) {
        let leaders: BTreeSet<u32> = self.labels.iter().flatten().copied().collect();
        // What of the block's loads the registers are made of.
        let mut made: HashMap<Register, BTreeSet<Place>> = HashMap::new();
        let mut updates = Vec::new();
        for (n, draft) in self.drafts.iter().enumerate() {
            let goes_on = matches!(draft.inst.what, What::Lanes(_) | What::Memory | What::System(_));
            if leaders.contains(&(n as u32)) || !goes_on {
                made.clear();
            }
            let mut sources = BTreeSet::new();
            if let What::Memory = draft.inst.what {
                let op = &self.module.code.memory[draft.inst.detail as usize];
                let place = (op.base, op.offset, op.width());
                match op.action {
                    Action::Load if op.order != Order::Weak => sources.extend([place]),
                    Action::Store if op.order != Order::Weak => {
                        let of = |register: &u32| made.get(&(op.file, *register));
                        let stored = &op.registers[..op.elements as usize];
                        if stored.iter().filter_map(of).any(|places| places.contains(&place)) {
                            updates.push(draft.inst.detail);
                        }
                    }
                    _ => {}
                }
            } else if draft.row.is_some() && !made.is_empty() {
                sources.extend(self.reads(draft).iter().filter_map(|register| made.get(register)).flatten());
            }
            for register in self.writes(draft) {
                if let (File::R64, base) = register {
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
            self.module.code.memory[number as usize].role.updates = true;
        }
    }
}
