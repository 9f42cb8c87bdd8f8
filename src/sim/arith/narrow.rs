//! One rounding from `f64` to a narrow format: f16, bf16, e4m3, e5m2.

use super::Rounding;

/// A binary format narrower than `f64`, subnormals included.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Stored bits of the significand.
    pub fraction: u32,
    /// Exponent of the smallest normal number.
    pub least: i32,
    /// Magnitude bits of the largest finite number; the next ones are infinity or NaN.
    pub largest: u32,
}

pub const F16: Format = Format { fraction: 10, least: -14, largest: 0x7bff };
pub const BF16: Format = Format { fraction: 7, least: -126, largest: 0x7f7f };
/// Four exponent bits, no infinity (OCP 8-bit floating point, 2023).
pub const E4M3: Format = Format { fraction: 3, least: -6, largest: 0x7e };
pub const E5M2: Format = Format { fraction: 2, least: -14, largest: 0x7b };

/// Returns the magnitude bits of `value` rounded once to nearest, ties to even; infinity if it overflows. `value` must
/// not be NaN.
pub fn nearest(value: f64, format: Format) -> u32 {
    magnitude(value, format, Rounding::Rn)
}

/// Returns the magnitude bits of `value` rounded once, `largest + 1` if it overflows. `value` must not be NaN.
#[inline(always)]
pub(crate) fn magnitude(value: f64, format: Format, rounding: Rounding) -> u32 {
    let bits = value.to_bits();
    let negative = bits >> 63 != 0;
    let field = (bits >> 52 & 0x7ff) as i32;
    let hidden = ((field != 0) as u64) << 52;
    let significand = bits & ((1 << 52) - 1) | hidden;
    // Exponent of the last kept place, and how many bits lie below it.
    let exponent = (field - 1023).max(format.least);
    let drop = 52 - format.fraction as i32 + (exponent - (field - 1023));
    // From 54 on, no bit is kept and the rest is below half: 54 stands for all larger values.
    let drop = drop.min(54) as u32;
    let kept = significand >> drop;
    let rest = significand & ((1u64 << drop).wrapping_sub(1));
    let half = 1u64 << (drop - 1);
    let up = match rounding {
        Rounding::Rn => (rest > half) | ((rest == half) & (kept & 1 == 1)),
        Rounding::Rna => rest >= half,
        Rounding::Rz => false,
        Rounding::Rm => negative & (rest != 0),
        Rounding::Rp => !negative & (rest != 0),
    };
    let base = ((exponent - format.least) as u64) << format.fraction;
    let rounded = base.wrapping_add(kept).wrapping_add(up as u64);
    let inward = match rounding {
        Rounding::Rn | Rounding::Rna => false,
        Rounding::Rz => true,
        Rounding::Rm => !negative,
        Rounding::Rp => negative,
    };
    let largest = format.largest as u64;
    // Infinity itself is not rounded.
    let past = if inward & (field != 0x7ff) { largest } else { largest + 1 };
    (if rounded > largest { past } else { rounded }) as u32
}
