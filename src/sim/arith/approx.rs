//! The approximating instructions (PTX ISA 9.7.3.13 to 9.7.3.22, 9.7.4).
//!
//! Results lie inside the ISA's error bounds, mostly far inside, and are exact at its special
//! values; they are not bit for bit those of any GPU. Everything is computed by polynomials, so
//! that loops over lanes vectorise.

use std::f64::consts::{LN_2, LOG2_E};

use super::float::{canonical, flush, flush_if, is_nan};
use super::half::Half;
use super::{Mode, Rounding, single};

/// Returns the sum of `coefficients[i] * x^i`.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = 0.0;
    for c in coefficients.into_iter().rev() {
        sum = sum * x + c;
    }
    sum
}

/// Returns `2^x` for `|x|` below 1000, with a relative error below 1e-11.
#[inline(always)]
fn exp2(x: f64) -> f64 {
    // Adding and then subtracting 1.5 * 2^52 rounds to an integer.
    let shifter = 6755399441055744.0;
    let shifted = x + shifter;
    let whole = shifted - shifter;
    let part = (x - whole) * LN_2;
    // Taylor series, |part| <= 0.347: the first omitted term is below 1e-11.
    let power = polynomial(
        part,
        [
            1.0,
            1.0,
            1.0 / 2.0,
            1.0 / 6.0,
            1.0 / 24.0,
            1.0 / 120.0,
            1.0 / 720.0,
            1.0 / 5040.0,
            1.0 / 40320.0,
            1.0 / 362880.0,
        ],
    );
    // The low bits of the shifted value are the integer.
    let exponent = shifted.to_bits() << 52;
    f64::from_bits(power.to_bits().wrapping_add(exponent))
}

/// Computes `ex2.approx{.ftz}.f32`.
#[inline(always)]
pub fn ex2(a: f32, ftz: bool) -> f32 {
    let a = flush_if(ftz, a);
    let high = if a > 200.0 { 200.0 } else { a };
    let bounded = if high < -200.0 { -200.0 } else { high };
    let power = exp2(if is_nan(a) { 0.0 } else { bounded as f64 }) as f32;
    flush_if(ftz, if is_nan(a) { canonical(a) } else { power })
}

/// Computes `lg2.approx{.ftz}.f32`.
#[inline(always)]
pub fn lg2(a: f32, ftz: bool) -> f32 {
    let a = flush_if(ftz, a);
    let bits = (a as f64).to_bits();
    let fraction = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000);
    // The exponent as a float: 2^52 + field, minus 2^52.
    let field = f64::from_bits(bits >> 52 & 0x7ff | 0x4330_0000_0000_0000) - 4503599627370496.0;
    let upper = fraction > std::f64::consts::SQRT_2;
    let m = if upper { fraction * 0.5 } else { fraction };
    let exponent = field - if upper { 1022.0 } else { 1023.0 };
    // ln m = 2 artanh((m - 1) / (m + 1)), |s| <= 0.172.
    let s = (m - 1.0) / (m + 1.0);
    let series = polynomial(
        s * s,
        [1.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0],
    );
    let finite = (exponent + 2.0 * LOG2_E * s * series) as f32;
    let result = if a == f32::INFINITY { a } else { finite };
    let result = if a == 0.0 { f32::NEG_INFINITY } else { result };
    if (a < 0.0) | is_nan(a) { canonical(f32::NAN) } else { result }
}

/// Returns the angle in turns as a GPU's sine unit receives it: multiplied by 1/2π in `f32`, rounded toward
/// zero.
#[inline(always)]
fn turns(a: f32) -> f64 {
    let per_turn = f32::from_bits(0x3e22_f983);
    let toward_zero = Mode { rounding: Rounding::Rz, ..Mode::default() };
    flush(single::mul_with(a, per_turn, toward_zero)) as f64
}

/// Returns `sin(2π x)` for `|x| <= 0.75`.
#[inline(always)]
fn sin_of_turns(x: f64) -> f64 {
    let shifter = 6755399441055744.0;
    let shifted = 2.0 * x + shifter;
    let halves = shifted - shifter;
    let angle = (x - 0.5 * halves) * std::f64::consts::TAU;
    let square = angle * angle;
    // Taylor series, |angle| <= π/2: the first omitted term is below 1e-11.
    let series = polynomial(
        square,
        [
            1.0,
            -1.0 / 6.0,
            1.0 / 120.0,
            -1.0 / 5040.0,
            1.0 / 362880.0,
            -1.0 / 39916800.0,
            1.0 / 6227020800.0,
            -1.0 / 1307674368000.0,
        ],
    );
    let sine = angle * series;
    if shifted.to_bits() & 1 == 1 { -sine } else { sine }
}

/// Returns `x` minus the nearest integer.
#[inline(always)]
fn fraction_of(x: f64) -> f64 {
    let shifter = 6755399441055744.0;
    let rest = x - ((x + shifter) - shifter);
    // Past 2^51 every `f32` is a whole number.
    if x.abs() < 2251799813685248.0 { rest } else { x * 0.0 }
}

/// `sin.approx{.ftz}.f32`. Subnormal operands give zero in both forms. The error grows with the
/// angle as a GPU's does.
#[inline(always)]
pub fn sin(a: f32, ftz: bool) -> f32 {
    let x = turns(flush_if(ftz, a));
    let sine = flush(sin_of_turns(fraction_of(x)) as f32);
    // The sine of a whole number of turns is a zero with the operand's sign.
    let signed = if sine == 0.0 { 0.0f32.copysign(a) } else { sine };
    if a.is_finite() { signed } else { canonical(f32::NAN) }
}

/// Computes `cos.approx{.ftz}.f32`.
#[inline(always)]
pub fn cos(a: f32, ftz: bool) -> f32 {
    let x = turns(flush_if(ftz, a));
    let cosine = flush(sin_of_turns(fraction_of(x) + 0.25) as f32);
    // Never -0.0.
    if a.is_finite() { cosine + 0.0 } else { canonical(f32::NAN) }
}

/// Returns `tanh(x)`, with a relative error of 1e-9.
#[inline(always)]
fn tanh_f64(x: f64) -> f64 {
    let magnitude = x.abs();
    let bounded = if magnitude > 30.0 { 30.0 } else { magnitude };
    let power = exp2(2.0 * LOG2_E * bounded);
    let large = 1.0 - 2.0 / (power + 1.0);
    let square = x * x;
    let small = magnitude * (1.0 - square * (1.0 / 3.0 - square * (2.0 / 15.0)));
    let result = if magnitude < 1.0 / 64.0 { small } else { large };
    result.copysign(x)
}

/// `tanh.approx.f32`. Subnormal operands pass unchanged.
#[inline(always)]
pub fn tanh(a: f32) -> f32 {
    if is_nan(a) { canonical(a) } else { tanh_f64(a as f64) as f32 }
}

/// Computes `rcp.approx{.ftz}.f32`.
#[inline(always)]
pub fn rcp(a: f32, ftz: bool) -> f32 {
    canonical(flush_if(ftz, 1.0 / flush_if(ftz, a)))
}

/// Computes `sqrt.approx{.ftz}.f32`.
#[inline(always)]
pub fn sqrt(a: f32, ftz: bool) -> f32 {
    canonical(flush_if(ftz, a).sqrt())
}

/// Computes `rsqrt.approx{.ftz}.f32`.
#[inline(always)]
pub fn rsqrt(a: f32, ftz: bool) -> f32 {
    canonical(1.0 / flush_if(ftz, a).sqrt())
}

/// `div.approx{.ftz}.f32`: for `|b|` above 2^126, whose reciprocal a GPU flushes, zero, or NaN
/// where `a` is infinite.
#[inline(always)]
pub fn div(a: f32, b: f32, ftz: bool) -> f32 {
    let (a, b) = (flush_if(ftz, a), flush_if(ftz, b));
    let largest = f32::from_bits(0x7e80_0000);
    let zero = a * 0.0f32.copysign(b);
    let quotient = if b.abs() > largest { zero } else { a / b };
    canonical(flush_if(ftz, quotient))
}

/// `div.full{.ftz}.f32`: two units in the last place over the whole range according to the ISA; here correctly
/// rounded.
#[inline(always)]
pub fn div_full(a: f32, b: f32, ftz: bool) -> f32 {
    let (a, b) = (flush_if(ftz, a), flush_if(ftz, b));
    canonical(flush_if(ftz, a / b))
}

/// The upper 32 bits: all that the `.f64` approximations read and write.
const UPPER: u64 = 0xffff_ffff_0000_0000;

#[inline(always)]
fn upper_half(value: f64) -> f64 {
    let nearest = value.to_bits().wrapping_add(0x8000_0000) & UPPER;
    let exact = value.to_bits() & UPPER;
    f64::from_bits(if value.is_finite() { nearest } else { exact })
}

/// Returns the operand as the `.f64` approximations see it: without its lower half, and with subnormals
/// flushed.
#[inline(always)]
fn upper_operand(a: f64) -> f64 {
    flush(f64::from_bits(a.to_bits() & UPPER))
}

/// The NaN that the `.f64` approximations return.
const UPPER_NAN: f64 = f64::from_bits(0x7fff_ffff_0000_0000);

/// `rcp.approx.ftz.f64`: 20 bits of fraction.
#[inline(always)]
pub fn rcp_f64(a: f64) -> f64 {
    let result = flush(upper_half(1.0 / upper_operand(a)));
    if is_nan(result) { UPPER_NAN } else { result }
}

/// `rsqrt.approx.ftz.f64`: 20 bits of fraction.
#[inline(always)]
pub fn rsqrt_ftz_f64(a: f64) -> f64 {
    let result = upper_half(1.0 / upper_operand(a).sqrt());
    if is_nan(result) { UPPER_NAN } else { result }
}

/// `ex2.approx.f16`, `ex2.approx.ftz.bf16` and, packed, their x2 forms.
#[inline(always)]
pub fn ex2_half<T: Half>(a: T, ftz: bool) -> T {
    let result = T::from_f32(ex2(flush_if(ftz, a).to_f32(), false));
    flush_if(ftz, result)
}

/// `tanh.approx.f16`, `tanh.approx.bf16` and, packed, their x2 forms.
#[inline(always)]
pub fn tanh_half<T: Half>(a: T) -> T {
    T::from_f32(tanh(a.to_f32()))
}
