//! `.f32` and `.f64` arithmetic by the rounding oracle, the approximations by the host's functions
//! within the ISA's bounds.

use super::{Answer, FTZ, FTZ_SAT, Mode, RM, RP, RP_FTZ, RZ, RZ_FTZ_SAT, Reference, Rounding, SAT};
use crate::table::tests::operand::{Operand, Ty};
use crate::table::tests::rounding::{Exact, after, before};
use std::num::FpCategory;

pub fn reference(parts: &[&str]) -> Option<Reference> {
    let name = parts.last()?;
    let ty = match *name {
        "f32x2" => Ty::F32,
        name => Ty::named(name).filter(|t| matches!(t, Ty::F32 | Ty::F64))?,
    };
    match parts {
        [op, "f32x2"] => {
            let (op, count) = (op.to_string(), operands(op)?);
            let both = move |v: &[Operand], mode| {
                let part = |i: usize| -> Vec<f64> { v.iter().map(|o| o.halves()[i].float()).collect() };
                Answer::Floats([0, 1].map(|i| arithmetic(&op, Ty::F32, &part(i), mode).unwrap_or(f64::NAN)))
            };
            let modes = [RZ, RM, RP, FTZ, RP_FTZ];
            Some(Reference::new(&vec![Ty::F32x2; count], Ty::F32x2, both)?.modes(&modes))
        }
        [op, _] if operands(op).is_some() => {
            let (op, count) = (op.to_string(), operands(op)?);
            let modes: &[Mode] = match ty {
                Ty::F32 => &[RZ, RM, RP, FTZ, SAT, FTZ_SAT, RZ_FTZ_SAT, RP_FTZ],
                _ => &[RZ, RM, RP],
            };
            let eval = move |v: &[Operand], mode| {
                let values: Vec<f64> = v.iter().map(|o| o.float()).collect();
                arithmetic(&op, ty, &values, mode).map_or(Answer::Unknown, Answer::Float)
            };
            Some(Reference::new(&vec![ty; count], ty, eval)?.modes(modes))
        }
        [op @ ("min" | "max"), flags @ .., _] => extreme(op, flags, ty),
        ["abs", _] => unary(ty, f64::abs),
        ["neg", _] => unary(ty, |a| -a),
        ["copysign", _] => {
            Reference::new(&[ty, ty], ty, |v, _| Answer::Float(v[1].float().copysign(v[0].float())))
        }
        ["testp", what, _] => {
            let what = what.to_string();
            Reference::new(&[ty], Ty::Pred, move |v, _| Answer::Bool(test(&what, v[0])))
        }
        [op, "approx" | "full", _] => approximate(op, parts[1] == "full", ty),
        _ => None,
    }
}

/// Returns how many operands an operation of the oracle takes.
pub fn operands(op: &str) -> Option<usize> {
    Some(match op {
        "add" | "sub" | "mul" | "div" => 2,
        "fma" | "mad" => 3,
        "rcp" | "sqrt" => 1,
        _ => return None,
    })
}

/// Returns the correctly rounded result; `None` if the oracle's error terms would underflow.
pub fn arithmetic(op: &str, ty: Ty, operands: &[f64], mode: Mode) -> Option<f64> {
    let v: Vec<f64> = operands.iter().map(|&x| before(ty, x, mode)).collect();
    let (a, b, c) = (v[0], v.get(1).copied().unwrap_or(0.0), v.get(2).copied().unwrap_or(0.0));
    let exact = match op {
        "add" => Exact::sum(a, b),
        "sub" => Exact::sum(a, -b),
        "mul" => Exact::product(a, b),
        "div" => Exact::quotient(a, b),
        "rcp" => Exact::quotient(1.0, a),
        "sqrt" => Exact::root(a),
        // The product is exact except in `f64`.
        _ if ty == Ty::F64 => Exact::fused(a, b, c),
        _ => Exact::sum(a * b, c),
    };
    if ty == Ty::F64 && mode.rounding != Rounding::Rn {
        let fair = |x: f64| x == 0.0 || !x.is_finite() || (1e-140..1e140).contains(&x.abs());
        let overflowed = exact.near.is_infinite() && v.iter().all(|x| x.is_finite());
        if overflowed || !v.iter().all(|&x| fair(x)) || !fair(exact.near) {
            return None;
        }
    }
    let terms = match op {
        "add" => Some((a, b)),
        "sub" => Some((a, -b)),
        "fma" | "mad" => Some((a * b, c)),
        _ => None,
    };
    let mixed = terms.is_some_and(|(x, y)| x.is_sign_negative() != y.is_sign_negative());
    let rounded = if exact.near == 0.0 && exact.rest == 0.0 && mixed {
        if mode.rounding == Rounding::Rm { -0.0 } else { 0.0 }
    } else {
        exact.into(ty, mode.rounding)
    };
    Some(after(ty, rounded, mode))
}

fn unary(ty: Ty, f: impl Fn(f64) -> f64 + 'static) -> Option<Reference> {
    let modes: &[Mode] = if ty == Ty::F32 { &[FTZ] } else { &[] };
    let eval = move |v: &[Operand], mode| Answer::Float(f(before(ty, v[0].float(), mode)));
    Some(Reference::new(&[ty], ty, eval)?.modes(modes))
}

/// `min` and `max` of two numbers, with their modifiers.
pub fn pick(op: &str, flags: &[String], a: f64, b: f64) -> f64 {
    let has = |flag: &str| flags.iter().any(|f| f == flag);
    let negative = a.is_sign_negative() != b.is_sign_negative();
    let (x, y) = if has("xorsign") { (a.abs(), b.abs()) } else { (a, b) };
    let chosen = match (x.is_nan(), y.is_nan()) {
        (true, true) => return f64::NAN,
        (true, _) | (_, true) if has("NaN") => return f64::NAN,
        (true, false) => y,
        (false, true) => x,
        (false, false) => {
            let x_first = x.total_cmp(&y).is_lt();
            if x_first == (op == "min") { x } else { y }
        }
    };
    match (has("xorsign"), negative) {
        (false, _) => chosen,
        (true, true) => -chosen.abs(),
        (true, false) => chosen.abs(),
    }
}

fn extreme(op: &str, flags: &[&str], ty: Ty) -> Option<Reference> {
    let flags: Vec<String> = flags.iter().map(|f| f.to_string()).collect();
    let op = op.to_string();
    let modes: &[Mode] = if ty == Ty::F32 { &[FTZ] } else { &[] };
    let eval = move |v: &[Operand], mode| {
        Answer::Float(pick(&op, &flags, before(ty, v[0].float(), mode), before(ty, v[1].float(), mode)))
    };
    Some(Reference::new(&[ty, ty], ty, eval)?.modes(modes))
}

fn test(what: &str, operand: Operand) -> bool {
    let class = match operand.ty {
        Ty::F32 => f32::from_bits(operand.word()).classify(),
        _ => f64::from_bits(operand.bits).classify(),
    };
    match what {
        "finite" => matches!(class, FpCategory::Normal | FpCategory::Subnormal | FpCategory::Zero),
        "infinite" => class == FpCategory::Infinite,
        "number" => class != FpCategory::Nan,
        "notanumber" => class == FpCategory::Nan,
        "normal" => matches!(class, FpCategory::Normal | FpCategory::Zero),
        "subnormal" => class == FpCategory::Subnormal,
        other => panic!("no test {other}"),
    }
}

fn approximate(op: &str, full: bool, ty: Ty) -> Option<Reference> {
    let count = if op == "div" { 2 } else { 1 };
    let (op, ulp) = (op.to_string(), 2f64.powi(-23));
    let eval = move |v: &[Operand], mode: Mode| {
        let flushes = mode.ftz || matches!(op.as_str(), "sin" | "cos");
        let a = before(ty, v[0].float(), Mode { ftz: flushes, ..mode });
        if ty == Ty::F64 {
            // With `.ftz`, which `rcp` always has, the operand's lower half and subnormals are zero.
            let coarse = mode.ftz || op == "rcp";
            let upper = if coarse { f64::from_bits(a.to_bits() >> 32 << 32) } else { a };
            let flushed = if coarse && upper.is_subnormal() { 0.0f64.copysign(a) } else { upper };
            let value = if op == "rcp" { 1.0 / flushed } else { 1.0 / flushed.sqrt() };
            return Answer::Near(value, 2f64.powi(-19), if coarse { f64::MIN_POSITIVE } else { 0.0 });
        }
        let least = if mode.ftz { 2f64.powi(-126) } else { 2f64.powi(-149) };
        match op.as_str() {
            "ex2" => Answer::Near(a.exp2(), 4.0 * ulp, least),
            "lg2" => Answer::Near(a.log2(), 4.0 * ulp, 4.0 * ulp),
            "sin" => Answer::Near(a.sin(), 0.0, 6.0 * ulp + 4.0 * ulp * a.abs()),
            "cos" => Answer::Near(a.cos(), 0.0, 6.0 * ulp + 4.0 * ulp * a.abs()),
            "tanh" => Answer::Near(a.tanh(), 2f64.powi(-11), 0.0),
            "rcp" => Answer::Near(1.0 / a, 2.0 * ulp, least),
            "sqrt" => Answer::Near(a.sqrt(), 2.0 * ulp, least),
            "rsqrt" => Answer::Near(1.0 / a.sqrt(), 2.0 * ulp, least),
            "div" => {
                let b = before(ty, v[1].float(), mode);
                let large = 2f64.powi(126);
                match b.abs() {
                    _ if full => Answer::Near(a / b, 4.0 * ulp, least),
                    m if m > large && m.is_finite() && a.is_infinite() => Answer::Float(f64::NAN),
                    m if m > large && a.is_finite() => Answer::Near(0.0, 0.0, 0.0),
                    m if m > 0.0 && m < 2f64.powi(-126) => Answer::Unknown,
                    _ => Answer::Near(a / b, 4.0 * ulp, least),
                }
            }
            other => panic!("no approximation {other}"),
        }
    };
    Some(Reference::new(&vec![ty; count], ty, eval)?.modes(&[FTZ]))
}
