//! Comparisons through `PartialOrd` of `i128` and `f64`, and choices.

use super::{Answer, FTZ, Reference};
use crate::table::tests::operand::{Operand, Ty};
use crate::table::tests::rounding::before;
use std::cmp::Ordering;

pub fn reference(parts: &[&str]) -> Option<Reference> {
    let ty = Ty::named(parts.last()?)?;
    match parts {
        ["setp", op, _] => {
            let op = op.to_string();
            let compared = move |v: &[Operand], mode| Answer::Bool(holds(&op, v[0], v[1], mode));
            Some(Reference::new(&[ty, ty], Ty::Pred, compared)?.modes(modes(ty)))
        }
        ["%setp", part, op, _] => {
            let (op, index) = (op.to_string(), (*part == "high") as usize);
            let compared = move |v: &[Operand], mode| {
                Answer::Bool(holds(&op, v[0].halves()[index], v[1].halves()[index], mode))
            };
            Some(Reference::new(&[ty, ty], Ty::Pred, compared)?.modes(modes(ty.element()?)))
        }
        ["selp", _] => Reference::new(&[ty, ty, Ty::Pred], ty, move |v, _| {
            same(ty, if v[2].bool() { v[0] } else { v[1] })
        }),
        ["slct", dest, _] => {
            let dest = Ty::named(dest)?;
            let chosen = move |v: &[Operand], mode| {
                let first = match ty {
                    Ty::F32 => before(ty, v[2].float(), mode) >= 0.0,
                    _ => v[2].int() >= 0,
                };
                same(dest, if first { v[0] } else { v[1] })
            };
            Some(Reference::new(&[dest, dest, ty], dest, chosen)?.modes(modes(ty)))
        }
        _ => None,
    }
}

fn modes(ty: Ty) -> &'static [crate::arith::Mode] {
    if matches!(ty, Ty::F32 | Ty::F16) { &[FTZ] } else { &[] }
}

fn same(ty: Ty, operand: Operand) -> Answer {
    Answer::Bits(if ty.bits() == 64 { operand.bits } else { operand.bits & ((1 << ty.bits()) - 1) })
}

/// Returns the result of `set`.
pub fn truth(dest: Ty, held: bool) -> Answer {
    match dest {
        Ty::F16 | Ty::Bf16 | Ty::F32 => Answer::Float(if held { 1.0 } else { 0.0 }),
        _ => Answer::Bits(if held { (1 << dest.bits()) - 1 } else { 0 }),
    }
}

fn holds(op: &str, a: Operand, b: Operand, mode: crate::arith::Mode) -> bool {
    let order = if a.ty.float() {
        before(a.ty, a.float(), mode).partial_cmp(&before(b.ty, b.float(), mode))
    } else {
        Some(a.int().cmp(&b.int()))
    };
    match (op, order) {
        ("num", order) => order.is_some(),
        ("nan", order) => order.is_none(),
        ("equ" | "neu" | "ltu" | "leu" | "gtu" | "geu", None) => true,
        (_, None) => false,
        ("eq" | "equ", Some(o)) => o == Ordering::Equal,
        ("ne" | "neu", Some(o)) => o != Ordering::Equal,
        ("lt" | "lo" | "ltu", Some(o)) => o == Ordering::Less,
        ("le" | "ls" | "leu", Some(o)) => o != Ordering::Greater,
        ("gt" | "hi" | "gtu", Some(o)) => o == Ordering::Greater,
        ("ge" | "hs" | "geu", Some(o)) => o != Ordering::Less,
        (other, _) => panic!("no comparison {other}"),
    }
}
