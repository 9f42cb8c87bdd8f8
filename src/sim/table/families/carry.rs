//! Arithmetic with a carry (PTX ISA 9.7.2). PTX's carry flag is a predicate here: an instruction with `.cc` is
//! lowered to a row for its value, and to the row named `%carry.` plus the same name for the flag that it sets.
//! A difference clears the flag if it borrows.

use crate::arith::int;
use crate::table::{Row, rows};

/// Rows of one width: those for which the sign does not matter, and those of the product's high half.
macro_rules! carry {
    ($module:ident $unsigned:ident $signed:ident $u:literal $s:literal) => {
        mod $module {
            use super::*;
            rows! {
                /// Sum with a carry in.
                [concat!("addc.", $u), concat!("addc.", $s)] IntAdd
                (a: $unsigned, b: $unsigned, c: bool) -> $unsigned { int::addc_cc(a, b, c).0 }
                /// Difference, minus one if the carry in is clear.
                [concat!("subc.", $u), concat!("subc.", $s)] IntAdd
                (a: $unsigned, b: $unsigned, c: bool) -> $unsigned { int::subc_cc(a, b, c).0 }
                /// Product, low half, plus a third operand and a carry in.
                [concat!("madc.lo.", $u), concat!("madc.lo.", $s)] IntMul
                (a: $unsigned, b: $unsigned, c: $unsigned, d: bool) -> $unsigned {
                    int::madc_lo_cc(a, b, c, d).0
                }
                /// Product, high half, plus a third operand and a carry in, unsigned.
                [concat!("madc.hi.", $u)] IntMul
                (a: $unsigned, b: $unsigned, c: $unsigned, d: bool) -> $unsigned {
                    int::madc_hi_cc(a, b, c, d).0
                }
                /// Product, high half, plus a third operand and a carry in, signed.
                [concat!("madc.hi.", $s)] IntMul
                (a: $signed, b: $signed, c: $signed, d: bool) -> $signed {
                    int::madc_hi_cc(a, b, c, d).0
                }
                /// Carry of a sum.
                [concat!("%carry.add.", $u), concat!("%carry.add.", $s)] IntAdd
                (a: $unsigned, b: $unsigned) -> bool { int::add_cc(a, b).1 }
                /// Carry of a sum with a carry in.
                [concat!("%carry.addc.", $u), concat!("%carry.addc.", $s)] IntAdd
                (a: $unsigned, b: $unsigned, c: bool) -> bool { int::addc_cc(a, b, c).1 }
                /// Carry of a difference.
                [concat!("%carry.sub.", $u), concat!("%carry.sub.", $s)] IntAdd
                (a: $unsigned, b: $unsigned) -> bool { int::sub_cc(a, b).1 }
                /// Carry of a difference with a carry in.
                [concat!("%carry.subc.", $u), concat!("%carry.subc.", $s)] IntAdd
                (a: $unsigned, b: $unsigned, c: bool) -> bool { int::subc_cc(a, b, c).1 }
                /// Carry of a product's low half plus a third operand.
                [concat!("%carry.mad.lo.", $u), concat!("%carry.mad.lo.", $s)] IntMul
                (a: $unsigned, b: $unsigned, c: $unsigned) -> bool { int::madc_lo_cc(a, b, c, false).1 }
                /// Carry of a product's low half plus a third operand and a carry in.
                [concat!("%carry.madc.lo.", $u), concat!("%carry.madc.lo.", $s)] IntMul
                (a: $unsigned, b: $unsigned, c: $unsigned, d: bool) -> bool {
                    int::madc_lo_cc(a, b, c, d).1
                }
                /// Carry of a product's high half plus a third operand, unsigned.
                [concat!("%carry.mad.hi.", $u)] IntMul
                (a: $unsigned, b: $unsigned, c: $unsigned) -> bool { int::madc_hi_cc(a, b, c, false).1 }
                /// Carry of a product's high half plus a third operand, signed.
                [concat!("%carry.mad.hi.", $s)] IntMul
                (a: $signed, b: $signed, c: $signed) -> bool { int::madc_hi_cc(a, b, c, false).1 }
                /// Carry of a product's high half plus a third operand and a carry in, unsigned.
                [concat!("%carry.madc.hi.", $u)] IntMul
                (a: $unsigned, b: $unsigned, c: $unsigned, d: bool) -> bool {
                    int::madc_hi_cc(a, b, c, d).1
                }
                /// Carry of a product's high half plus a third operand and a carry in, signed.
                [concat!("%carry.madc.hi.", $s)] IntMul
                (a: $signed, b: $signed, c: $signed, d: bool) -> bool {
                    int::madc_hi_cc(a, b, c, d).1
                }
            }
        }
    };
}
carry! { width32 u32 i32 "u32" "s32" }
carry! { width64 u64 i64 "u64" "s64" }

pub static TABLES: &[&[Row]] = &[width32::ROWS, width64::ROWS];
