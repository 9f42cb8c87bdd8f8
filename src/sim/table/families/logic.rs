//! Logic and shifts (PTX ISA 9.7.8).

use crate::arith::bits;
use crate::table::{Row, predicate_rows, rows};

macro_rules! width {
    ($module:ident $unsigned:ident $signed:ident $b:literal $u:literal $s:literal) => {
        pub mod $module {
            use super::*;
            rows! {
                /// Bits set in both.
                [concat!("and.", $b)] Logic (a: $unsigned, b: $unsigned) -> $unsigned { a & b }
                /// Bits set in either.
                [concat!("or.", $b)] Logic (a: $unsigned, b: $unsigned) -> $unsigned { a | b }
                /// Bits set in exactly one.
                [concat!("xor.", $b)] Logic (a: $unsigned, b: $unsigned) -> $unsigned { a ^ b }
                /// Bits inverted.
                [concat!("not.", $b)] Logic (a: $unsigned) -> $unsigned { !a }
                /// One for zero, else zero.
                [concat!("cnot.", $b)] Logic (a: $unsigned) -> $unsigned { bits::cnot(a) }
                /// Shift to the left; zero once the amount reaches the width.
                [concat!("shl.", $b)] Logic (a: $unsigned, n: u32) -> $unsigned { bits::shl(a, n) }
                /// Shift to the right, filling with zeros.
                [concat!("shr.", $b), concat!("shr.", $u)] Logic
                (a: $unsigned, n: u32) -> $unsigned { bits::shr(a, n) }
                /// Shift to the right, filling with the sign.
                [concat!("shr.", $s)] Logic (a: $signed, n: u32) -> $signed { bits::shr(a, n) }
            }
        }
    };
}
width! { width16 u16 i16 "b16" "u16" "s16" }
width! { width32 u32 i32 "b32" "u32" "s32" }
width! { width64 u64 i64 "b64" "u64" "s64" }

mod three {
    use super::*;
    rows! {
        /// Any function of three bits, given as its truth table.
        ["lop3.b32"] Logic (a: u32, b: u32, c: u32, t: u32) -> u32 { bits::lop3(a, b, c, t as u8) }
        /// Funnel shift to the left; the amount modulo 32.
        ["shf.l.wrap.b32"] Logic (a: u32, b: u32, n: u32) -> u32 { bits::shf_l(a, b, n & 31) }
        /// Funnel shift to the left; the amount at most 32.
        ["shf.l.clamp.b32"] Logic (a: u32, b: u32, n: u32) -> u32 { bits::shf_l(a, b, n.min(32)) }
        /// Funnel shift to the right; the amount modulo 32.
        ["shf.r.wrap.b32"] Logic (a: u32, b: u32, n: u32) -> u32 { bits::shf_r(a, b, n & 31) }
        /// Funnel shift to the right; the amount at most 32.
        ["shf.r.clamp.b32"] Logic (a: u32, b: u32, n: u32) -> u32 { bits::shf_r(a, b, n.min(32)) }
    }
}

mod predicates {
    use super::*;
    predicate_rows! {
        /// Both hold.
        ["and.pred"] Logic (a, b) { a & b }
        /// Either holds.
        ["or.pred"] Logic (a, b) { a | b }
        /// Exactly one holds.
        ["xor.pred"] Logic (a, b) { a ^ b }
        /// It does not hold.
        ["not.pred"] Logic (a) { !a }
        /// Copy of a predicate.
        ["mov.pred"] Move (a) { a }
    }
}

pub static TABLES: &[&[Row]] = &[width16::ROWS, width32::ROWS, width64::ROWS, three::ROWS, predicates::ROWS];
