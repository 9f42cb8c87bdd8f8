//! Comparisons (PTX ISA 9.7.6): `setp`. Combined with a predicate (`setp.lt.and.s32`) it is lowered to a
//! comparison and `and.pred`; `set` to a comparison and one of the `%set` rows.

use crate::arith::compare::{self, CmpOp};
use crate::arith::float::flush_if;
use crate::table::{Row, rows};

/// Rows of integer comparisons: for each operator, its pairs of names (operator, type).
macro_rules! int {
    ($module:ident $t:ident: $($op:ident [$(($name:literal $ty:literal))+])*) => {
        mod $module {
            use super::*;
            rows! { $(
                /// Whether the comparison holds.
                [$(concat!("setp.", $name, ".", $ty)),+] Compare
                (a: $t, b: $t) -> bool { compare::int(CmpOp::$op, a, b) }
            )* }
        }
    };
}

macro_rules! width {
    ($unsigned:ident $u:literal $u_module:ident $signed:ident $s:literal $s_module:ident $b:literal) => {
        int! { $u_module $unsigned:
            Eq [("eq" $u) ("eq" $s) ("eq" $b)]
            Ne [("ne" $u) ("ne" $s) ("ne" $b)]
            Lt [("lt" $u) ("lo" $u)]
            Le [("le" $u) ("ls" $u)]
            Gt [("gt" $u) ("hi" $u)]
            Ge [("ge" $u) ("hs" $u)]
        }
        int! { $s_module $signed: Lt [("lt" $s)] Le [("le" $s)] Gt [("gt" $s)] Ge [("ge" $s)] }
    };
}
width! { u16 "u16" unsigned16 i16 "s16" signed16 "b16" }
width! { u32 "u32" unsigned32 i32 "s32" signed32 "b32" }
width! { u64 "u64" unsigned64 i64 "s64" signed64 "b64" }

macro_rules! single {
    ($($op:ident $name:literal)*) => {
        mod single {
            use super::*;
            rows! { $(
                /// Whether the comparison holds.
                [concat!("setp.", $name, ".f32")] Compare
                (a: f32, b: f32) -> bool { compare::float(CmpOp::$op, a, b) }
                /// Whether the comparison holds, subnormals flushed.
                [concat!("setp.", $name, ".f32")] Compare mode(m) (a: f32, b: f32) -> bool {
                    compare::float(CmpOp::$op, flush_if(m.ftz, a), flush_if(m.ftz, b))
                }
            )* }
        }
    };
}

macro_rules! double {
    ($($op:ident $name:literal)*) => {
        mod double {
            use super::*;
            rows! { $(
                /// Whether the comparison holds.
                [concat!("setp.", $name, ".f64")] Compare
                (a: f64, b: f64) -> bool { compare::float(CmpOp::$op, a, b) }
            )* }
        }
    };
}

/// Invokes a macro with every comparison operator of floats.
macro_rules! each_float_operator {
    ($then:ident) => {
        $then! {
            Eq "eq" Ne "ne" Lt "lt" Le "le" Gt "gt" Ge "ge"
            Equ "equ" Neu "neu" Ltu "ltu" Leu "leu" Gtu "gtu" Geu "geu" Num "num" Nan "nan"
        }
    };
}
pub(super) use each_float_operator;
each_float_operator! { single }
each_float_operator! { double }

/// Returns `unit` or zero in each half of a register.
#[inline(always)]
fn pair(low: bool, high: bool, unit: u16) -> u32 {
    let part = |held: bool| held as u32 * unit as u32;
    part(high) << 16 | part(low)
}

mod pieces {
    use super::*;
    rows! {
        /// All ones for true, else zero: the last step of a `set`.
        ["%set.u32", "%set.s32"] Compare (a: bool) -> u32 { compare::set_u32(a) }
        /// 1.0 for true, else 0.0.
        ["%set.f32"] Compare (a: bool) -> u32 { compare::set_u32(a) & compare::set_f32(true).to_bits() }
        /// 16 ones for true, else zero.
        ["%set.u16", "%set.s16"] Compare (a: bool) -> u16 { compare::set_u32(a) as u16 }
        /// 1.0 for true, else 0.0, of `.f16`.
        ["%set.f16"] Compare (a: bool) -> u16 { compare::set_u32(a) as u16 & compare::set_f16(true) }
        /// 1.0 for true, else 0.0, of `.bf16`.
        ["%set.bf16"] Compare (a: bool) -> u16 { compare::set_u32(a) as u16 & compare::set_bf16(true) }
        /// 16 ones for true, else zero, of a pair.
        ["%set.pair.u32", "%set.pair.s32"] Compare (a: bool, b: bool) -> u32 { pair(a, b, 0xffff) }
        /// 1.0 for true, else 0.0, of a pair.
        ["%set.pair.f16x2"] Compare (a: bool, b: bool) -> u32 { pair(a, b, compare::set_f16(true)) }
        /// 1.0 for true, else 0.0, of a pair.
        ["%set.pair.bf16x2"] Compare (a: bool, b: bool) -> u32 { pair(a, b, compare::set_bf16(true)) }
    }
}

#[rustfmt::skip]
pub static TABLES: &[&[Row]] = &[
    unsigned16::ROWS, signed16::ROWS, unsigned32::ROWS, signed32::ROWS, unsigned64::ROWS, signed64::ROWS,
    single::ROWS, double::ROWS, pieces::ROWS,
];
