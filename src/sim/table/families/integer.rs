//! Integer arithmetic (PTX ISA 9.7.1). Additions, differences and instructions built from them count as
//! [`IntAdd`](crate::counts::Class::IntAdd); products, and divisions, which a GPU computes with products, as
//! `IntMul`; `min` and `max` as `Compare`, as in the throughput table of the CUDA programming guide.

use crate::arith::int;
use crate::table::{Row, rows};

/// Rows common to the unsigned and the signed type of one width, by the types' names.
macro_rules! width {
    ($module:ident $unsigned:ident $signed:ident $u:literal $s:literal) => {
        pub mod $module {
            use super::*;
            rows! {
                /// Product, low half.
                [concat!("mul.lo.", $u), concat!("mul.lo.", $s)] IntMul
                (a: $unsigned, b: $unsigned) -> $unsigned { int::mul_lo(a, b) }
                /// Product, low half, plus a third operand.
                [concat!("mad.lo.", $u), concat!("mad.lo.", $s)] IntMul
                (a: $unsigned, b: $unsigned, c: $unsigned) -> $unsigned { int::mad_lo(a, b, c) }
                /// Product, high half, unsigned.
                [concat!("mul.hi.", $u)] IntMul
                (a: $unsigned, b: $unsigned) -> $unsigned { int::mul_hi(a, b) }
                /// Product, high half, signed.
                [concat!("mul.hi.", $s)] IntMul
                (a: $signed, b: $signed) -> $signed { int::mul_hi(a, b) }
                /// Product, high half, plus a third operand, unsigned.
                [concat!("mad.hi.", $u)] IntMul
                (a: $unsigned, b: $unsigned, c: $unsigned) -> $unsigned { int::mad_hi(a, b, c) }
                /// Product, high half, plus a third operand, signed.
                [concat!("mad.hi.", $s)] IntMul
                (a: $signed, b: $signed, c: $signed) -> $signed { int::mad_hi(a, b, c) }
                /// Quotient, unsigned; all ones for a zero divisor.
                [concat!("div.", $u)] IntMul (a: $unsigned, b: $unsigned) -> $unsigned { int::div(a, b) }
                /// Quotient, signed, truncated.
                [concat!("div.", $s)] IntMul (a: $signed, b: $signed) -> $signed { int::div(a, b) }
                /// Remainder, unsigned.
                [concat!("rem.", $u)] IntMul (a: $unsigned, b: $unsigned) -> $unsigned { int::rem(a, b) }
                /// Remainder, with the dividend's sign.
                [concat!("rem.", $s)] IntMul (a: $signed, b: $signed) -> $signed { int::rem(a, b) }
                /// Sum of absolute difference, unsigned.
                [concat!("sad.", $u)] IntAdd
                (a: $unsigned, b: $unsigned, c: $unsigned) -> $unsigned { int::sad(a, b, c) }
                /// Sum of absolute difference, signed.
                [concat!("sad.", $s)] IntAdd
                (a: $signed, b: $signed, c: $signed) -> $signed { int::sad(a, b, c) }
                /// Magnitude.
                [concat!("abs.", $s)] IntAdd (a: $signed) -> $signed { int::abs(a) }
                /// Negation.
                [concat!("neg.", $s)] IntAdd (a: $signed) -> $signed { int::neg(a) }
                /// The smaller, unsigned.
                [concat!("min.", $u)] Compare (a: $unsigned, b: $unsigned) -> $unsigned { int::min(a, b) }
                /// The smaller, signed.
                [concat!("min.", $s)] Compare (a: $signed, b: $signed) -> $signed { int::min(a, b) }
                /// The larger, unsigned.
                [concat!("max.", $u)] Compare (a: $unsigned, b: $unsigned) -> $unsigned { int::max(a, b) }
                /// The larger, signed.
                [concat!("max.", $s)] Compare (a: $signed, b: $signed) -> $signed { int::max(a, b) }
            }
        }
    };
}
width! { width16 u16 i16 "u16" "s16" }
width! { width32 u32 i32 "u32" "s32" }
width! { width64 u64 i64 "u64" "s64" }

/// Sums, wide products, and forms that only some widths have.
mod other {
    use super::*;
    rows! {
        /// Sum, wrapping.
        ["add.s32", "add.u32"] IntAdd (a: u32, b: u32) -> u32 { int::add(a, b) }
        /// Sum, saturating with `.sat`.
        ["add.s32"] IntAdd mode(m) (a: i32, b: i32) -> i32 {
            if m.sat { a.saturating_add(b) } else { int::add(a, b) }
        }
        /// Sum of 16 bits, wrapping.
        ["add.s16", "add.u16"] IntAdd (a: u16, b: u16) -> u16 { int::add(a, b) }
        /// Sum of 64 bits, wrapping.
        ["add.s64", "add.u64"] IntAdd (a: u64, b: u64) -> u64 { int::add(a, b) }
        /// Difference, wrapping.
        ["sub.s32", "sub.u32"] IntAdd (a: u32, b: u32) -> u32 { int::sub(a, b) }
        /// Difference, saturating with `.sat`.
        ["sub.s32"] IntAdd mode(m) (a: i32, b: i32) -> i32 {
            if m.sat { a.saturating_sub(b) } else { int::sub(a, b) }
        }
        /// Difference of 16 bits, wrapping.
        ["sub.s16", "sub.u16"] IntAdd (a: u16, b: u16) -> u16 { int::sub(a, b) }
        /// Difference of 64 bits, wrapping.
        ["sub.s64", "sub.u64"] IntAdd (a: u64, b: u64) -> u64 { int::sub(a, b) }
        /// Product, high half, plus a third operand, saturating with `.sat`.
        ["mad.hi.s32"] IntMul mode(m) (a: i32, b: i32, c: i32) -> i32 {
            if m.sat { int::mul_hi(a, b).saturating_add(c) } else { int::mad_hi(a, b, c) }
        }
        /// Whole product of 16 bits, unsigned.
        ["mul.wide.u16"] IntMul (a: u16, b: u16) -> u32 { int::mul_wide(a, b) }
        /// Whole product of 16 bits, signed.
        ["mul.wide.s16"] IntMul (a: i16, b: i16) -> i32 { int::mul_wide(a, b) }
        /// Whole product of 32 bits, unsigned.
        ["mul.wide.u32"] IntMul (a: u32, b: u32) -> u64 { int::mul_wide(a, b) }
        /// Whole product of 32 bits, signed.
        ["mul.wide.s32"] IntMul (a: i32, b: i32) -> i64 { int::mul_wide(a, b) }
        /// Whole product of 16 bits plus 32 bits, unsigned.
        ["mad.wide.u16"] IntMul (a: u16, b: u16, c: u32) -> u32 { int::mad_wide(a, b, c) }
        /// Whole product of 16 bits plus 32 bits, signed.
        ["mad.wide.s16"] IntMul (a: i16, b: i16, c: i32) -> i32 { int::mad_wide(a, b, c) }
        /// Whole product of 32 bits plus 64 bits, unsigned.
        ["mad.wide.u32"] IntMul (a: u32, b: u32, c: u64) -> u64 { int::mad_wide(a, b, c) }
        /// Whole product of 32 bits plus 64 bits, signed.
        ["mad.wide.s32"] IntMul (a: i32, b: i32, c: i64) -> i64 { int::mad_wide(a, b, c) }
        /// The smaller; zero where that is negative.
        ["min.relu.s32"] Compare (a: i32, b: i32) -> i32 { int::relu(int::min(a, b)) }
        /// The larger; zero where that is negative.
        ["max.relu.s32"] Compare (a: i32, b: i32) -> i32 { int::relu(int::max(a, b)) }
    }
}

/// Products of 24 bits.
mod short {
    use super::*;
    rows! {
        /// Low 32 bits of a 24-bit product, unsigned.
        ["mul24.lo.u32"] IntMul (a: u32, b: u32) -> u32 { int::mul24_lo_u32(a, b) }
        /// Low 32 bits of a 24-bit product, signed.
        ["mul24.lo.s32"] IntMul (a: i32, b: i32) -> i32 { int::mul24_lo_s32(a, b) }
        /// High 32 bits of a 24-bit product, unsigned.
        ["mul24.hi.u32"] IntMul (a: u32, b: u32) -> u32 { int::mul24_hi_u32(a, b) }
        /// High 32 bits of a 24-bit product, signed.
        ["mul24.hi.s32"] IntMul (a: i32, b: i32) -> i32 { int::mul24_hi_s32(a, b) }
        /// Low 32 bits of a 24-bit product, plus a third operand, unsigned.
        ["mad24.lo.u32"] IntMul (a: u32, b: u32, c: u32) -> u32 { int::add(int::mul24_lo_u32(a, b), c) }
        /// Low 32 bits of a 24-bit product, plus a third operand, signed.
        ["mad24.lo.s32"] IntMul (a: i32, b: i32, c: i32) -> i32 { int::add(int::mul24_lo_s32(a, b), c) }
        /// High 32 bits of a 24-bit product, plus a third operand, unsigned.
        ["mad24.hi.u32"] IntMul (a: u32, b: u32, c: u32) -> u32 { int::add(int::mul24_hi_u32(a, b), c) }
        /// High 32 bits of a 24-bit product, plus a third operand, signed; `.sat` clamps the sum.
        ["mad24.hi.s32"] IntMul mode(m) (a: i32, b: i32, c: i32) -> i32 {
            if m.sat { int::mul24_hi_s32(a, b).saturating_add(c) } else { int::add(int::mul24_hi_s32(a, b), c) }
        }
    }
}

/// Dot products of bytes.
mod dot {
    use super::*;
    rows! {
        /// Four products of bytes, and a sum.
        ["dp4a.u32.u32"] IntMul (a: u32, b: u32, c: u32) -> u32 { int::dp4a::<false, false>(a, b, c) }
        /// Four products of bytes, and a sum.
        ["dp4a.u32.s32"] IntMul (a: u32, b: u32, c: u32) -> u32 { int::dp4a::<false, true>(a, b, c) }
        /// Four products of bytes, and a sum.
        ["dp4a.s32.u32"] IntMul (a: u32, b: u32, c: u32) -> u32 { int::dp4a::<true, false>(a, b, c) }
        /// Four products of bytes, and a sum.
        ["dp4a.s32.s32"] IntMul (a: u32, b: u32, c: u32) -> u32 { int::dp4a::<true, true>(a, b, c) }
        /// Two products of a half and a low byte, and a sum.
        ["dp2a.lo.u32.u32"] IntMul
        (a: u32, b: u32, c: u32) -> u32 { int::dp2a::<false, false, false>(a, b, c) }
        /// Two products of a half and a low byte, and a sum.
        ["dp2a.lo.u32.s32"] IntMul
        (a: u32, b: u32, c: u32) -> u32 { int::dp2a::<false, true, false>(a, b, c) }
        /// Two products of a half and a low byte, and a sum.
        ["dp2a.lo.s32.u32"] IntMul
        (a: u32, b: u32, c: u32) -> u32 { int::dp2a::<true, false, false>(a, b, c) }
        /// Two products of a half and a low byte, and a sum.
        ["dp2a.lo.s32.s32"] IntMul
        (a: u32, b: u32, c: u32) -> u32 { int::dp2a::<true, true, false>(a, b, c) }
        /// Two products of a half and a high byte, and a sum.
        ["dp2a.hi.u32.u32"] IntMul
        (a: u32, b: u32, c: u32) -> u32 { int::dp2a::<false, false, true>(a, b, c) }
        /// Two products of a half and a high byte, and a sum.
        ["dp2a.hi.u32.s32"] IntMul
        (a: u32, b: u32, c: u32) -> u32 { int::dp2a::<false, true, true>(a, b, c) }
        /// Two products of a half and a high byte, and a sum.
        ["dp2a.hi.s32.u32"] IntMul
        (a: u32, b: u32, c: u32) -> u32 { int::dp2a::<true, false, true>(a, b, c) }
        /// Two products of a half and a high byte, and a sum.
        ["dp2a.hi.s32.s32"] IntMul
        (a: u32, b: u32, c: u32) -> u32 { int::dp2a::<true, true, true>(a, b, c) }
    }
}

pub static TABLES: &[&[Row]] =
    &[width16::ROWS, width32::ROWS, width64::ROWS, other::ROWS, short::ROWS, dot::ROWS];
