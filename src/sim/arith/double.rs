//! Double precision. The plain functions are `.rn`; `_with` takes the rounding (`f64` has no `.ftz` and no
//! `.sat`).
//!
//! NaN keeps its payload. Of several NaN operands the GPU takes the second, then the third, then the first;
//! `div` takes the first. Functions that do not round are in [`super::float`].

use super::float::{Float, is_nan};
use super::{Rounding, exact};

/// Returns `result`, or if it is NaN the one that the operands determine.
#[inline(always)]
fn or_nan<const N: usize>(result: f64, operands: [f64; N]) -> f64 {
    if is_nan(result) { nan_of(operands) } else { result }
}

/// Returns the first of `operands` that is NaN, quieted.
#[cold]
#[inline(never)]
fn nan_of<const N: usize>(operands: [f64; N]) -> f64 {
    operands.into_iter().find(|operand| is_nan(*operand)).map_or(<f64 as Float>::NAN, Float::quieted)
}

/// Computes `add.rn`.
#[inline(always)]
pub fn add(a: f64, b: f64) -> f64 {
    or_nan(a + b, [b, a])
}

#[inline(always)]
pub fn add_with(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { add(a, b) } else { or_nan(exact::add(a, b, rounding), [b, a]) }
}

/// Computes `sub.rn`.
#[inline(always)]
pub fn sub(a: f64, b: f64) -> f64 {
    or_nan(a - b, [b, a])
}

#[inline(always)]
pub fn sub_with(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { sub(a, b) } else { or_nan(exact::add(a, -b, rounding), [b, a]) }
}

/// Computes `mul.rn`.
#[inline(always)]
pub fn mul(a: f64, b: f64) -> f64 {
    or_nan(a * b, [b, a])
}

#[inline(always)]
pub fn mul_with(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { mul(a, b) } else { or_nan(exact::mul(a, b, rounding), [b, a]) }
}

/// Computes `fma.rn`.
#[inline(always)]
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    or_nan(a.mul_add(b, c), [b, c, a])
}

#[inline(always)]
pub fn fma_with(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { fma(a, b, c) } else { or_nan(exact::fma(a, b, c, rounding), [b, c, a]) }
}

/// Computes `div.rn`.
#[inline(always)]
pub fn div(a: f64, b: f64) -> f64 {
    or_nan(a / b, [a, b])
}

#[inline(always)]
pub fn div_with(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { div(a, b) } else { or_nan(exact::div(a, b, rounding), [a, b]) }
}

/// Computes `rcp.rn`.
#[inline(always)]
pub fn rcp(a: f64) -> f64 {
    or_nan(1.0 / a, [a])
}

#[inline(always)]
pub fn rcp_with(a: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { rcp(a) } else { or_nan(exact::div(1.0, a, rounding), [a]) }
}

/// Computes `sqrt.rn`.
#[inline(always)]
pub fn sqrt(a: f64) -> f64 {
    or_nan(a.sqrt(), [a])
}

#[inline(always)]
pub fn sqrt_with(a: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { sqrt(a) } else { or_nan(exact::sqrt(a, rounding), [a]) }
}
