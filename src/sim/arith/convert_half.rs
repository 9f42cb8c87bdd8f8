//! `cvt` from and to `.f16` and `.bf16`, alone and packed in pairs (PTX ISA 9.7.9.21).

use super::convert::{self, FloatInt, int_to_f64_odd};
use super::float::{canonical, is_nan, relu, saturate};
use super::half::{F16, Half};
use super::{IntRounding, Rounding};

/// Modifiers of a conversion to a half-width float.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NarrowMode {
    pub rounding: Rounding,
    /// Clamp to [+0.0, 1.0]; NaN becomes +0.0.
    pub sat: bool,
    /// Negative results become +0.0; NaN stays NaN.
    pub relu: bool,
    /// Results that overflow, infinity included, become the largest finite value.
    pub satfinite: bool,
}

#[inline(always)]
fn finish<T: Half>(result: T, mode: NarrowMode) -> T {
    let result = if mode.sat { saturate(result) } else { result };
    let result = if mode.relu { relu(result) } else { result };
    let overflowed = !result.is_finite() & !is_nan(result);
    if mode.satfinite && overflowed { T::LARGEST.with_sign(result.is_negative()) } else { result }
}

/// `cvt` from `.f32` with every modifier. `.ftz` changes nothing: an H100 keeps subnormals here.
#[inline(always)]
pub fn f32_to_half_with<T: Half>(a: f32, mode: NarrowMode) -> T {
    let result = match mode.rounding {
        Rounding::Rn => T::from_f32(a),
        rounding => canonical(T::from_f64(a as f64, rounding)),
    };
    finish(result, mode)
}

/// `cvt` from `.f64` with every modifier: one rounding.
#[inline(always)]
pub fn f64_to_half<T: Half>(a: f64, mode: NarrowMode) -> T {
    finish(T::from_f64(a, mode.rounding), mode)
}

/// `cvt.f16x2.f32`, `cvt.bf16x2.f32`: `a` to the upper half, `b` to the lower.
#[inline(always)]
pub fn f32_to_half_x2<T: Half>(a: f32, b: f32, mode: NarrowMode) -> u32 {
    let (high, low) = (f32_to_half_with::<T>(a, mode), f32_to_half_with::<T>(b, mode));
    (high.bits() as u32) << 16 | low.bits() as u32
}

/// `cvt.rnd.f16.int`, `cvt.rnd.bf16.int`: one rounding.
#[inline(always)]
pub fn int_to_half<S: FloatInt, T: Half>(a: S, mode: NarrowMode) -> T {
    finish(T::from_f64(int_to_f64_odd(a), mode.rounding), mode)
}

/// `cvt.irnd.int.f16`, `cvt.irnd.int.bf16`: clamps; NaN as from `.f32`.
#[inline(always)]
pub fn half_to_int<T: Half, D: FloatInt>(a: T, rounding: IntRounding) -> D {
    convert::f32_to_int(a.to_f32(), rounding, false)
}

/// `cvt.f32.f16`: exact; NaN becomes 0x7fffffff. No `.f16` becomes a subnormal `.f32`, so `.ftz` changes
/// nothing.
#[inline(always)]
pub fn f16_to_f32(a: F16, sat: bool) -> f32 {
    let value = a.to_f32();
    if sat { saturate(value) } else { canonical(value) }
}

/// `cvt.f64.f16`, `cvt.f64.bf16`: exact; NaN keeps its payload.
#[inline(always)]
pub fn half_to_f64<T: Half>(a: T, sat: bool) -> f64 {
    let value = a.to_f32() as f64;
    if sat { saturate(value) } else { canonical(value) }
}

/// `cvt.irnd.f16.f16`, `cvt.irnd.bf16.bf16`: rounds to an integer in place.
#[inline(always)]
pub fn half_to_integral<T: Half>(a: T, rounding: IntRounding, sat: bool) -> T {
    let value = T::from_f32(convert::round_f32(a.to_f32(), rounding));
    if sat { saturate(value) } else { value }
}

/// `cvt.f16.f16`, `cvt.bf16.bf16`: NaN becomes 0x7fff.
#[inline(always)]
pub fn half_to_same<T: Half>(a: T, sat: bool) -> T {
    if sat { saturate(a) } else { canonical(a) }
}
