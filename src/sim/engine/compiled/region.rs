//! Regions of a kernel, and their codes.

use super::known::{is_fixed, joined, observe};
use crate::code::{DecodedModule, KernelCode as KernelFunction};
use crate::engine::observer::CodeAccesses;
use crate::finding::AccessKind;
use crate::kernel_code::{
    Holds, Instruction, KernelCode, KernelEmitter, KernelRegion, KnownAccess, LANES, Liveness, Operation,
    RegionBlock, Register, describe, frame_register,
};
use crate::lanes::Registers;
use crate::memory::access::{Action, MemoryOp, Space};
use crate::memory::shape::Shape;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Instructions of a function that is looked at, and of a region: compiling takes time.
const MOST_INSTRUCTIONS: u32 = 20_000;
const MOST_OF_REGION: u32 = 4_000;

/// Warp instructions that the interpreter runs while code is made for one.
const COST: u64 = 600;

/// Values that code may leave with.
pub const MOST_SCALARS: usize = 512;

/// What of a kernel was compiled, for all its launches.
#[derive(Debug)]
pub struct CompiledKernel {
    start: u32,
    instructions: Arc<[Instruction]>,
    /// Registers that arithmetic and loads write: what others hold mostly stays the same in a launch.
    written: HashSet<Register>,
    /// Registers that a warp computes once, before its first block, and that nothing writes afterwards.
    hoisted: HashSet<Register>,
    live: Liveness,
    /// Numbers of its basic blocks among the module's.
    pub blocks: Range<usize>,
    /// Whether a basic block may be an entry: the first one, and those behind barriers and at the heads of loops.
    pub entries: Vec<bool>,
    /// By the number of the entry's basic block.
    codes: Mutex<HashMap<usize, Vec<Arc<RegionCode>>>>,
    /// Warp instructions that could have been interpreted while its codes were made.
    invested: AtomicU64,
}

/// The code of a region, and what it is made for.
#[derive(Debug)]
pub struct RegionCode {
    pub code: KernelCode,
    /// Of registers that never change in a launch, and of others.
    pub fixed: Vec<(Register, Holds)>,
    pub frame: Vec<(Register, Holds)>,
    /// For each that the interpreter may be given, its place among the accesses.
    pub access_of: Vec<Option<usize>>,
    /// For each of its accesses: that of the module, and its shape.
    pub accesses: Vec<(usize, Shape)>,
    /// Places of those to global memory.
    pub global: Vec<usize>,
    pub blocks: Vec<BlockWork>,
    /// For each way out: of the basic block that was begun there and counted, the accesses behind it.
    pub ahead: Vec<Vec<CodeAccesses>>,
}

/// What a basic block of a region does each time.
#[derive(Debug)]
pub struct BlockWork {
    /// Its number in the module.
    pub number: usize,
    pub range: Range<u32>,
    pub cycles: u64,
    pub branches: u64,
    /// Of shared memory and of global memory, loads and stores, what is counted of all of them but for sectors and lines.
    pub counted: Vec<CodeAccesses>,
}

impl CompiledKernel {
    pub fn new(code: &DecodedModule, kernel: &KernelFunction) -> Option<CompiledKernel> {
        let range = code.function_ranges().get(kernel.function as usize)?.clone()?;
        if range.len() > MOST_INSTRUCTIONS as usize || range.is_empty() {
            return None;
        }
        let instructions = describe(code, range.clone());
        let first = code.block_of[range.start as usize] as usize;
        let blocks = first..code.block_of[range.end as usize - 1] as usize + 1;
        let its = &code.blocks[blocks.clone()];
        let mut entries = vec![false; its.len()];
        entries[0] = true;
        for (n, block) in its.iter().enumerate() {
            let last = &instructions[(block.end - 1 - range.start) as usize];
            match &last.operation {
                Operation::Branch(to) if *to <= block.end => {
                    let place = code.block_of[*to as usize] as usize;
                    if let Some(entry) = place.checked_sub(first).and_then(|n| entries.get_mut(n)) {
                        *entry = true;
                    }
                }
                Operation::Other { .. } if n + 1 < its.len() => entries[n + 1] = true,
                _ => {}
            }
        }
        Some(CompiledKernel {
            start: range.start,
            written: instructions.iter().flat_map(|its| &its.writes).copied().collect(),
            hoisted: hoisted(code, kernel),
            live: Liveness::of(range.start, &instructions, its),
            instructions: instructions.into(),
            blocks,
            entries,
            codes: Mutex::default(),
            invested: AtomicU64::new(0),
        })
    }

    /// What is known of registers where codes for an entry do not fit a warp: what the last is made for, and what the warp
    /// holds. `None` where there is no code.
    pub fn known_beside<'c>(
        &self,
        codes: impl ExactSizeIterator<Item = &'c RegionCode>,
        registers: &Registers,
    ) -> Option<Vec<(Register, Holds)>> {
        let first = codes.len() == 1;
        let last = codes.last()?;
        let mut known = [&last.fixed[..], &last.frame[..]].concat();
        for (register, before) in &mut known {
            let now = self.observe(registers, *register);
            *before = match (&*before, &now) {
                // A parameter has another value in this launch.
                (Holds::Constant(_), Holds::Constant(_)) if first => now,
                _ => joined(before, &now),
            };
        }
        Some(known)
    }

    /// What was made for an entry before, by the number of its basic block.
    pub fn codes(&self, number: usize) -> Vec<Arc<RegionCode>> {
        lock(&self.codes).get(&number).cloned().unwrap_or_default()
    }

    /// Whether code pays that is made after so many warp instructions of the kernel: what warps took is what they are
    /// likely to take, so no more goes into code than that.
    pub fn is_worth_compiling(&self, work: u64) -> bool {
        work >= self.invested.load(Relaxed)
    }

    fn instruction(&self, pc: u32) -> &Instruction {
        &self.instructions[(pc - self.start) as usize]
    }

    /// Whether a register never changes in a launch.
    fn is_fixed(&self, code: &DecodedModule, register: Register) -> bool {
        self.hoisted.contains(&register) || is_fixed(code, register)
    }

    /// Registers that matter where a warp comes to a region: those that it may read before it writes them, and fixed ones.
    pub fn matter(&self, code: &DecodedModule, blocks: &[RegionBlock]) -> Vec<Register> {
        let numbers = blocks.iter().flat_map(|block| block.range.clone());
        let mut registers: Vec<Register> =
            numbers.flat_map(|pc| &self.instruction(pc).reads).copied().collect();
        let live = &blocks[0].live[0];
        registers.retain(|register| self.is_fixed(code, *register) || live.contains(register));
        registers.sort_unstable();
        registers.dedup();
        registers
    }

    /// What can be reached from a basic block without what is the interpreter's.
    pub fn region(&self, code: &DecodedModule, entry: usize) -> Vec<RegionBlock> {
        let mut found = Vec::new();
        let mut seen = vec![false; self.blocks.len()];
        let mut todo = VecDeque::from([entry]);
        let mut size = 0;
        while let Some(number) = todo.pop_front() {
            let Some(place) = number.checked_sub(self.blocks.start).filter(|&n| n < seen.len()) else {
                continue;
            };
            if std::mem::replace(&mut seen[place], true) {
                continue;
            }
            let block = &code.blocks[number];
            let range = block.start..block.end;
            size += block.end - block.start;
            if size > MOST_OF_REGION {
                continue;
            }
            let live = self.live.within(place, range.clone(), self.start, &self.instructions);
            found.push(RegionBlock { number: number as u32, range, cycles: block.cycles, live });
            let left = |pc| matches!(self.instruction(pc).operation, Operation::Other { .. });
            if (block.start..block.end).any(left) {
                continue;
            }
            let last = self.instruction(block.end - 1);
            let on = || code.block_of.get(block.end as usize).map(|&n| n as usize);
            match &last.operation {
                Operation::Branch(to) => {
                    todo.push_back(code.block_of[*to as usize] as usize);
                    todo.extend(on().filter(|_| last.guard.is_some()));
                }
                _ => todo.extend(on()),
            }
        }
        found
    }

    pub fn observe(&self, registers: &Registers, register: Register) -> Holds {
        observe(registers, register, !self.written.contains(&register))
    }

    /// What is known of registers is joined with what a warp holds.
    pub fn look_again(&self, registers: &Registers, known: &mut [(Register, Holds)]) {
        for (register, before) in known {
            *before = joined(before, &self.observe(registers, *register));
        }
    }

    /// Code of a region, for what registers hold.
    pub fn compile(
        &self,
        emitter: &dyn KernelEmitter,
        code: &DecodedModule,
        blocks: Vec<RegionBlock>,
        known: Vec<(Register, Holds)>,
    ) -> Option<Arc<RegionCode>> {
        let number = blocks.first()?.number as usize;
        let instructions: u64 = blocks.iter().map(|block| block.range.len() as u64).sum();
        self.invested.fetch_add(instructions * COST, Relaxed);
        let its = |register: &Register| self.is_fixed(code, *register);
        let (fixed, frame): (Vec<_>, Vec<_>) = known.iter().cloned().partition(|(register, _)| its(register));
        let region =
            KernelRegion { start: self.start, instructions: self.instructions.clone(), blocks, known };
        let emitted = emitter.emit(&region)?;
        let most = emitted.exits.iter().map(|exit| exit.scalars.len());
        let most = most.chain(emitted.interpreted.iter().map(|its| its.scalars.len())).max();
        if most > Some(MOST_SCALARS) {
            return None;
        }
        let place = |number: u32| emitted.accesses.iter().position(|access| access.number == number);
        let access = |its: &KnownAccess| {
            let index = code.insts[its.number as usize].detail as usize;
            (index, Shape::of(&its.offsets, code.memory[index].width()))
        };
        let mut accesses: Vec<(usize, Shape)> = emitted.accesses.iter().map(access).collect();
        let blocks = region.blocks.iter().map(|block| {
            let its = |n: &usize| block.range.contains(&emitted.accesses[*n].number);
            let its: Vec<usize> = (0..emitted.accesses.len()).filter(its).collect();
            let counted = sums(code, &mut accesses, its);
            let last = region.instruction(block.range.end - 1);
            BlockWork {
                number: block.number as usize,
                range: block.range.clone(),
                cycles: block.cycles,
                branches: u64::from(matches!(last.operation, Operation::Branch(_))),
                counted,
            }
        });
        let blocks = blocks.collect();
        let ahead = emitted.exits.iter().map(|exit| {
            let block = region.blocks.iter().find(|block| exit.within && block.range.contains(&exit.number));
            let rest = block.map_or(0..0, |block| exit.number..block.range.end);
            let its = (0..emitted.accesses.len()).filter(|&n| rest.contains(&emitted.accesses[n].number));
            sums(code, &mut accesses, its)
        });
        let ahead = ahead.collect();
        let made = Arc::new(RegionCode {
            access_of: emitted.interpreted.iter().map(|its| place(its.number)).collect(),
            global: (0..accesses.len())
                .filter(|&n| code.memory[accesses[n].0].space != Space::Shared)
                .collect(),
            accesses,
            blocks,
            ahead,
            code: emitted,
            fixed,
            frame,
        });
        lock(&self.codes).entry(number).or_default().push(made.clone());
        Some(made)
    }
}

fn hoisted(code: &DecodedModule, kernel: &KernelFunction) -> HashSet<Register> {
    let rows = kernel.hoisted.iter().zip(&kernel.hoisted_rows);
    rows.filter_map(|(inst, row)| Some(frame_register(code, (*row)?.dest, inst.d))).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nothing, of an access's kind.
pub fn none(op: &MemoryOp) -> CodeAccesses {
    CodeAccesses {
        warp: 0,
        kind: if let Action::Store = op.action { AccessKind::Write } else { AccessKind::Read },
        shared: op.space == Space::Shared,
        checked: op.space == Space::Shared,
        accesses: 0,
        bytes: 0,
        units: 0,
        least: 0,
        lines: 0,
    }
}

/// What is counted of some accesses, by their places, of a kind together.
fn sums(
    code: &DecodedModule,
    accesses: &mut [(usize, Shape)],
    places: impl IntoIterator<Item = usize>,
) -> Vec<CodeAccesses> {
    let mut sums: Vec<CodeAccesses> = Vec::new();
    for n in places {
        let (index, shape) = &mut accesses[n];
        let one = counted(&code.memory[*index], shape);
        match sums.iter_mut().find(|sum| (sum.kind, sum.shared) == (one.kind, one.shared)) {
            Some(sum) => sum.add(&one),
            None => sums.push(one),
        }
    }
    sums
}

/// What is counted of one access of all lanes, but for sectors and lines.
pub fn counted(op: &MemoryOp, shape: &mut Shape) -> CodeAccesses {
    let none = none(op);
    let (units, least) = match none.shared {
        true => (shape.wavefronts(0) as i64, shape.least_wavefronts() as i64),
        false => (0, 0),
    };
    let least = least.min(units);
    CodeAccesses { accesses: 1, bytes: i64::from(op.width()) * LANES as i64, units, least, ..none }
}
