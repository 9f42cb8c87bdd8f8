//! The host's functions of mathematics, by the C library's functions of double precision.

use super::{Answer, Reference};
use crate::table::tests::operand::{Operand, Ty};

unsafe extern "C" {
    safe fn acos(a: f64) -> f64;
    safe fn asin(a: f64) -> f64;
    safe fn atan(a: f64) -> f64;
    safe fn acosh(a: f64) -> f64;
    safe fn asinh(a: f64) -> f64;
    safe fn atanh(a: f64) -> f64;
    safe fn erf(a: f64) -> f64;
    safe fn erfc(a: f64) -> f64;
    safe fn tgamma(a: f64) -> f64;
    safe fn atan2(y: f64, x: f64) -> f64;
    safe fn cbrt(a: f64) -> f64;
    safe fn cos(a: f64) -> f64;
    safe fn cosh(a: f64) -> f64;
    safe fn exp(a: f64) -> f64;
    safe fn exp2(a: f64) -> f64;
    safe fn expm1(a: f64) -> f64;
    safe fn hypot(a: f64, b: f64) -> f64;
    safe fn log(a: f64) -> f64;
    safe fn log10(a: f64) -> f64;
    safe fn log1p(a: f64) -> f64;
    safe fn log2(a: f64) -> f64;
    safe fn pow(a: f64, b: f64) -> f64;
    safe fn sin(a: f64) -> f64;
    safe fn sinh(a: f64) -> f64;
    safe fn tan(a: f64) -> f64;
    safe fn tanh(a: f64) -> f64;
}

pub fn reference(parts: &[&str]) -> Option<Reference> {
    let [name, ty] = parts else { return None };
    let ty = Ty::named(ty).filter(|ty| matches!(ty, Ty::F32 | Ty::F64))?;
    let of_two: Option<extern "C" fn(f64, f64) -> f64> = match *name {
        "%atan2" => Some(atan2),
        "%hypot" => Some(hypot),
        "%pow" => Some(pow),
        _ => None,
    };
    if let Some(function) = of_two {
        return Reference::new(&[ty, ty], ty, move |v, _| near(ty, function(v[0].float(), v[1].float())));
    }
    let function: extern "C" fn(f64) -> f64 = match *name {
        "%acos" => acos,
        "%asin" => asin,
        "%atan" => atan,
        "%cbrt" => cbrt,
        "%cos" => cos,
        "%cosh" => cosh,
        "%exp" => exp,
        "%exp2" => exp2,
        "%expm1" => expm1,
        "%log" => log,
        "%log10" => log10,
        "%log1p" => log1p,
        "%log2" => log2,
        "%sin" => sin,
        "%sinh" => sinh,
        "%tan" => tan,
        "%tanh" => tanh,
        "%tgamma" => tgamma,
        "%erfc" => erfc,
        "%erf" => erf,
        "%atanh" => atanh,
        "%asinh" => asinh,
        "%acosh" => acosh,
        _ => return None,
    };
    Reference::new(&[ty], ty, move |v: &[Operand], _| near(ty, function(v[0].float())))
}

/// Of single precision, within eight units in the last place: the gamma function has most.
fn near(ty: Ty, value: f64) -> Answer {
    match ty {
        Ty::F32 => Answer::Near(value, 2f64.powi(-20), 2f64.powi(-148)),
        _ => Answer::Float(value),
    }
}
