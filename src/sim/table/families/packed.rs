//! Pairs in one register: `.u16x2` and `.s16x2` (PTX ISA 9.7.1), `.f32x2` (9.7.3).

use crate::arith::{Mode, int, single};
use crate::table::{Row, rows};

mod integers {
    use super::*;
    rows! {
        /// Two sums, wrapping.
        ["add.u16x2", "add.s16x2"] IntAdd (a: u32, b: u32) -> u32 { int::packed_u16(a, b, u16::wrapping_add) }
        /// The smaller of two pairs, unsigned.
        ["min.u16x2"] Compare (a: u32, b: u32) -> u32 { int::packed_u16(a, b, Ord::min) }
        /// The larger of two pairs, unsigned.
        ["max.u16x2"] Compare (a: u32, b: u32) -> u32 { int::packed_u16(a, b, Ord::max) }
        /// The smaller of two pairs, signed.
        ["min.s16x2"] Compare (a: u32, b: u32) -> u32 { int::packed_s16(a, b, Ord::min) }
        /// The larger of two pairs, signed.
        ["max.s16x2"] Compare (a: u32, b: u32) -> u32 { int::packed_s16(a, b, Ord::max) }
        /// The smaller of two pairs; zero where that is negative.
        ["min.relu.s16x2"] Compare (a: u32, b: u32) -> u32 { int::packed_s16(a, b, |a, b| a.min(b).max(0)) }
        /// The larger of two pairs; zero where that is negative.
        ["max.relu.s16x2"] Compare (a: u32, b: u32) -> u32 { int::packed_s16(a, b, |a, b| a.max(b).max(0)) }
    }
}

/// Returns the lower and the upper float of a register.
#[inline(always)]
fn split(a: u64) -> [f32; 2] {
    [f32::from_bits(a as u32), f32::from_bits((a >> 32) as u32)]
}

#[inline(always)]
fn join(low: f32, high: f32) -> u64 {
    (high.to_bits() as u64) << 32 | low.to_bits() as u64
}

#[inline(always)]
fn each2(a: u64, b: u64, m: Mode, op: impl Fn(f32, f32, Mode) -> f32) -> u64 {
    let (a, b) = (split(a), split(b));
    join(op(a[0], b[0], m), op(a[1], b[1], m))
}

mod floats {
    use super::*;
    rows! {
        /// Two sums.
        ["add.f32x2"] Float32 flops(f32, 2) mode(m) (a: u64, b: u64) -> u64 {
            each2(a, b, m, single::add_with)
        }
        /// Two differences.
        ["sub.f32x2"] Float32 flops(f32, 2) mode(m) (a: u64, b: u64) -> u64 {
            each2(a, b, m, single::sub_with)
        }
        /// Two products.
        ["mul.f32x2"] Float32 flops(f32, 2) mode(m) (a: u64, b: u64) -> u64 {
            each2(a, b, m, single::mul_with)
        }
        /// Two products plus third operands, each rounded once.
        ["fma.f32x2"] Float32 flops(f32, 4) mode(m) (a: u64, b: u64, c: u64) -> u64 {
            let (a, b, c) = (split(a), split(b), split(c));
            join(single::fma_with(a[0], b[0], c[0], m), single::fma_with(a[1], b[1], c[1], m))
        }
    }
}

/// Returns the sum of the absolute differences of the `BITS`-wide unsigned parts, and those differences in
/// place.
#[inline(always)]
fn differences<const BITS: u32>(a: u32, b: u32) -> (u32, u32) {
    let (mut sum, mut packed, mut shift) = (0, 0, 0);
    while shift < 32 {
        let part = |v: u32| v >> shift & ((1 << BITS) - 1);
        let difference = part(a).abs_diff(part(b));
        sum += difference;
        packed |= difference << shift;
        shift += BITS;
    }
    (sum, packed)
}

/// SIMD video instructions, as far as NVRTC's intrinsics (`__vsadu4`) use them (PTX ISA 9.7.15.2).
mod video {
    use super::*;
    rows! {
        /// Absolute differences of four bytes. The third operand matters only with a mask (not supported).
        ["vabsdiff4.u32.u32.u32"] IntAdd (a: u32, b: u32, _c: u32) -> u32 { differences::<8>(a, b).1 }
        /// Sum of the absolute differences of four bytes, and of the third operand.
        ["vabsdiff4.u32.u32.u32.add"] IntAdd (a: u32, b: u32, c: u32) -> u32 {
            differences::<8>(a, b).0.wrapping_add(c)
        }
        /// Absolute differences of two halves.
        ["vabsdiff2.u32.u32.u32"] IntAdd (a: u32, b: u32, _c: u32) -> u32 { differences::<16>(a, b).1 }
        /// Sum of the absolute differences of two halves, and of the third operand.
        ["vabsdiff2.u32.u32.u32.add"] IntAdd (a: u32, b: u32, c: u32) -> u32 {
            differences::<16>(a, b).0.wrapping_add(c)
        }
    }
}

pub static TABLES: &[&[Row]] = &[integers::ROWS, floats::ROWS, video::ROWS];
