//! Integer arithmetic on `i128`.

use super::{Answer, DEFAULT, Reference, SAT};
use crate::table::tests::operand::{Operand, Ty};

pub fn reference(parts: &[&str]) -> Option<Reference> {
    let ty = Ty::named(parts.last()?).filter(|t| t.int());
    match (parts, ty) {
        (["add", _], Some(t)) => saturating(t, 2, |v| v[0] + v[1]),
        (["sub", _], Some(t)) => saturating(t, 2, |v| v[0] - v[1]),
        (["mul", "lo", _], Some(t)) => wrapping(t, 2, |v| v[0].wrapping_mul(v[1])),
        (["mul", "hi", _], Some(t)) => wrapping(t, 2, move |v| high(t, v[0], v[1])),
        (["mul", "wide", _], Some(t)) => {
            Reference::new(&[t, t], wide(t)?, |v, _| Answer::Int(v[0].int() * v[1].int()))
        }
        (["mad", "lo", _], Some(t)) => wrapping(t, 3, |v| v[0].wrapping_mul(v[1]).wrapping_add(v[2])),
        (["mad", "hi", _], Some(t)) => saturating(t, 3, move |v| high(t, v[0], v[1]) + v[2]),
        (["mad", "wide", _], Some(t)) => {
            let sum = |v: &[Operand], _| Answer::Int(v[0].int() * v[1].int() + v[2].int());
            Reference::new(&[t, t, wide(t)?], wide(t)?, sum)
        }
        (["div", _], Some(t)) => wrapping(t, 2, |v| v[0].checked_div(v[1]).unwrap_or(-1)),
        (["rem", _], Some(t)) => wrapping(t, 2, |v| v[0].checked_rem(v[1]).unwrap_or(-1)),
        (["sad", _], Some(t)) => wrapping(t, 3, |v| v[2] + (v[0] - v[1]).abs()),
        (["abs", _], Some(t)) => wrapping(t, 1, |v| v[0].abs()),
        (["neg", _], Some(t)) => wrapping(t, 1, |v| -v[0]),
        (["min", _], Some(t)) => wrapping(t, 2, |v| v[0].min(v[1])),
        (["max", _], Some(t)) => wrapping(t, 2, |v| v[0].max(v[1])),
        (["min", "relu", _], Some(t)) => wrapping(t, 2, |v| v[0].min(v[1]).max(0)),
        (["max", "relu", _], Some(t)) => wrapping(t, 2, |v| v[0].max(v[1]).max(0)),
        (["mul24", half, _], Some(t)) => {
            let shift = if *half == "hi" { 16 } else { 0 };
            wrapping(t, 2, move |v| product24(t, v) >> shift)
        }
        (["mad24", half, _], Some(t)) => {
            let shift = if *half == "hi" { 16 } else { 0 };
            saturating(t, 3, move |v| product24(t, v).wrapping_shr(shift) as i32 as i128 + v[2])
                .map(|r| if *half == "hi" { r } else { r.modes(&[]) })
        }
        ([op @ ("add" | "min" | "max"), types @ ..], _) => packed(op, types),
        (["dp4a", a, b], _) => {
            let (a, b) = (signed_byte(a)?, signed_byte(b)?);
            wrapping(Ty::U32, 3, move |v| {
                (0..4).map(|i| part(v[0], 8, i, a) * part(v[1], 8, i, b)).sum::<i128>() + v[2]
            })
        }
        (["dp2a", half, a, b], _) => {
            let (a, b) = (signed_byte(a)?, signed_byte(b)?);
            let first = if *half == "hi" { 2 } else { 0 };
            wrapping(Ty::U32, 3, move |v| {
                (0..2).map(|i| part(v[0], 16, i, a) * part(v[1], 8, first + i, b)).sum::<i128>() + v[2]
            })
        }
        ([op @ ("vabsdiff4" | "vabsdiff2"), "u32", "u32", "u32", rest @ ..], _) => {
            let (bits, sums) = (if *op == "vabsdiff4" { 8 } else { 16 }, rest == ["add"]);
            wrapping(Ty::U32, 3, move |v| {
                let one = |i| (part(v[0], bits, i, false) - part(v[1], bits, i, false)).abs();
                let parts = 0..32 / bits;
                if sums {
                    parts.map(one).sum::<i128>() + v[2]
                } else {
                    parts.map(|i| one(i) << (bits * i)).sum()
                }
            })
        }
        _ => None,
    }
}

/// All operands and the result of one type.
fn wrapping(ty: Ty, count: usize, f: impl Fn(&[i128]) -> i128 + 'static) -> Option<Reference> {
    Reference::new(&vec![ty; count], ty, move |v, _| Answer::Int(f(&ints(v))))
}

/// The same; `.sat` of `.s32` clamps.
fn saturating(ty: Ty, count: usize, f: impl Fn(&[i128]) -> i128 + 'static) -> Option<Reference> {
    let eval = move |v: &[Operand], mode: crate::arith::Mode| {
        let exact = f(&ints(v));
        Answer::Int(if mode.sat { exact.clamp(ty.min(), ty.max()) } else { exact })
    };
    let modes: &[_] = if ty == Ty::S32 { &[SAT, DEFAULT] } else { &[] };
    Some(Reference::new(&vec![ty; count], ty, eval)?.modes(modes))
}

fn ints(operands: &[Operand]) -> Vec<i128> {
    operands.iter().map(|o| o.int()).collect()
}

fn wide(ty: Ty) -> Option<Ty> {
    Some(match ty {
        Ty::U16 => Ty::U32,
        Ty::S16 => Ty::S32,
        Ty::U32 => Ty::U64,
        Ty::S32 => Ty::S64,
        _ => return None,
    })
}

/// Upper half of a product.
fn high(ty: Ty, a: i128, b: i128) -> i128 {
    // A product of unsigned 64-bit numbers needs all 128 bits.
    if ty.signed() { (a * b) >> ty.bits() } else { ((a as u128 * b as u128) >> ty.bits()) as i128 }
}

fn product24(ty: Ty, v: &[i128]) -> i128 {
    let low = |x: i128| {
        let bits = x & 0xff_ffff;
        if ty.signed() && bits >= 0x80_0000 { bits - 0x100_0000 } else { bits }
    };
    low(v[0]) * low(v[1])
}

fn signed_byte(name: &str) -> Option<bool> {
    Some(Ty::named(name)?.signed())
}

/// One of the equal parts of a word.
fn part(word: i128, bits: u32, index: u32, signed: bool) -> i128 {
    let value = (word >> (bits * index)) & ((1 << bits) - 1);
    if signed && value >> (bits - 1) == 1 { value - (1 << bits) } else { value }
}

/// `add.u16x2` and similar instructions.
fn packed(op: &str, types: &[&str]) -> Option<Reference> {
    let (relu, ty) = match types {
        ["relu", ty] => (true, *ty),
        [ty] => (false, *ty),
        _ => return None,
    };
    let signed = match ty {
        "u16x2" => false,
        "s16x2" => true,
        _ => return None,
    };
    let op = op.to_string();
    wrapping(Ty::U32, 2, move |v| {
        let one = |i| {
            let (a, b) = (part(v[0], 16, i, signed), part(v[1], 16, i, signed));
            let result = match op.as_str() {
                "add" => a + b,
                "min" => a.min(b),
                _ => a.max(b),
            };
            (if relu { result.max(0) } else { result }) & 0xffff
        };
        one(1) << 16 | one(0)
    })
}

/// Instructions with a carry, and `%carry.` rows.
pub fn carry(parts: &[&str]) -> Option<Reference> {
    let (out, parts) = if parts[0] == "%carry" { (true, &parts[1..]) } else { (false, parts) };
    let ty = Ty::named(parts.last()?).filter(|t| t.int())?;
    let (base, takes_carry) = match parts[0] {
        "addc" | "subc" | "madc" => (&parts[0][..3], true),
        other if out => (other, false),
        _ => return None,
    };
    let half = if parts.len() == 3 { parts[1] } else { "" };
    let (base, half) = (base.to_string(), half.to_string());
    let count = if base == "mad" { 3 } else { 2 };
    let mut sources = vec![ty; count];
    if takes_carry {
        sources.push(Ty::Pred);
    }
    let range = 1i128 << ty.bits();
    Reference::new(&sources, if out { Ty::Pred } else { ty }, move |v, _| {
        let unsigned = |x: i128| x & (range - 1);
        let (a, b) = (v[0].int(), v[1].int());
        let carry = (takes_carry && v[count].bool()) as i128;
        let total = match (base.as_str(), half.as_str()) {
            ("add", _) => unsigned(a) + unsigned(b) + carry,
            // The complement is added, plus one without a carry in.
            ("sub", _) => unsigned(a) + unsigned(!b) + if takes_carry { carry } else { 1 },
            (_, "lo") => unsigned(a.wrapping_mul(b)) + unsigned(v[2].int()) + carry,
            _ => unsigned(high(ty, a, b)) + unsigned(v[2].int()) + carry,
        };
        if out { Answer::Bool(!(0..range).contains(&total)) } else { Answer::Int(total) }
    })
}
