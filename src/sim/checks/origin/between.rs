//! Barriers on the ways between two instructions.

use super::Origins;
use super::waits::{Blocks, Graph, reached};
use crate::code::What;
use std::collections::BTreeMap;
use std::ops::Range;

/// The edges of the control-flow graph, without those that lead back to the head of a loop.
pub type Forward = BTreeMap<u32, Blocks>;

impl Origins<'_> {
    /// Returns whether a barrier is on every way from one of two instructions of a function to the other, within one pass
    /// of the loops around them.
    pub fn barrier_between(&self, a: u32, b: u32) -> bool {
        self.is_barred(a, b) || self.is_barred(b, a)
    }

    /// Returns whether there is a way from one instruction to another, and a barrier on all such ways.
    fn is_barred(&self, from: u32, to: u32) -> bool {
        let code = self.code;
        let block_of = |pc: u32| code.block_of.get(pc as usize).copied();
        let (Some(first), Some(last)) = (block_of(from), block_of(to)) else { return false };
        let has_barrier = |mut range: Range<u32>| {
            range.any(|pc| {
                let inst = &code.insts[pc as usize];
                matches!(inst.what, What::Barrier) && !inst.guard.is_some()
            })
        };
        if first == last {
            return from < to && has_barrier(from..to);
        }
        let forward = self.forward.get_or_init(|| self.forward());
        let next = |block| forward.get(&block).into_iter().flatten().copied();
        let is_passable = |block: &u32| {
            let its = &code.blocks[*block as usize];
            !has_barrier(if *block == first { from } else { its.start }..its.end)
        };
        let is_open = !has_barrier(code.blocks[last as usize].start..to)
            && reached(first, |block| Some(block).filter(is_passable).into_iter().flat_map(next))
                .contains(&last);
        !is_open && reached(first, next).contains(&last)
    }

    fn forward(&self) -> Forward {
        let mut forward = Graph::of(self.code, self.flow()).after;
        // The blocks seen, and those of them on the way to the current one.
        let (mut seen, mut way) = (Blocks::new(), Blocks::new());
        for start in self.flow().starts() {
            let mut open = vec![(self.code.block_of[start as usize], false)];
            while let Some((block, is_left)) = open.pop() {
                if is_left {
                    way.remove(&block);
                } else if seen.insert(block) {
                    way.insert(block);
                    open.push((block, true));
                    let Some(next) = forward.get_mut(&block) else { continue };
                    next.retain(|to| !way.contains(to));
                    open.extend(next.iter().map(|&to| (to, false)));
                }
            }
        }
        forward
    }
}
