//! Values of variables and expressions for one lane.

use crate::variables::Type;

/// A value of a C++ type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer.
    Int { value: i64, bytes: u32, signed: bool },
    /// `true` or `false`.
    Bool(bool),
    /// A character.
    Char(u8),
    /// A floating-point number.
    Float { value: f64, bytes: u32 },
    /// A pointer, and the type that it points to.
    Pointer { address: u64, to: Type },
    /// The bits of a value of any other type.
    Bits { bits: u64, bytes: u32 },
    /// The first elements, and the number of all.
    Array { elements: Vec<Shown>, count: u64 },
    /// The members of a structure, by name.
    Struct(Vec<(String, Shown)>),
}

/// A value, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    Value(Value),
    /// Nothing was written there yet.
    NoValue,
    /// The compiler does not keep it at this instruction.
    OptimisedOut,
    /// The lane is outside the name's scope, or has left the kernel.
    NotHere,
    /// There is no such memory.
    Outside,
    /// Memory that was not recorded.
    NotKept,
    /// An integer was divided by zero, or shifted by at least its width.
    Undefined,
}

impl Value {
    /// Creates a value from the bits in a register or in memory; `None` for arrays and structures.
    pub fn of_bits(bits: u64, ty: &Type) -> Option<Value> {
        Some(match ty {
            Type::Int { bytes, signed, .. } => Value::int(bits as i64, *bytes, *signed),
            Type::Bool => Value::Bool(bits & 0xff != 0),
            Type::Char => Value::Char(bits as u8),
            Type::Float { bytes: 2 } => Value::Float { value: half(bits as u16), bytes: 2 },
            Type::Float { bytes: 8 } => Value::Float { value: f64::from_bits(bits), bytes: 8 },
            Type::Float { bytes } => {
                Value::Float { value: f32::from_bits(bits as u32).into(), bytes: *bytes }
            }
            Type::Pointer(to) | Type::Reference(to) => Value::Pointer { address: bits, to: (**to).clone() },
            Type::BitField { of, first, bits: width } => {
                let unused = 64 - (*width).clamp(1, 64);
                let up = bits.checked_shl(unused.saturating_sub(*first)).unwrap_or(0);
                let signed = matches!(**of, Type::Int { signed: true, .. });
                let its = if signed { ((up as i64) >> unused) as u64 } else { up >> unused };
                return Value::of_bits(its, of);
            }
            Type::Other { bytes, .. } if *bytes <= 8 => Value::Bits { bits, bytes: *bytes },
            Type::Other { .. } | Type::Array(..) | Type::Struct { .. } => return None,
        })
    }

    /// Creates an integer of `bytes` bytes; higher bits are discarded.
    pub fn int(value: i64, bytes: u32, signed: bool) -> Value {
        let shift = 64 - 8 * bytes.clamp(1, 8);
        let value = if signed { value << shift >> shift } else { ((value as u64) << shift >> shift) as i64 };
        Value::Int { value, bytes: bytes.clamp(1, 8), signed }
    }

    /// Returns the value as a float, if it is a number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Int { value, signed: false, .. } => Some(*value as u64 as f64),
            Value::Float { value, .. } => Some(*value),
            other => other.integer().map(|value| value as f64),
        }
    }

    /// Returns the value as an integer, if it is one.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Value::Int { value, .. } => Some(*value),
            Value::Bool(value) => Some((*value).into()),
            Value::Char(value) => Some(i64::from(*value as i8)),
            Value::Bits { bits, .. } => Some(*bits as i64),
            _ => None,
        }
    }

    /// Returns whether the value is true as a condition; `None` if it has no truth value.
    pub fn is_true(&self) -> Option<bool> {
        match self {
            Value::Pointer { address, .. } => Some(*address != 0),
            other => other.number().map(|number| number != 0.0),
        }
    }
}

/// Decodes an IEEE 754 binary16 number.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff) / 1024.0);
    let value = match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 != 0 { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_their_size() {
        assert_eq!(Value::int(-1, 4, false), Value::Int { value: 0xffff_ffff, bytes: 4, signed: false });
        assert_eq!(
            Value::int(0x8000_0000, 4, true),
            Value::Int { value: -0x8000_0000, bytes: 4, signed: true }
        );
        assert_eq!(Value::int(-1, 8, false).number(), Some(u64::MAX as f64));
    }

    #[test]
    fn halves_are_read() {
        assert_eq!(
            (half(0x3c00), half(0xc000), half(0x3555), half(1)),
            (1.0, -2.0, 0.333251953125, 2f64.powi(-24))
        );
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }
}
