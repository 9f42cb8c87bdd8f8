//! Ways backwards through a kernel's code: from the use of a register to the instructions that may
//! have written it last.

use crate::code::{
    BarrierKind, CallTarget, CollectiveKind, DecodedModule, Fixed, KernelCode, MatrixCode, System, VoteMode,
    WgmmaOp, What,
};
use crate::lanes::{FIXED, File};
use crate::memory::access::{Action, SINK};
use crate::table::Row;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

pub type Register = (File, u32);

/// Registers looked for at places, after which a walk is given up. What NVRTC makes of a lesson's kernel
/// takes a few thousand.
const MOST_STEPS: usize = 1 << 18;

/// What may have given a register its value.
#[derive(Clone, Copy, Debug)]
pub enum Writer<'a> {
    /// A fixed register has it from the start.
    Fixed(Register),
    /// An instruction, and the register.
    Inst(u32, Register),
    /// What is done once, before the kernel runs.
    Hoisted(&'a crate::code::Inst, &'static Row),
    /// The call that gave a function its argument, and the caller's register with it.
    Argument(u32, Register),
}

/// A kernel's code and that of the functions it reaches, to be walked backwards.
#[derive(Debug)]
pub struct Flow<'a> {
    code: &'a DecodedModule,
    kernel: &'a KernelCode,
    /// For each basic block, those that lead to it.
    before: HashMap<u32, Vec<u32>>,
    fixed: HashMap<Register, &'a Fixed>,
    /// Functions by their first instruction.
    starts: HashMap<u32, u32>,
    /// For each function, the calls of it.
    calls: HashMap<u32, Vec<u32>>,
    /// For each function, where it returns.
    returns: HashMap<u32, Vec<u32>>,
    /// Instructions that access memory.
    pub accesses: Vec<u32>,
}

impl<'a> Flow<'a> {
    pub fn new(code: &'a DecodedModule, kernel: &'a KernelCode) -> Flow<'a> {
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

    /// Takes in a function; those that it calls.
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
                    code.tables.get(inst.detail as usize).into_iter().flatten().for_each(|&to| lead(to));
                    inst.guard.is_some()
                }
                What::Return | What::Exit | What::Trap => inst.guard.is_some(),
                // A failed assertion ends the kernel.
                What::Call => !code.calls[inst.detail as usize].target.fails_assertion(),
                _ => true,
            };
            if last && goes_on {
                lead(pc + 1);
            }
            match inst.what {
                What::Memory => self.accesses.push(pc),
                What::Return => self.returns.entry(function).or_default().push(pc),
                What::Call => {
                    if let CallTarget::Function(callee) = code.calls[inst.detail as usize].target {
                        self.calls.entry(callee).or_default().push(pc);
                        called.push(callee);
                    }
                }
                _ => {}
            }
        }
        called
    }

    /// What a fixed register holds.
    pub fn fixed(&self, register: Register) -> Option<&'a Fixed> {
        self.fixed.get(&register).copied()
    }

    /// The row and the sources of an instruction of arithmetic.
    pub fn arithmetic(&self, pc: u32) -> Option<(&'static Row, [u32; 4])> {
        let row = self.code.origins.get(pc as usize)?.row?;
        Some((row, self.code.insts.get(pc as usize)?.s))
    }

    /// Where a function returns.
    pub fn returns(&self, function: u32) -> impl Iterator<Item = u32> + '_ {
        self.returns.get(&function).into_iter().flatten().copied()
    }

    /// Accesses to memory in the basic block of an instruction.
    pub fn around(&self, pc: u32) -> Vec<u32> {
        let block = self.code.block_of.get(pc as usize).and_then(|&n| self.code.blocks.get(n as usize));
        let Some(block) = block else { return Vec::new() };
        self.accesses.iter().copied().filter(|at| (block.start..block.end).contains(at)).collect()
    }

    /// For each basic block, those that lead to it.
    pub fn before(&self) -> &HashMap<u32, Vec<u32>> {
        &self.before
    }

    /// Whether an instruction writes a register.
    pub fn writes(&self, pc: u32, register: Register) -> bool {
        let (code, inst) = (self.code, &self.code.insts[pc as usize]);
        let own = |file: File| register == (file, inst.d);
        match inst.what {
            What::Lanes(_) => code.origins[pc as usize].row.is_some_and(|row| own(row.dest)),
            What::Memory => {
                let op = &code.memory[inst.detail as usize];
                !matches!(op.action, Action::Store)
                    && register.0 == op.file
                    && op.registers[..op.elements as usize].contains(&register.1)
            }
            What::System(what) => match what {
                System::ActiveMask
                | System::Clock32
                | System::BlockIndex
                | System::SharedRank
                | System::Tensor
                | System::Multiprocessor => own(File::R32),
                System::Clock64 | System::GlobalTimer | System::LocalAddress | System::MapShared => {
                    own(File::R64)
                }
                System::IsSpace => own(File::Pred),
                _ => false,
            },
            What::Call => {
                let call = &code.calls[inst.detail as usize];
                let words = call.results.iter().zip(&call.result_bytes);
                register.0 == File::R32
                    && words
                        .into_iter()
                        .any(|(&first, &bytes)| register.1.wrapping_sub(first) < bytes.div_ceil(4))
            }
            What::Barrier => match code.barriers[inst.detail as usize].kind {
                BarrierKind::RedPopc => own(File::R32),
                BarrierKind::RedAnd | BarrierKind::RedOr => own(File::Pred),
                _ => false,
            },
            What::Collective => match &code.collectives[inst.detail as usize].kind {
                CollectiveKind::Sync => false,
                CollectiveKind::Shuffle { valid, .. } => {
                    own(File::R32) || register.0 == File::Pred && *valid == Some(register.1)
                }
                CollectiveKind::Vote { mode: VoteMode::Ballot, .. } | CollectiveKind::Redux(_) => {
                    own(File::R32)
                }
                CollectiveKind::Vote { .. } => own(File::Pred),
                CollectiveKind::Match { valid, .. } => {
                    own(File::R32) || register.0 == File::Pred && *valid == Some(register.1)
                }
                CollectiveKind::Elect { chosen } => own(File::R32) || register == (File::Pred, *chosen),
                CollectiveKind::Matrix(matrix) => match &**matrix {
                    MatrixCode::Multiply { d, .. } => d.contains(&register.1),
                    MatrixCode::Transpose { d, .. } => register == (File::R32, *d),
                    MatrixCode::WmmaAddresses { d, .. } | MatrixCode::RowAddresses { d, .. } => {
                        register.0 == File::R64 && d.contains(&register.1)
                    }
                },
                CollectiveKind::Group(group) => match &**group {
                    WgmmaOp::Multiply { sums, .. } => register.0 == File::R32 && sums.contains(&register.1),
                    WgmmaOp::Fence | WgmmaOp::Commit | WgmmaOp::Wait(_) => false,
                },
            },
            _ => false,
        }
    }
}

/// Registers still to be looked for, each at a place, and what was met.
#[derive(Debug)]
pub struct Walk<'a> {
    flow: &'a Flow<'a>,
    /// Basic block, one past the instruction to begin with, register.
    open: Vec<(u32, u32, Register)>,
    seen: HashSet<(u32, u32, Register)>,
    met: Vec<Writer<'a>>,
    /// Instructions, calls and fixed registers met before.
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

    /// Looks for what a register holds before instruction `pc`.
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

    /// As [`Walk::before`], of what is done before the kernel runs.
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

    /// The next writer; `Some(None)` when there is none left, `None` when it takes too long.
    pub fn writer(&mut self) -> Option<Option<Writer<'a>>> {
        loop {
            if let Some(writer) = self.met.pop() {
                return Some(Some(writer));
            }
            let Some((block, end, register)) = self.open.pop() else { return Some(None) };
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return None;
            }
            self.step(block, end, register);
        }
    }

    /// Looks through the instructions of a basic block, and for those that lead to it.
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

    /// A register that a function has from its start.
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
                let its = &flow.code.calls[flow.code.insts[call as usize].detail as usize];
                let (Some(&first), true) = (its.arguments.get(n), self.known.insert((call, register))) else {
                    continue;
                };
                self.met.push(Writer::Argument(call, (File::R32, first.saturating_add(word))));
            }
        }
    }
}
