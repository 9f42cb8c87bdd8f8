//! `cvt` between integers, `.f32` and `.f64` (PTX ISA 9.7.9.21).
//!
//! A result of 8 or 16 bits is extended to the register's 32 by its own sign, as PTX extends it
//! into a wider destination.

use crate::arith::{IntRounding, Mode, Rounding, convert, float, round};
use crate::table::{Row, rows};

/// Conversions to one integer type: from every integer type, and from floats in every rounding.
macro_rules! to_int {
    ($module:ident $d:ident $dn:literal $store:ident) => {
        mod $module {
            pub mod from_int {
                use super::super::*;
                to_int! { @int $d $dn $store
                    u8 "u8" i8 "s8" u16 "u16" i16 "s16" u32 "u32" i32 "s32" u64 "u64" i64 "s64" }
            }
            pub mod from_float {
                use super::super::*;
                to_int! { @float $d $dn $store Rni "rni" Rzi "rzi" Rmi "rmi" Rpi "rpi" }
            }
        }
    };
    (@int $d:ident $dn:literal $store:ident $($s:ident $sn:literal)*) => {
        rows! { $(
            /// Integer to integer: low bits, or extended by the source's sign.
            [concat!("cvt.", $dn, ".", $sn)] Convert
            (a: $s) -> $store { convert::int_to_int::<$s, $d>(a) as $store }
            /// Integer to integer; `.sat` clamps to the destination's range.
            [concat!("cvt.", $dn, ".", $sn)] Convert mode(_m)
            (a: $s) -> $store { convert::int_to_int_sat::<$s, $d>(a) as $store }
        )* }
    };
    (@float $d:ident $dn:literal $store:ident $($r:ident $rn:literal)*) => {
        rows! { $(
            /// Float to integer, clamped.
            [concat!("cvt.", $rn, ".", $dn, ".f32")] Convert mode(m)
            (a: f32) -> $store { convert::f32_to_int::<$d>(a, IntRounding::$r, m.ftz) as $store }
            /// Double to integer, clamped.
            [concat!("cvt.", $rn, ".", $dn, ".f64")] Convert mode(_m)
            (a: f64) -> $store { convert::f64_to_int::<$d>(a, IntRounding::$r) as $store }
        )* }
    };
}
to_int! { to_u8 u8 "u8" u32 }
to_int! { to_s8 i8 "s8" i32 }
to_int! { to_u16 u16 "u16" u32 }
to_int! { to_s16 i16 "s16" i32 }
to_int! { to_u32 u32 "u32" u32 }
to_int! { to_s32 i32 "s32" i32 }
to_int! { to_u64 u64 "u64" u64 }
to_int! { to_s64 i64 "s64" i64 }

macro_rules! from_int {
    ($($s:ident $sn:literal)*) => {
        mod from_int {
            use super::*;
            rows! { $(
                /// Integer to float.
                [concat!("cvt.f32.", $sn)] Convert (a: $s) -> f32 { convert::int_to_f32(a, Mode::default()) }
                /// Integer to float in any mode.
                [concat!("cvt.f32.", $sn)] Convert mode(m) (a: $s) -> f32 { convert::int_to_f32(a, m) }
                /// Integer to double.
                [concat!("cvt.f64.", $sn)] Convert (a: $s) -> f64 { convert::int_to_f64(a, Mode::default()) }
                /// Integer to double in any mode.
                [concat!("cvt.f64.", $sn)] Convert mode(m) (a: $s) -> f64 { convert::int_to_f64(a, m) }
            )* }
        }
    };
}
from_int! { u8 "u8" i8 "s8" u16 "u16" i16 "s16" u32 "u32" i32 "s32" u64 "u64" i64 "s64" }

macro_rules! integral {
    ($($r:ident $rn:literal)*) => {
        mod integral {
            use super::*;
            rows! { $(
                /// Float rounded to an integer, still a float.
                [concat!("cvt.", $rn, ".f32.f32")] Convert mode(m)
                (a: f32) -> f32 { convert::f32_to_integral(a, IntRounding::$r, m.ftz, m.sat) }
                /// Double rounded to an integer, still a double.
                [concat!("cvt.", $rn, ".f64.f64")] Convert mode(m)
                (a: f64) -> f64 { convert::f64_to_integral(a, IntRounding::$r, m.sat) }
            )* }
        }
    };
}
integral! { Rni "rni" Rzi "rzi" Rmi "rmi" Rpi "rpi" }

mod floats {
    use super::*;
    rows! {
        /// Float to float: flushed, saturated.
        ["cvt.f32.f32"] Convert mode(m) (a: f32) -> f32 { convert::f32_to_f32(a, m.ftz, m.sat) }
        /// Double to double, saturated.
        ["cvt.f64.f64"] Convert mode(m) (a: f64) -> f64 { convert::f64_to_f64(a, m.sat) }
        /// Float to double.
        ["cvt.f64.f32"] Convert (a: f32) -> f64 { convert::f32_to_f64(a, false, false) }
        /// Float to double: flushed, saturated.
        ["cvt.f64.f32"] Convert mode(m) (a: f32) -> f64 { convert::f32_to_f64(a, m.ftz, m.sat) }
        /// Double to float.
        ["cvt.f32.f64"] Convert
        (a: f64) -> f32 { float::canonical(round::f64_to_f32(a, Rounding::Rn)) }
        /// Double to float in any mode.
        ["cvt.f32.f64"] Convert mode(m) (a: f64) -> f32 { convert::f64_to_f32_with(a, m) }
    }
}

#[rustfmt::skip]
pub static TABLES: &[&[Row]] = &[
    to_u8::from_int::ROWS, to_s8::from_int::ROWS, to_u16::from_int::ROWS, to_s16::from_int::ROWS,
    to_u32::from_int::ROWS, to_s32::from_int::ROWS, to_u64::from_int::ROWS, to_s64::from_int::ROWS,
    to_u8::from_float::ROWS, to_s8::from_float::ROWS, to_u16::from_float::ROWS, to_s16::from_float::ROWS,
    to_u32::from_float::ROWS, to_s32::from_float::ROWS, to_u64::from_float::ROWS, to_s64::from_float::ROWS,
    from_int::ROWS, integral::ROWS, floats::ROWS,
];
