//! Choices between two values (PTX ISA 9.7.6): `selp` by a predicate, `slct` by a sign.

use crate::arith::compare;
use crate::arith::float::flush_if;
use crate::table::{Row, rows};

macro_rules! width {
    ($module:ident $t:ident [$($ty:literal)+]) => {
        mod $module {
            use super::*;
            rows! {
                /// The first operand if the predicate holds, else the second.
                [$(concat!("selp.", $ty)),+] Compare
                (a: $t, b: $t, p: bool) -> $t {
                    // With masks, since a choice by a predicate is compiled to code lane by lane.
                    let mask = (p as $t).wrapping_neg();
                    (a & mask) | (b & !mask)
                }
                /// The first operand if the third is not negative, else the second.
                [$(concat!("slct.", $ty, ".s32")),+] Compare
                (a: $t, b: $t, c: i32) -> $t { compare::slct_s32(a, b, c) }
                /// The first operand if the third is at least zero, else the second.
                [$(concat!("slct.", $ty, ".f32")),+] Compare mode(m)
                (a: $t, b: $t, c: f32) -> $t { compare::slct_f32(a, b, flush_if(m.ftz, c)) }
            }
        }
    };
}
width! { width16 u16 ["b16" "u16" "s16" "f16" "bf16"] }
width! { width32 u32 ["b32" "u32" "s32" "f32"] }
width! { width64 u64 ["b64" "u64" "s64" "f64"] }

pub static TABLES: &[&[Row]] = &[width16::ROWS, width32::ROWS, width64::ROWS];
