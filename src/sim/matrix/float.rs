//! The floating-point sum of tensor cores: see the notes on arithmetic in the parent module.
//!
//! Values are held as f32, which is exact for every element type, together with the exponents by which the
//! hardware aligns them.

use super::element::Element;
use super::{COLUMNS, LANES, Registers};

/// The most elements of a float matrix (32×16, or 4 products of 8×8).
pub(super) const MOST: usize = 512;

/// The bits kept below the largest exponent among a sum's terms.
const KEPT: i16 = 25;

/// The exponent of a zero: below all others, even when two are added.
const ZERO_EXPONENT: i16 = -8192;

/// How much exponents within a matrix may differ for products to be exact in f32.
const SPREAD: i16 = 45;

/// Matrix A, B or C, flattened.
pub(super) struct Matrix {
    pub values: [f32; MOST],
    exponents: [i16; MOST],
    /// Whether any value is an infinity or NaN.
    pub special: bool,
    /// The number of elements.
    len: usize,
}

/// A row of A, or columns of B.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    values: &'a [f32],
    exponents: &'a [i16],
}

impl Matrix {
    pub fn new() -> Matrix {
        Matrix { values: [0.0; MOST], exponents: [ZERO_EXPONENT; MOST], special: false, len: 0 }
    }

    /// Returns `len` elements from `start`.
    pub fn part(&self, start: usize, len: usize) -> Part<'_> {
        let range = start..start + len;
        Part { values: &self.values[range.clone()], exponents: &self.exponents[range] }
    }

    /// Unpacks elements to their places in `table`, which is ordered by register, part and lane.
    #[inline(always)]
    pub fn unpack(&mut self, element: Element, registers: &Registers, table: &[u16]) {
        self.len = table.len().min(MOST);
        let parts = element.per_register();
        let (bits, least) = (element.bits() as u32, least_exponent(element));
        for (n, (places, words)) in table
            .as_chunks::<LANES>()
            .0
            .iter()
            .zip(registers.iter().flat_map(|r| repeat(r, parts)))
            .enumerate()
        {
            let (shift, mask) = ((n % parts) as u32 * bits, u32::MAX >> (32 - bits));
            let mut values = [0f32; LANES];
            decode_all(element, words, shift, mask, &mut values);
            let mut exponents = [0i16; LANES];
            let mut special = false;
            for (exponent, &value) in exponents.iter_mut().zip(&values) {
                *exponent = exponent_of(value, least);
                special |= !value.is_finite();
            }
            self.special |= special;
            for lane in 0..LANES {
                // The remainder spares a check of bounds.
                let place = places[lane] as usize % MOST;
                self.values[place] = values[lane];
                self.exponents[place] = exponents[lane];
            }
        }
    }

    /// Returns the largest exponent, if the exponents are close enough for products in f32 to be exact once
    /// values are scaled by it.
    #[inline(always)]
    fn largest_exponent(&self) -> Option<i16> {
        let (mut largest, mut least) = (ZERO_EXPONENT, i16::MAX);
        for &exponent in &self.exponents[..self.len] {
            largest = largest.max(exponent);
            least = least.min(if exponent == ZERO_EXPONENT { i16::MAX } else { exponent });
        }
        match largest {
            ZERO_EXPONENT => Some(0),
            _ if largest - least <= SPREAD => Some(largest),
            _ => None,
        }
    }

    #[inline(always)]
    fn scale(&mut self, factor: f32) {
        for value in &mut self.values[..self.len] {
            *value *= factor;
        }
    }
}

fn repeat<T>(item: &T, times: usize) -> impl Iterator<Item = &T> {
    std::iter::repeat_n(item, times)
}

/// Scales A and B so that their products are exact in f32. Returns the exponent by which products were scaled
/// down; `None` if it can't be done, so that [`accumulate`] takes the slow path.
#[inline(always)]
pub(super) fn prepare(element: Element, left: &mut Matrix, right: &mut Matrix) -> Option<i16> {
    if left.special || right.special {
        return None;
    }
    // Products of f16 (and of types widened to it) lie between 2^-48 and 2^32.
    if matches!(element, Element::F16 | Element::E4m3 | Element::E5m2) {
        return Some(0);
    }
    let (x, y) = (left.largest_exponent()?, right.largest_exponent()?);
    left.scale(power(-x) as f32);
    right.scale(power(-y) as f32);
    Some(x + y)
}

/// Decodes the elements at bit `shift` in the words of a register.
#[inline(always)]
fn decode_all(element: Element, words: &[u32; LANES], shift: u32, mask: u32, values: &mut [f32; LANES]) {
    macro_rules! each {
        ($decode:expr) => {
            for (value, &word) in values.iter_mut().zip(words) {
                *value = $decode(word >> shift & mask);
            }
        };
    }
    match element {
        Element::F16 => each!(minifloat::<5, 10>),
        Element::Bf16 => each!(bfloat),
        Element::Tf32 => each!(tf32),
        Element::E4m3 => each!(e4m3),
        Element::E5m2 => each!(minifloat::<5, 2>),
        _ => each!(f32::from_bits),
    }
}

#[inline(always)]
fn bfloat(raw: u32) -> f32 {
    f32::from_bits(raw << 16)
}

/// Decodes tf32, of which the upper 19 bits count.
#[inline(always)]
fn tf32(raw: u32) -> f32 {
    f32::from_bits(raw & !0x1fff)
}

/// Decodes e4m3, which has no infinities: the largest exponent holds numbers, and only all ones is a NaN.
#[inline(always)]
fn e4m3(raw: u32) -> f32 {
    let magnitude = if raw & 0x7f == 0x7f { f32::NAN } else { rebias::<4, 3>(raw) };
    f32::from_bits(magnitude.to_bits() | (raw & 0x80) << 24)
}

/// Decodes an IEEE-like format with `E` exponent and `M` mantissa bits.
#[inline(always)]
fn minifloat<const E: u32, const M: u32>(raw: u32) -> f32 {
    let top = ((1 << E) - 1) << M;
    let special = if raw & top == top { 0x7f80_0000 } else { 0 };
    f32::from_bits(rebias::<E, M>(raw).to_bits() | special | (raw >> (E + M)) << 31)
}

/// Converts a magnitude: moves the bits to where f32 has them and corrects the exponent's bias, which is exact
/// for subnormal values too.
#[inline(always)]
fn rebias<const E: u32, const M: u32>(raw: u32) -> f32 {
    let bits = (raw & ((1 << (E + M)) - 1)) << (23 - M);
    f32::from_bits(bits) * f32::from_bits((127 + 127 - ((1 << (E - 1)) - 1)) << 23)
}

/// Returns the smallest exponent of a format's normal values. 8-bit floats are widened to f16.
fn least_exponent(element: Element) -> i16 {
    match element {
        Element::F16 | Element::E5m2 | Element::E4m3 => -14,
        _ => -126,
    }
}

/// Returns e for a value of ±1.xxx·2^e; `least` for subnormal values.
#[inline(always)]
fn exponent_of(value: f32, least: i16) -> i16 {
    let bits = value.to_bits();
    let exponent = ((bits >> 23 & 0xff) as i16 - 127).max(least);
    if bits & 0x7fff_ffff == 0 { ZERO_EXPONENT } else { exponent }
}

/// Returns 2^exponent, for exponents of normal doubles.
#[inline(always)]
fn power(exponent: i16) -> f64 {
    f64::from_bits(((1023 + i64::from(exponent)) as u64) << 52)
}

/// Computes `sums[j] = round(sums[j] + Σ left[k]·right[k][j])`, from the accumulator type `start` to `result`.
/// `product_exponent` is what [`prepare`] returned.
#[inline(always)]
pub(super) fn accumulate<const WIDE: bool>(
    left: Part,
    right: Part,
    sums: &mut [f32; COLUMNS],
    (start, result): (Element, Element),
    product_exponent: Option<i16>,
) {
    let right_values = right.values.as_chunks::<COLUMNS>().0;
    let least = least_exponent(start);
    let mut largest = [0i16; COLUMNS];
    for (largest, &sum) in largest.iter_mut().zip(&*sums) {
        *largest = exponent_of(sum, least);
    }
    let largest = largest_sum::<WIDE>(left.exponents, right.exponents.as_chunks().0, &largest);
    // If all terms are zero, any unit will do.
    let mut unit_exponents = [0i16; COLUMNS];
    for (unit, &largest) in unit_exponents.iter_mut().zip(&largest) {
        *unit = largest.max(-600) - KEPT;
    }
    let finite = sums.iter().all(|sum| sum.is_finite());
    let Some(product_exponent) = product_exponent.filter(|_| finite) else {
        let factor = power(product_exponent.unwrap_or(0));
        return accumulate_slow(left.values, right_values, factor, sums, unit_exponents, result);
    };
    // Terms are in units of the last kept bit. Products are below 2^27 of them, so 16 fit an i32. Only the
    // scales of products far below one unit, or of zeros, are clamped.
    let mut scale = [0f32; COLUMNS];
    for (scale, &unit) in scale.iter_mut().zip(&unit_exponents) {
        *scale = f32::from_bits(((127 + i32::from((product_exponent - unit).clamp(-120, 120))) as u32) << 23);
    }
    let totals = sum_of_cut::<WIDE>(left.values, right_values, &scale);
    let mut exact = [0f64; COLUMNS];
    for j in 0..COLUMNS {
        let own = cut(f64::from(sums[j]) * power(-unit_exponents[j]));
        exact[j] = (f64::from(totals[j]) + own) * power(unit_exponents[j]);
    }
    round_all(&exact, sums, result);
}

/// Returns Σ over k of `left[k]·right[k][j]·scale[j]`, each term truncated to an integer.
#[inline(always)]
fn sum_of_cut<const WIDE: bool>(
    left: &[f32],
    right: &[[f32; COLUMNS]],
    scale: &[f32; COLUMNS],
) -> [i32; COLUMNS] {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        // SAFETY: `WIDE` is true only if the processor has AVX2.
        return unsafe { super::wide::sum_of_cut(left, right, scale) };
    }
    let mut totals = [0i32; COLUMNS];
    for (&x, y) in left.iter().zip(right) {
        for j in 0..COLUMNS {
            totals[j] = totals[j].wrapping_add((x * y[j] * scale[j]) as i32);
        }
    }
    totals
}

/// Returns the largest of `start[j]` and `left[k] + right[k][j]`.
#[inline(always)]
fn largest_sum<const WIDE: bool>(
    left: &[i16],
    right: &[[i16; COLUMNS]],
    start: &[i16; COLUMNS],
) -> [i16; COLUMNS] {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        // SAFETY: `WIDE` is true only if the processor has AVX2.
        return unsafe { super::wide::largest_sum(left, right, start) };
    }
    let mut largest = *start;
    for (&x, y) in left.iter().zip(right) {
        for (largest, &y) in largest.iter_mut().zip(y) {
            *largest = (*largest).max(x + y);
        }
    }
    largest
}

/// Computes [`accumulate`] in doubles, also for infinities and NaNs. `factor` undoes the scaling of products.
#[inline(never)]
fn accumulate_slow(
    left: &[f32],
    right: &[[f32; COLUMNS]],
    factor: f64,
    sums: &mut [f32; COLUMNS],
    unit_exponents: [i16; COLUMNS],
    result: Element,
) {
    for (j, sum) in sums.iter_mut().enumerate() {
        let terms = || left.iter().zip(right).map(|(&x, y)| f64::from(x) * f64::from(y[j]) * factor);
        let plain = terms().fold(f64::from(*sum), |total, term| total + term);
        if !plain.is_finite() {
            *sum = plain as f32;
            continue;
        }
        let (unit, scale) = (power(unit_exponents[j]), power(-unit_exponents[j]));
        let total = terms().fold(cut(f64::from(*sum) * scale), |total, term| total + cut(term * scale));
        *sum = if result == Element::F16 { round_f16(total * unit) } else { truncate(total * unit) };
    }
}

/// Truncates |x| < 2^51 to an integer.
#[inline(always)]
fn cut(x: f64) -> f64 {
    const INTEGERS: f64 = (1u64 << 52) as f64;
    let magnitude = x.abs();
    let nearest = (magnitude + INTEGERS) - INTEGERS;
    let cut = nearest - if nearest > magnitude { 1.0 } else { 0.0 };
    cut.copysign(x)
}

/// Rounds finite values to the accumulator's type: f32 towards zero, f16 to nearest even. Values that are too
/// large become infinite; zeros lose their sign.
#[inline(always)]
fn round_all(exact: &[f64; COLUMNS], sums: &mut [f32; COLUMNS], result: Element) {
    for (sum, &exact) in sums.iter_mut().zip(exact) {
        *sum = if result == Element::F16 { round_f16(exact) } else { truncate(exact) };
    }
}

#[inline(always)]
fn truncate(x: f64) -> f32 {
    // 2^128 is the first value that becomes infinite; smaller ones are truncated to at most the largest finite
    // value.
    const INFINITE: f64 = (1u128 << 127) as f64 * 2.0;
    let nearest = x as f32;
    let above = f64::from(nearest).abs() > x.abs() && x.abs() < INFINITE;
    let bits = nearest.to_bits() - u32::from(above);
    f32::from_bits(if bits == 0x8000_0000 { 0 } else { bits })
}

#[inline(always)]
fn round_f16(x: f64) -> f32 {
    // Adding 2^52 units leaves whole units, rounded to nearest even. A unit is 2^-10 of the value's power of
    // two, or of the smallest normal one.
    let power_of_x = f64::from_bits(x.to_bits() & 0x7ff << 52).max(power(-14));
    let whole = power_of_x / 1024.0 * (1u64 << 52) as f64;
    let magnitude = (x.abs() + whole) - whole;
    let magnitude = if magnitude > 65504.0 { f64::INFINITY } else { magnitude };
    if magnitude == 0.0 { 0.0 } else { magnitude.copysign(x) as f32 }
}

/// Computes [`accumulate`] by f32 fused multiply-adds from zero in order of k, then an f32 addition.
#[inline(always)]
pub(super) fn fused(left: Part, right: Part, sums: &mut [f32; COLUMNS], result: Element) {
    let right = right.values.as_chunks::<COLUMNS>().0;
    for (j, sum) in sums.iter_mut().enumerate() {
        // With f16 sums the chain starts from -0, so that a negative zero survives.
        let zero = if result == Element::F16 { -0f32 } else { 0f32 };
        let chain = left.values.iter().zip(right).fold(zero, |sum, (&x, y)| x.mul_add(y[j], sum));
        let total = chain + *sum;
        *sum = if result == Element::F16 { signed_f16(f64::from(total)) } else { total };
    }
}

/// Returns a + b rounded to nearest even in the accumulator's type, as an ordinary addition does.
pub(super) fn add(a: f32, b: f32, result: Element) -> f32 {
    if result == Element::F16 { signed_f16(f64::from(a) + f64::from(b)) } else { a + b }
}

/// Rounds as [`round_f16`], but keeps the sign of zeros, infinities and NaNs.
fn signed_f16(x: f64) -> f32 {
    if x == 0.0 || !x.is_finite() { x as f32 } else { round_f16(x).copysign(x as f32) }
}

/// Packs D into registers. `table` is ordered by register, part and lane.
#[inline(always)]
pub(super) fn pack(element: Element, sums: &[f32; MOST], table: &[u16], registers: &mut Registers) {
    let tables = table.as_chunks::<LANES>().0;
    let halves = if element == Element::F16 { 2 } else { 1 };
    for (tables, register) in tables.chunks_exact(halves).zip(registers) {
        *register = [0; LANES];
        for (half, places) in tables.iter().enumerate() {
            for (word, &place) in register.iter_mut().zip(places) {
                let value = sums[place as usize % MOST];
                *word |= if halves == 2 { encode_f16(value) << (16 * half) } else { encode_f32(value) };
            }
        }
    }
}

/// Returns the bits; for NaN, those of the only one that tensor cores return.
#[inline(always)]
fn encode_f32(value: f32) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
}

/// Returns the bits of a value that f16 holds exactly.
#[inline(always)]
fn encode_f16(value: f32) -> u32 {
    let bits = value.to_bits();
    let (sign, magnitude) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    let normal = (magnitude >> 13).wrapping_sub((127 - 15) << 10);
    let subnormal = (value.abs() * (1 << 24) as f32) as u32;
    match () {
        _ if magnitude > 0x7f80_0000 => 0x7fff,
        _ if magnitude == 0x7f80_0000 => sign | 0x7c00,
        _ if magnitude < (127 - 14) << 23 => sign | subnormal,
        _ => sign | normal,
    }
}
