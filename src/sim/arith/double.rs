//! Double precision. The plain functions are `.rn`; `_with` takes the rounding (`f64` has no
//! `.ftz` and no `.sat`).

use super::float::{canonical, neg};
use super::{Rounding, exact};

#[inline(always)]
pub fn add(a: f64, b: f64) -> f64 {
    canonical(a + b)
}

#[inline(always)]
pub fn sub(a: f64, b: f64) -> f64 {
    canonical(a - b)
}

#[inline(always)]
pub fn mul(a: f64, b: f64) -> f64 {
    canonical(a * b)
}

/// `fma.rn`: one rounding.
#[inline(always)]
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    canonical(a.mul_add(b, c))
}

/// `div.rn`
#[inline(always)]
pub fn div(a: f64, b: f64) -> f64 {
    canonical(a / b)
}

/// `rcp.rn`
#[inline(always)]
pub fn rcp(a: f64) -> f64 {
    canonical(1.0 / a)
}

/// `sqrt.rn`
#[inline(always)]
pub fn sqrt(a: f64) -> f64 {
    canonical(a.sqrt())
}

#[inline(always)]
pub fn add_with(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { add(a, b) } else { canonical(exact::add(a, b, rounding)) }
}

#[inline(always)]
pub fn sub_with(a: f64, b: f64, rounding: Rounding) -> f64 {
    add_with(a, neg(b), rounding)
}

#[inline(always)]
pub fn mul_with(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { mul(a, b) } else { canonical(exact::mul(a, b, rounding)) }
}

#[inline(always)]
pub fn fma_with(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { fma(a, b, c) } else { canonical(exact::fma(a, b, c, rounding)) }
}

#[inline(always)]
pub fn div_with(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { div(a, b) } else { canonical(exact::div(a, b, rounding)) }
}

#[inline(always)]
pub fn rcp_with(a: f64, rounding: Rounding) -> f64 {
    div_with(1.0, a, rounding)
}

#[inline(always)]
pub fn sqrt_with(a: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Rn { sqrt(a) } else { canonical(exact::sqrt(a, rounding)) }
}
