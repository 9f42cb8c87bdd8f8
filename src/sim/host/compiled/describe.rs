//! Operations as an emitter sees them.

use super::RowCode;
use super::shape::{Shape, Shapes};
use crate::host::op::{CallSite, Function, HostProgram, Kind, Op, Target};
use crate::host::undefined::loaded;
use crate::scalar::bytes_of;
use std::ops::Range;

/// A register of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// Offset in the frame.
    pub at: u32,
    /// 1 for a predicate, which holds if the byte is not zero; 4 or 8 for any other register.
    pub bytes: u32,
}

/// What an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    Register(Register),
    /// Bits that are known when the code is compiled.
    Constant(u64),
}

/// An arithmetic instruction. It reads its operands before it writes.
#[derive(Clone, Debug)]
pub struct Arithmetic {
    /// Opcode and modifiers as written in PTX, without those of rounding, `.ftz` and `.sat`; of several names
    /// with the same meaning, the first in the table. A name with `%` is the simulator's own.
    pub name: &'static str,
    /// Whether it rounds to nearest, keeps subnormals and does not saturate.
    pub plain: bool,
    /// A result of 8 or 16 bits is zero-extended to the register's 32; that of a `cvt` is extended according to
    /// its own sign.
    pub to: Register,
    pub from: Vec<Operand>,
    /// The argument for [`Context::run_row`](super::Context::run_row).
    pub row: *const RowCode,
    /// The constants among the operands: the offset in the frame at which
    /// [`Context::run_row`](super::Context::run_row) reads each, eight bytes long, and its value. A frame
    /// created by machine code does not contain them.
    pub constants: Vec<(u32, u64)>,
}

// SAFETY: the row is read and never written.
unsafe impl Send for Arithmetic {}
// SAFETY: as above.
unsafe impl Sync for Arithmetic {}

/// When a jump is taken.
#[derive(Clone, Debug)]
pub enum JumpCondition {
    Always,
    /// If the predicate holds, or if it does not.
    Predicate(Operand, bool),
    /// If the predicate that the arithmetic writes holds, or if it does not.
    Arithmetic(Arithmetic, bool),
}

/// What a call calls.
#[derive(Clone, Copy, Debug)]
pub enum Callee {
    /// The function with this number.
    Function(u32),
    /// The function whose address the operand holds, if it has this shape:
    /// [`Callable::shape`](super::Callable::shape).
    Address(Operand, Shape),
}

/// A range of bytes in a frame: offset and length.
pub type FrameRange = (u32, u32);

/// One operation.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Arithmetic. An integer division by zero, or by minus one in a signed type, is left to the interpreter.
    Arithmetic(Arithmetic),
    /// Copies an operand to a register.
    Move { to: Register, from: Operand },
    /// Jumps if the condition holds.
    Jump {
        when: JumpCondition,
        /// Number of the operation to jump to.
        to: u32,
        /// What a taken jump adds to the count.
        counted: i64,
        /// Whether it ends a loop that fills or copies memory, so that
        /// [`Context::bulk_from`](super::Context::bulk_from) applies.
        sweeps: bool,
    },
    /// Loads the bytes at `base` plus `offset`, extended to the register.
    Load { to: Register, base: Operand, offset: i64, bytes: u32, signed: bool },
    /// Stores the low bytes of an operand at `base` plus `offset`.
    Store { from: Operand, base: Operand, offset: i64, bytes: u32 },
    /// The address of a local variable: the `variables` that [`Enter`](super::Enter) receives, plus `offset`.
    LocalAddress { to: Register, offset: i64 },
    /// Calls a function of the program whose parameters and results have exactly these sizes.
    Call {
        callee: Callee,
        arguments: Vec<FrameRange>,
        results: Vec<FrameRange>,
        /// What is added to the count before the call, and subtracted from it afterwards.
        counted: i64,
    },
    /// Returns to the caller with the results.
    Return {
        results: Vec<FrameRange>,
        /// What is added to the count.
        counted: i64,
    },
    /// Has no effect.
    Nothing,
    /// Left to the interpreter: what it reads of the frame, and the operations that may come next.
    Other { reads: Vec<FrameRange>, next: Vec<u32> },
}

impl Operation {
    /// Returns the ranges of the frame that it reads.
    pub fn reads(&self) -> Vec<FrameRange> {
        let of = |operands: &[Operand]| operands.iter().filter_map(|operand| operand.range()).collect();
        match self {
            Operation::Arithmetic(row) => of(&row.from),
            Operation::Move { from, .. } => of(&[*from]),
            Operation::Jump { when: JumpCondition::Always, .. }
            | Operation::LocalAddress { .. }
            | Operation::Nothing => Vec::new(),
            Operation::Jump { when: JumpCondition::Predicate(predicate, _), .. } => of(&[*predicate]),
            Operation::Jump { when: JumpCondition::Arithmetic(row, _), .. } => of(&row.from),
            Operation::Load { base, .. } => of(&[*base]),
            Operation::Store { from, base, .. } => of(&[*from, *base]),
            Operation::Call { callee, arguments, .. } => {
                let address = match callee {
                    Callee::Address(address, _) => address.range(),
                    Callee::Function(_) => None,
                };
                arguments.iter().copied().chain(address).collect()
            }
            Operation::Return { results, .. } => results.clone(),
            Operation::Other { reads, .. } => reads.clone(),
        }
    }

    /// Returns the ranges of the frame that it writes.
    pub fn writes(&self) -> Vec<FrameRange> {
        let of = |register: &Register| vec![(register.at, register.bytes)];
        match self {
            Operation::Arithmetic(row) => of(&row.to),
            Operation::Jump { when: JumpCondition::Arithmetic(row, _), .. } => of(&row.to),
            Operation::Move { to, .. } | Operation::Load { to, .. } | Operation::LocalAddress { to, .. } => {
                of(to)
            }
            Operation::Call { results, .. } => results.clone(),
            Operation::Jump { .. }
            | Operation::Store { .. }
            | Operation::Return { .. }
            | Operation::Nothing
            | Operation::Other { .. } => Vec::new(),
        }
    }

    /// Returns the operations that may come after this one, whose number is `here`.
    pub fn next(&self, here: u32) -> Vec<u32> {
        match self {
            Operation::Jump { when: JumpCondition::Always, to, .. } => vec![*to],
            Operation::Jump { to, .. } => vec![*to, here + 1],
            Operation::Return { .. } => Vec::new(),
            Operation::Other { next, .. } => next.clone(),
            _ => vec![here + 1],
        }
    }
}

impl Operand {
    fn range(&self) -> Option<(u32, u32)> {
        match self {
            Operand::Register(register) => Some((register.at, register.bytes)),
            Operand::Constant(_) => None,
        }
    }
}

/// Describes operations of one function.
pub struct Describer<'p> {
    pub program: &'p HostProgram,
    /// The values of the program's constants.
    pub constants: &'p [u64],
    pub shapes: &'p Shapes,
    pub function: &'p Function,
    /// Whether the declaration of a variable without a value has no effect in the code described.
    pub hot: bool,
}

impl Describer<'_> {
    /// Describes a range of the function's operations.
    pub fn describe(&self, range: Range<u32>) -> Vec<Operation> {
        range.map(|number| self.operation(number)).collect()
    }

    fn operand(&self, at: u32, bytes: u32) -> Operand {
        let (first, last) = self.function.constants;
        let constants = self.constants.get(first as usize..last as usize).unwrap_or_default();
        let constant = at.checked_sub(self.function.constants_start);
        match constant.and_then(|at| constants.get(at as usize / 8)) {
            Some(&value) => Operand::Constant(match bytes {
                8 => value,
                bytes => value & ((1 << (8 * bytes)) - 1),
            }),
            None => Operand::Register(Register { at, bytes }),
        }
    }

    fn arithmetic(&self, number: u32, op: &Op) -> Option<Arithmetic> {
        let row = self.program.rows.get(&number)?;
        let from = row.sources.iter().zip(op.operands.s);
        let constant = |at: u32| match self.operand(at, 8) {
            Operand::Constant(value) => Some((at, value)),
            Operand::Register(_) => None,
        };
        Some(Arithmetic {
            constants: from.clone().filter_map(|(_, at)| constant(at)).collect(),
            name: row.names.first()?,
            plain: !row.takes_mode || op.operands.detail == 0,
            to: Register { at: op.operands.d, bytes: bytes_of(row.dest) },
            from: from.map(|(&file, at)| self.operand(at, bytes_of(file))).collect(),
            row: std::ptr::from_ref(op).cast(),
        })
    }

    fn operation(&self, number: u32) -> Operation {
        let op = &self.program.ops[number as usize];
        self.known(number, op).unwrap_or_else(|| self.other(number, op))
    }

    fn known(&self, number: u32, op: &Op) -> Option<Operation> {
        let [first, second, ..] = op.operands.s;
        let to = |bytes| Register { at: op.operands.d, bytes };
        let jump = |when| Operation::Jump {
            when,
            to: op.target,
            counted: op.immediate,
            sweeps: matches!(op.kind, Kind::SweepIf | Kind::SweepUnless),
        };
        Some(match op.kind {
            Kind::Row | Kind::Divide => Operation::Arithmetic(self.arithmetic(number, op)?),
            Kind::RowBranchIf | Kind::SweepIf => {
                jump(JumpCondition::Arithmetic(self.arithmetic(number, op)?, true))
            }
            Kind::RowBranchUnless | Kind::SweepUnless => {
                jump(JumpCondition::Arithmetic(self.arithmetic(number, op)?, false))
            }
            Kind::Move32 => Operation::Move { to: to(4), from: self.operand(first, 4) },
            Kind::Move64 => Operation::Move { to: to(8), from: self.operand(first, 8) },
            Kind::Branch => jump(JumpCondition::Always),
            Kind::BranchIf => jump(JumpCondition::Predicate(self.operand(first, 1), true)),
            Kind::BranchUnless => jump(JumpCondition::Predicate(self.operand(first, 1), false)),
            kind if kind.loads() => {
                let (bytes, signed) = loaded(op);
                let wide = matches!(kind, Kind::Load64 | Kind::LoadTo64);
                Operation::Load {
                    to: to(if wide { 8 } else { 4 }),
                    base: self.operand(first, 8),
                    offset: op.immediate,
                    bytes: bytes as u32,
                    signed,
                }
            }
            Kind::Store8 | Kind::Store16 | Kind::Store32 | Kind::Store64 => {
                let bytes = op.kind.stored_bytes()?;
                let from = self.operand(second, bytes.max(4));
                Operation::Store { from, base: self.operand(first, 8), offset: op.immediate, bytes }
            }
            Kind::LocalAddress => {
                let offset = (op.immediate as u64).wrapping_sub(crate::memory::LOCAL_WINDOW) as i64;
                Operation::LocalAddress { to: to(8), offset }
            }
            // In hot code, such variables were followed before it was compiled.
            Kind::Unset if self.hot => Operation::Nothing,
            Kind::Call => return self.call(number, &self.program.calls[op.target as usize]),
            Kind::Return => {
                let results = self.function.returns.clone();
                self.shapes.of_function(self.function)?;
                Operation::Return { results, counted: self.program.counted[number as usize].into() }
            }
            _ => return None,
        })
    }

    /// Describes a call that passes a function of the program exactly what it takes.
    fn call(&self, number: u32, site: &CallSite) -> Option<Operation> {
        let shape = self.shapes.of_site(site)?;
        let callee = match site.target {
            Target::Function(callee) => {
                let its = self.program.functions.get(callee as usize)?;
                (self.shapes.of_function(its)? == shape).then_some(Callee::Function(callee))?
            }
            Target::Register(at) => Callee::Address(self.operand(at, 8), shape),
        };
        Some(Operation::Call {
            callee,
            arguments: site.arguments.clone(),
            results: site.results.clone(),
            counted: self.program.counted[number as usize].into(),
        })
    }

    fn other(&self, number: u32, op: &Op) -> Operation {
        let [first, ..] = op.operands.s;
        let (mut reads, mut next) = (Vec::new(), vec![number + 1]);
        match op.kind {
            Kind::Call => {
                let site = &self.program.calls[op.target as usize];
                reads.extend_from_slice(&site.arguments);
                if let Target::Register(at) = site.target {
                    reads.push((at, 8));
                }
            }
            Kind::Return => {
                reads.extend_from_slice(&self.function.returns);
                next.clear();
            }
            Kind::BranchIndexed => {
                reads.push((first, 4));
                next = self.program.tables[op.target as usize].iter().map(|&(to, _)| to).collect();
            }
            Kind::Atomic => {
                let atomic = &self.program.atomics[op.target as usize];
                reads.extend([(atomic.base, 8), (atomic.operand, 8)]);
                reads.extend(atomic.comparand.map(|at| (at, 8)));
            }
            Kind::IsSpace => reads.push((first, 8)),
            Kind::Clock => {}
            Kind::Exit | Kind::Trap | Kind::DeviceOnly | Kind::Unsupported => next.clear(),
            // Anything else may read the whole frame.
            _ => reads.push((0, self.function.frame_bytes)),
        }
        Operation::Other { reads, next }
    }
}
