//! Host code as it runs: operations on frames of bytes.

use super::sweep::Sweep;
use crate::memory::access::AtomicFn;
use crate::scalar::{Operands, ScalarFn};
use crate::table::Row;
use std::collections::HashMap;

/// What an operation does. `d` and `s` are its operands, offsets in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The table's row.
    Row,
    /// The row, which writes a predicate; then to `target` where it holds.
    RowBranchIf,
    /// The row, which writes a predicate; then to `target` where it does not hold.
    RowBranchUnless,
    /// As these two, at the end of a loop that [`HostProgram::sweeps`] has under the number `s[3]`.
    SweepIf,
    SweepUnless,
    /// The row, which divides integers; `target` packs its [`Division`](super::division::Division).
    Divide,
    /// Copies of four and eight bytes: `s[0]` to `d`.
    Move32,
    Move64,
    Branch,
    /// To `target` where the predicate `s[0]` holds.
    BranchIf,
    BranchUnless,
    /// To entry `s[0]` of the table numbered `target`.
    BranchIndexed,
    /// Loads at register `s[0]` plus `immediate`, into `d`: bytes read, and bits written.
    Load8To32,
    LoadSigned8To32,
    Load16To32,
    LoadSigned16To32,
    Load32,
    Load64,
    /// `detail` is the bytes read, plus 16 where the sign is extended; `d` has 64 bits.
    LoadTo64,
    /// Stores of the low bytes of register `s[1]` at register `s[0]` plus `immediate`.
    Store8,
    Store16,
    Store32,
    Store64,
    /// An atomic, by its number `target`.
    Atomic,
    /// Calls, by the number `target` of their site.
    Call,
    Return,
    /// Address of byte `immediate` of the function's variables, as the local space has it.
    LocalAddress,
    /// `d`, of `detail` bytes, is a variable that has no value yet.
    Unset,
    /// Whether the address `s[0]` is in the space `detail`.
    IsSpace,
    /// A clock; `detail`: 0 cycles in 32 bits, 1 cycles in 64 bits, 2 nanoseconds.
    Clock,
    Exit,
    Trap,
    /// Code for kernels alone; `target` numbers what it is.
    DeviceOnly,
    /// What we lack; `target` numbers it.
    Unsupported,
    /// In place of another, what its thread has machine code for: the region numbered `target`, entered at
    /// entry `s[0]`.
    Compiled,
}

#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub kind: Kind,
    pub target: u32,
    /// Of rows; does nothing for the others.
    pub run: ScalarFn,
    pub operands: Operands,
    /// An offset; of what may jump, the instructions to add to the count of those run.
    pub immediate: i64,
}

/// The row of what is no row.
pub unsafe fn no_row(_: *mut u8, _: &Operands) {}

/// Where a call goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Function(u32),
    /// Offset in the frame of a function's address.
    Register(u32),
}

/// One call in the code.
#[derive(Clone, Debug)]
pub struct CallSite {
    pub target: Target,
    /// In the caller's frame: start and bytes.
    pub arguments: Vec<(u32, u32)>,
    pub results: Vec<(u32, u32)>,
    /// The arguments as an environment sees them, one after the other: start and bytes.
    pub packed: Vec<(u32, u32)>,
    pub packed_bytes: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct AtomicOp {
    pub apply: AtomicFn,
    pub bytes: u8,
    /// Old value, or none.
    pub d: Option<u32>,
    pub base: u32,
    pub offset: i64,
    pub operand: u32,
    pub comparand: Option<u32>,
}

#[derive(Clone, Debug, Default)]
pub struct Function {
    /// First operation; `None`: the environment's, or a kernel.
    pub start: Option<u32>,
    /// Whether it is a kernel, which host code can't call.
    pub kernel: bool,
    /// Of the frame, with the constants that it ends with.
    pub frame_bytes: u32,
    pub local_bytes: u64,
    /// Range of [`HostProgram::constants`] that a frame ends with.
    pub constants: (u32, u32),
    /// Where in the frame they begin.
    pub constants_start: u32,
    /// In the frame: start and bytes.
    pub params: Vec<(u32, u32)>,
    pub returns: Vec<(u32, u32)>,
    /// PTX instructions of the code before it.
    pub counted: u32,
}

/// A constant of a frame, eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    Bits(u64),
    /// Address of a variable, and an offset.
    Variable(u32, i64),
}

/// A module's host code, decoded.
#[derive(Debug, Default)]
pub struct HostProgram {
    pub ops: Vec<Op>,
    /// For each operation, its place in the source: one more than its number; 0: unknown.
    pub places: Vec<u32>,
    /// For each operation, the PTX instructions of the code up to it, its own too.
    pub counted: Vec<u32>,
    /// By number, as in the module.
    pub functions: Vec<Function>,
    pub constants: Vec<Constant>,
    pub calls: Vec<CallSite>,
    pub atomics: Vec<AtomicOp>,
    /// Branch tables: operation, instructions to add to the count.
    pub tables: Vec<Vec<(u32, i64)>>,
    /// Names of what is for kernels alone.
    pub device_only: Vec<&'static str>,
    pub unsupported: Vec<String>,
    /// The rows of operations that run one.
    pub rows: HashMap<u32, &'static Row>,
    /// Loops that fill or copy memory.
    pub sweeps: Vec<Sweep>,
}
