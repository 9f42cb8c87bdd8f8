//! The rows of the instruction table that this emitter translates.

use crate::arithmetic::{float_condition, integer_condition};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};

/// What a row computes from integers, predicates or single-precision floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Move,
    Add,
    Sub,
    /// The low half of the product; for `Mad`, plus a third operand.
    Mul,
    Mad,
    /// The product in twice the width; for `MadWide`, plus a third operand of that width.
    MulWide,
    MadWide,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Not,
    Neg,
    Min,
    Max,
    /// Converts to the width of the destination register.
    Convert,
    /// The first operand if the third, a predicate, is true; otherwise the second.
    Select,
    Compare(IntCC),
    FloatCompare(FloatCC),
    Float(Float),
    /// Converts a 32-bit signed integer to a float.
    ToFloat,
}

/// Arithmetic on floats whose result is NaN whenever an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    Add,
    Sub,
    Mul,
    Div,
    Fma,
    Sqrt,
}

/// A row that is translated here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub op: Op,
    /// Width of the operands in bits; 1 for predicates.
    pub bits: u32,
    pub signed: bool,
}

/// Parses the name of a PTX type. Returns its width in bits, and whether it is a signed integer; `None` if the
/// type is not translated here.
fn kind(name: &str) -> Option<(u32, bool)> {
    Some(match name {
        "b32" | "u32" => (32, false),
        "s32" => (32, true),
        "b64" | "u64" => (64, false),
        "s64" => (64, true),
        "pred" => (1, false),
        _ => return None,
    })
}

/// Returns the comparison with this name; `None` also for the two for which x86-64 has no vector instruction.
fn float_comparison(name: &str) -> Option<FloatCC> {
    float_condition(name).filter(|its| !matches!(its, FloatCC::OrderedNotEqual | FloatCC::UnorderedOrEqual))
}

/// Returns the row with this name, in its default mode; `None` if it is left to the interpreter.
pub fn row(name: &str) -> Option<Row> {
    let parts: Vec<&str> = name.split('.').collect();
    let of = |op, name: &str| kind(name).map(|(bits, signed)| Row { op, bits, signed });
    match parts[..] {
        ["setp", comparison, "f32"] => {
            Some(Row { op: Op::FloatCompare(float_comparison(comparison)?), bits: 32, signed: false })
        }
        ["setp", comparison, name] => {
            let (bits, signed) = kind(name)?;
            Some(Row { op: Op::Compare(integer_condition(comparison, signed)?), bits, signed })
        }
        ["mul", "lo", name] => of(Op::Mul, name),
        ["mad", "lo", name] => of(Op::Mad, name),
        ["mul", "wide", name] if name.ends_with("32") => of(Op::MulWide, name),
        ["mad", "wide", name] if name.ends_with("32") => of(Op::MadWide, name),
        ["cvt", "f32", "s32"] => of(Op::ToFloat, "s32"),
        ["cvt", to, from] => kind(to).and_then(|_| of(Op::Convert, from)),
        ["selp", "f32"] => of(Op::Select, "b32"),
        ["selp", "f64"] => of(Op::Select, "b64"),
        ["%widen"] => of(Op::Convert, "u32"),
        ["%low32"] => of(Op::Convert, "u64"),
        [op, "f32"] => {
            let op = match op {
                "add" => Float::Add,
                "sub" => Float::Sub,
                "mul" => Float::Mul,
                "div" => Float::Div,
                "fma" => Float::Fma,
                "sqrt" => Float::Sqrt,
                _ => return None,
            };
            Some(Row { op: Op::Float(op), bits: 32, signed: false })
        }
        [op, name] => {
            let op = match op {
                "mov" => Op::Move,
                "add" => Op::Add,
                "sub" => Op::Sub,
                "shl" => Op::Shl,
                "shr" => Op::Shr,
                "and" => Op::And,
                "or" => Op::Or,
                "xor" => Op::Xor,
                "not" => Op::Not,
                "neg" => Op::Neg,
                "min" => Op::Min,
                "max" => Op::Max,
                "selp" => Op::Select,
                _ => return None,
            };
            of(op, name)
        }
        _ => None,
    }
}
