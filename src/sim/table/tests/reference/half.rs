//! `.f16` and `.bf16`, alone and in pairs: exact in `f64`, rounded by the oracle.

use super::float::{arithmetic, operands, pick};
use super::{Answer, FTZ, FTZ_SAT, Mode, Reference, SAT};
use crate::table::tests::operand::{Operand, Ty};
use crate::table::tests::rounding::before;

pub fn reference(parts: &[&str]) -> Option<Reference> {
    let ty = Ty::named(parts.last()?)?;
    let element = ty.element().unwrap_or(ty);
    if !matches!(element, Ty::F16 | Ty::Bf16) {
        return None;
    }
    let flags: Vec<String> = parts[1..parts.len() - 1].iter().map(|f| f.to_string()).collect();
    let op = parts[0].to_string();
    if let ("ex2" | "tanh", [approx]) = (op.as_str(), flags.as_slice())
        && approx == "approx"
    {
        return approximate(op, ty, element);
    }
    let (count, modes): (usize, &[Mode]) = match op.as_str() {
        "add" | "sub" | "mul" | "fma" => (operands(&op)?, &[FTZ, SAT, FTZ_SAT]),
        "neg" | "abs" => (1, &[FTZ]),
        "min" | "max" => (2, &[FTZ]),
        _ => return None,
    };
    let one = move |v: &[f64], mode: Mode| -> f64 {
        let flushed = |i: usize| before(element, v[i], mode);
        let result = match op.as_str() {
            "neg" => -flushed(0),
            "abs" => flushed(0).abs(),
            "min" | "max" => pick(&op, &flags, flushed(0), flushed(1)),
            _ => arithmetic(&op, element, v, mode).expect("known for narrow types"),
        };
        let relu = flags.iter().any(|f| f == "relu");
        if relu && result <= 0.0 { 0.0 } else { result }
    };
    let eval = move |v: &[Operand], mode: Mode| match ty.element() {
        None => Answer::Float(one(&v.iter().map(|o| o.float()).collect::<Vec<_>>(), mode)),
        Some(_) => Answer::Floats(
            [0, 1].map(|i| one(&v.iter().map(|o| o.halves()[i].float()).collect::<Vec<_>>(), mode)),
        ),
    };
    Some(Reference::new(&vec![ty; count], ty, eval)?.modes(modes))
}

fn approximate(op: String, ty: Ty, element: Ty) -> Option<Reference> {
    // One unit in the last place of the type, and a little more.
    let error = if element == Ty::F16 { 2f64.powi(-10) } else { 2f64.powi(-7) };
    let modes: &[Mode] = if op == "ex2" { &[FTZ] } else { &[] };
    let eval = move |v: &[Operand], mode: Mode| {
        let of = |x: f64| if op == "ex2" { before(element, x, mode).exp2() } else { x.tanh() };
        match ty.element() {
            None => Answer::Near(of(v[0].float()), error, least(element, mode)),
            Some(_) => {
                let both = v[0].halves().map(|h| of(h.float()));
                Answer::NearPair(both, error, least(element, mode))
            }
        }
    };
    Some(Reference::new(&[ty], ty, eval)?.modes(modes))
}

/// Returns the smallest number of the type that the mode does not flush.
fn least(element: Ty, mode: Mode) -> f64 {
    match (element, mode.ftz) {
        (Ty::F16, true) => 2f64.powi(-14),
        (Ty::F16, false) => 2f64.powi(-24),
        (_, true) => 2f64.powi(-126),
        (_, false) => 2f64.powi(-133),
    }
}
