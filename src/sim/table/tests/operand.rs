//! Operands as the tests see them: a PTX type and bits, read as an exact integer or float.

use crate::lanes::File;

/// A PTX type, by name.
#[rustfmt::skip]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    U8, U16, U32, U64, S8, S16, S32, S64, F16, Bf16, F32, F64, Pred,
    /// Two of them in a register.
    F16x2, Bf16x2, F32x2,
}

impl Ty {
    pub fn named(name: &str) -> Option<Ty> {
        Some(match name {
            "u8" | "b8" => Ty::U8,
            "u16" | "b16" => Ty::U16,
            "u32" | "b32" => Ty::U32,
            "u64" | "b64" => Ty::U64,
            "s8" => Ty::S8,
            "s16" => Ty::S16,
            "s32" => Ty::S32,
            "s64" => Ty::S64,
            "f16" => Ty::F16,
            "bf16" => Ty::Bf16,
            "f32" => Ty::F32,
            "f64" => Ty::F64,
            "pred" => Ty::Pred,
            "f16x2" => Ty::F16x2,
            "bf16x2" => Ty::Bf16x2,
            "f32x2" => Ty::F32x2,
            _ => return None,
        })
    }

    pub fn bits(self) -> u32 {
        match self {
            Ty::Pred => 1,
            Ty::U8 | Ty::S8 => 8,
            Ty::U16 | Ty::S16 | Ty::F16 | Ty::Bf16 => 16,
            Ty::U32 | Ty::S32 | Ty::F32 | Ty::F16x2 | Ty::Bf16x2 => 32,
            Ty::U64 | Ty::S64 | Ty::F64 | Ty::F32x2 => 64,
        }
    }

    pub fn signed(self) -> bool {
        matches!(self, Ty::S8 | Ty::S16 | Ty::S32 | Ty::S64)
    }

    pub fn float(self) -> bool {
        matches!(self, Ty::F16 | Ty::Bf16 | Ty::F32 | Ty::F64)
    }

    pub fn int(self) -> bool {
        !self.float() && !matches!(self, Ty::Pred | Ty::F16x2 | Ty::Bf16x2 | Ty::F32x2)
    }

    /// Returns the type of each of the two elements that a register holds.
    pub fn element(self) -> Option<Ty> {
        Some(match self {
            Ty::F16x2 => Ty::F16,
            Ty::Bf16x2 => Ty::Bf16,
            Ty::F32x2 => Ty::F32,
            _ => return None,
        })
    }

    pub fn file(self) -> File {
        match self.bits() {
            1 => File::Pred,
            64 => File::R64,
            _ => File::R32,
        }
    }

    pub fn min(self) -> i128 {
        if self.signed() { -(1 << (self.bits() - 1)) } else { 0 }
    }

    pub fn max(self) -> i128 {
        (1 << (self.bits() - self.signed() as u32)) - 1
    }

    /// The low bits of a value, as the type reads them.
    pub fn wrap(self, value: i128) -> i128 {
        let unsigned = value & ((1 << self.bits()) - 1);
        if self.signed() && unsigned > self.max() { unsigned - (1 << self.bits()) } else { unsigned }
    }
}

/// One lane's value.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub ty: Ty,
    /// All bits of the register; the type may be narrower.
    pub bits: u64,
}

impl Operand {
    pub fn int(self) -> i128 {
        self.ty.wrap(self.bits as i128)
    }

    pub fn word(self) -> u32 {
        self.bits as u32
    }

    pub fn bool(self) -> bool {
        self.bits & 1 == 1
    }

    /// Exact, whatever the type.
    pub fn float(self) -> f64 {
        match self.ty {
            Ty::F16 => half::f16::from_bits(self.bits as u16).to_f64(),
            Ty::Bf16 => half::bf16::from_bits(self.bits as u16).to_f64(),
            Ty::F32 => f32::from_bits(self.bits as u32) as f64,
            Ty::F64 => f64::from_bits(self.bits),
            other => panic!("{other:?} is no float"),
        }
    }

    /// Returns the low and the high element of a register.
    pub fn halves(self) -> [Operand; 2] {
        let ty = self.ty.element().expect("a packed type");
        [0, ty.bits()].map(|shift| Operand { ty, bits: self.bits >> shift & ((1 << ty.bits()) - 1) })
    }
}

pub use crate::random::SplitMix64 as Random;

impl Random {
    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.next() % list.len() as u64) as usize]
    }

    /// Returns bits for a register of a type: edges, neighbouring magnitudes, and arbitrary values. Above a
    /// type narrower than its register the bits are random, which the instruction must ignore.
    pub fn operand(&mut self, ty: Ty) -> Operand {
        let bits = match ty {
            Ty::Pred => self.next() & 1,
            Ty::F16x2 | Ty::Bf16x2 | Ty::F32x2 => {
                let half = ty.element().expect("packed");
                let (low, high) = (self.operand(half), self.operand(half));
                let mask = (1 << half.bits()) - 1;
                (low.bits & mask) | (high.bits & mask) << half.bits()
            }
            Ty::F16 => self.float(10, 5, 16),
            Ty::Bf16 => self.float(7, 8, 16),
            Ty::F32 => self.float(23, 8, 32),
            Ty::F64 => self.float(52, 11, 64),
            _ => self.integer(ty.bits()),
        };
        let mask = if ty.bits() == 64 { !0 } else { (1u64 << ty.bits()) - 1 };
        let noise = if ty == Ty::Pred { 0 } else { self.next() & !mask };
        let register = if ty.file() == File::R32 { 0xffff_ffff } else { !0 };
        Operand { ty, bits: (bits & mask | noise) & register }
    }

    fn integer(&mut self, bits: u32) -> u64 {
        let top = 1u64 << (bits - 1);
        match self.next() & 7 {
            0 | 1 => self.of(&[0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 255, 256]),
            2 => self.of(&[top - 1, top, top + 1, top | (top - 1), !1, !0, 0x8000, 0x7fff, 0xffff]),
            3 | 4 => self.next() >> (self.next() & 63),
            5 => (self.next() as i64 >> (self.next() & 63)) as u64,
            _ => self.next(),
        }
    }

    /// Returns a float, given the widths of its fraction and exponent.
    fn float(&mut self, fraction: u32, exponent: u32, bits: u32) -> u64 {
        let infinity = ((1u64 << exponent) - 1) << fraction;
        let one = ((1u64 << (exponent - 1)) - 1) << fraction;
        let unit = 1u64 << fraction;
        let sign = (self.next() & 1) << (bits - 1);
        let significand = self.next() & (unit - 1);
        let magnitude = match self.next() % 16 {
            0 | 1 => self.of(&[0, 1, unit - 1, unit, unit + 1, infinity - 1, infinity]),
            2 => infinity | (unit >> 1) | significand,
            3 => self.of(&[one, one - 1, one + 1, one + unit, one - unit, one + unit / 2]),
            // Subnormals, and what lies near them.
            4 => significand,
            5 => unit | significand,
            // Few significant bits: ties.
            6 | 7 => {
                one - 4 * unit + (self.next() % 8) * unit + (significand >> (fraction / 2) << (fraction / 2))
            }
            // Close exponents, so that sums cancel.
            8..=12 => one - 8 * unit + (self.next() % 16) * unit + significand,
            _ => self.next() & (infinity | (unit - 1)),
        };
        sign | magnitude
    }
}
