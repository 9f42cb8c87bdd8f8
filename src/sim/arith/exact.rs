//! `f64` arithmetic in any rounding, on integers wide enough to lose nothing but a sticky bit.
//!
//! The host has no wider type to round from, so the directed forms of `f64` work on 128-bit significands. A bit
//! set in the last place stands for everything that was shifted out below it.

use super::Rounding;

/// A finite value: `significand * 2^exponent`.
#[derive(Clone, Copy)]
struct Number {
    negative: bool,
    exponent: i32,
    significand: u128,
}

/// The exponent of the last place of a subnormal.
const LEAST: i32 = -1074;

impl Number {
    #[inline]
    fn of(value: f64) -> Number {
        let bits = value.to_bits();
        let field = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        let (exponent, significand) =
            if field == 0 { (LEAST, fraction) } else { (field - 1 + LEAST, fraction | 1 << 52) };
        Number { negative: bits >> 63 != 0, exponent, significand: significand as u128 }
    }

    /// Returns the same value with the top bit of a nonzero significand raised to bit `top`.
    #[inline]
    fn raised(self, top: u32) -> Number {
        let by = top + self.significand.leading_zeros() - 127;
        Number { significand: self.significand << by, exponent: self.exponent - by as i32, ..self }
    }

    /// Rounds once to `f64`.
    #[inline]
    fn round(self, rounding: Rounding) -> f64 {
        let sign = (self.negative as u64) << 63;
        if self.significand == 0 {
            return f64::from_bits(sign);
        }
        let Number { exponent, significand, .. } = self.raised(127);
        let last = (exponent + 127 - 52).max(LEAST);
        let drop = (last - exponent) as u32;
        // Of values far below the last place, only whether they are zero matters.
        let (significand, drop) =
            if drop > 127 { (shift_sticky(significand, drop - 127), 127) } else { (significand, drop) };
        let kept = (significand >> drop) as u64;
        let rest = significand & ((1 << drop) - 1);
        let half = 1u128 << (drop - 1);
        let up = match rounding {
            Rounding::Rn => rest > half || (rest == half && kept & 1 == 1),
            Rounding::Rna => rest >= half,
            Rounding::Rz => false,
            Rounding::Rm => self.negative && rest != 0,
            Rounding::Rp => !self.negative && rest != 0,
        };
        let field = ((last - LEAST) as u64) << 52;
        let magnitude = field.saturating_add(kept + up as u64);
        let infinity = f64::INFINITY.to_bits();
        let magnitude = if magnitude < infinity {
            magnitude
        } else {
            let to_infinity = match rounding {
                Rounding::Rn | Rounding::Rna => true,
                Rounding::Rz => false,
                Rounding::Rm => self.negative,
                Rounding::Rp => !self.negative,
            };
            if to_infinity { infinity } else { infinity - 1 }
        };
        f64::from_bits(sign | magnitude)
    }
}

/// Shifts right; the last bit is set if anything was lost.
#[inline]
fn shift_sticky(value: u128, by: u32) -> u128 {
    if by == 0 {
        value
    } else if by > 127 {
        (value != 0) as u128
    } else {
        value >> by | (value << (128 - by) != 0) as u128
    }
}

/// Computes `a * b + c` with one rounding. NaN and infinities are those of the host's own operation.
pub fn fma(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    if !a.is_finite() || !b.is_finite() || !c.is_finite() {
        return a.mul_add(b, c);
    }
    let (x, y) = (Number::of(a), Number::of(b));
    let product = Number {
        negative: x.negative ^ y.negative,
        exponent: x.exponent + y.exponent,
        significand: x.significand * y.significand,
    };
    sum(product, Number::of(c), rounding)
}

fn sum(a: Number, b: Number, rounding: Rounding) -> f64 {
    if a.significand == 0 && b.significand == 0 {
        let negative = if a.negative == b.negative { a.negative } else { rounding == Rounding::Rm };
        return if negative { -0.0 } else { 0.0 };
    }
    if a.significand == 0 {
        return b.round(rounding);
    }
    if b.significand == 0 {
        return a.round(rounding);
    }
    // Bits 126 and 127 are room for the carry. A shift that loses bits of the smaller operand
    // (more than 20 places) leaves a difference at least half the larger one.
    let (a, b) = (a.raised(125), b.raised(125));
    let (large, small) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    let shifted = shift_sticky(small.significand, (large.exponent - small.exponent) as u32);
    let total = if large.negative == small.negative {
        Number { significand: large.significand + shifted, ..large }
    } else if large.significand >= shifted {
        Number { significand: large.significand - shifted, ..large }
    } else {
        Number { significand: shifted - large.significand, negative: small.negative, ..large }
    };
    if total.significand == 0 {
        return if rounding == Rounding::Rm { -0.0 } else { 0.0 };
    }
    total.round(rounding)
}

pub fn add(a: f64, b: f64, rounding: Rounding) -> f64 {
    if !a.is_finite() || !b.is_finite() {
        return a + b;
    }
    sum(Number::of(a), Number::of(b), rounding)
}

pub fn mul(a: f64, b: f64, rounding: Rounding) -> f64 {
    if !a.is_finite() || !b.is_finite() {
        return a * b;
    }
    let (x, y) = (Number::of(a), Number::of(b));
    Number {
        negative: x.negative ^ y.negative,
        exponent: x.exponent + y.exponent,
        significand: x.significand * y.significand,
    }
    .round(rounding)
}

pub fn div(a: f64, b: f64, rounding: Rounding) -> f64 {
    if !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0 {
        return a / b;
    }
    // 128 bits over 53: at least 75 bits of quotient.
    let (x, y) = (Number::of(a).raised(127), Number::of(b).raised(52));
    let quotient = x.significand / y.significand;
    let rest = x.significand % y.significand;
    Number {
        negative: x.negative ^ y.negative,
        exponent: x.exponent - y.exponent,
        significand: quotient | (rest != 0) as u128,
    }
    .round(rounding)
}

pub fn sqrt(a: f64, rounding: Rounding) -> f64 {
    if !a.is_finite() || a <= 0.0 {
        return a.sqrt();
    }
    let x = Number::of(a);
    // The exponent must be even, since it is halved; the root of 126 or 127 bits has 63 or 64.
    let raised = x.raised(126);
    let x = if raised.exponent % 2 == 0 { raised } else { x.raised(125) };
    let root = x.significand.isqrt();
    let rest = x.significand - root * root;
    // Doubled to make room for the sticky bit.
    let significand = root << 1 | (rest != 0) as u128;
    Number { negative: false, exponent: x.exponent / 2 - 1, significand }.round(rounding)
}
