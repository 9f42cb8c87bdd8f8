//! The values of a buffer, independent of how a device stores them.

use super::float16::encode;
use crate::course::ElementType;
use serde::Serialize;
use sim::narrow::{BF16, F16};

/// The elements of a buffer in row-major order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Values {
    /// Integers. Values of `u64` above `i64::MAX` are stored wrapped.
    Int(Vec<i64>),
    Float(Vec<f64>),
}

/// The value of one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Int(i64),
    Float(f64),
}

macro_rules! from_bytes {
    ($bytes:expr, $ty:ty, $wide:ty) => {
        $bytes
            .chunks_exact(size_of::<$ty>())
            .map(|chunk| <$ty>::from_le_bytes(chunk.try_into().expect("chunks are exact")) as $wide)
            .collect()
    };
}

macro_rules! to_bytes {
    ($values:expr, $ty:ty) => {{
        let mut bytes = vec![0; $values.len() * size_of::<$ty>()];
        for (chunk, value) in bytes.chunks_exact_mut(size_of::<$ty>()).zip($values) {
            chunk.copy_from_slice(&(*value as $ty).to_le_bytes());
        }
        bytes
    }};
}

impl Values {
    /// Decodes a device's bytes (little-endian); an incomplete last element is left out.
    pub fn decode(ty: ElementType, bytes: &[u8]) -> Values {
        match ty {
            ElementType::I8 => Values::Int(from_bytes!(bytes, i8, i64)),
            ElementType::U8 => Values::Int(from_bytes!(bytes, u8, i64)),
            ElementType::I32 => Values::Int(from_bytes!(bytes, i32, i64)),
            ElementType::U32 => Values::Int(from_bytes!(bytes, u32, i64)),
            ElementType::I64 | ElementType::U64 => Values::Int(from_bytes!(bytes, i64, i64)),
            ElementType::F32 => Values::Float(from_bytes!(bytes, f32, f64)),
            ElementType::F64 => Values::Float(from_bytes!(bytes, f64, f64)),
            ElementType::F16 => {
                let bits: Vec<u16> = from_bytes!(bytes, u16, u16);
                Values::Float(bits.into_iter().map(|bits| half::f16::from_bits(bits).to_f64()).collect())
            }
            ElementType::Bf16 => {
                let bits: Vec<u16> = from_bytes!(bytes, u16, u16);
                Values::Float(bits.into_iter().map(|bits| half::bf16::from_bits(bits).to_f64()).collect())
            }
        }
    }

    /// Encodes the values as a device's bytes: integers wrap, floats round to nearest, ties to even.
    pub fn encode(&self, ty: ElementType) -> Vec<u8> {
        let format = if ty == ElementType::F16 { F16 } else { BF16 };
        match (self, ty) {
            (Values::Int(v), ElementType::I8) => to_bytes!(v, i8),
            (Values::Int(v), ElementType::U8) => to_bytes!(v, u8),
            (Values::Int(v), ElementType::I32) => to_bytes!(v, i32),
            (Values::Int(v), ElementType::U32) => to_bytes!(v, u32),
            (Values::Int(v), ElementType::I64 | ElementType::U64) => to_bytes!(v, i64),
            (Values::Int(v), _) => Values::Float(v.iter().map(|&value| value as f64).collect()).encode(ty),
            (Values::Float(v), ElementType::F32) => to_bytes!(v, f32),
            (Values::Float(v), ElementType::F64) => to_bytes!(v, f64),
            (Values::Float(v), ElementType::F16 | ElementType::Bf16) => {
                v.iter().flat_map(|&value| encode(value, format).to_le_bytes()).collect()
            }
            (Values::Float(v), _) => Values::Int(v.iter().map(|&value| value as i64).collect()).encode(ty),
        }
    }

    /// Returns the values as a buffer of type `ty` would represent them.
    pub fn rounded(&self, ty: ElementType) -> Values {
        Values::decode(ty, &self.encode(ty))
    }

    /// Returns the first `count` values.
    pub fn first(&self, count: usize) -> Values {
        match self {
            Values::Int(v) => Values::Int(v.iter().take(count).copied().collect()),
            Values::Float(v) => Values::Float(v.iter().take(count).copied().collect()),
        }
    }

    /// Returns the values at the given indices; indices past the end are skipped.
    pub fn at(&self, places: &[usize]) -> Values {
        match self {
            Values::Int(v) => Values::Int(places.iter().filter_map(|place| v.get(*place).copied()).collect()),
            Values::Float(v) => {
                Values::Float(places.iter().filter_map(|place| v.get(*place).copied()).collect())
            }
        }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        match self {
            Values::Int(values) => values.len(),
            Values::Float(values) => values.len(),
        }
    }

    /// Returns the element at `index`; `None` past the end.
    pub fn get(&self, index: usize) -> Option<Scalar> {
        match self {
            Values::Int(values) => values.get(index).copied().map(Scalar::Int),
            Values::Float(values) => values.get(index).copied().map(Scalar::Float),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = Scalar> {
        (0..self.count()).filter_map(|index| self.get(index))
    }

    pub fn to_ints(&self) -> Vec<i64> {
        match self {
            Values::Int(values) => values.clone(),
            Values::Float(values) => values.iter().map(|&value| value as i64).collect(),
        }
    }

    pub fn to_floats(&self) -> Vec<f64> {
        match self {
            Values::Int(values) => values.iter().map(|&value| value as f64).collect(),
            Values::Float(values) => values.clone(),
        }
    }
}

impl Scalar {
    pub fn is_nan(self) -> bool {
        matches!(self, Scalar::Float(value) if value.is_nan())
    }

    pub fn is_zero(self) -> bool {
        match self {
            Scalar::Int(value) => value == 0,
            Scalar::Float(value) => value == 0.0,
        }
    }

    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Int(value) => value as f64,
            Scalar::Float(value) => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_survive_the_way_to_the_device_and_back() {
        for ty in [
            ElementType::I8,
            ElementType::U8,
            ElementType::I32,
            ElementType::U32,
            ElementType::I64,
            ElementType::U64,
        ] {
            let (low, high) = ty.exact_integers();
            let values = Values::Int(vec![low, 0, 1, high]);
            assert_eq!(values.encode(ty).len(), 4 * ty.bytes());
            assert_eq!(values.rounded(ty), values, "{ty:?}");
        }
        for ty in [ElementType::F16, ElementType::Bf16, ElementType::F32, ElementType::F64] {
            let (low, high) = ty.exact_integers();
            let values = Values::Float(vec![low as f64, -0.5, 0.0, high as f64, f64::INFINITY]);
            assert_eq!(values.encode(ty).len(), 5 * ty.bytes());
            assert_eq!(values.rounded(ty), values, "{ty:?}");
        }
    }

    #[test]
    fn values_wrap_and_round_as_the_device_would() {
        assert_eq!(Values::Int(vec![300, -1]).rounded(ElementType::U8), Values::Int(vec![44, 255]));
        let rounded = Values::Float(vec![16_777_217.0]).rounded(ElementType::F32);
        assert_eq!(rounded, Values::Float(vec![16_777_216.0]));
        assert_eq!(Values::Int(vec![2049]).rounded(ElementType::F16), Values::Float(vec![2048.0]));
    }
}
