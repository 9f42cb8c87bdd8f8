//! Liveness analysis of a kernel's registers.

use super::{Instruction, Operation, Register};
use crate::code::BasicBlock;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A set of registers: a bit for each of [`Liveness::registers`].
type Set = Vec<u64>;

/// The registers that are live after each basic block of a kernel's function: those that may be read before they
/// are written.
#[derive(Debug)]
pub struct Liveness {
    registers: Vec<Register>,
    numbers: HashMap<Register, usize>,
    /// The registers live after each block, by the block's index in the function.
    live_out: Vec<Set>,
}

/// Returns the numbers of the instructions that may follow one that ends a basic block.
fn successors(instruction: &Instruction, number: u32) -> Vec<u32> {
    match &instruction.operation {
        Operation::Branch(to) if instruction.guard.is_some() => vec![*to, number + 1],
        Operation::Branch(to) => vec![*to],
        Operation::Other { next } => next.clone(),
        _ => vec![number + 1],
    }
}

impl Liveness {
    /// Analyses a function's instructions, the first of which has number `start`, divided into its basic blocks.
    pub fn of(start: u32, instructions: &[Instruction], blocks: &[BasicBlock]) -> Liveness {
        let mut liveness = Liveness { registers: Vec::new(), numbers: HashMap::new(), live_out: Vec::new() };
        for register in
            instructions.iter().flat_map(|instruction| instruction.reads.iter().chain(&instruction.writes))
        {
            let next = liveness.registers.len();
            liveness.numbers.entry(*register).or_insert_with(|| {
                liveness.registers.push(*register);
                next
            });
        }
        let words = liveness.registers.len().div_ceil(64);
        liveness.live_out = vec![vec![0; words]; blocks.len()];
        let by_start: HashMap<u32, usize> = blocks.iter().enumerate().map(|(n, b)| (b.start, n)).collect();
        let mut before: Vec<Set> = vec![vec![0; words]; blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (n, block) in blocks.iter().enumerate().rev() {
                let last = &instructions[(block.end - 1 - start) as usize];
                let mut live: Set = vec![0; words];
                for n in successors(last, block.end - 1).iter().filter_map(|start| by_start.get(start)) {
                    live.iter_mut().zip(&before[*n]).for_each(|(mine, theirs)| *mine |= theirs);
                }
                liveness.live_out[n].clone_from(&live);
                for number in (block.start..block.end).rev() {
                    liveness.step(&mut live, &instructions[(number - start) as usize]);
                }
                if before[n] != live {
                    before[n] = live;
                    changed = true;
                }
            }
        }
        liveness
    }

    /// Turns the set of registers live after an instruction into the set of those live before it.
    fn step(&self, live: &mut Set, instruction: &Instruction) {
        let number = |register: &Register| self.numbers[register];
        if instruction.guard.is_none() {
            for n in instruction.writes.iter().map(number) {
                live[n / 64] &= !(1 << (n % 64));
            }
        }
        for n in instruction.reads.iter().map(number) {
            live[n / 64] |= 1 << (n % 64);
        }
    }

    /// Returns the registers live before each instruction of a block, and after its last. `block` is the block's
    /// index in the function, `range` the numbers of its instructions.
    pub fn in_block(
        &self,
        block: usize,
        range: Range<u32>,
        start: u32,
        instructions: &[Instruction],
    ) -> Vec<Arc<[Register]>> {
        let listed = |live: &Set| {
            let is_live = |&(n, _): &(usize, &Register)| live[n / 64] >> (n % 64) & 1 != 0;
            self.registers.iter().enumerate().filter(is_live).map(|(_, register)| *register).collect()
        };
        let mut live = self.live_out[block].clone();
        let mut sets: Vec<Arc<[Register]>> = vec![listed(&live)];
        for number in range.rev() {
            self.step(&mut live, &instructions[(number - start) as usize]);
            sets.push(listed(&live));
        }
        sets.reverse();
        sets
    }
}
