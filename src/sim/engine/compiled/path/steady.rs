//! What of a recorded block is the same in every block of a launch.
//!
//! A value is steady if it follows from registers that never change during a launch: from parameters and thread indices, but
//! neither from the block's index nor from memory. Where all branches depend on steady values, all blocks execute the same;
//! where the addresses in shared memory do, all blocks access the same elements of it. Steady values are computed here once
//! more, so that the accesses of all warps to shared memory can be checked: between two barriers, no thread may access a word
//! that another one stores to, and what is read must have been written.

use super::execute;
use super::record::RecordedStep;
use crate::code::{BarrierKind, DecodedModule, What};
use crate::engine::compiled::CompiledKernel;
use crate::engine::warp::Warp;
use crate::kernel_code::{
    Access, Instruction, KernelPath, LaneValues, Operand, Operation, PathBranch, PathPart, PathPhase,
    PathStep, RegionBlock, Register,
};
use crate::lanes::{FIXED, FULL, LANES, Lanes64, lanes_of};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Most instructions of a path, and most accesses to global memory: compiling takes time.
const MAX_INSTRUCTIONS: usize = 4_000;
const MAX_ACCESSES: usize = 256;

/// Most registers of those that never change on which a path depends.
const MAX_FIXED: usize = 128;

/// A path, and when it may be followed.
pub struct SteadyPath {
    pub path: KernelPath,
    /// The registers whose values decide which way the warps go and which elements of shared memory they access, with these
    /// values in each warp.
    pub decisive: Vec<(Register, Vec<Lanes64>)>,
    /// For each warp, how long its chain of dependent instructions is, in cycles.
    pub cycles: Vec<u64>,
    /// How many instructions the warps execute together.
    pub instructions: u64,
    /// For each basic block that is executed, its number in the module, and how often that is by a warp and by a thread.
    pub runs: Vec<(u32, [u64; 2])>,
}

/// What is known of a register of a warp.
#[derive(Clone, Copy, Debug, Default)]
struct Steady {
    /// The lanes in which its value is steady.
    lanes: u32,
    /// The registers that it follows from: one bit for each of [`Analysis::fixed`].
    from: u128,
}

/// A word of shared memory.
#[derive(Clone, Copy, Debug)]
struct Word {
    /// The last phase in which it was accessed; by which thread, or by several; and whether one stored to it then.
    phase: usize,
    thread: u32,
    by_several: bool,
    stored: bool,
    /// Whether it has been written.
    written: bool,
}

struct Analysis<'a> {
    kernel: &'a CompiledKernel,
    code: &'a DecodedModule,
    shared_bytes: u64,
    fixed: Vec<Register>,
    /// Which of `fixed` decide something.
    decisive: u128,
    diverging: BTreeSet<u32>,
    words: HashMap<u64, Word>,
    phase: usize,
}

/// Finds the path that a block's warps have followed. `warps`: those of a block that has just begun; registers of the kernel's
/// frame are changed, which nothing reads before it writes them. `steps`: what each of them has executed. Returns `None` if
/// other blocks may do something else.
pub fn path(
    kernel: &CompiledKernel,
    code: &DecodedModule,
    (warps, shared_bytes): (&mut [Warp], u64),
    steps: &[Vec<RecordedStep>],
) -> Option<SteadyPath> {
    let mut runs: BTreeMap<u32, [u64; 2]> = BTreeMap::new();
    for step in steps.iter().flatten() {
        let [by_warps, by_threads] = runs.entry(step.block).or_default();
        *by_warps += 1;
        *by_threads += u64::from(step.mask.count_ones());
    }
    let blocks: Vec<RegionBlock> = runs.keys().map(|&number| kernel.block(code, number as usize)).collect();
    let mut analysis = Analysis {
        kernel,
        code,
        shared_bytes,
        fixed: Vec::new(),
        decisive: 0,
        diverging: BTreeSet::new(),
        words: HashMap::new(),
        phase: 0,
    };
    let (phases, compiled) = analysis.phases(&blocks, warps, steps)?;
    let assumptions = analysis.assumptions(warps);
    let decisive = (0..analysis.fixed.len()).filter(|&n| analysis.decisive >> n & 1 != 0);
    let values = |register: Register| (register, warps.iter().map(|warp| raw(warp, register)).collect());
    let decisive = decisive.map(|n| values(analysis.fixed[n])).collect();
    let cycles = |step: &RecordedStep| code.blocks[step.block as usize].cycles;
    let region = kernel.path_region(blocks, assumptions, compiled as u64);
    let executed = region.blocks.iter().zip(runs.values());
    Some(SteadyPath {
        decisive,
        cycles: steps.iter().map(|steps| steps.iter().map(cycles).sum()).collect(),
        instructions: executed.map(|(block, [by_warps, _])| block.range.len() as u64 * by_warps).sum(),
        runs: runs.into_iter().collect(),
        path: KernelPath { region, phases, diverging: analysis.diverging },
    })
}

fn raw(warp: &Warp, register: Register) -> Lanes64 {
    warp.registers.raw((register.file, register.slot as usize))
}

impl Analysis<'_> {
    /// Divides what warps have executed at barriers, and follows it. `blocks`: those that are executed, by their numbers.
    /// Returns the phases, and how many instructions are to be compiled for them; `None` if they are too many, or if another
    /// block may do something else.
    fn phases(
        &mut self,
        blocks: &[RegionBlock],
        warps: &mut [Warp],
        steps: &[Vec<RecordedStep>],
    ) -> Option<(Vec<PathPhase>, usize)> {
        let mut rest: Vec<&[RecordedStep]> = steps.iter().map(Vec::as_slice).collect();
        let mut known: Vec<HashMap<Register, Steady>> = vec![HashMap::new(); warps.len()];
        let (mut phases, mut instructions, mut accesses) = (Vec::new(), 0, 0);
        while rest.iter().any(|steps| !steps.is_empty()) {
            let mut parts: PathPhase = Vec::new();
            for (n, warp) in warps.iter_mut().enumerate() {
                let ends = |step: &RecordedStep| self.kernel.ends_at_barrier(self.code, step.block as usize);
                let end = rest[n].iter().position(ends).map_or(rest[n].len(), |last| last + 1);
                let (now, later) = rest[n].split_at(end);
                rest[n] = later;
                let mut its: Vec<PathStep> = Vec::new();
                for (at, step) in now.iter().enumerate() {
                    let block = blocks.binary_search_by_key(&step.block, |block| block.number).ok()?;
                    let branch = self.step(warp, &mut known[n], step, now.get(at + 1))?;
                    its.push(PathStep { block, mask: step.mask, branch });
                }
                match parts.last_mut() {
                    _ if its.is_empty() => {}
                    Some(last) if last.warps.end == n && last.steps == its => last.warps.end += 1,
                    _ => {
                        instructions += its.iter().map(|step| blocks[step.block].range.len()).sum::<usize>();
                        accesses +=
                            its.iter().map(|step| self.global_accesses(&blocks[step.block])).sum::<usize>();
                        parts.push(PathPart { warps: n..n + 1, steps: its });
                    }
                }
            }
            if instructions > MAX_INSTRUCTIONS || accesses > MAX_ACCESSES {
                return None;
            }
            phases.push(parts);
            self.phase += 1;
        }
        Some((phases, instructions))
    }

    /// Returns how many accesses to global memory a basic block has.
    fn global_accesses(&self, block: &RegionBlock) -> usize {
        let is_global = |number: &u32| match &self.kernel.instruction(*number).operation {
            Operation::Load(access) | Operation::Store(access) => !access.shared,
            _ => false,
        };
        block.range.clone().filter(is_global).count()
    }

    /// Follows a step of a warp: computes what is steady and checks accesses. Returns what the branch at its end depends on;
    /// `None` if another block may do something else.
    fn step(
        &mut self,
        warp: &mut Warp,
        known: &mut HashMap<Register, Steady>,
        step: &RecordedStep,
        next: Option<&RecordedStep>,
    ) -> Option<PathBranch> {
        let block = &self.code.blocks[step.block as usize];
        let mut branch = PathBranch::Known;
        for number in block.start..block.end {
            let instruction = self.kernel.instruction(number);
            for &register in &instruction.reads {
                if self.kernel.is_fixed(self.code, register) {
                    self.number_of(register)?;
                }
            }
            match &instruction.operation {
                Operation::Nothing => {}
                Operation::Arithmetic(its) => {
                    let steady = self.all(known, &instruction.reads, step.mask);
                    if steady.is_some() {
                        execute(warp, &self.code.insts[number as usize], step.mask);
                        self.diverging.insert(number);
                    }
                    set(known, its.to, step.mask, steady);
                }
                Operation::BlockIndex { to, .. } => set(known, *to, step.mask, None),
                Operation::Load(access) => {
                    self.access(warp, known, (access, false), step.mask)?;
                    instruction.writes.iter().for_each(|&register| set(known, register, step.mask, None));
                }
                Operation::Store(access) => self.access(warp, known, (access, true), step.mask)?,
                Operation::Branch(to) => {
                    branch = self.branch(known, instruction, (number, *to), step, next)?
                }
                Operation::Other { .. } => self.other(known, instruction, number, step.mask)?,
                Operation::Interpreted => return None,
            }
        }
        Some(branch)
    }

    /// Returns what a steady value follows from that is computed from these registers for some lanes; `None` if it is not
    /// steady.
    fn all(&mut self, known: &HashMap<Register, Steady>, reads: &[Register], mask: u32) -> Option<u128> {
        let mut from = 0;
        for &register in reads {
            from |= match self.kernel.is_fixed(self.code, register) {
                true => 1 << self.number_of(register)?,
                false => known.get(&register).filter(|its| its.lanes & mask == mask)?.from,
            };
        }
        Some(from)
    }

    fn number_of(&mut self, register: Register) -> Option<usize> {
        let found = self.fixed.iter().position(|&its| its == register);
        found.or_else(|| {
            self.fixed.push(register);
            (self.fixed.len() <= MAX_FIXED).then_some(self.fixed.len() - 1)
        })
    }

    fn branch(
        &mut self,
        known: &HashMap<Register, Steady>,
        instruction: &Instruction,
        (number, to): (u32, u32),
        step: &RecordedStep,
        next: Option<&RecordedStep>,
    ) -> Option<PathBranch> {
        let Some((predicate, _)) = instruction.guard else { return Some(PathBranch::Known) };
        if let Some(from) = self.all(known, &[predicate], step.mask) {
            self.decisive |= from;
            return Some(PathBranch::Known);
        }
        let next = next.filter(|next| next.mask == step.mask && step.mask == FULL && to != number + 1)?;
        Some(match self.code.blocks[next.block as usize].start {
            start if start == to => PathBranch::Taken,
            start if start == number + 1 => PathBranch::NotTaken,
            _ => return None,
        })
    }

    /// Looks at the end of the kernel, or a barrier.
    fn other(
        &mut self,
        known: &HashMap<Register, Steady>,
        instruction: &Instruction,
        number: u32,
        mask: u32,
    ) -> Option<()> {
        let inst = &self.code.insts[number as usize];
        match (inst.what, instruction.guard) {
            (What::Exit | What::Return, None) => {}
            (What::Exit | What::Return, Some((predicate, _))) => {
                self.decisive |= self.all(known, &[predicate], mask)?;
            }
            (What::Barrier, None) => {
                let op = &self.code.details.barriers[inst.detail as usize];
                let is_plain = op.kind == BarrierKind::Sync && op.threads.is_none() && op.id & FIXED != 0;
                return (is_plain && mask == FULL).then_some(());
            }
            _ => return None,
        }
        Some(())
    }

    /// Looks at an access of a warp. Shared memory must be accessed in the same way by all blocks, and rightly.
    fn access(
        &mut self,
        warp: &Warp,
        known: &HashMap<Register, Steady>,
        (access, stores): (&Access, bool),
        mask: u32,
    ) -> Option<()> {
        if !access.shared {
            return Some(());
        }
        let base = match access.base {
            Operand::Constant(bits) => [bits; LANES],
            Operand::Register(register) => {
                self.decisive |= self.all(known, &[register], mask)?;
                raw(warp, register)
            }
        };
        let bytes = u64::from(access.bytes());
        for lane in lanes_of(mask) {
            let address = base[lane].wrapping_add_signed(access.offset);
            let within = address.checked_add(bytes).is_some_and(|end| end <= self.shared_bytes);
            if !within || !address.is_multiple_of(bytes) || !access.element_bytes.is_multiple_of(4) {
                return None;
            }
            let thread = warp.index * LANES as u32 + lane as u32;
            for word in address / 4..(address + bytes) / 4 {
                self.word(word, thread, stores)?;
            }
        }
        Some(())
    }

    /// Looks at an access to a word of shared memory. Returns `None` if threads may race there, or it was not written.
    fn word(&mut self, word: u64, thread: u32, stores: bool) -> Option<()> {
        let phase = self.phase;
        let new = Word { phase, thread, by_several: false, stored: false, written: false };
        let its = self.words.entry(word).or_insert(new);
        if its.phase != phase {
            *its = Word { written: its.written, ..new };
        }
        its.by_several |= its.thread != thread;
        its.stored |= stores;
        its.written |= stores;
        (its.written && !(its.by_several && its.stored)).then_some(())
    }

    /// Returns what code may assume about the registers that never change. Those that decide nothing may have other values in
    /// another launch.
    fn assumptions(&self, warps: &[Warp]) -> Vec<(Register, LaneValues)> {
        let of = |(n, &register): (usize, &Register)| {
            let mut facts = [(register, self.kernel.observe(&warps[0].registers, register))];
            warps[1..].iter().for_each(|warp| self.kernel.relax(&warp.registers, &mut facts));
            let [(register, lane_values)] = facts;
            let is_decisive = self.decisive >> n & 1 != 0;
            match lane_values {
                LaneValues::Constant(_) if !is_decisive => (register, LaneValues::Offsets([0; LANES].into())),
                known => (register, known),
            }
        };
        self.fixed.iter().enumerate().map(of).collect()
    }
}

/// Records whether a register holds steady values after lanes have written it.
fn set(known: &mut HashMap<Register, Steady>, register: Register, mask: u32, steady: Option<u128>) {
    let its = known.entry(register).or_default();
    match steady {
        Some(from) => {
            its.from = if mask == FULL { from } else { its.from | from };
            its.lanes |= mask;
        }
        None => its.lanes &= !mask,
    }
}
