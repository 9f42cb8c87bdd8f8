//! The types of the elements of buffers.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The type of a buffer's elements, or of the operands of a library.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
pub enum ElementType {
    F16,
    Bf16,
    F32,
    F64,
    I8,
    U8,
    I32,
    U32,
    I64,
    U64,
}

impl ElementType {
    /// Returns the size of one element in bytes.
    pub fn bytes(self) -> usize {
        match self {
            ElementType::I8 | ElementType::U8 => 1,
            ElementType::F16 | ElementType::Bf16 => 2,
            ElementType::F32 | ElementType::I32 | ElementType::U32 => 4,
            ElementType::F64 | ElementType::I64 | ElementType::U64 => 8,
        }
    }

    /// Returns whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, ElementType::F16 | ElementType::Bf16 | ElementType::F32 | ElementType::F64)
    }

    /// Returns the lowest and highest integer that the type represents exactly; for floats, the range in which
    /// every integer is exact.
    pub fn exact_integers(self) -> (i64, i64) {
        match self {
            ElementType::F16 => (-(1 << 11), 1 << 11),
            ElementType::Bf16 => (-(1 << 8), 1 << 8),
            ElementType::F32 => (-(1 << 24), 1 << 24),
            ElementType::F64 => (-(1 << 53), 1 << 53),
            ElementType::I8 => (i8::MIN.into(), i8::MAX.into()),
            ElementType::U8 => (0, u8::MAX.into()),
            ElementType::I32 => (i32::MIN.into(), i32::MAX.into()),
            ElementType::U32 => (0, u32::MAX.into()),
            ElementType::I64 => (i64::MIN, i64::MAX),
            ElementType::U64 => (0, i64::MAX),
        }
    }

    /// Returns the largest number that the type can hold; for integers only to the precision of an f64.
    pub fn largest(self) -> f64 {
        match self {
            ElementType::F16 => 65504.0,
            // bf16 has 8 of the 24 significand bits of an f32.
            ElementType::Bf16 => f32::from_bits(0x7f7f_0000).into(),
            ElementType::F32 => f32::MAX.into(),
            ElementType::F64 => f64::MAX,
            _ => self.exact_integers().1 as f64,
        }
    }

    /// Returns the name of the type as calls of libraries have it.
    pub fn name(self) -> &'static str {
        match self {
            ElementType::F16 => "half",
            ElementType::Bf16 => "bfloat16",
            ElementType::I8 => "int8_t",
            ElementType::U8 => "uint8_t",
            ElementType::U32 => "uint32_t",
            ElementType::I64 => "int64_t",
            ElementType::U64 => "uint64_t",
            other => other.c_name(),
        }
    }

    /// Returns the type's name in CUDA C++.
    pub fn c_name(self) -> &'static str {
        match self {
            ElementType::F16 => "__half",
            ElementType::Bf16 => "__nv_bfloat16",
            ElementType::F32 => "float",
            ElementType::F64 => "double",
            ElementType::I8 => "signed char",
            ElementType::U8 => "unsigned char",
            ElementType::I32 => "int",
            ElementType::U32 => "unsigned",
            ElementType::I64 => "long long",
            ElementType::U64 => "unsigned long long",
        }
    }
}

impl fmt::Display for ElementType {
    /// Writes the name in `lesson.toml`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
