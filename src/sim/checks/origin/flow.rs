//! Backward data-flow analysis of a kernel's code: from the use of a register to the instructions that may have
//! written it last (its reaching definitions).

use crate::code::registers::Register;
use crate::code::{CallTarget, DecodedKernel, DecodedModule, Fixed, What};
use crate::lanes::{FIXED, File};
use crate::memory::access::SINK;
use crate::table::Row;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// Number of (place, register) pairs visited after which a walk is abandoned. Kernels that NVRTC compiles for the
/// lessons need a few thousand.
const MAX_STEPS: usize = 1 << 18;

/// A possible definition of a register's value.
#[derive(Clone, Copy, Debug)]
pub enum Writer<'a> {
    /// A fixed register, which holds its value from the start.
    Fixed(Register),
    /// An instruction, and the register that it writes.
    Inst(u32, Register),
    /// An instruction that is hoisted: executed once, before the kernel runs.
    Hoisted(&'a crate::code::Inst, &'static Row),
    /// A call that passes a function its argument, and the caller's register that holds the argument.
    Argument(u32, Register),
}

/// The control flow of a kernel and of the functions it reaches, for walking backwards.
#[derive(Debug)]
pub struct Flow<'a> {
    code: &'a DecodedModule,
    kernel: &'a DecodedKernel,
    /// The predecessors of each basic block.
    before: HashMap<u32, Vec<u32>>,
    fixed: HashMap<Register, &'a Fixed>,
    /// Functions, keyed by their first instruction.
    starts: HashMap<u32, u32>,
    /// For each function, the instructions that call it.
    calls: HashMap<u32, Vec<u32>>,
    /// For each function, its return instructions.
    returns: HashMap<u32, Vec<u32>>,
    /// All instructions that access memory.
    pub accesses: Vec<u32>,
}

impl<'a> Flow<'a> {
    pub fn new(code: &'a DecodedModule, kernel: &'a DecodedKernel) -> Flow<'a> {
        let fixed = code.fixed_slots[..code.device.fixed_slots]
            .iter()
            .map(|slot| ((slot.file, slot.register), &slot.value))
            .collect();
        let mut flow = Flow {
            code,
            kernel,
            before: HashMap::new(),
            fixed,
            starts: HashMap::new(),
            calls: HashMap::new(),
            returns: HashMap::new(),
            accesses: Vec::new(),
        };
        let ranges = code.function_ranges();
        let (mut open, mut seen) = (vec![kernel.function], BTreeSet::from([kernel.function]));
        while let Some(function) = open.pop() {
            let Some(Some(range)) = ranges.get(function as usize) else { continue };
            flow.starts.insert(range.start, function);
            for callee in flow.read(function, range.clone()) {
                if seen.insert(callee) {
                    open.push(callee);
                }
            }
        }
        flow
    }

    /// Adds a function, and returns the functions that it calls.
    fn read(&mut self, function: u32, range: Range<u32>) -> Vec<u32> {
        let (code, mut called) = (self.code, Vec::new());
        for pc in range.clone() {
            let (Some(inst), Some(&block)) = (code.insts.get(pc as usize), code.block_of.get(pc as usize))
            else {
                break;
            };
            let last = code.blocks.get(block as usize).is_some_and(|its| its.end == pc + 1);
            let mut lead = |target: u32| {
                if let (true, Some(&to)) = (range.contains(&target), code.block_of.get(target as usize)) {
                    self.before.entry(to).or_default().push(block);
                }
            };
            let goes_on = match inst.what {
                What::Branch => {
                    lead(inst.detail);
                    inst.guard.is_some()
                }
                What::BranchIndexed => {
                    code.details
                        .tables
                        .get(inst.detail as usize)
                        .into_iter()
                        .flatten()
                        .for_each(|&to| lead(to));
                    inst.guard.is_some()
                }
                What::Return | What::Exit | What::Trap => inst.guard.is_some(),
                // A failed assertion ends the kernel, so control never continues after the call.
                What::Call => !code.details.calls[inst.detail as usize].target.fails_assertion(),
                _ => true,
            };
            if last && goes_on {
                lead(pc + 1);
            }
            match inst.what {
                What::Memory => self.accesses.push(pc),
                What::Return => self.returns.entry(function).or_default().push(pc),
                What::Call => {
                    if let CallTarget::Function(callee) = code.details.calls[inst.detail as usize].target {
                        self.calls.entry(callee).or_default().push(pc);
                        called.push(callee);
                    }
                }
                _ => {}
            }
        }
        called
    }

    /// Returns the first instruction of each function.
    pub fn starts(&self) -> impl Iterator<Item = u32> + '_ {
        self.starts.keys().copied()
    }

    /// Returns the value of a fixed register.
    pub fn fixed(&self, register: Register) -> Option<&'a Fixed> {
        self.fixed.get(&register).copied()
    }

    /// Returns the table row and the source registers of an arithmetic instruction.
    pub fn arithmetic(&self, pc: u32) -> Option<(&'static Row, [u32; 4])> {
        let row = self.code.row(pc)?;
        Some((row, self.code.insts.get(pc as usize)?.s))
    }

    /// Returns the return instructions of a function.
    pub fn returns(&self, function: u32) -> impl Iterator<Item = u32> + '_ {
        self.returns.get(&function).into_iter().flatten().copied()
    }

    /// Returns the memory accesses in the basic block of an instruction.
    pub fn around(&self, pc: u32) -> Vec<u32> {
        let block = self.code.block_of.get(pc as usize).and_then(|&n| self.code.blocks.get(n as usize));
        let Some(block) = block else { return Vec::new() };
        self.accesses.iter().copied().filter(|at| (block.start..block.end).contains(at)).collect()
    }

    /// Returns the predecessors of each basic block.
    pub fn before(&self) -> &HashMap<u32, Vec<u32>> {
        &self.before
    }

    /// Returns whether an instruction writes a register.
    pub fn writes(&self, pc: u32, register: Register) -> bool {
        self.code.registers_written(pc).contains(&register)
    }
}

/// A backward search for definitions: the registers still to be resolved, each at a place, and the definitions found
/// so far.
#[derive(Debug)]
pub struct Walk<'a> {
    flow: &'a Flow<'a>,
    /// Basic block, end (exclusive) of the instructions to search in it, register.
    open: Vec<(u32, u32, Register)>,
    seen: HashSet<(u32, u32, Register)>,
    met: Vec<Writer<'a>>,
    /// Instructions, calls and fixed registers that were reported before.
    known: HashSet<(u32, Register)>,
    constants: HashSet<Register>,
    steps: usize,
}

impl<'a> Walk<'a> {
    pub fn new(flow: &'a Flow<'a>) -> Walk<'a> {
        Walk {
            flow,
            open: Vec::new(),
            seen: HashSet::new(),
            met: Vec::new(),
            known: HashSet::new(),
            constants: HashSet::new(),
            steps: 0,
        }
    }

    /// Starts searching for the definitions of `register` that reach instruction `pc`.
    pub fn before(&mut self, pc: u32, register: Register) {
        if register.1 == SINK {
            return;
        }
        if register.1 & FIXED != 0 {
            return self.hoisted(register);
        }
        if let Some(&block) = self.flow.code.block_of.get(pc as usize) {
            self.look(block, pc, register);
        }
    }

    /// As [`Walk::before`], for a register used by code that is hoisted out of the kernel.
    pub fn hoisted(&mut self, register: Register) {
        if !self.constants.insert(register) {
            return;
        }
        if register.1 & FIXED != 0 {
            return self.met.push(Writer::Fixed(register));
        }
        let kernel = self.flow.kernel;
        for (inst, row) in kernel.hoisted.iter().zip(&kernel.hoisted_rows) {
            if let Some(row) = row.filter(|row| (row.dest, inst.d) == register) {
                self.met.push(Writer::Hoisted(inst, row));
            }
        }
    }

    fn look(&mut self, block: u32, end: u32, register: Register) {
        if self.seen.insert((block, end, register)) {
            self.open.push((block, end, register));
        }
    }

    /// Returns the next definition: `Some(None)` if there are no more, `None` if the walk exceeded its limit of
    /// steps.
    pub fn writer(&mut self) -> Option<Option<Writer<'a>>> {
        loop {
            if let Some(writer) = self.met.pop() {
                return Some(Some(writer));
            }
            let Some((block, end, register)) = self.open.pop() else { return Some(None) };
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return None;
            }
            self.step(block, end, register);
        }
    }

    /// Searches a basic block backwards, and queues its predecessors if the register may still be defined earlier.
    fn step(&mut self, block: u32, end: u32, register: Register) {
        let flow = self.flow;
        let start = flow.code.blocks[block as usize].start;
        for pc in (start..end).rev() {
            if flow.writes(pc, register) {
                if self.known.insert((pc, register)) {
                    self.met.push(Writer::Inst(pc, register));
                }
                if !flow.code.insts[pc as usize].guard.is_some() {
                    return;
                }
            }
        }
        if let Some(&function) = flow.starts.get(&start) {
            self.enter(function, register);
        }
        for &earlier in flow.before.get(&block).into_iter().flatten() {
            self.look(earlier, flow.code.blocks[earlier as usize].end, register);
        }
    }

    /// Resolves a register that holds its value at a function's entry: an argument, or a hoisted value.
    fn enter(&mut self, function: u32, register: Register) {
        let flow = self.flow;
        if function == flow.kernel.function {
            self.hoisted(register);
        }
        let slots = flow.code.functions.get(function as usize).map_or(&[][..], |its| &its.params);
        for (n, slot) in slots.iter().enumerate() {
            let word = register.1.wrapping_sub(slot.register);
            if register.0 != File::R32 || word >= slot.words {
                continue;
            }
            for &call in flow.calls.get(&function).into_iter().flatten() {
                let its = &flow.code.details.calls[flow.code.insts[call as usize].detail as usize];
                let (Some(&first), true) = (its.arguments.get(n), self.known.insert((call, register))) else {
                    continue;
                };
                self.met.push(Writer::Argument(call, (File::R32, first.saturating_add(word))));
            }
        }
    }
}
