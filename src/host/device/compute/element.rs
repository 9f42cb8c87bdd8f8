//! Conversion between the elements in memory and the numbers to compute with.

use crate::device::ElementType;
use half::{bf16, f16};

/// A numeric type in which sums and products are computed.
pub trait Real:
    Copy + Default + PartialEq + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self>
{
    fn from_f64(value: f64) -> Self;
    /// Converts bytes to elements.
    fn decode(element: ElementType, bytes: &[u8]) -> Vec<Self>;
    /// Converts elements to bytes, rounding to nearest; integers saturate.
    fn encode(element: ElementType, values: &[Self]) -> Vec<u8>;
    /// Computes `c ← alpha·a·b + beta·c`, all dense and column-major: a (m, k), b (k, n), c (m, n).
    fn product(shape: [usize; 3], alpha: Self, a: &[Self], b: &[Self], beta: Self, c: &mut [Self]);
}

fn each<const N: usize, T>(bytes: &[u8], make: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.chunks_exact(N).map(|b| make(b.try_into().expect("chunks have this size"))).collect()
}

fn bytes_of<const N: usize, T: Copy>(values: &[T], make: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| make(value)).collect()
}

macro_rules! float {
    ($type:ident, $gemm:path) => {
        impl Real for $type {
            fn from_f64(value: f64) -> $type {
                value as $type
            }

            fn decode(element: ElementType, bytes: &[u8]) -> Vec<$type> {
                match element {
                    ElementType::F16 => each(bytes, |b| f16::from_le_bytes(b).to_f32() as $type),
                    ElementType::Bf16 => each(bytes, |b| bf16::from_le_bytes(b).to_f32() as $type),
                    ElementType::F32 => each(bytes, |b| f32::from_le_bytes(b) as $type),
                    ElementType::F64 => each(bytes, |b| f64::from_le_bytes(b) as $type),
                    ElementType::I8 => each(bytes, |b| i8::from_le_bytes(b) as $type),
                    ElementType::U8 => each(bytes, |b| u8::from_le_bytes(b) as $type),
                    ElementType::I32 => each(bytes, |b| i32::from_le_bytes(b) as $type),
                    ElementType::U32 => each(bytes, |b| u32::from_le_bytes(b) as $type),
                    ElementType::I64 => each(bytes, |b| i64::from_le_bytes(b) as $type),
                    ElementType::U64 => each(bytes, |b| u64::from_le_bytes(b) as $type),
                }
            }

            fn encode(element: ElementType, values: &[$type]) -> Vec<u8> {
                match element {
                    ElementType::F16 => bytes_of(values, |v| f16::from_f64(v as f64).to_le_bytes()),
                    ElementType::Bf16 => bytes_of(values, |v| bf16::from_f64(v as f64).to_le_bytes()),
                    ElementType::F32 => bytes_of(values, |v| (v as f32).to_le_bytes()),
                    ElementType::F64 => bytes_of(values, |v| (v as f64).to_le_bytes()),
                    ElementType::I8 => bytes_of(values, |v| (v.round_ties_even() as i8).to_le_bytes()),
                    ElementType::U8 => bytes_of(values, |v| (v.round_ties_even() as u8).to_le_bytes()),
                    ElementType::I32 => bytes_of(values, |v| (v.round_ties_even() as i32).to_le_bytes()),
                    ElementType::U32 => bytes_of(values, |v| (v.round_ties_even() as u32).to_le_bytes()),
                    ElementType::I64 => bytes_of(values, |v| (v.round_ties_even() as i64).to_le_bytes()),
                    ElementType::U64 => bytes_of(values, |v| (v.round_ties_even() as u64).to_le_bytes()),
                }
            }

            fn product(
                [m, n, k]: [usize; 3],
                alpha: $type,
                a: &[$type],
                b: &[$type],
                beta: $type,
                c: &mut [$type],
            ) {
                assert!(a.len() >= m * k && b.len() >= k * n && c.len() >= m * n);
                // SAFETY: the slices cover all that the extents and strides reach, as asserted above.
                unsafe {
                    $gemm(
                        m,
                        k,
                        n,
                        alpha,
                        a.as_ptr(),
                        1,
                        m as isize,
                        b.as_ptr(),
                        1,
                        k as isize,
                        beta,
                        c.as_mut_ptr(),
                        1,
                        m as isize,
                    );
                }
            }
        }
    };
}
float!(f32, matrixmultiply::sgemm);
float!(f64, matrixmultiply::dgemm);

/// Wrapping integers, like the matrix units' 32-bit sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Wrapping32(pub i32);

impl std::ops::Add for Wrapping32 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Wrapping32(self.0.wrapping_add(other.0))
    }
}

impl std::ops::Mul for Wrapping32 {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Wrapping32(self.0.wrapping_mul(other.0))
    }
}

impl Real for Wrapping32 {
    fn from_f64(value: f64) -> Self {
        Wrapping32(value as i32)
    }

    fn decode(element: ElementType, bytes: &[u8]) -> Vec<Self> {
        match element {
            ElementType::I32 | ElementType::U32 => each(bytes, |b| Wrapping32(i32::from_le_bytes(b))),
            other => f64::decode(other, bytes).into_iter().map(Self::from_f64).collect(),
        }
    }

    fn encode(element: ElementType, values: &[Self]) -> Vec<u8> {
        match element {
            ElementType::I32 | ElementType::U32 => bytes_of(values, |v| v.0.to_le_bytes()),
            other => f64::encode(other, &values.iter().map(|v| v.0 as f64).collect::<Vec<_>>()),
        }
    }

    fn product([m, n, k]: [usize; 3], alpha: Self, a: &[Self], b: &[Self], beta: Self, c: &mut [Self]) {
        for column in 0..n {
            for row in 0..m {
                let sum = (0..k).fold(Self::default(), |sum, i| sum + a[row + i * m] * b[i + column * k]);
                let old = c[row + column * m];
                c[row + column * m] = alpha * sum + beta * old;
            }
        }
    }
}
