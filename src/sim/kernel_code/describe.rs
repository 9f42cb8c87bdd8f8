//! Instructions of a kernel as an emitter sees them.

use crate::code::registers;
use crate::code::{DecodedModule, Fixed, Inst, System, What, block_place};
use crate::lanes::{FIXED, File};
use crate::memory::access::{Action, MemoryOp, Order, Role, SINK, Space};
use std::collections::HashMap;
use std::ops::Range;

/// A register of a warp, by its file and its slot there: see [`KernelContext`](super::KernelContext).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    pub file: File,
    pub slot: u32,
}

/// An operand that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    Register(Register),
    /// A constant: the same bits in every lane.
    Constant(u64),
}

/// An arithmetic instruction, executed by every lane. It reads all operands before it writes.
#[derive(Clone, Debug)]
pub struct Arithmetic {
    /// Opcode and modifiers as written in PTX, without those of rounding, `.ftz` and `.sat`; of several names with
    /// the same meaning, the first in the table. A name with `%` is the simulator's own.
    pub name: &'static str,
    /// Whether it rounds to nearest, keeps subnormals and does not saturate.
    pub plain: bool,
    pub to: Register,
    pub from: Vec<Operand>,
}

/// A weak load or store: not an atomic, and without effect on the order of other accesses.
#[derive(Clone, Debug)]
pub struct Access {
    /// Whether it accesses shared memory; otherwise it accesses global memory.
    pub shared: bool,
    pub base: Operand,
    pub offset: i64,
    /// Size of one element in bytes.
    pub element_bytes: u32,
    /// Whether a load of elements narrower than their registers sign-extends them.
    pub signed: bool,
    /// For each element, in order of address, the register to load into or the operand to store; `None` for an
    /// element that is loaded and discarded.
    pub elements: Vec<Option<Operand>>,
}

impl Access {
    /// Returns the number of bytes that each lane accesses.
    pub fn bytes(&self) -> u32 {
        self.element_bytes * self.elements.len() as u32
    }
}

/// The effect of an instruction.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Computes registers from registers.
    Arithmetic(Arithmetic),
    /// Reads one component of [`KernelContext::block_index`](super::KernelContext::block_index).
    BlockIndex { to: Register, axis: u32 },
    /// Reads memory.
    Load(Access),
    /// Writes memory.
    Store(Access),
    /// A branch to the instruction with this number.
    Branch(u32),
    /// Has no effect.
    Nothing,
    /// An instruction that does not end the basic block and that the code hands to the interpreter, which may
    /// write the registers listed in [`Instruction::writes`].
    Interpreted,
    /// Left to the interpreter: the code exits before it. `next` lists the instructions that may follow.
    Other { next: Vec<u32> },
}

/// An instruction of a kernel.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub operation: Operation,
    /// The guard: the predicate that decides which lanes execute the instruction, and whether it is negated.
    pub guard: Option<(Register, bool)>,
    /// Registers that the instruction reads, including its guard, and registers that it writes. For
    /// [`Operation::Other`] no writes are listed. A guarded instruction also reads what it writes, since inactive
    /// lanes keep their values.
    pub reads: Vec<Register>,
    pub writes: Vec<Register>,
}

/// Describes the instructions of kernels in `range`.
pub fn describe(code: &DecodedModule, range: Range<u32>) -> Vec<Instruction> {
    let constants = code.fixed_slots[..code.device.fixed_slots].iter().filter_map(|slot| match slot.value {
        Fixed::Immediate(bits) => Some(((slot.file, slot.register), bits)),
        _ => None,
    });
    let describer = Describer { code, constants: constants.collect() };
    range.map(|number| describer.instruction(number)).collect()
}

struct Describer<'c> {
    code: &'c DecodedModule,
    constants: HashMap<(File, u32), u64>,
}

/// Returns the register that a number in the instructions of the kernel's own function names; the frame of that
/// function is the first.
pub fn frame_register(code: &DecodedModule, file: File, register: u32) -> Register {
    let start = code.device.fixed.of(file);
    let slot = if register & FIXED != 0 { register & !FIXED } else { start + register };
    Register { file, slot }
}

impl Describer<'_> {
    fn register(&self, file: File, register: u32) -> Register {
        frame_register(self.code, file, register)
    }

    fn operand(&self, file: File, register: u32) -> Operand {
        match self.constants.get(&(file, register)) {
            Some(&bits) => Operand::Constant(bits),
            None => Operand::Register(self.register(file, register)),
        }
    }

    fn instruction(&self, number: u32) -> Instruction {
        let inst = &self.code.insts[number as usize];
        let operation = self.operation(number, inst);
        let row = self.code.origins[number as usize].row;
        let reads = registers::reads(self.code, inst, row).into_iter();
        let mut reads: Vec<Register> = reads.map(|(file, register)| self.register(file, register)).collect();
        // Lowering inserted these instructions; the instruction table does not list their operands.
        match inst.what {
            What::System(System::Yield) => reads.push(self.register(File::R32, inst.s[0])),
            What::System(System::CheckDefined) => reads.push(self.register(File::Pred, inst.s[0])),
            _ => {}
        }
        let guard = inst.guard.parts().map(|(p, negated)| (self.register(File::Pred, p), negated));
        let mut writes = match &operation {
            Operation::Arithmetic(its) => vec![its.to],
            Operation::BlockIndex { to, .. } => vec![*to],
            Operation::Load(_) => self.loaded(&self.code.details.memory[inst.detail as usize]),
            Operation::Interpreted => match (inst.what, row) {
                (What::Lanes(_), Some(row)) => vec![self.register(row.dest, inst.d)],
                (What::Memory, _) => self.loaded(&self.code.details.memory[inst.detail as usize]),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        writes.dedup();
        if guard.is_some() {
            // Inactive lanes keep their old values.
            reads.extend(&writes);
        }
        Instruction { operation, guard, reads, writes }
    }

    /// Returns the registers that an access writes.
    fn loaded(&self, op: &MemoryOp) -> Vec<Register> {
        if let Action::Store = op.action {
            return Vec::new();
        }
        let elements = op.registers[..op.elements as usize].iter().filter(|&&register| register != SINK);
        elements.map(|&register| self.register(op.file, register)).collect()
    }

    fn operation(&self, number: u32, inst: &Inst) -> Operation {
        match inst.what {
            What::Lanes(_) => {
                let Some(row) = self.code.origins[number as usize].row else {
                    return self.other(number, inst);
                };
                let Some(name) = row.names.first().filter(|_| inst.guard.parts().is_none()) else {
                    return Operation::Interpreted;
                };
                Operation::Arithmetic(Arithmetic {
                    name,
                    plain: !row.takes_mode || inst.detail == 0,
                    to: self.register(row.dest, inst.d),
                    from: row.sources.iter().zip(inst.s).map(|(&file, s)| self.operand(file, s)).collect(),
                })
            }
            What::Memory => {
                let op = &self.code.details.memory[inst.detail as usize];
                let role = Role { unread: 0, read_only: false, own: false, ..op.role };
                let plain = op.order == Order::Weak && role == Role::default();
                match (self.access(op), op.action) {
                    _ if !plain => self.other(number, inst),
                    (_, Action::Atomic { .. }) => self.other(number, inst),
                    (Some(access), Action::Load) if inst.guard.parts().is_none() => Operation::Load(access),
                    (Some(access), Action::Store) if inst.guard.parts().is_none() => Operation::Store(access),
                    _ => Operation::Interpreted,
                }
            }
            What::System(System::Nothing | System::Unset) => Operation::Nothing,
            What::System(System::BlockIndex)
                if inst.guard.parts().is_none()
                    && (block_place::IN_GRID..block_place::IN_GRID + 3).contains(&inst.detail) =>
            {
                Operation::BlockIndex { to: self.register(File::R32, inst.d), axis: inst.detail }
            }
            What::Branch => Operation::Branch(inst.detail),
            _ => self.other(number, inst),
        }
    }

    fn other(&self, number: u32, inst: &Inst) -> Operation {
        let mut next = match inst.what {
            What::Return | What::Exit | What::Trap => Vec::new(),
            What::BranchIndexed => self.code.details.tables[inst.detail as usize].clone(),
            _ => vec![number + 1],
        };
        if inst.guard.is_some() && !next.contains(&(number + 1)) {
            next.push(number + 1);
        }
        Operation::Other { next }
    }

    fn access(&self, op: &MemoryOp) -> Option<Access> {
        let shared = match op.space {
            Space::Shared => true,
            Space::Global => false,
            _ => return None,
        };
        let element = |&register: &u32| (register != SINK).then(|| self.operand(op.file, register));
        Some(Access {
            shared,
            base: self.operand(File::R64, op.base),
            offset: op.offset,
            element_bytes: u32::from(op.element_bytes),
            signed: op.signed,
            elements: op.registers[..op.elements as usize].iter().map(element).collect(),
        })
    }
}
