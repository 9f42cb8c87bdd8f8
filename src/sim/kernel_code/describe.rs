//! Instructions of a kernel as an emitter sees them.

use crate::code::{DecodedModule, Fixed, Inst, System, What, block_place};
use crate::lanes::{FIXED, File};
use crate::lower::reads_of;
use crate::memory::access::{Action, MemoryOp, Order, Role, SINK, Space};
use std::collections::HashMap;
use std::ops::Range;

/// A register of a warp, by its slot in the file: [`KernelContext`](super::KernelContext).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    pub file: File,
    pub slot: u32,
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    Register(Register),
    /// The same bits in every lane.
    Constant(u64),
}

/// An arithmetic instruction, for each lane. It reads its operands before it writes.
#[derive(Clone, Debug)]
pub struct Arithmetic {
    /// Opcode and modifiers as PTX writes them, less those of rounding, `.ftz` and `.sat`; of names that mean the
    /// same, the table's first. A name with `%` is of the simulator's own table.
    pub name: &'static str,
    /// Rounding is to nearest, subnormals are kept, nothing saturates.
    pub plain: bool,
    pub to: Register,
    pub from: Vec<Operand>,
}

/// A load or a store of words that are the thread's alone to order.
#[derive(Clone, Debug)]
pub struct Access {
    /// Of shared memory; else of global memory.
    pub shared: bool,
    pub base: Operand,
    pub offset: i64,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// Loads of 1 and 2 bytes: extended by their sign.
    pub signed: bool,
    /// Where the elements, which lie one behind the other, go or come from; `None`: nowhere.
    pub elements: Vec<Option<Operand>>,
}

impl Access {
    /// Bytes of a lane.
    pub fn bytes(&self) -> u32 {
        self.element_bytes * self.elements.len() as u32
    }
}

/// What an instruction does.
#[derive(Clone, Debug)]
pub enum Operation {
    Arithmetic(Arithmetic),
    /// [`KernelContext::block_index`](super::KernelContext::block_index), of an axis.
    BlockIndex {
        to: Register,
        axis: u32,
    },
    Load(Access),
    Store(Access),
    /// To the instruction of a number.
    Branch(u32),
    /// No effect.
    Nothing,
    /// Within a basic block: to be handed to the interpreter, which may write the registers.
    Interpreted,
    /// The interpreter's: code ends before it. The instructions that may come next.
    Other {
        next: Vec<u32>,
    },
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub operation: Operation,
    /// The predicate by which lanes take part, and whether it must be false.
    pub guard: Option<(Register, bool)>,
    /// Registers that it reads, its guard among them, and those that it writes; of [`Operation::Other`], no writes are
    /// named.
    pub reads: Vec<Register>,
    pub writes: Vec<Register>,
}

/// Describes instructions of kernels.
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

/// The slot of a register as the kernel's own function, whose frame is the first, names it.
pub fn frame_register(code: &DecodedModule, file: File, register: u32) -> Register {
    let fixed = code.device.fixed;
    let start = match file {
        File::R32 => fixed.r32,
        File::R64 => fixed.r64,
        File::Pred => fixed.preds,
    };
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
        let reads = reads_of(self.code, inst, row).into_iter();
        let mut reads: Vec<Register> = reads.map(|(file, register)| self.register(file, register)).collect();
        // What lowering made for itself.
        match inst.what {
            What::System(System::Yield) => reads.push(self.register(File::R32, inst.s[0])),
            What::System(System::CheckDefined) => reads.push(self.register(File::Pred, inst.s[0])),
            _ => {}
        }
        let guard = inst.guard.parts().map(|(p, negated)| (self.register(File::Pred, p), negated));
        let mut writes = match &operation {
            Operation::Arithmetic(its) => vec![its.to],
            Operation::BlockIndex { to, .. } => vec![*to],
            Operation::Load(_) => self.loaded(&self.code.memory[inst.detail as usize]),
            Operation::Interpreted => match (inst.what, row) {
                (What::Lanes(_), Some(row)) => vec![self.register(row.dest, inst.d)],
                (What::Memory, _) => self.loaded(&self.code.memory[inst.detail as usize]),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        writes.dedup();
        if guard.is_some() {
            // Lanes that take no part keep what they had.
            reads.extend(&writes);
        }
        Instruction { operation, guard, reads, writes }
    }

    /// Registers that an access writes.
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
                let op = &self.code.memory[inst.detail as usize];
                let plain = op.order == Order::Weak && Role { unread: 0, ..op.role } == Role::default();
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
            What::BranchIndexed => self.code.tables[inst.detail as usize].clone(),
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
