//! Converts `f64` to the two 16-bit floating-point formats with a single rounding. (The `half` crate converts
//! through `f32`, or drops the low bits, and is off by one next to a tie.)

/// The layout of a format: sign, exponent, fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    fraction_bits: u32,
    exponent_bits: u32,
}

impl Format {
    /// IEEE 754 binary16.
    pub const F16: Format = Format { fraction_bits: 10, exponent_bits: 5 };
    /// bfloat16: the upper half of a binary32.
    pub const BF16: Format = Format { fraction_bits: 7, exponent_bits: 8 };

    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Returns the bits of positive infinity.
    fn infinity(self) -> u16 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }
}

/// Encodes a value, rounding to nearest, ties to even. Values that are too large become infinity.
pub fn encode(value: f64, format: Format) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() {
        return sign | 0x7fff;
    }
    let value = value.abs();
    // The exponent of the value. An f64 below its normal range is far below both formats.
    let exponent = ((value.to_bits() >> 52) as i32 - 1023).max(1 - format.bias());
    if exponent > format.bias() {
        return sign | format.infinity();
    }
    // The value in units in the last place. The hidden bit is included where the result is normal, and a carry out
    // of the fraction correctly increments the exponent.
    let units = (value / power_of_two(exponent - format.fraction_bits as i32)).round_ties_even() as u32;
    let lowest = (exponent + format.bias() - 1) as u32;
    let bits = (lowest << format.fraction_bits) + units;
    sign | bits.min(format.infinity().into()) as u16
}

/// Returns 2 to the power of a normal `f64` exponent.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_pattern_is_its_own_value() {
        for bits in 0..=u16::MAX {
            let (value, brain) = (half::f16::from_bits(bits), half::bf16::from_bits(bits));
            assert!(value.is_nan() || encode(value.to_f64(), Format::F16) == bits, "{bits:#x}");
            assert!(brain.is_nan() || encode(brain.to_f64(), Format::BF16) == bits, "{bits:#x}");
        }
    }

    #[test]
    fn what_is_next_to_a_tie_is_rounded_once() {
        let tie = 1.0 + f64::from(2.0f32.powi(-11));
        assert_eq!(encode(tie, Format::F16), 0x3c00);
        assert_eq!(encode(tie + 2.0f64.powi(-45), Format::F16), 0x3c01);
    }

    #[test]
    fn ties_go_to_even_and_too_large_to_infinity() {
        assert_eq!(encode(2049.0, Format::F16), half::f16::from_f32(2048.0).to_bits());
        assert_eq!(encode(2051.0, Format::F16), half::f16::from_f32(2052.0).to_bits());
        assert_eq!(encode(65_519.99, Format::F16), 0x7bff);
        assert_eq!(encode(65_520.0, Format::F16), 0x7c00);
        assert_eq!(encode(1e300, Format::BF16), 0x7f80);
        assert_eq!(encode(-5e-324, Format::F16), 0x8000);
    }

    proptest! {
        #[test]
        fn f32_rounds_as_in_half(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            prop_assume!(!value.is_nan());
            prop_assert_eq!(encode(value.into(), Format::F16), half::f16::from_f32(value).to_bits());
            prop_assert_eq!(encode(value.into(), Format::BF16), half::bf16::from_f32(value).to_bits());
        }
    }
}
