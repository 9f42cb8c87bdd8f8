//! Decoded host code: operations on frames of bytes.

use super::sweep::Sweep;
use crate::memory::access::AtomicFn;
use crate::scalar::{Operands, ScalarFn};
use crate::table::Row;
use std::collections::HashMap;

/// What an operation does. `d` and `s` are its operands, as offsets in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Runs a row of the instruction table.
    Row,
    /// Runs a row that writes the predicate `d`, then jumps to `target` if it holds.
    RowBranchIf,
    /// Runs a row that writes the predicate `d`, then jumps to `target` if it does not hold.
    RowBranchUnless,
    /// As the two above, at the end of the loop with index `s[3]` in [`HostProgram::sweeps`].
    SweepIf,
    SweepUnless,
    /// Runs a row that divides integers; `target` packs its [`Division`](crate::division::Division).
    Divide,
    /// Copies four or eight bytes from `s[0]` to `d`.
    Move32,
    Move64,
    Branch,
    /// Jumps to `target` if the predicate `s[0]` holds.
    BranchIf,
    BranchUnless,
    /// Jumps to entry `s[0]` of the branch table with index `target`.
    BranchIndexed,
    /// Loads from the address in register `s[0]` plus `immediate` into `d`: the bits read, and the bits
    /// written.
    Load8To32,
    LoadSigned8To32,
    Load16To32,
    LoadSigned16To32,
    Load32,
    Load64,
    /// As above, with a 64-bit `d`; `detail` is the number of bytes read, plus 16 if the value is
    /// sign-extended.
    LoadTo64,
    /// Stores the low bytes of register `s[1]` at the address in register `s[0]` plus `immediate`.
    Store8,
    Store16,
    Store32,
    Store64,
    /// Performs the atomic with index `target` in [`HostProgram::atomics`].
    Atomic,
    /// Performs the call with index `target` in [`HostProgram::calls`].
    Call,
    Return,
    /// Writes the local-space address of byte `immediate` of the function's local variables to `d`.
    LocalAddress,
    /// Marks `d`, of `detail` bytes, as a variable that has no value yet.
    Unset,
    /// Tests whether the address `s[0]` is in the state space with number `detail`.
    IsSpace,
    /// Reads a clock; `detail`: 0 for cycles in 32 bits, 1 for cycles in 64 bits, 2 for nanoseconds.
    Clock,
    Exit,
    Trap,
    /// Stops at code that only kernels may run, described by entry `target` of [`HostProgram::device_only`].
    DeviceOnly,
    /// Stops at code that the simulator lacks, described by entry `target` of [`HostProgram::unsupported`].
    Unsupported,
    /// Enters machine code in place of another operation, in a thread's own copy of the operations; `target` is
    /// the index of the entrance.
    Compiled,
}

impl Kind {
    pub fn loads(self) -> bool {
        (Kind::Load8To32 as u8..=Kind::LoadTo64 as u8).contains(&(self as u8))
    }

    /// Returns the bytes that a store stores.
    pub fn stored_bytes(self) -> Option<u32> {
        match self {
            Kind::Store8 => Some(1),
            Kind::Store16 => Some(2),
            Kind::Store32 => Some(4),
            Kind::Store64 => Some(8),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub kind: Kind,
    pub target: u32,
    /// The function that runs the row; [`no_row`] for operations without one.
    pub run: ScalarFn,
    pub operands: Operands,
    /// An address offset; for operations that may jump, what a taken jump adds to the thread's `count`.
    pub immediate: i64,
}

/// The `run` of operations without a row: does nothing.
pub unsafe fn no_row(_: *mut u8, _: &Operands) {}

/// What a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Function(u32),
    /// The function whose address is in the register at this offset in the frame.
    Register(u32),
}

/// A call in the code.
#[derive(Clone, Debug)]
pub struct CallSite {
    pub target: Target,
    /// Where the arguments are in the caller's frame: offset and size in bytes.
    pub arguments: Vec<(u32, u32)>,
    pub results: Vec<(u32, u32)>,
    /// Where the arguments are in the block that an environment receives, one after the other: offset and size
    /// in bytes.
    pub packed: Vec<(u32, u32)>,
    pub packed_bytes: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct AtomicOp {
    pub apply: AtomicFn,
    pub bytes: u8,
    /// Where to write the old value; `None` to discard it.
    pub d: Option<u32>,
    pub base: u32,
    pub offset: i64,
    pub operand: u32,
    pub comparand: Option<u32>,
}

#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The first operation; `None` for kernels and for functions that the environment provides.
    pub start: Option<u32>,
    /// Whether it is a kernel, which host code can't call.
    pub kernel: bool,
    /// Size of the frame in bytes, including the constants at its end.
    pub frame_bytes: u32,
    /// Size of the variables in bytes, with the gaps between them: the offset and the size in bytes of each gap.
    pub local_bytes: u64,
    pub gaps: Vec<(u64, u64)>,
    /// Range of [`HostProgram::constants`] that is copied to the end of each frame.
    pub constants: (u32, u32),
    /// Offset of the first constant in the frame.
    pub constants_start: u32,
    /// Where the parameters are in the frame: offset and size in bytes.
    pub params: Vec<(u32, u32)>,
    pub returns: Vec<(u32, u32)>,
    /// The number of PTX instructions in the code before this function.
    pub counted: u32,
}

/// A constant of a frame, of eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    Bits(u64),
    /// The address of a variable, plus an offset.
    Variable(u32, i64),
}

/// A module's host code, decoded.
#[derive(Debug, Default)]
pub struct HostProgram {
    pub ops: Vec<Op>,
    /// For each operation, its source location: one more than the location's index; 0 if unknown.
    pub places: Vec<u32>,
    /// For each operation, the number of PTX instructions in the code up to and including it.
    pub counted: Vec<u32>,
    /// Functions, by their number in the module.
    pub functions: Vec<Function>,
    pub constants: Vec<Constant>,
    pub calls: Vec<CallSite>,
    pub atomics: Vec<AtomicOp>,
    /// Branch tables: for each entry, the operation to jump to and what the jump adds to the thread's `count`.
    pub tables: Vec<Vec<(u32, i64)>>,
    /// Descriptions of code that only kernels may run.
    pub device_only: Vec<&'static str>,
    pub unsupported: Vec<String>,
    /// The table rows of operations that run one, by operation number.
    pub rows: HashMap<u32, &'static Row>,
    /// Loops that fill or copy memory.
    pub sweeps: Vec<Sweep>,
}
