//! Elements of libraries as numbers.

use crate::device::library::Element;

/// The value of an element's bytes; `bytes` has [`Element::bytes`].
pub fn to_f64(element: Element, bytes: &[u8]) -> f64 {
    let mut eight = [0; 8];
    let n = bytes.len().min(8);
    eight[..n].copy_from_slice(&bytes[..n]);
    let bits = u64::from_le_bytes(eight);
    match element {
        Element::F16 => half::f16::from_bits(bits as u16).to_f64(),
        Element::Bf16 => half::bf16::from_bits(bits as u16).to_f64(),
        Element::F32 => f64::from(f32::from_bits(bits as u32)),
        Element::F64 => f64::from_bits(bits),
        Element::I8 => f64::from(bits as i8),
        Element::U8 => f64::from(bits as u8),
        Element::I32 => f64::from(bits as i32),
        Element::U32 => f64::from(bits as u32),
        Element::I64 => bits as i64 as f64,
        Element::U64 => bits as f64,
    }
}

/// The bytes of the element nearest to a value; integers saturate.
pub fn from_f64(element: Element, value: f64) -> Vec<u8> {
    match element {
        Element::F16 => half::f16::from_f64(value).to_le_bytes().to_vec(),
        Element::Bf16 => half::bf16::from_f64(value).to_le_bytes().to_vec(),
        Element::F32 => (value as f32).to_le_bytes().to_vec(),
        Element::F64 => value.to_le_bytes().to_vec(),
        Element::I8 => (value as i8).to_le_bytes().to_vec(),
        Element::U8 => (value as u8).to_le_bytes().to_vec(),
        Element::I32 => (value as i32).to_le_bytes().to_vec(),
        Element::U32 => (value as u32).to_le_bytes().to_vec(),
        Element::I64 => (value as i64).to_le_bytes().to_vec(),
        Element::U64 => (value as u64).to_le_bytes().to_vec(),
    }
}
