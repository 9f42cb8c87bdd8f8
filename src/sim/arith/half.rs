//! Half precision: `.f16`, `.bf16` and their packed forms. Results are rounded once, to nearest;
//! NaN results are 0x7fff.
//!
//! Sums and products go through `f32`: its 24 bits are at least twice those of either type plus
//! two, so that rounding twice is harmless (Figueroa, "When is double rounding innocuous?", 1995).
//! `fma` needs more, see [`Half::fma`].

use super::float::{Float, canonical, flush_if, is_nan, relu, saturate};
use super::round::{add_odd, add_odd_f32};
use super::{Rounding, narrow};

/// A `.f16` value, as its bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct F16(pub u16);

/// A `.bf16` value, as its bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bf16(pub u16);

/// What distinguishes `.f16` and `.bf16`.
pub trait Half: Float {
    fn from_bits(bits: u16) -> Self;
    fn bits(self) -> u16;
    /// Converts to `f32`: exact; any NaN becomes a NaN.
    fn to_f32(self) -> f32;
    /// Rounds to nearest, ties to even.
    fn from_f32(value: f32) -> Self;
    /// Rounds once; the rounding determines the result of an overflow. NaN keeps its sign and the upper part of
    /// its payload.
    fn from_f64(value: f64, rounding: Rounding) -> Self;
    /// `fma.rn`: one rounding.
    fn fma(self, b: Self, c: Self) -> Self;
    /// The largest finite value.
    const LARGEST: Self;
}

macro_rules! half_float {
    ($($t:ident one $one:literal infinity $infinity:literal least $least:literal;)*) => {$(
        impl PartialEq for $t {
            #[inline(always)]
            fn eq(&self, other: &$t) -> bool {
                self.to_f32() == other.to_f32()
            }
        }
        impl PartialOrd for $t {
            #[inline(always)]
            fn partial_cmp(&self, other: &$t) -> Option<std::cmp::Ordering> {
                self.to_f32().partial_cmp(&other.to_f32())
            }
            #[inline(always)]
            fn lt(&self, other: &$t) -> bool {
                self.to_f32() < other.to_f32()
            }
            #[inline(always)]
            fn le(&self, other: &$t) -> bool {
                self.to_f32() <= other.to_f32()
            }
            #[inline(always)]
            fn gt(&self, other: &$t) -> bool {
                self.to_f32() > other.to_f32()
            }
            #[inline(always)]
            fn ge(&self, other: &$t) -> bool {
                self.to_f32() >= other.to_f32()
            }
        }
        impl Float for $t {
            const NAN: $t = $t(0x7fff);
            const ZERO: $t = $t(0);
            const ONE: $t = $t($one);

            #[inline(always)]
            fn is_negative(self) -> bool {
                self.0 & 0x8000 != 0
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.0 & 0x7fff > $infinity
            }
            #[inline(always)]
            fn is_subnormal(self) -> bool {
                let magnitude = self.0 & 0x7fff;
                (magnitude < $least) & (magnitude != 0)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.0 & 0x7fff < $infinity
            }
            #[inline(always)]
            fn with_sign(self, negative: bool) -> $t {
                $t(self.0 & 0x7fff | (negative as u16) << 15)
            }
            #[inline(always)]
            fn quieted(self) -> $t {
                $t::NAN
            }
        }
    )*};
}
half_float! {
    F16 one 0x3c00 infinity 0x7c00 least 0x0400;
    Bf16 one 0x3f80 infinity 0x7f80 least 0x0080;
}

/// Returns the sign and magnitude as bits; for NaN, with the upper part of the payload.
#[inline(always)]
fn narrowed(value: f64, format: narrow::Format, rounding: Rounding) -> u16 {
    let sign = ((value.to_bits() >> 63) as u16) << 15;
    let payload = (value.to_bits() >> (52 - format.fraction)) as u16 & ((1 << format.fraction) - 1);
    let nan = (format.largest + 1) as u16 | 1 << (format.fraction - 1) | payload;
    let magnitude = narrow::magnitude(value, format, rounding) as u16;
    sign | if is_nan(value) { nan } else { magnitude }
}

impl Half for F16 {
    const LARGEST: F16 = F16(0x7bff);

    #[inline(always)]
    fn from_bits(bits: u16) -> F16 {
        F16(bits)
    }

    #[inline(always)]
    fn bits(self) -> u16 {
        self.0
    }

    #[inline(always)]
    fn to_f32(self) -> f32 {
        let magnitude = (self.0 as u32 & 0x7fff) << 13;
        let sign = (self.0 as u32 & 0x8000) << 16;
        // The exponent's bias differs by 112. A subnormal is given a leading one, which is then subtracted
        // again.
        let subnormal = f32::from_bits(magnitude + (113 << 23)) - f32::from_bits(113 << 23);
        let finite = if magnitude < 1 << 23 { subnormal.to_bits() } else { magnitude + (112 << 23) };
        let bits = if magnitude < 0x0f80_0000 { finite } else { magnitude | 0x7f80_0000 };
        f32::from_bits(bits | sign)
    }

    #[inline(always)]
    fn from_f32(value: f32) -> F16 {
        let bits = value.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        let sign = (bits >> 16) as u16 & 0x8000;
        let ties_to_even = 0xfff + (magnitude >> 13 & 1);
        let normal = magnitude.wrapping_add(ties_to_even).wrapping_sub(112 << 23) >> 13;
        // At 0.5, the last place of an `f32` is that of an `f16` subnormal, so the addition rounds.
        let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
        let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
        let bounded = if magnitude < 0x4780_0000 { finite } else { 0x7c00 } as u16;
        if magnitude > 0x7f80_0000 { F16(0x7fff) } else { F16(bounded | sign) }
    }

    #[inline(always)]
    fn from_f64(value: f64, rounding: Rounding) -> F16 {
        F16(narrowed(value, narrow::F16, rounding))
    }

    /// The product is exact in `f32`; the sum is rounded to odd, and then once to `f16`.
    #[inline(always)]
    fn fma(self, b: F16, c: F16) -> F16 {
        F16::from_f32(add_odd_f32(self.to_f32() * b.to_f32(), c.to_f32()))
    }
}

impl Half for Bf16 {
    const LARGEST: Bf16 = Bf16(0x7f7f);

    #[inline(always)]
    fn from_bits(bits: u16) -> Bf16 {
        Bf16(bits)
    }

    #[inline(always)]
    fn bits(self) -> u16 {
        self.0
    }

    #[inline(always)]
    fn to_f32(self) -> f32 {
        f32::from_bits((self.0 as u32) << 16)
    }

    #[inline(always)]
    fn from_f32(value: f32) -> Bf16 {
        let bits = value.to_bits();
        let rounded = (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16;
        if bits & 0x7fff_ffff > 0x7f80_0000 { Bf16(0x7fff) } else { Bf16(rounded) }
    }

    #[inline(always)]
    fn from_f64(value: f64, rounding: Rounding) -> Bf16 {
        Bf16(narrowed(value, narrow::BF16, rounding))
    }

    /// The product is exact in `f64`; the sum is rounded to odd, and then once to `bf16`.
    #[inline(always)]
    fn fma(self, b: Bf16, c: Bf16) -> Bf16 {
        let product = self.to_f32() as f64 * b.to_f32() as f64;
        canonical(Bf16::from_f64(add_odd(product, c.to_f32() as f64), Rounding::Rn))
    }
}

/// Modifiers of half-precision arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HalfMode {
    /// Subnormal inputs and results become zero of the same sign.
    pub ftz: bool,
    /// Clamp to [+0.0, 1.0]; NaN becomes +0.0.
    pub sat: bool,
    /// Negative results become +0.0; NaN stays NaN.
    pub relu: bool,
}

#[inline(always)]
pub fn add<T: Half>(a: T, b: T) -> T {
    T::from_f32(a.to_f32() + b.to_f32())
}

#[inline(always)]
pub fn sub<T: Half>(a: T, b: T) -> T {
    T::from_f32(a.to_f32() - b.to_f32())
}

#[inline(always)]
pub fn mul<T: Half>(a: T, b: T) -> T {
    T::from_f32(a.to_f32() * b.to_f32())
}

/// `fma.rn`: one rounding.
#[inline(always)]
pub fn fma<T: Half>(a: T, b: T, c: T) -> T {
    a.fma(b, c)
}

#[inline(always)]
pub fn add_with<T: Half>(a: T, b: T, mode: HalfMode) -> T {
    finish(add(flush_if(mode.ftz, a), flush_if(mode.ftz, b)), mode)
}

#[inline(always)]
pub fn sub_with<T: Half>(a: T, b: T, mode: HalfMode) -> T {
    finish(sub(flush_if(mode.ftz, a), flush_if(mode.ftz, b)), mode)
}

#[inline(always)]
pub fn mul_with<T: Half>(a: T, b: T, mode: HalfMode) -> T {
    finish(mul(flush_if(mode.ftz, a), flush_if(mode.ftz, b)), mode)
}

#[inline(always)]
pub fn fma_with<T: Half>(a: T, b: T, c: T, mode: HalfMode) -> T {
    finish(fma(flush_if(mode.ftz, a), flush_if(mode.ftz, b), flush_if(mode.ftz, c)), mode)
}

#[inline(always)]
fn finish<T: Half>(result: T, mode: HalfMode) -> T {
    let result = flush_if(mode.ftz, result);
    let result = if mode.sat { saturate(result) } else { result };
    if mode.relu { relu(result) } else { result }
}

/// Applies a unary operation to both halves of a register.
///
/// These are loops so that the operation is inlined in one place; written out twice, the larger
/// ones were not inlined at all and kept lanes from vectorising.
#[inline(always)]
pub fn packed1<T: Half>(a: u32, op: impl Fn(T) -> T) -> u32 {
    let mut result = 0;
    for shift in [0, 16] {
        result |= (op(part(a, shift)).bits() as u32) << shift;
    }
    result
}

/// Applies a binary operation to both halves: `packed2(a, b, add::<F16>)` is `add.f16x2`.
#[inline(always)]
pub fn packed2<T: Half>(a: u32, b: u32, op: impl Fn(T, T) -> T) -> u32 {
    let mut result = 0;
    for shift in [0, 16] {
        result |= (op(part(a, shift), part(b, shift)).bits() as u32) << shift;
    }
    result
}

/// Applies a ternary operation to both halves.
#[inline(always)]
pub fn packed3<T: Half>(a: u32, b: u32, c: u32, op: impl Fn(T, T, T) -> T) -> u32 {
    let mut result = 0;
    for shift in [0, 16] {
        result |= (op(part(a, shift), part(b, shift), part(c, shift)).bits() as u32) << shift;
    }
    result
}

/// Returns the half of a register that starts at bit `shift`.
#[inline(always)]
fn part<T: Half>(word: u32, shift: u32) -> T {
    T::from_bits((word >> shift) as u16)
}
