//! Comparisons of half precision (PTX ISA 9.7.7). `setp` of a pair writes two predicates: it is lowered to the
//! rows `%setp.low` and `%setp.high`.

use super::compare::each_float_operator;
use crate::arith::compare::{self, CmpOp};
use crate::arith::float::flush_if;
use crate::arith::half::{Bf16, F16, Half};
use crate::table::{Row, rows};

#[inline(always)]
fn holds<T: Half>(op: CmpOp, ftz: bool, a: T, b: T) -> bool {
    compare::float(op, flush_if(ftz, a), flush_if(ftz, b))
}

macro_rules! compare {
    ($module:ident $t:ident $ty:literal $pair:literal: $($op:ident $name:literal)*) => {
        mod $module {
            use super::*;
            rows! { $(
                /// Whether the comparison holds; for a pair, between the lower halves.
                [concat!("setp.", $name, ".", $ty), concat!("%setp.low.", $name, ".", $pair)] Compare mode(m)
                (a: $t, b: $t) -> bool { holds(CmpOp::$op, m.ftz, a, b) }
                /// Whether the comparison holds between the upper halves of a pair.
                [concat!("%setp.high.", $name, ".", $pair)] Compare mode(m) (a: u32, b: u32) -> bool {
                    holds(CmpOp::$op, m.ftz, $t((a >> 16) as u16), $t((b >> 16) as u16))
                }
            )* }
        }
    };
}

macro_rules! of_f16 {
    ($($operators:tt)*) => { compare! { f16 F16 "f16" "f16x2": $($operators)* } };
}
macro_rules! of_bf16 {
    ($($operators:tt)*) => { compare! { bf16 Bf16 "bf16" "bf16x2": $($operators)* } };
}
each_float_operator! { of_f16 }
each_float_operator! { of_bf16 }

pub static TABLES: &[&[Row]] = &[f16::ROWS, bf16::ROWS];
