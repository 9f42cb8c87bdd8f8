//! Bit counts, fields and byte permutations (PTX ISA 9.7.1.16 to 9.7.1.22 and 9.7.8).

use crate::arith::bits::{self, Permute};
use crate::table::{Row, rows};

mod counts {
    use super::*;
    rows! {
        /// Set bits.
        ["popc.b32"] Logic (a: u32) -> u32 { a.count_ones() }
        /// Set bits of 64.
        ["popc.b64"] Logic (a: u64) -> u32 { a.count_ones() }
        /// Zeros before the highest set bit.
        ["clz.b32"] Logic (a: u32) -> u32 { a.leading_zeros() }
        /// Zeros before the highest set bit of 64.
        ["clz.b64"] Logic (a: u64) -> u32 { a.leading_zeros() }
        /// Bits in reverse order.
        ["brev.b32"] Logic (a: u32) -> u32 { a.reverse_bits() }
        /// 64 bits in reverse order.
        ["brev.b64"] Logic (a: u64) -> u64 { a.reverse_bits() }
        /// Position of the highest set bit.
        ["bfind.u32"] Logic (a: u32) -> u32 { bits::bfind_u64(a.into()) }
        /// Position of the highest bit that is not the sign.
        ["bfind.s32"] Logic (a: i32) -> u32 { bits::bfind_s64(a.into()) }
        /// Position of the highest set bit of 64.
        ["bfind.u64"] Logic (a: u64) -> u32 { bits::bfind_u64(a) }
        /// Position of the highest of 64 bits that is not the sign.
        ["bfind.s64"] Logic (a: i64) -> u32 { bits::bfind_s64(a) }
        /// Shift that brings the highest set bit to the top.
        ["bfind.shiftamt.u32"] Logic (a: u32) -> u32 { bits::shift_amount(bits::bfind_u64(a.into()), 32) }
        /// Shift that brings the highest bit that is not the sign to the top.
        ["bfind.shiftamt.s32"] Logic (a: i32) -> u32 { bits::shift_amount(bits::bfind_s64(a.into()), 32) }
        /// Shift that brings the highest set bit of 64 to the top.
        ["bfind.shiftamt.u64"] Logic (a: u64) -> u32 { bits::shift_amount(bits::bfind_u64(a), 64) }
        /// Shift that brings the highest of 64 bits that is not the sign to the top.
        ["bfind.shiftamt.s64"] Logic (a: i64) -> u32 { bits::shift_amount(bits::bfind_s64(a), 64) }
        /// Position of the n-th set bit from a base.
        ["fns.b32"] Logic (mask: u32, base: u32, n: i32) -> u32 { bits::fns(mask, base, n) }
    }
}

mod fields {
    use super::*;
    rows! {
        /// Bit field, given its position and length.
        ["bfe.u32"] Logic (a: u32, p: u32, n: u32) -> u32 { bits::bfe(a, p, n) }
        /// Bit field, sign-extended.
        ["bfe.s32"] Logic (a: i32, p: u32, n: u32) -> i32 { bits::bfe(a, p, n) }
        /// Bit field of 64 bits.
        ["bfe.u64"] Logic (a: u64, p: u32, n: u32) -> u64 { bits::bfe(a, p, n) }
        /// Bit field of 64 bits, sign-extended.
        ["bfe.s64"] Logic (a: i64, p: u32, n: u32) -> i64 { bits::bfe(a, p, n) }
        /// Second operand with a bit field replaced by the first operand's low bits.
        ["bfi.b32"] Logic (a: u32, b: u32, p: u32, n: u32) -> u32 { bits::bfi_b32(a, b, p, n) }
        /// As `bfi.b32`, of 64 bits.
        ["bfi.b64"] Logic (a: u64, b: u64, p: u32, n: u32) -> u64 { bits::bfi_b64(a, b, p, n) }
        /// Mask of set bits, given its position and width.
        ["bmsk.clamp.b32"] Logic (p: u32, n: u32) -> u32 { bits::bmsk(p, n) }
        /// Mask of set bits, given its position and width, both modulo 32.
        ["bmsk.wrap.b32"] Logic (p: u32, n: u32) -> u32 { bits::bmsk(p & 31, n & 31) }
        /// Low bits, zero-extended.
        ["szext.clamp.u32"] Logic (a: u32, n: u32) -> u32 { bits::szext(a, n) }
        /// Low bits, zero-extended; the width modulo 32.
        ["szext.wrap.u32"] Logic (a: u32, n: u32) -> u32 { bits::szext(a, n & 31) }
        /// Low bits, sign-extended.
        ["szext.clamp.s32"] Logic (a: i32, n: u32) -> i32 { bits::szext(a, n) }
        /// Low bits, sign-extended; the width modulo 32.
        ["szext.wrap.s32"] Logic (a: i32, n: u32) -> i32 { bits::szext(a, n & 31) }
    }
}

mod permute {
    use super::*;
    rows! {
        /// Four bytes chosen out of eight.
        ["prmt.b32"] Logic (a: u32, b: u32, c: u32) -> u32 { bits::prmt(a, b, c) }
        /// Four bytes forward.
        ["prmt.b32.f4e"] Logic
        (a: u32, b: u32, c: u32) -> u32 { bits::prmt_mode(a, b, c, Permute::Forward4) }
        /// Four bytes backward.
        ["prmt.b32.b4e"] Logic
        (a: u32, b: u32, c: u32) -> u32 { bits::prmt_mode(a, b, c, Permute::Backward4) }
        /// One byte four times.
        ["prmt.b32.rc8"] Logic
        (a: u32, b: u32, c: u32) -> u32 { bits::prmt_mode(a, b, c, Permute::Replicate8) }
        /// Edge clamp left.
        ["prmt.b32.ecl"] Logic
        (a: u32, b: u32, c: u32) -> u32 { bits::prmt_mode(a, b, c, Permute::ClampLeft) }
        /// Edge clamp right.
        ["prmt.b32.ecr"] Logic
        (a: u32, b: u32, c: u32) -> u32 { bits::prmt_mode(a, b, c, Permute::ClampRight) }
        /// One half twice.
        ["prmt.b32.rc16"] Logic
        (a: u32, b: u32, c: u32) -> u32 { bits::prmt_mode(a, b, c, Permute::Replicate16) }
    }
}

pub static TABLES: &[&[Row]] = &[counts::ROWS, fields::ROWS, permute::ROWS];
