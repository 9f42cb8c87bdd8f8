//! An exact reference for rounding: unbounded integers, and the definition of each rounding.

use std::cmp::Ordering;

use super::super::Rounding;

/// `±magnitude * 2^exponent`; the magnitude in 32-bit words, lowest first, without leading zeros.
#[derive(Clone, Debug)]
pub struct Exact {
    pub negative: bool,
    magnitude: Vec<u32>,
    exponent: i32,
}

fn trimmed(mut words: Vec<u32>) -> Vec<u32> {
    while words.last() == Some(&0) {
        words.pop();
    }
    words
}

fn compare(a: &[u32], b: &[u32]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn shifted_left(words: &[u32], by: u32) -> Vec<u32> {
    let mut result = vec![0; (by / 32) as usize];
    let mut carry = 0u64;
    for &word in words {
        carry |= (word as u64) << (by % 32);
        result.push(carry as u32);
        carry >>= 32;
    }
    result.push(carry as u32);
    trimmed(result)
}

fn sum(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut carry = 0u64;
    let mut result = Vec::new();
    for i in 0..a.len().max(b.len()) {
        carry += *a.get(i).unwrap_or(&0) as u64 + *b.get(i).unwrap_or(&0) as u64;
        result.push(carry as u32);
        carry >>= 32;
    }
    result.push(carry as u32);
    trimmed(result)
}

/// `a - b` for `a >= b`.
fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut borrow = 0i64;
    let mut result = Vec::new();
    for (i, &word) in a.iter().enumerate() {
        borrow += word as i64 - *b.get(i).unwrap_or(&0) as i64;
        result.push(borrow as u32);
        borrow >>= 32;
    }
    assert_eq!(borrow, 0);
    trimmed(result)
}

fn product(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut result = vec![0u32; a.len() + b.len()];
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0u64;
        for (j, &y) in b.iter().enumerate() {
            carry += x as u64 * y as u64 + result[i + j] as u64;
            result[i + j] = carry as u32;
            carry >>= 32;
        }
        result[i + b.len()] = carry as u32;
    }
    trimmed(result)
}

impl Exact {
    pub fn of_int(value: i128) -> Exact {
        let magnitude = value.unsigned_abs();
        let words = (0..4).map(|i| (magnitude >> (32 * i)) as u32).collect();
        Exact { negative: value < 0, magnitude: trimmed(words), exponent: 0 }
    }

    pub fn of(value: f64) -> Exact {
        assert!(value.is_finite());
        let bits = value.to_bits();
        DOUBLE.value(bits & (u64::MAX >> 1)).with_sign(bits >> 63 != 0)
    }

    fn with_sign(self, negative: bool) -> Exact {
        Exact { negative, ..self }
    }

    pub fn is_zero(&self) -> bool {
        self.magnitude.is_empty()
    }

    /// Both magnitudes at the lower of the two exponents.
    fn aligned(&self, other: &Exact) -> (Vec<u32>, Vec<u32>, i32) {
        let exponent = self.exponent.min(other.exponent);
        let at = |x: &Exact| shifted_left(&x.magnitude, (x.exponent - exponent) as u32);
        (at(self), at(other), exponent)
    }

    pub fn plus(&self, other: &Exact) -> Exact {
        let (a, b, exponent) = self.aligned(other);
        let (negative, magnitude) = if self.negative == other.negative {
            (self.negative, sum(&a, &b))
        } else if compare(&a, &b) == Ordering::Less {
            (other.negative, difference(&b, &a))
        } else {
            (self.negative, difference(&a, &b))
        };
        Exact { negative, magnitude, exponent }
    }

    pub fn times(&self, other: &Exact) -> Exact {
        Exact {
            negative: self.negative != other.negative,
            magnitude: product(&self.magnitude, &other.magnitude),
            exponent: self.exponent + other.exponent,
        }
    }

    /// Compares magnitudes.
    pub fn compare_magnitude(&self, other: &Exact) -> Ordering {
        let (a, b, _) = self.aligned(other);
        compare(&a, &b)
    }
}

/// A binary float format with subnormals.
#[derive(Clone, Copy)]
pub struct Format {
    /// Stored bits of the significand.
    pub fraction: u32,
    /// Exponent of the smallest normal number.
    pub least: i32,
    /// Magnitude bits of the largest finite number.
    pub largest: u64,
}

#[rustfmt::skip]
mod formats {
    use super::Format;

    pub const DOUBLE: Format = Format { fraction: 52, least: -1022, largest: 0x7fef_ffff_ffff_ffff };
    pub const HALF: Format = Format { fraction: 10, least: -14, largest: 0x7bff };
    pub const BRAIN: Format = Format { fraction: 7, least: -126, largest: 0x7f7f };
    pub const SINGLE: Format = Format { fraction: 23, least: -126, largest: 0x7f7f_ffff };
}
pub use formats::*;

impl Format {
    /// The value of a magnitude; for the one above the largest, what it would be with one more binade.
    fn value(&self, magnitude: u64) -> Exact {
        let field = (magnitude >> self.fraction) as i32;
        let stored = magnitude & ((1 << self.fraction) - 1);
        let significand = if field == 0 { stored } else { stored | 1 << self.fraction };
        let exponent = field.max(1) - 1 + self.least - self.fraction as i32;
        Exact { exponent, ..Exact::of_int(significand as i128) }
    }

    /// The midpoint between `magnitude` and the next.
    fn middle(&self, magnitude: u64) -> Exact {
        let total = self.value(magnitude).plus(&self.value(magnitude + 1));
        Exact { exponent: total.exponent - 1, ..total }
    }

    /// Asserts that `got`, the magnitude bits of a result, is a nonzero exact value rounded.
    /// `against` compares the exact magnitude with a given one.
    pub fn assert_rounded(
        &self,
        got: u64,
        negative: bool,
        rounding: Rounding,
        against: impl Fn(&Exact) -> Ordering,
        what: &dyn Fn() -> String,
    ) {
        let infinity = self.largest + 1;
        assert!(got <= infinity, "NaN: {}", what());
        let above = |x: Exact| against(&x) == Ordering::Greater;
        let below = |x: Exact| against(&x) == Ordering::Less;
        let toward_zero = match rounding {
            Rounding::Rz => true,
            Rounding::Rm => !negative,
            Rounding::Rp => negative,
            Rounding::Rn | Rounding::Rna => {
                let ties_stay = rounding == Rounding::Rn && got & 1 == 0;
                // The exact value may be as far away as the midpoint, and at the midpoint only if ties are
                // rounded here.
                if got > 0 {
                    let low = self.middle(got - 1);
                    assert!(!below(low.clone()), "too large: {}", what());
                    let ties_up = rounding == Rounding::Rna || ties_stay;
                    assert!(ties_up || against(&low) != Ordering::Equal, "tie: {}", what());
                }
                if got < infinity {
                    let high = self.middle(got);
                    assert!(!above(high.clone()), "too small: {}", what());
                    assert!(ties_stay || against(&high) != Ordering::Equal, "tie: {}", what());
                }
                return;
            }
        };
        if toward_zero {
            assert!(got < infinity && !below(self.value(got)), "too large: {}", what());
            assert!(got == self.largest || below(self.value(got + 1)), "too small: {}", what());
        } else {
            assert!(got > 0 && above(self.value(got - 1)), "too large: {}", what());
            assert!(got == infinity || !above(self.value(got)), "too small: {}", what());
        }
    }

    /// Asserts the same of an exact value.
    pub fn assert_is(&self, bits: u64, exact: &Exact, rounding: Rounding, what: &dyn Fn() -> String) {
        let sign = 1u64 << (64 - self.largest.leading_zeros());
        if exact.is_zero() {
            assert_eq!(bits & !sign, 0, "not zero: {}", what());
            return;
        }
        assert_eq!(bits & sign != 0, exact.negative, "sign: {}", what());
        let magnitude = bits & (sign - 1);
        self.assert_rounded(magnitude, exact.negative, rounding, |x| exact.compare_magnitude(x), what);
    }
}
