//! The rounding oracle: an exact value, held as an `f64` and the sign of what that omits, is rounded once into
//! any format by determining between which two of its numbers it lies.

use super::super::{Mode, Rounding};
use super::operand::Ty;

/// An exact real number: `near`, plus something smaller than its last place with the sign of `rest`.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    pub near: f64,
    pub rest: f64,
}

impl Exact {
    pub fn of(near: f64) -> Exact {
        Exact { near, rest: 0.0 }
    }

    pub fn int(value: i128) -> Exact {
        let near = value as f64;
        // Both fit.
        Exact { near, rest: (value - near as i128) as f64 }
    }

    pub fn sum(a: f64, b: f64) -> Exact {
        let near = a + b;
        // The smaller operand, minus what the sum took of it.
        let (large, small) = if a.abs() >= b.abs() { (a, b) } else { (b, a) };
        Exact { near, rest: small - (near - large) }.settled()
    }

    pub fn product(a: f64, b: f64) -> Exact {
        let near = a * b;
        Exact { near, rest: a.mul_add(b, -near) }.settled()
    }

    pub fn quotient(a: f64, b: f64) -> Exact {
        let near = a / b;
        Exact { near, rest: (-near).mul_add(b, a) * b.signum() }.settled()
    }

    pub fn root(a: f64) -> Exact {
        let near = a.sqrt();
        Exact { near, rest: (-near).mul_add(near, a) }.settled()
    }

    /// `a * b + c` (Boldo and Muller, "Exact and approximated error of the FMA", 2011).
    pub fn fused(a: f64, b: f64, c: f64) -> Exact {
        let near = a.mul_add(b, c);
        let product = Exact::product(a, b);
        let low = Exact::sum(c, product.rest);
        let high = Exact::sum(product.near, low.near);
        let gamma = (high.near - near) + high.rest;
        Exact { near, rest: gamma + low.rest }.settled()
    }

    fn settled(self) -> Exact {
        if self.near.is_finite() && self.rest.is_finite() { self } else { Exact::of(self.near) }
    }

    /// The host returns the nearest value; the other directions step from it.
    pub fn to_f64(self, rounding: Rounding) -> f64 {
        let rest = if self.near.is_finite() { self.rest } else { 0.0 };
        match rounding {
            Rounding::Rm if rest < 0.0 => self.near.next_down(),
            Rounding::Rp if rest > 0.0 => self.near.next_up(),
            Rounding::Rz if rest < 0.0 && self.near > 0.0 => self.near.next_down(),
            Rounding::Rz if rest > 0.0 && self.near < 0.0 => self.near.next_up(),
            _ => self.near,
        }
    }

    /// Rounds once into a format of `precision` bits whose smallest normal exponent is `least`,
    /// and whose largest number is `largest`.
    pub fn round(self, precision: i32, least: i32, largest: f64, rounding: Rounding) -> f64 {
        let magnitude = self.near.abs();
        if magnitude == 0.0 || !magnitude.is_finite() {
            return self.near;
        }
        let outward = if self.near > 0.0 { self.rest } else { -self.rest };
        let mut exponent = magnitude.log2().floor() as i32;
        // The logarithm may round up to the next power, and a power minus a little lies below it.
        while two(exponent) > magnitude || (two(exponent) == magnitude && outward < 0.0) {
            exponent -= 1;
        }
        let place = two(exponent.max(least) - precision + 1);
        let places = magnitude / place;
        let (mut low, mut part) = (places.floor(), places - places.floor());
        if part == 0.0 && outward < 0.0 {
            (low, part) = (low - 1.0, 0.75);
        }
        let exact = part == 0.0 && outward == 0.0;
        let tie = part == 0.5 && outward == 0.0;
        let above_half = part > 0.5 || (part == 0.5 && outward > 0.0);
        let up = match rounding {
            Rounding::Rn => above_half || (tie && low % 2.0 == 1.0),
            Rounding::Rna => above_half || tie,
            Rounding::Rz => false,
            Rounding::Rm => !exact && self.near < 0.0,
            Rounding::Rp => !exact && self.near > 0.0,
        };
        let rounded = (low + up as u8 as f64) * place;
        let inward = match rounding {
            Rounding::Rn | Rounding::Rna => false,
            Rounding::Rz => true,
            Rounding::Rm => self.near > 0.0,
            Rounding::Rp => self.near < 0.0,
        };
        let bounded = match rounded > largest {
            true if inward => largest,
            true => f64::INFINITY,
            false => rounded,
        };
        bounded.copysign(self.near)
    }

    pub fn into(self, ty: Ty, rounding: Rounding) -> f64 {
        match ty {
            Ty::F16 => self.round(11, -14, 65504.0, rounding),
            Ty::Bf16 => self.round(8, -126, half::bf16::MAX.to_f64(), rounding),
            Ty::F32 => self.round(24, -126, f32::MAX as f64, rounding),
            _ => self.to_f64(rounding),
        }
    }
}

fn two(exponent: i32) -> f64 {
    2f64.powi(exponent)
}

/// Returns zero of the same sign for a subnormal of the type.
pub fn flush(ty: Ty, value: f64) -> f64 {
    let least = match ty {
        Ty::F16 => two(-14),
        Ty::Bf16 | Ty::F32 => two(-126),
        _ => return value,
    };
    if value.abs() < least { 0.0f64.copysign(value) } else { value }
}

/// Applies the mode to an operand.
pub fn before(ty: Ty, value: f64, mode: Mode) -> f64 {
    if mode.ftz { flush(ty, value) } else { value }
}

/// Applies the mode to a rounded result.
pub fn after(ty: Ty, value: f64, mode: Mode) -> f64 {
    let value = if mode.ftz { flush(ty, value) } else { value };
    if !mode.sat {
        value
    } else if value.is_nan() {
        0.0
    } else {
        // Not `clamp`: it may keep -0.0.
        if value <= 0.0 { 0.0 } else { value.min(1.0) }
    }
}

/// Returns the bits of a value that the type can hold; `None` for NaN.
pub fn bits(ty: Ty, value: f64) -> Option<u64> {
    (!value.is_nan()).then_some(match ty {
        Ty::F16 => half::f16::from_f64(value).to_bits() as u64,
        Ty::Bf16 => half::bf16::from_f64(value).to_bits() as u64,
        Ty::F32 => (value as f32).to_bits() as u64,
        _ => value.to_bits(),
    })
}
