//! Regions of a kernel, and their code.

use super::assumptions::{meet, observe};
use super::divergences::Divergences;
use super::path::Paths;
use super::plain_access::PlainAccess;
use crate::code::{BarrierKind, DecodedKernel as KernelFunction, DecodedModule, What};
use crate::engine::observer::CompiledAccesses;
use crate::kernel_code::{
    AccessesByKind, CompiledAccess, Exit, InlineAccess, Instruction, Interpreted, KernelCode, KernelEmitter,
    KernelRegion, LaneValues, Liveness, Operation, RegionBlock, Register, describe, frame_register,
};
use crate::lanes::Registers;
use crate::memory::access::{Action, MemoryOp, Order, Space};
use crate::memory::shape::Shape;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// Most instructions of a function that is considered, and of a region: compiling takes time.
const MAX_INSTRUCTIONS: u32 = 20_000;
const MAX_OF_REGION: u32 = 4_000;

/// Warp instructions that the interpreter executes in the time that it takes to compile one instruction.
const COST: u64 = 600;

/// In how many launches in a row code may be tried at an entry and gain too little.
const MAX_REFUSALS: u32 = 4;

/// Most values that an exit may leave in [`KernelContext::scalars`](crate::kernel_code::KernelContext::scalars).
pub const MAX_SCALARS: usize = 512;

/// A kernel's compiled code and the analysis behind it, shared by all its launches.
#[derive(Debug)]
pub struct CompiledKernel {
    /// Number of the first instruction of the kernel's function.
    start: u32,
    instructions: Arc<[Instruction]>,
    /// Registers that instructions of the kernel write. Any other register mostly keeps its value throughout a
    /// launch.
    written: HashSet<Register>,
    /// Registers that a warp computes once, before its first block, and that nothing writes afterwards.
    hoisted: HashSet<Register>,
    live: Liveness,
    /// Indices of the kernel's basic blocks in the module.
    pub blocks: Range<usize>,
    /// For each basic block, whether it may be an entry: the first block, the blocks after barriers, and loop
    /// headers.
    entries: Vec<bool>,
    /// For each basic block, in how many launches in a row code entered there gained too little.
    refusals: Vec<AtomicU32>,
    /// The code of each entry, by the number of the entry's basic block.
    codes: Mutex<HashMap<usize, Vec<Arc<RegionCode>>>>,
    /// Held by the host thread that compiles a region; others would mostly compile the same.
    compiling: Mutex<()>,
    pub divergences: Divergences,
    /// Whether warps may poll memory, so that groups of diverged lanes may take turns: the interpreter then orders them.
    may_poll: bool,
    /// Warp instructions that could have been interpreted in the time spent compiling the kernel.
    invested: AtomicU64,
    pub paths: Mutex<Paths>,
}

/// The code of a region, and the assumptions that it was compiled under.
#[derive(Debug)]
pub struct RegionCode {
    pub code: KernelCode,
    /// The assumptions: about registers that never change during a launch (`fixed`), and about all others
    /// (`frame`).
    pub fixed: Vec<(Register, LaneValues)>,
    pub frame: Vec<(Register, LaneValues)>,
    /// For each instruction that may be handed to the interpreter, the access that it makes without it where it can.
    pub plain_accesses: Vec<Option<PlainAccess>>,
    /// For each access of the code, the index of the module's memory operation, and the access's shape.
    pub accesses: Vec<(usize, Shape)>,
    /// Indices in `accesses` of those to global memory.
    pub global: Vec<usize>,
    /// Indices in `accesses` of those in blocks that the code executes for some lanes only.
    pub masked: Vec<usize>,
    /// What each basic block counts, and then each masked block.
    pub blocks: Vec<BlockWork>,
    /// The divergences that the code was compiled for: [`KernelRegion::divergences`].
    pub divergences: BTreeMap<u32, Vec<u32>>,
    /// For each exit inside a basic block that was already counted, the accesses of the rest of that block, which
    /// were counted but not made.
    pub overcounted: Vec<AccessCounts>,
    /// For each exit, the branches that were counted with its block but not reached: 0 or 1.
    pub overcounted_branches: Vec<u64>,
    /// For each exit, what the warp does there.
    pub next: Vec<AfterExit>,
}

/// What a warp does at an exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterExit {
    /// The interpreter continues.
    Continues,
    /// All lanes leave the kernel.
    Leaves,
    /// All lanes wait at a barrier of the block.
    Waits,
}

/// The accesses by all lanes that code makes itself in a basic block or a part of it.
#[derive(Debug, Default)]
pub struct AccessCounts {
    pub by_kind: AccessesByKind,
    /// One per kind that occurs, without sectors and lines of global memory.
    pub sums: Vec<CompiledAccesses>,
}

/// What a basic block of a region contributes to the counts each time it is executed, apart from what the code counts.
#[derive(Debug)]
pub struct BlockWork {
    /// Whether the block ends with a branch: 0 or 1.
    pub branches: u64,
    pub counted: AccessCounts,
}

impl CompiledKernel {
    /// Analyses a kernel. Returns `None` if its function is empty or too large.
    pub fn new(code: &DecodedModule, kernel: &KernelFunction) -> Option<CompiledKernel> {
        let range = code.function_ranges().get(kernel.function as usize)?.clone()?;
        if range.len() > MAX_INSTRUCTIONS as usize || range.is_empty() {
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
            refusals: entries.iter().map(|_| AtomicU32::new(0)).collect(),
            entries,
            codes: Mutex::default(),
            compiling: Mutex::default(),
            divergences: Divergences::default(),
            may_poll: code.details.memory.iter().any(|op| op.order != Order::Weak),
            invested: AtomicU64::new(0),
            paths: Mutex::default(),
        })
    }

    /// Returns the assumptions for another version of an entry's code when none of the existing `codes` matches a
    /// warp: those of the last version, relaxed to include the contents of the warp's registers. `None` if there
    /// is no code yet.
    pub fn relaxed_assumptions<'c>(
        &self,
        codes: impl ExactSizeIterator<Item = &'c RegionCode>,
        registers: &Registers,
    ) -> Option<Vec<(Register, LaneValues)>> {
        let first = codes.len() == 1;
        let last = codes.last()?;
        let mut assumptions = [&last.fixed[..], &last.frame[..]].concat();
        for (register, before) in &mut assumptions {
            let now = self.observe(registers, *register);
            *before = match (&*before, &now) {
                // A parameter has a different value in this launch.
                (LaneValues::Constant(_), LaneValues::Constant(_)) if first => now,
                _ => meet(before, &now),
            };
        }
        Some(assumptions)
    }

    /// Returns what is known about the branches of a region at which lanes diverge, if code may follow them.
    fn divergences(&self, blocks: &[RegionBlock]) -> BTreeMap<u32, Vec<u32>> {
        if self.may_poll {
            return BTreeMap::new();
        }
        self.divergences.of(blocks.iter().map(|block| block.range.end - 1))
    }

    /// Records whether code entered at a block gained enough in a launch. `place`: the block's index among the kernel's.
    pub fn note_trial(&self, place: usize, is_worth_it: bool) {
        match is_worth_it {
            true => self.refusals[place].store(0, Relaxed),
            false => _ = self.refusals[place].fetch_add(1, Relaxed),
        }
    }

    /// Returns whether code may be entered at a block.
    pub fn is_entry(&self, place: usize) -> bool {
        self.entries[place] && self.refusals[place].load(Relaxed) < MAX_REFUSALS
    }

    /// Returns the versions of an entry's code that have been compiled, by the number of its basic block.
    pub fn codes(&self, number: usize) -> Vec<Arc<RegionCode>> {
        lock(&self.codes).get(&number).cloned().unwrap_or_default()
    }

    /// Begins to compile a region, which ends when what this returns is dropped. Returns `None` if another host thread compiles
    /// one, unless this is to wait for it.
    pub fn begin_compiling(&self, waits: bool) -> Option<MutexGuard<'_, ()>> {
        match self.compiling.try_lock() {
            Err(TryLockError::WouldBlock) if !waits => None,
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Some(lock(&self.compiling)),
            Ok(compiling) => Some(compiling),
        }
    }

    /// Returns whether compiling is worth it once the kernel has executed `work` warp instructions. It is expected
    /// to execute about as many again, so no more than that is invested in compilation.
    pub fn is_worth_compiling(&self, work: u64) -> bool {
        work >= self.invested.load(Relaxed)
    }

    pub fn instruction(&self, pc: u32) -> &Instruction {
        &self.instructions[(pc - self.start) as usize]
    }

    /// Returns whether a register never changes during a launch.
    pub fn is_fixed(&self, code: &DecodedModule, register: Register) -> bool {
        self.hoisted.contains(&register) || register.slot < code.device.fixed.of(register.file)
    }

    /// Returns the registers whose contents matter when a warp enters a region: those that are live there, and the
    /// fixed registers that the region reads.
    pub fn relevant_registers(&self, code: &DecodedModule, blocks: &[RegionBlock]) -> Vec<Register> {
        let numbers = blocks.iter().flat_map(|block| block.range.clone());
        let mut registers: Vec<Register> =
            numbers.flat_map(|pc| &self.instruction(pc).reads).copied().collect();
        let live = &blocks[0].live[0];
        registers.retain(|register| self.is_fixed(code, *register) || live.contains(register));
        registers.sort_unstable();
        registers.dedup();
        registers
    }

    /// Returns whether a basic block of the kernel ends at a barrier.
    pub fn ends_at_barrier(&self, code: &DecodedModule, number: usize) -> bool {
        let last = code.blocks[number].end - 1;
        matches!(code.insts[last as usize].what, What::Barrier)
    }

    /// Returns a basic block of the kernel, by its number in the module.
    pub fn block(&self, code: &DecodedModule, number: usize) -> RegionBlock {
        let block = &code.blocks[number];
        let range = block.start..block.end;
        let place = number - self.blocks.start;
        let live = self.live.in_block(place, range.clone(), self.start, &self.instructions);
        RegionBlock { number: number as u32, range, cycles: block.cycles, live }
    }

    /// Returns the region of an entry: the basic blocks that can be reached from it without executing an
    /// instruction that is left to the interpreter.
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
            size += block.end - block.start;
            if size > MAX_OF_REGION {
                continue;
            }
            found.push(self.block(code, number));
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

    /// Returns what a warp's lanes hold in a register.
    pub fn observe(&self, registers: &Registers, register: Register) -> LaneValues {
        observe(registers, register, !self.written.contains(&register))
    }

    /// Relaxes the facts known about registers to include the contents of a warp's registers.
    pub fn relax(&self, registers: &Registers, assumptions: &mut [(Register, LaneValues)]) {
        for (register, before) in assumptions {
            *before = meet(before, &self.observe(registers, *register));
        }
    }

    /// Compiles a region under the given assumptions about registers, as a further version of its entry's code. Returns
    /// `None` if that is not possible. Like [`CompiledKernel::recompile`], to be called by one host thread at a time.
    pub fn compile(
        &self,
        emitter: &dyn KernelEmitter,
        code: &DecodedModule,
        blocks: Vec<RegionBlock>,
        assumptions: Vec<(Register, LaneValues)>,
    ) -> Option<Arc<RegionCode>> {
        let number = blocks.first()?.number as usize;
        let made = self.make(emitter, code, blocks, assumptions)?;
        lock(&self.codes).entry(number).or_default().push(made.clone());
        Some(made)
    }

    /// Compiles a version of an entry's code again, for the divergences that are known by now, or returns what another host
    /// thread has compiled in its place. `number`: the entry's basic block; `index`: the version's among those of the entry.
    /// Returns `None` if there are no other divergences than those that it was compiled for.
    pub fn recompile(
        &self,
        emitter: &dyn KernelEmitter,
        code: &DecodedModule,
        (number, index): (usize, usize),
        old: &Arc<RegionCode>,
    ) -> Option<Arc<RegionCode>> {
        let latest = lock(&self.codes).get(&number)?.get(index)?.clone();
        if !Arc::ptr_eq(&latest, old) {
            return Some(latest);
        }
        let blocks = self.region(code, number);
        if self.divergences(&blocks) == old.divergences {
            return None;
        }
        let assumptions = [&old.fixed[..], &old.frame[..]].concat();
        let made = self.make(emitter, code, blocks, assumptions)?;
        lock(&self.codes).get_mut(&number)?[index] = made.clone();
        // What was tried is no more.
        self.note_trial(number - self.blocks.start, true);
        Some(made)
    }

    /// Returns some blocks as a region of their own, of whose code this many instructions will be compiled.
    pub fn path_region(
        &self,
        blocks: Vec<RegionBlock>,
        assumptions: Vec<(Register, LaneValues)>,
        instructions: u64,
    ) -> KernelRegion {
        self.invested.fetch_add(instructions * COST, Relaxed);
        KernelRegion {
            start: self.start,
            instructions: self.instructions.clone(),
            divergences: BTreeMap::new(),
            blocks,
            assumptions,
        }
    }

    fn make(
        &self,
        emitter: &dyn KernelEmitter,
        code: &DecodedModule,
        blocks: Vec<RegionBlock>,
        assumptions: Vec<(Register, LaneValues)>,
    ) -> Option<Arc<RegionCode>> {
        let instructions: u64 = blocks.iter().map(|block| block.range.len() as u64).sum();
        self.invested.fetch_add(instructions * COST, Relaxed);
        let its = |register: &Register| self.is_fixed(code, *register);
        let (fixed, frame): (Vec<_>, Vec<_>) =
            assumptions.iter().cloned().partition(|(register, _)| its(register));
        let region = KernelRegion {
            start: self.start,
            instructions: self.instructions.clone(),
            divergences: self.divergences(&blocks),
            blocks,
            assumptions,
        };
        let compiled = emitter.emit(&region)?;
        let emitted = &compiled.description;
        let most = emitted.exits.iter().map(|exit| exit.scalars.len());
        let most = most.chain(emitted.interpreted.iter().map(|its| its.scalars.len())).max();
        if most > Some(MAX_SCALARS) {
            return None;
        }
        let plain_access = |its: &Interpreted| PlainAccess::of(code, its).filter(|_| its.access.is_none());
        let access = |its: &InlineAccess| {
            let index = code.insts[its.number as usize].detail as usize;
            (index, its.shape(code.details.memory[index].width()))
        };
        let mut accesses: Vec<(usize, Shape)> = emitted.accesses.iter().map(access).collect();
        let branches = |block: &RegionBlock| {
            let last = region.instruction(block.range.end - 1);
            u64::from(matches!(last.operation, Operation::Branch(_)))
        };
        // Accesses in masked blocks count themselves as they are made.
        let (masked, whole): (Vec<usize>, Vec<usize>) =
            (0..accesses.len()).partition(|&n| emitted.accesses[n].in_masked_block);
        let within = |range: &Range<u32>| -> Vec<usize> {
            whole.iter().copied().filter(|&n| range.contains(&emitted.accesses[n].number)).collect()
        };
        let work = region.blocks.iter().map(|block| BlockWork {
            branches: branches(block),
            counted: sums(code, &mut accesses, within(&block.range)),
        });
        let mut work: Vec<BlockWork> = work.collect();
        work.extend(emitted.masked_blocks.iter().map(|&block| BlockWork {
            branches: branches(&region.blocks[block]),
            counted: AccessCounts::default(),
        }));
        let left = |exit: &Exit| {
            region.blocks.iter().find(|block| exit.block_counted && block.range.contains(&exit.number))
        };
        let overcounted = emitted.exits.iter().map(|exit| {
            let rest = left(exit).filter(|_| exit.waiting.is_none());
            let rest = rest.map_or(0..0, |block| exit.number..block.range.end);
            sums(code, &mut accesses, within(&rest))
        });
        let overcounted = overcounted.collect();
        let next = |exit: &Exit| {
            let inst = &code.insts[exit.number as usize];
            match inst.what {
                _ if !exit.block_counted || inst.guard.parts().is_some() || exit.waiting.is_some() => {
                    AfterExit::Continues
                }
                What::Exit | What::Return => AfterExit::Leaves,
                What::Barrier => match code.details.barriers[inst.detail as usize].kind {
                    BarrierKind::Sync => AfterExit::Waits,
                    _ => AfterExit::Continues,
                },
                _ => AfterExit::Continues,
            }
        };
        Some(Arc::new(RegionCode {
            plain_accesses: emitted.interpreted.iter().map(plain_access).collect(),
            global: (0..accesses.len())
                .filter(|&n| code.details.memory[accesses[n].0].space != Space::Shared)
                .collect(),
            masked,
            accesses,
            blocks: work,
            divergences: region.divergences.clone(),
            overcounted,
            overcounted_branches: emitted.exits.iter().map(|exit| left(exit).map_or(0, branches)).collect(),
            next: emitted.exits.iter().map(next).collect(),
            code: compiled,
            fixed,
            frame,
        }))
    }
}

fn hoisted(code: &DecodedModule, kernel: &KernelFunction) -> HashSet<Register> {
    let rows = kernel.hoisted.iter().zip(&kernel.hoisted_rows);
    rows.filter_map(|(inst, row)| Some(frame_register(code, (*row)?.dest, inst.d))).collect()
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the kind of an access that code performs itself.
pub fn kind_of(op: &MemoryOp) -> CompiledAccess {
    CompiledAccess::new(op.space == Space::Shared, matches!(op.action, Action::Store))
}

/// Returns the counts of the accesses with these indices.
fn sums(
    code: &DecodedModule,
    accesses: &mut [(usize, Shape)],
    places: impl IntoIterator<Item = usize>,
) -> AccessCounts {
    let mut counts = AccessCounts::default();
    for n in places {
        let (index, shape) = &mut accesses[n];
        let one = counted(&code.details.memory[*index], shape);
        counts.by_kind[one.kind as usize] += 1;
        add_to(&mut counts.sums, one);
    }
    counts
}

/// Adds accesses to the sum of their kind.
pub fn add_to(sums: &mut Vec<CompiledAccesses>, more: CompiledAccesses) {
    match sums.iter_mut().find(|sum| sum.kind == more.kind) {
        Some(sum) => sum.add(&more),
        None => sums.push(more),
    }
}

/// Returns the counts for one access, without sectors and lines.
pub fn counted(op: &MemoryOp, shape: &mut Shape) -> CompiledAccesses {
    let (units, least) = match op.space {
        Space::Shared => (shape.wavefronts(0) as i64, shape.least_wavefronts() as i64),
        _ => (0, 0),
    };
    let lanes = i64::from(shape.mask().count_ones());
    let bytes = i64::from(op.width()) * lanes;
    CompiledAccesses {
        kind: kind_of(op),
        accesses: 1,
        lanes,
        bytes,
        units,
        least: least.min(units),
        lines: 0,
    }
}
