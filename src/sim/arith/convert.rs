//! `cvt` between integers, `.f32` and `.f64` (PTX ISA 9.7.9.21).
//!
//! Conversions between an integer and a half-width float go through `.f32` or `.f64` exactly;
//! see [`super::half`].

use super::float::{canonical, flush, flush_if, is_nan, saturate};
use super::int::Int;
use super::round::f64_to_f32;
use super::{IntRounding, Mode, Rounding};

/// Conversions from the integer type `S`.
pub trait FromInt<S>: Int {
    /// `cvt.dtype.atype`: keeps the low bits, or extends by the source's sign.
    fn truncated(source: S) -> Self;
    /// `cvt.sat.dtype.atype`: clamps to the range of the destination.
    fn clamped(source: S) -> Self;
}

macro_rules! from_int {
    ($($d:ident)*) => { $( from_int!(@sources $d: u8 u16 u32 u64 i8 i16 i32 i64); )* };
    (@sources $d:ident: $($s:ident)*) => {$(
        impl FromInt<$s> for $d {
            #[inline(always)]
            fn truncated(source: $s) -> $d {
                source as $d
            }
            #[inline(always)]
            #[allow(unused_comparisons)]
            fn clamped(source: $s) -> $d {
                let bound = if source < 0 { $d::MIN } else { $d::MAX };
                $d::try_from(source).unwrap_or(bound)
            }
        }
    )*};
}
from_int! { u8 u16 u32 u64 i8 i16 i32 i64 }

#[inline(always)]
pub fn int_to_int<S, D: FromInt<S>>(a: S) -> D {
    D::truncated(a)
}

/// `cvt.sat.dtype.atype`: clamps to the range of the destination.
#[inline(always)]
pub fn int_to_int_sat<S, D: FromInt<S>>(a: S) -> D {
    D::clamped(a)
}

/// Conversions between an integer type and floats.
pub trait FloatInt: Int {
    /// Returns the nearest `f64`, ties to even.
    fn nearest_f64(self) -> f64;
    /// Returns the nearest `f32`, ties to even.
    fn nearest_f32(self) -> f32;
    /// Converts a value without a fraction, clamped to the type's range.
    fn clamp_f32(value: f32) -> Self;
    /// Converts a value without a fraction, clamped to the type's range.
    fn clamp_f64(value: f64) -> Self;
}

/// Clamps an `f64` without a fraction to an integer type of at most 32 bits. `as` would do the same, but one
/// lane at a time; adding 1.5 * 2^52 brings the integer to the low bits of the sum.
macro_rules! clamped {
    ($value:expr, $t:ident) => {{
        let value: f64 = $value;
        let low = if value > $t::MIN as f64 { value } else { $t::MIN as f64 };
        let both = if low < $t::MAX as f64 { low } else { $t::MAX as f64 };
        (both + 6755399441055744.0).to_bits() as $t
    }};
}

macro_rules! float_int {
    ($($t:ident)*) => {$(
        impl FloatInt for $t {
            #[inline(always)]
            fn nearest_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn nearest_f32(self) -> f32 {
                self as f32
            }
            #[inline(always)]
            fn clamp_f32(value: f32) -> $t {
                let nan = if $t::BITS == 64 { 1 << ($t::BITS - 1) } else { 0 };
                let clamped = if $t::BITS == 64 { value as $t } else { clamped!(value as f64, $t) };
                if is_nan(value) { nan } else { clamped }
            }
            #[inline(always)]
            fn clamp_f64(value: f64) -> $t {
                let nan = 1 << ($t::BITS - 1);
                let clamped = if $t::BITS == 64 { value as $t } else { clamped!(value, $t) };
                if is_nan(value) { nan } else { clamped }
            }
        }
    )*};
}
float_int! { u8 u16 u32 u64 i8 i16 i32 i64 }

/// Returns the exact value of an integer, rounded to odd if 53 bits can't hold it.
#[inline(always)]
pub fn int_to_f64_odd<S: FloatInt>(a: S) -> f64 {
    let nearest = a.nearest_f64();
    if S::BITS < 64 {
        return nearest;
    }
    // `i128` holds both; only the sign of the difference matters.
    let lost = a.to_i128() - nearest as i128;
    super::round::to_odd(nearest, lost.signum() as f64)
}

/// `cvt.rnd.f32.int`, with `.sat` if the mode has it.
#[inline(always)]
pub fn int_to_f32<S: FloatInt>(a: S, mode: Mode) -> f32 {
    let result = match mode.rounding {
        Rounding::Rn | Rounding::Rna => a.nearest_f32(),
        rounding => f64_to_f32(int_to_f64_odd(a), rounding),
    };
    if mode.sat { saturate(result) } else { result }
}

/// Computes `cvt.rnd.f64.int`.
#[inline(always)]
pub fn int_to_f64<S: FloatInt>(a: S, mode: Mode) -> f64 {
    let nearest = a.nearest_f64();
    let result = if S::BITS < 64 || mode.rounding == Rounding::Rn {
        nearest
    } else {
        let (back, value) = (nearest as i128, a.to_i128());
        let (below, above) = (back < value, back > value);
        let shrink = match mode.rounding {
            Rounding::Rn | Rounding::Rna => false,
            Rounding::Rz => (above & (value > 0)) | (below & (value < 0)),
            Rounding::Rm => above & (value > 0),
            Rounding::Rp => below & (value < 0),
        };
        let grow = match mode.rounding {
            Rounding::Rm => above & (value < 0),
            Rounding::Rp => below & (value > 0),
            _ => false,
        };
        let bits = nearest.to_bits();
        f64::from_bits(bits.wrapping_add(grow as u64).wrapping_sub(shrink as u64))
    };
    if mode.sat { saturate(result) } else { result }
}

/// Rounds to an integer that is still a float.
#[inline(always)]
pub fn round_f32(a: f32, rounding: IntRounding) -> f32 {
    match rounding {
        IntRounding::Rni => a.round_ties_even(),
        IntRounding::Rzi => a.trunc(),
        IntRounding::Rmi => a.floor(),
        IntRounding::Rpi => a.ceil(),
    }
}

/// Rounds to an integer that is still a float.
#[inline(always)]
pub fn round_f64(a: f64, rounding: IntRounding) -> f64 {
    match rounding {
        IntRounding::Rni => a.round_ties_even(),
        IntRounding::Rzi => a.trunc(),
        IntRounding::Rmi => a.floor(),
        IntRounding::Rpi => a.ceil(),
    }
}

/// `cvt.irnd.int.f32`: clamps to the destination's range, with or without `.sat`. NaN becomes zero, or for a
/// 64-bit integer its top bit alone: as on an H100, where the ISA says zero.
#[inline(always)]
pub fn f32_to_int<D: FloatInt>(a: f32, rounding: IntRounding, ftz: bool) -> D {
    D::clamp_f32(round_f32(flush_if(ftz, a), rounding))
}

/// `cvt.irnd.int.f64`: clamps to the destination's range, with or without `.sat`. NaN becomes the integer of
/// which only the top bit is set, as on an H100.
#[inline(always)]
pub fn f64_to_int<D: FloatInt>(a: f64, rounding: IntRounding) -> D {
    D::clamp_f64(round_f64(a, rounding))
}

/// `cvt.irnd.f32.f32`: rounds to an integer in place.
#[inline(always)]
pub fn f32_to_integral(a: f32, rounding: IntRounding, ftz: bool, sat: bool) -> f32 {
    let result = round_f32(flush_if(ftz, a), rounding);
    if sat { saturate(result) } else { canonical(result) }
}

/// `cvt.irnd.f64.f64`: rounds to an integer in place.
#[inline(always)]
pub fn f64_to_integral(a: f64, rounding: IntRounding, sat: bool) -> f64 {
    let result = round_f64(a, rounding);
    if sat { saturate(result) } else { canonical(result) }
}

/// `cvt.f32.f32`: without a modifier a move, NaN included.
#[inline(always)]
pub fn f32_to_f32(a: f32, ftz: bool, sat: bool) -> f32 {
    match (ftz, sat) {
        (_, true) => saturate(flush_if(ftz, a)),
        (true, false) => canonical(flush_if(ftz, a)),
        (false, false) => a,
    }
}

/// `cvt.f64.f64`: without `.sat` a move, NaN included.
#[inline(always)]
pub fn f64_to_f64(a: f64, sat: bool) -> f64 {
    if sat { saturate(a) } else { a }
}

/// `cvt.f64.f32`: exact, NaN keeps its payload; `.ftz` flushes the operand and its payload.
#[inline(always)]
pub fn f32_to_f64(a: f32, ftz: bool, sat: bool) -> f64 {
    let result = if ftz { canonical(flush(a)) } else { a } as f64;
    if sat { saturate(result) } else { canonical(result) }
}

/// `cvt.rnd.f32.f64`: `.ftz` flushes the result. NaN keeps the upper part of its payload.
#[inline(always)]
pub fn f64_to_f32_with(a: f64, mode: Mode) -> f32 {
    let result = flush_if(mode.ftz, f64_to_f32(a, mode.rounding));
    if mode.sat { saturate(result) } else { result }
}
