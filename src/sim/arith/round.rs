//! Exact directed rounding.
//!
//! A result that no single operation of the host computes is obtained in two steps. First the operation is done
//! in `f64`, *rounded to odd*: truncated, with the last bit set if anything was lost. Then it is rounded once
//! to the narrow type. As long as the `f64` has at least two bits more than the narrow type, nothing in between
//! can be mistaken for a tie (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).

/// How an inexact result is rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// `.rn`: to nearest, ties to even.
    #[default]
    Rn,
    /// `.rz`: toward zero.
    Rz,
    /// `.rm`: toward negative infinity.
    Rm,
    /// `.rp`: toward positive infinity.
    Rp,
    /// `.rna`: to nearest, ties away from zero. For the types that `cvt` narrows to.
    Rna,
}

/// How a float is rounded to an integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IntRounding {
    /// `.rni`: to nearest, ties to even.
    Rni,
    /// `.rzi`: toward zero.
    #[default]
    Rzi,
    /// `.rmi`: toward negative infinity.
    Rmi,
    /// `.rpi`: toward positive infinity.
    Rpi,
}

/// Returns an exact value rounded to odd. `nearest` is the `f64` nearest to it, and `error` has the sign of the
/// exact value minus `nearest` (zero if they are equal).
#[inline(always)]
pub fn to_odd(nearest: f64, error: f64) -> f64 {
    let bits = nearest.to_bits();
    // The exact value lies strictly between `nearest` and a neighbour; the odd one of the two is the result.
    // Away from zero the bits increase.
    let away = (error > 0.0) == (nearest > 0.0);
    let neighbour = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let keep = (error == 0.0) | error.is_nan() | (bits & 1 == 1) | !nearest.is_finite();
    f64::from_bits(if keep { bits } else { neighbour })
}

/// Returns `a + b` rounded to odd. The error term is Knuth's, exact unless something overflows.
#[inline(always)]
pub fn add_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    let error = (a - a_part) + (b - b_part);
    to_odd(sum, error)
}

/// Returns `a + b` rounded to odd in `f32`, which suffices for `f16`. Nothing overflows.
#[inline(always)]
pub fn add_odd_f32(a: f32, b: f32) -> f32 {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    let error = (a - a_part) + (b - b_part);
    let bits = sum.to_bits();
    let away = (error > 0.0) == (sum > 0.0);
    let neighbour = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let keep = (error == 0.0) | error.is_nan() | (bits & 1 == 1);
    f32::from_bits(if keep { bits } else { neighbour })
}

/// Returns `a / b` rounded to odd, for operands converted from `f32` or narrower.
#[inline(always)]
pub fn div_odd(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    let rest = f64::mul_add(-quotient, b, a);
    to_odd(quotient, if b < 0.0 { -rest } else { rest })
}

/// Returns `sqrt(a)` rounded to odd, for operands converted from `f32` or narrower.
#[inline(always)]
pub fn sqrt_odd(a: f64) -> f64 {
    let root = a.sqrt();
    to_odd(root, f64::mul_add(-root, root, a))
}

/// Returns the next `f32` up or down in the order of the bits, for a value that is not NaN.
#[inline(always)]
fn step_f32(value: f32, up: bool) -> f32 {
    let bits = value.to_bits();
    let grows = up != (bits >> 31 != 0);
    f32::from_bits(if grows { bits.wrapping_add(1) } else { bits.wrapping_sub(1) })
}

/// Rounds `wide` to `f32` once. NaN stays NaN. `.rna` rounds as `.rn`, since no `f32` operation has it.
#[inline(always)]
pub fn f64_to_f32(wide: f64, rounding: Rounding) -> f32 {
    // What the host's own instruction does with NaN, which Rust does not guarantee.
    let nan = f32::from_bits(
        (wide.to_bits() >> 32 & 0x8000_0000 | wide.to_bits() >> 29 & 0x3f_ffff) as u32 | 0x7fc0_0000,
    );
    let nearest = if wide.is_nan() { nan } else { wide as f32 };
    let back = nearest as f64;
    let (below, above) = (back < wide, back > wide);
    let negative = wide < 0.0;
    let (up, down) = match rounding {
        Rounding::Rn | Rounding::Rna => (false, false),
        Rounding::Rz => (below & negative, above & !negative),
        Rounding::Rm => (false, above),
        Rounding::Rp => (below, false),
    };
    if up | down { step_f32(nearest, up) } else { nearest }
}

/// Returns `sum`, which is `a + b`, except that an exact zero sum of opposite signs is -0.0 under `.rm`.
#[inline(always)]
pub fn zero_sum_sign(sum: f64, a: f64, b: f64, rounding: Rounding) -> f64 {
    let mixed = (sum == 0.0) & (a.is_sign_negative() | b.is_sign_negative());
    if mixed & (rounding == Rounding::Rm) { -0.0 } else { sum }
}
