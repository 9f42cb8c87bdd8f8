//! Comparisons of half precision (PTX ISA 9.7.7). `setp` of a pair writes two predicates: it is
//! the rows `%setp.low` and `%setp.high`.

use super::compare::each_float_operator;
use crate::sim::arith::compare::{self, CmpOp};
use crate::sim::arith::float::flush_if;
use crate::sim::arith::half::{Bf16, F16, Half, packed_compare};
use crate::sim::table::{Row, rows};

/// Compares one value.
#[inline(always)]
fn holds<T: Half>(op: CmpOp, ftz: bool, a: T, b: T) -> bool {
    compare::float(op, flush_if(ftz, a), flush_if(ftz, b))
}

/// Compares a pair: the lower, the upper.
#[inline(always)]
fn both_hold<T: Half>(op: CmpOp, ftz: bool, a: u32, b: u32) -> (bool, bool) {
    packed_compare::<T>(a, b, |a, b| holds(op, ftz, a, b))
}

/// A pair of `unit` or zero.
#[inline(always)]
fn pair(held: (bool, bool), unit: u32) -> u32 {
    (if held.1 { unit << 16 } else { 0 }) | if held.0 { unit } else { 0 }
}

macro_rules! compare {
    ($module:ident $t:ident $unit:ident $ty:literal $pair:literal: $($op:ident $name:literal)*) => {
        mod $module {
            use super::*;
            rows! { $(
                /// Whether it holds.
                [concat!("setp.", $name, ".", $ty)] Compare mode(m)
                (a: $t, b: $t) -> bool { holds(CmpOp::$op, m.ftz, a, b) }
                /// Whether it holds of the lower of a pair.
                [concat!("%setp.low.", $name, ".", $pair)] Compare mode(m)
                (a: u32, b: u32) -> bool { both_hold::<$t>(CmpOp::$op, m.ftz, a, b).0 }
                /// Whether it holds of the upper of a pair.
                [concat!("%setp.high.", $name, ".", $pair)] Compare mode(m)
                (a: u32, b: u32) -> bool { both_hold::<$t>(CmpOp::$op, m.ftz, a, b).1 }
                /// 1.0 where it holds, else 0.0.
                [concat!("set.", $name, ".", $ty, ".", $ty)] Compare mode(m)
                (a: $t, b: $t) -> u16 { compare::$unit(holds(CmpOp::$op, m.ftz, a, b)) }
                /// All ones where it holds, else zero.
                [concat!("set.", $name, ".u32.", $ty), concat!("set.", $name, ".s32.", $ty)] Compare mode(m)
                (a: $t, b: $t) -> u32 { compare::set_u32(holds(CmpOp::$op, m.ftz, a, b)) }
                /// 16 ones where it holds, else zero.
                [concat!("set.", $name, ".u16.", $ty), concat!("set.", $name, ".s16.", $ty)] Compare mode(m)
                (a: $t, b: $t) -> u16 { compare::set_u32(holds(CmpOp::$op, m.ftz, a, b)) as u16 }
                /// 1.0 where it holds of each of a pair, else 0.0.
                [concat!("set.", $name, ".", $pair, ".", $pair)] Compare mode(m) (a: u32, b: u32) -> u32 {
                    pair(both_hold::<$t>(CmpOp::$op, m.ftz, a, b), compare::$unit(true) as u32)
                }
                /// 16 ones where it holds of each of a pair, else zero.
                [concat!("set.", $name, ".u32.", $pair), concat!("set.", $name, ".s32.", $pair)] Compare mode(m)
                (a: u32, b: u32) -> u32 { pair(both_hold::<$t>(CmpOp::$op, m.ftz, a, b), 0xffff) }
            )* }
        }
    };
}

macro_rules! of_f16 {
    ($($operators:tt)*) => { compare! { f16 F16 set_f16 "f16" "f16x2": $($operators)* } };
}
macro_rules! of_bf16 {
    ($($operators:tt)*) => { compare! { bf16 Bf16 set_bf16 "bf16" "bf16x2": $($operators)* } };
}
each_float_operator! { of_f16 }
each_float_operator! { of_bf16 }

pub static TABLES: &[&[Row]] = &[f16::ROWS, bf16::ROWS];
