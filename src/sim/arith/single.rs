//! Single precision. The plain functions are `.rn` without `.ftz` and `.sat`; `_with` takes every modifier. NaN
//! results are 0x7fffffff.
//!
//! `.ftz` flushes a result that is subnormal after rounding. (An H100 also flushes a product or quotient below
//! the smallest normal number that would round up to it; a sum can't be one.) Functions that do not round
//! (`min`, `abs`, `testp` …) are in [`super::float`].

use super::float::{canonical, flush_if, neg, saturate};
use super::round::{add_odd, div_odd, f64_to_f32, sqrt_odd, zero_sum_sign};
use super::{Mode, Rounding};

#[inline(always)]
pub fn add(a: f32, b: f32) -> f32 {
    canonical(a + b)
}

#[inline(always)]
pub fn sub(a: f32, b: f32) -> f32 {
    canonical(a - b)
}

#[inline(always)]
pub fn mul(a: f32, b: f32) -> f32 {
    canonical(a * b)
}

/// `fma.rn`: one rounding.
#[inline(always)]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    canonical(a.mul_add(b, c))
}

/// Computes `div.rn`.
#[inline(always)]
pub fn div(a: f32, b: f32) -> f32 {
    canonical(a / b)
}

/// Computes `rcp.rn`.
#[inline(always)]
pub fn rcp(a: f32) -> f32 {
    canonical(1.0 / a)
}

/// Computes `sqrt.rn`.
#[inline(always)]
pub fn sqrt(a: f32) -> f32 {
    canonical(a.sqrt())
}

#[inline(always)]
pub fn add_with(a: f32, b: f32, mode: Mode) -> f32 {
    let (a, b) = (flush_if(mode.ftz, a), flush_if(mode.ftz, b));
    let result = match mode.rounding {
        Rounding::Rn | Rounding::Rna => a + b,
        rounding => {
            let (a, b) = (a as f64, b as f64);
            f64_to_f32(zero_sum_sign(add_odd(a, b), a, b, rounding), rounding)
        }
    };
    finish(result, mode)
}

#[inline(always)]
pub fn sub_with(a: f32, b: f32, mode: Mode) -> f32 {
    add_with(a, neg(b), mode)
}

#[inline(always)]
pub fn mul_with(a: f32, b: f32, mode: Mode) -> f32 {
    let (a, b) = (flush_if(mode.ftz, a), flush_if(mode.ftz, b));
    let result = match mode.rounding {
        Rounding::Rn | Rounding::Rna => a * b,
        // The product has 48 bits, so it is exact.
        rounding => f64_to_f32(a as f64 * b as f64, rounding),
    };
    finish(result, mode)
}

#[inline(always)]
pub fn fma_with(a: f32, b: f32, c: f32, mode: Mode) -> f32 {
    let (a, b, c) = (flush_if(mode.ftz, a), flush_if(mode.ftz, b), flush_if(mode.ftz, c));
    let result = match mode.rounding {
        Rounding::Rn | Rounding::Rna => a.mul_add(b, c),
        rounding => {
            let (product, c) = (a as f64 * b as f64, c as f64);
            f64_to_f32(zero_sum_sign(add_odd(product, c), product, c, rounding), rounding)
        }
    };
    finish(result, mode)
}

#[inline(always)]
pub fn div_with(a: f32, b: f32, mode: Mode) -> f32 {
    let (a, b) = (flush_if(mode.ftz, a), flush_if(mode.ftz, b));
    let result = match mode.rounding {
        Rounding::Rn | Rounding::Rna => a / b,
        rounding => f64_to_f32(div_odd(a as f64, b as f64), rounding),
    };
    finish(result, mode)
}

#[inline(always)]
pub fn rcp_with(a: f32, mode: Mode) -> f32 {
    div_with(1.0, a, mode)
}

#[inline(always)]
pub fn sqrt_with(a: f32, mode: Mode) -> f32 {
    let a = flush_if(mode.ftz, a);
    let result = match mode.rounding {
        Rounding::Rn | Rounding::Rna => a.sqrt(),
        rounding => f64_to_f32(sqrt_odd(a as f64), rounding),
    };
    finish(result, mode)
}

/// Flushes, saturates, and replaces NaN by the canonical one.
#[inline(always)]
pub(super) fn finish(result: f32, mode: Mode) -> f32 {
    let result = flush_if(mode.ftz, result);
    if mode.sat { saturate(result) } else { canonical(result) }
}
