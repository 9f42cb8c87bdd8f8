//! Converts `f64` to the two 16-bit floating-point formats with a single rounding. (The `half` crate converts
//! through `f32`, or drops the low bits, and is off by one next to a tie.)

use sim::narrow;
pub use sim::narrow::Format;

/// Encodes a value, rounding to nearest, ties to even. Values that are too large become infinity.
pub fn encode(value: f64, format: Format) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    sign | if value.is_nan() { 0x7fff } else { narrow::nearest(value, format) as u16 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrow::{BF16, F16};
    use proptest::prelude::*;

    #[test]
    fn every_pattern_is_its_own_value() {
        for bits in 0..=u16::MAX {
            let (value, brain) = (half::f16::from_bits(bits), half::bf16::from_bits(bits));
            assert!(value.is_nan() || encode(value.to_f64(), F16) == bits, "{bits:#x}");
            assert!(brain.is_nan() || encode(brain.to_f64(), BF16) == bits, "{bits:#x}");
        }
    }

    #[test]
    fn what_is_next_to_a_tie_is_rounded_once() {
        let tie = 1.0 + f64::from(2.0f32.powi(-11));
        assert_eq!(encode(tie, F16), 0x3c00);
        assert_eq!(encode(tie + 2.0f64.powi(-45), F16), 0x3c01);
    }

    #[test]
    fn ties_go_to_even_and_too_large_to_infinity() {
        assert_eq!(encode(2049.0, F16), half::f16::from_f32(2048.0).to_bits());
        assert_eq!(encode(2051.0, F16), half::f16::from_f32(2052.0).to_bits());
        assert_eq!(encode(65_519.99, F16), 0x7bff);
        assert_eq!(encode(65_520.0, F16), 0x7c00);
        assert_eq!(encode(1e300, BF16), 0x7f80);
        assert_eq!(encode(-5e-324, F16), 0x8000);
    }

    proptest! {
        #[test]
        fn f32_rounds_as_in_half(bits in any::<u32>()) {
            let value = f32::from_bits(bits);
            prop_assume!(!value.is_nan());
            prop_assert_eq!(encode(value.into(), F16), half::f16::from_f32(value).to_bits());
            prop_assert_eq!(encode(value.into(), BF16), half::bf16::from_f32(value).to_bits());
        }
    }
}
