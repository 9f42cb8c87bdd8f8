//! Which instructions have their values inspected, as determined from the code.

use crate::code::registers::Register;
use crate::code::{DecodedModule, What};
use crate::lanes::{FIXED, File};
use crate::table::Row;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What is inspected in an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Watched {
    #[default]
    /// Nothing.
    Nothing,
    /// Float arithmetic: the operands and the result are floats of `bytes` bytes.
    Float { bytes: u8, op: FloatOp },
    /// 32-bit integer arithmetic that feeds an address through a signed widening conversion.
    Index(IndexOp),
    /// Conversion of a float of `bytes` bytes to an integer between `least` and `most`.
    Truncate { bytes: u8, least: f64, most: f64 },
    /// Conversion of a float of `from` bytes to one of `to` bytes.
    Narrow { from: u8, to: u8 },
}

/// An operation on floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    /// A function of one operand, by its mathematical name.
    Of(&'static str),
}

/// A 32-bit integer operation that takes part in an address computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexOp {
    Add,
    Sub,
    Mul,
    Mad,
    Shl,
}

/// Returns what is inspected in each instruction, indexed by program counter.
pub fn watched(code: &DecodedModule) -> Vec<Watched> {
    let mut all: Vec<Watched> =
        code.origins.iter().map(|origin| origin.row.map_or(Watched::Nothing, of_row)).collect();
    for (pc, op) in indices(code) {
        if let Some(slot) = all.get_mut(pc as usize) {
            *slot = Watched::Index(op);
        }
    }
    all
}

fn of_row(row: &Row) -> Watched {
    row.names
        .iter()
        .map(|name| of_name(name))
        .find(|watched| *watched != Watched::Nothing)
        .unwrap_or_default()
}

fn of_name(name: &str) -> Watched {
    let parts: Vec<&str> = name.split('.').collect();
    let float = |ty: &str| match ty {
        "f32" => Some(4),
        "f64" => Some(8),
        "f16" => Some(2),
        _ => None,
    };
    match parts.as_slice() {
        ["cvt", "rzi", to, from] => match (float(from), range(to)) {
            (Some(bytes @ (4 | 8)), Some((least, most))) => Watched::Truncate { bytes, least, most },
            _ => Watched::Nothing,
        },
        ["cvt", to, from] => match (float(to), float(from)) {
            (Some(to), Some(from)) if to < from => Watched::Narrow { from, to },
            _ => Watched::Nothing,
        },
        [op, .., ty] => match (float_op(op), float(ty)) {
            (Some(op), Some(bytes)) => Watched::Float { bytes, op },
            _ => Watched::Nothing,
        },
        _ => Watched::Nothing,
    }
}

fn float_op(opcode: &str) -> Option<FloatOp> {
    Some(match opcode {
        "add" => FloatOp::Add,
        "sub" => FloatOp::Sub,
        "mul" => FloatOp::Mul,
        "fma" | "mad" => FloatOp::Fma,
        "div" => FloatOp::Div,
        "rcp" => FloatOp::Of("1/"),
        "sqrt" => FloatOp::Of("sqrt"),
        "rsqrt" => FloatOp::Of("rsqrt"),
        "ex2" => FloatOp::Of("exp2"),
        "lg2" => FloatOp::Of("log2"),
        "sin" => FloatOp::Of("sin"),
        "cos" => FloatOp::Of("cos"),
        _ => return None,
    })
}

/// Returns the least and the greatest value of an integer type.
fn range(ty: &str) -> Option<(f64, f64)> {
    Some(match ty {
        "s8" => (i8::MIN.into(), i8::MAX.into()),
        "u8" => (0.0, u8::MAX.into()),
        "s16" => (i16::MIN.into(), i16::MAX.into()),
        "u16" => (0.0, u16::MAX.into()),
        "s32" => (i32::MIN.into(), i32::MAX.into()),
        "u32" => (0.0, u32::MAX.into()),
        "s64" => (i64::MIN as f64, i64::MAX as f64),
        "u64" => (0.0, u64::MAX as f64),
        _ => return None,
    })
}

/// Returns the 32-bit arithmetic that leads to an address, found by following register definitions backwards from the
/// base addresses of memory instructions. Control flow is ignored: every instruction that writes a register counts as
/// its definition.
fn indices(code: &DecodedModule) -> Vec<(u32, IndexOp)> {
    let mut ranges: Vec<Range<u32>> = code.function_ranges().into_iter().flatten().collect();
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.into_iter().flat_map(|range| of_function(code, range)).collect()
}

/// The instructions that addresses are computed with: how many of their first operands are followed further, and what
/// they do to an index of 32 bits.
const COMPUTED: &[(&[&str], usize, Option<IndexOp>)] = &[
    (&["add.s64", "sub.s64", "mul.wide.s32"], 2, None),
    (&["shl.b64", "mov.b64", "mov.u64", "cvt.s64.s32", "mov.b32", "mov.u32", "mov.s32"], 1, None),
    (&["mad.wide.s32"], 3, None),
    (&["add.s32"], 2, Some(IndexOp::Add)),
    (&["sub.s32"], 2, Some(IndexOp::Sub)),
    (&["mul.lo.s32"], 2, Some(IndexOp::Mul)),
    (&["mad.lo.s32"], 3, Some(IndexOp::Mad)),
    (&["shl.b32"], 1, Some(IndexOp::Shl)),
];

fn of_function(code: &DecodedModule, range: Range<u32>) -> Vec<(u32, IndexOp)> {
    let mut writers: HashMap<Register, Vec<u32>> = HashMap::new();
    let mut open: Vec<Register> = Vec::new();
    for pc in range {
        let Some(inst) = code.insts.get(pc as usize) else { break };
        match inst.what {
            What::Lanes(_) => {
                if let Some(row) = code.row(pc) {
                    writers.entry((row.dest, inst.d)).or_default().push(pc);
                }
            }
            _ => open.extend(code.access(inst).map(|op| (File::R64, op.base))),
        }
    }
    let mut seen: HashSet<Register> = HashSet::new();
    let mut found = Vec::new();
    while let Some(register) = open.pop() {
        if register.1 & FIXED != 0 || !seen.insert(register) {
            continue;
        }
        for &pc in writers.get(&register).into_iter().flatten() {
            let (Some(row), s) = (code.origins[pc as usize].row, code.insts[pc as usize].s) else { continue };
            let Some((_, count, op)) = COMPUTED.iter().find(|(names, ..)| row.is(names)) else { continue };
            found.extend(op.map(|op| (pc, op)));
            open.extend(row.sources.iter().copied().zip(s).take(*count));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_known_by_name() {
        assert_eq!(of_name("div.s32"), Watched::Nothing);
        assert_eq!(of_name("div.f32"), Watched::Float { bytes: 4, op: FloatOp::Div });
        assert_eq!(of_name("div.full.f32"), Watched::Float { bytes: 4, op: FloatOp::Div });
        assert_eq!(of_name("lg2.approx.f32"), Watched::Float { bytes: 4, op: FloatOp::Of("log2") });
        assert_eq!(of_name("add.f16"), Watched::Float { bytes: 2, op: FloatOp::Add });
        assert_eq!(of_name("cvt.f16.f32"), Watched::Narrow { from: 4, to: 2 });
        assert_eq!(of_name("cvt.f64.f32"), Watched::Nothing);
        assert!(matches!(of_name("cvt.rzi.s32.f32"), Watched::Truncate { bytes: 4, .. }));
        assert_eq!(of_name("cvt.rni.s32.f32"), Watched::Nothing);
        assert_eq!(of_name("add.s32"), Watched::Nothing);
    }
}
