//! The tensor cores' floating-point sum: see the notes on arithmetic in the parent module.

use super::LANES;
use super::element::Element;
use super::multiply::COLUMNS;

/// Most elements of a float matrix (32×16, or 4 products of 8×8).
pub(super) const MOST: usize = 512;

/// Kept bits below the largest exponent of a sum's terms.
const KEPT: f64 = (1u64 << 25) as f64;

/// A or B, flat, as exact values.
pub(super) struct Matrix {
    values: [f64; MOST],
    /// 2^e where the value is ±1.xxx·2^e; the least exponent for subnormal values; 0 for zeros.
    powers: [f64; MOST],
    /// Whether an infinity or NaN is among them.
    pub special: bool,
}

/// Values and powers of a row of A, or of columns of B.
type Part<'a> = (&'a [f64], &'a [f64]);

impl Matrix {
    pub fn new() -> Matrix {
        Matrix { values: [0.0; MOST], powers: [0.0; MOST], special: false }
    }

    /// `len` elements from `start`.
    pub fn part(&self, start: usize, len: usize) -> Part<'_> {
        (&self.values[start..start + len], &self.powers[start..start + len])
    }

    /// Spreads packed elements by their places in `table`.
    pub fn unpack(&mut self, element: Element, registers: &[[u32; LANES]], table: &[u16]) {
        let bits = element.bits() as u32;
        let words = registers.as_flattened();
        for (indices, &word) in table.chunks_exact((32 / bits) as usize).zip(words) {
            for (part, &index) in indices.iter().enumerate() {
                let raw = word >> (part as u32 * bits) & (u32::MAX >> (32 - bits));
                let value = decode(element, raw);
                self.special |= !value.is_finite();
                self.values[index as usize] = value;
                self.powers[index as usize] = power(element, value);
            }
        }
    }
}

/// The value of an element's bits. All but f32 are widened exactly.
fn decode(element: Element, raw: u32) -> f64 {
    match element {
        Element::F16 => minifloat::<5, 10>(raw),
        Element::Bf16 => f64::from(f32::from_bits(raw << 16)),
        Element::Tf32 => f64::from(f32::from_bits(raw & !0x1fff)),
        // e4m3 has no infinities: only all ones is a NaN.
        Element::E4m3 if raw & 0x7f == 0x7f => f64::NAN,
        Element::E4m3 => {
            let sign = if raw & 0x80 == 0 { 1.0 } else { -1.0 };
            sign * minifloat_magnitude::<4, 3>(raw)
        }
        Element::E5m2 => minifloat::<5, 2>(raw),
        _ => f64::from(f32::from_bits(raw)),
    }
}

/// An IEEE-like format with `E` exponent and `M` mantissa bits.
fn minifloat<const E: u32, const M: u32>(raw: u32) -> f64 {
    let top = (1 << E) - 1;
    let magnitude = match (raw >> M & top, raw & ((1 << M) - 1)) {
        (exponent, 0) if exponent == top => f64::INFINITY,
        (exponent, _) if exponent == top => f64::NAN,
        _ => minifloat_magnitude::<E, M>(raw),
    };
    if raw >> (E + M) & 1 == 0 { magnitude } else { -magnitude }
}

/// A finite magnitude: moves the bits to where f32 has them and mends the exponent's bias, which
/// is exact for subnormal values too.
fn minifloat_magnitude<const E: u32, const M: u32>(raw: u32) -> f64 {
    let bits = (raw & ((1 << (E + M)) - 1)) << (23 - M);
    let rebias = f32::from_bits((127 + 127 - ((1 << (E - 1)) - 1)) << 23);
    f64::from(f32::from_bits(bits) * rebias)
}

/// Least exponent of a format's normal values, as a power of two. 8-bit floats are widened to f16.
fn least_power(element: Element) -> f64 {
    let exponent: i32 = match element {
        Element::F16 | Element::E5m2 | Element::E4m3 => -14,
        _ => -126,
    };
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// 2 to the exponent that the hardware aligns by: of a subnormal value, the format's least.
fn power(element: Element, value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    f64::from_bits(value.to_bits() & (0x7ff << 52)).max(least_power(element))
}

/// sums[j] = round(sums[j] + Σ left[k]·right[k][j]), from the accumulator type `start` to `result`.
/// `left` and `right` are values and powers. `special`: infinities or NaNs may be among the inputs.
pub(super) fn accumulate(
    (left, right): (Part, Part),
    sums: &mut [f64; COLUMNS],
    (start, result): (Element, Element),
    special: bool,
) {
    let mut largest: [f64; COLUMNS] = std::array::from_fn(|j| power(start, sums[j]));
    for (&x, y) in left.1.iter().zip(right.1.as_chunks::<COLUMNS>().0) {
        for (largest, &y) in largest.iter_mut().zip(y) {
            let product = x * y;
            *largest = if product > *largest { product } else { *largest };
        }
    }
    // Terms are scaled so that the last kept bit is worth 1. Where all terms are zero, any scale does.
    let unit: [f64; COLUMNS] =
        std::array::from_fn(|j| if largest[j] > 0.0 { largest[j] / KEPT } else { 1.0 });
    let scale = unit.map(|unit| 1.0 / unit);
    let mut totals: [f64; COLUMNS] = std::array::from_fn(|j| cut(sums[j] * scale[j]));
    for (&x, y) in left.0.iter().zip(right.0.as_chunks::<COLUMNS>().0) {
        for j in 0..COLUMNS {
            totals[j] += cut(x * y[j] * scale[j]);
        }
    }
    let exceptional: [f64; COLUMNS] = if special { ieee_sum(left.0, right.0, sums) } else { [0.0; COLUMNS] };
    for j in 0..COLUMNS {
        sums[j] =
            if exceptional[j].is_finite() { round(totals[j] * unit[j], result) } else { exceptional[j] };
    }
}

/// Drops the fraction of |x| < 2^51.
fn cut(x: f64) -> f64 {
    const INTEGERS: f64 = (1u64 << 52) as f64;
    let magnitude = x.abs();
    let nearest = (magnitude + INTEGERS) - INTEGERS;
    let cut = nearest - if nearest > magnitude { 1.0 } else { 0.0 };
    cut.copysign(x)
}

/// The sum in f64, where only infinities and NaNs matter.
fn ieee_sum(left: &[f64], right: &[f64], start: &[f64; COLUMNS]) -> [f64; COLUMNS] {
    let mut sums = *start;
    for (&x, y) in left.iter().zip(right.as_chunks::<COLUMNS>().0) {
        for (sum, &y) in sums.iter_mut().zip(y) {
            *sum += x * y;
        }
    }
    sums
}

/// Rounds to the accumulator's type: f32 towards zero, f16 to nearest even. Too large values
/// become infinite; zeros lose their sign.
fn round(x: f64, result: Element) -> f64 {
    let rounded = if result == Element::F16 { round_f16(x) } else { truncate_f32(x) };
    if rounded == 0.0 { 0.0 } else { rounded }
}

fn truncate_f32(x: f64) -> f64 {
    let nearest = x as f32;
    if nearest.is_infinite() && x.abs() < 2.0 * f64::from_bits((1023 + 127) << 52) {
        // Rounding went up over the largest finite value.
        return f64::from(f32::MAX).copysign(x);
    }
    if f64::from(nearest).abs() > x.abs() && nearest.is_finite() {
        return f64::from(f32::from_bits(nearest.to_bits() - 1));
    }
    f64::from(nearest)
}

fn round_f16(x: f64) -> f64 {
    if !x.is_finite() {
        return x;
    }
    // Adding 2^52 units leaves whole units, rounded to nearest even; a unit is 2^-10 of the value's power.
    let unit = power(Element::F16, x).max(least_power(Element::F16)) / 1024.0;
    let whole = unit * (1u64 << 52) as f64;
    let magnitude = (x.abs() + whole) - whole;
    if magnitude > 65504.0 { f64::INFINITY.copysign(x) } else { magnitude.copysign(x) }
}

/// As [`accumulate`], by f32 fused multiply-adds from zero in order of k, then an f32 addition.
pub(super) fn fused((left, right): (Part, Part), sums: &mut [f64; COLUMNS], result: Element) {
    let right = right.0.as_chunks::<COLUMNS>().0;
    for (j, sum) in sums.iter_mut().enumerate() {
        let products = left.0.iter().zip(right);
        // With f16 sums the first product stands alone, so that a negative zero survives.
        let zero = if result == Element::F16 { -0f32 } else { 0f32 };
        let chain = products.fold(zero, |sum, (&x, y)| (x as f32).mul_add(y[j] as f32, sum));
        let total = f64::from(chain + *sum as f32);
        *sum = if result == Element::F16 { round_f16(total) } else { total };
    }
}

/// a + b rounded to nearest even in the accumulator's type, as an ordinary addition does.
pub(super) fn add(a: f64, b: f64, result: Element) -> f64 {
    if result == Element::F16 { round_f16(a + b) } else { f64::from(a as f32 + b as f32) }
}

/// Spreads C by its places in `table`.
pub(super) fn unpack_accumulator(
    element: Element,
    registers: &[[u32; LANES]],
    table: &[u16],
    sums: &mut [f64; MOST],
) {
    let bits = element.bits() as u32;
    for (indices, &word) in table.chunks_exact((32 / bits) as usize).zip(registers.as_flattened()) {
        for (part, &index) in indices.iter().enumerate() {
            let raw = word >> (part as u32 * bits) & (u32::MAX >> (32 - bits));
            sums[index as usize] = decode(element, raw);
        }
    }
}

/// Gathers D into registers.
pub(super) fn pack_accumulator(
    element: Element,
    sums: &[f64; MOST],
    table: &[u16],
    registers: &mut [[u32; LANES]],
) {
    let words = registers.as_flattened_mut();
    if element == Element::F16 {
        for (indices, word) in table.as_chunks::<2>().0.iter().zip(words) {
            let [low, high] = indices.map(|index| encode_f16(sums[index as usize]));
            *word = low | high << 16;
        }
    } else {
        for (&index, word) in table.iter().zip(words) {
            let value = sums[index as usize];
            *word = if value.is_nan() { 0x7fff_ffff } else { (value as f32).to_bits() };
        }
    }
}

/// The bits of a value that f16 holds exactly.
fn encode_f16(x: f64) -> u32 {
    if x.is_nan() {
        return 0x7fff;
    }
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = x.abs();
    let least = least_power(Element::F16);
    sign | if magnitude == f64::INFINITY {
        0x7c00
    } else if magnitude < least {
        (magnitude / least * 1024.0) as u32
    } else {
        ((magnitude as f32).to_bits() >> 13) - ((127 - 15) << 10)
    }
}
