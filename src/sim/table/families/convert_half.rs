//! `cvt` from and to half precision, `.tf32` and the 8-bit floats (PTX ISA 9.7.9.21).

use crate::arith::convert_half::{self as half, NarrowMode};
use crate::arith::convert_tiny::{self as tiny, Tiny};
use crate::arith::half::{Bf16, F16, Half};
use crate::arith::{IntRounding, Mode};
use crate::table::{Row, rows};

/// Returns a mode with the modifiers that are part of a row's name. `.ftz` has no effect on these conversions.
#[inline(always)]
fn mode(m: Mode, relu: bool, satfinite: bool) -> NarrowMode {
    NarrowMode { rounding: m.rounding, sat: m.sat, relu, satfinite }
}

/// Conversions between a half type and the integers.
macro_rules! integers {
    ($module:ident $t:ident $ty:literal) => {
        mod $module {
            use super::*;
            integers! { @all $t $ty
                u8 u32 "u8" i8 i32 "s8" u16 u32 "u16" i16 i32 "s16"
                u32 u32 "u32" i32 i32 "s32" u64 u64 "u64" i64 i64 "s64" }
        }
    };
    (@all $t:ident $ty:literal $($i:ident $store:ident $name:literal)*) => {
        rows! { $(
            /// Integer to half.
            [concat!("cvt.", $ty, ".", $name)] Convert mode(m)
            (a: $i) -> $t { half::int_to_half(a, mode(m, false, false)) }
            /// Half to integer, to nearest.
            [concat!("cvt.rni.", $name, ".", $ty)] Convert mode(_m)
            (a: $t) -> $store { half::half_to_int::<$t, $i>(a, IntRounding::Rni) as $store }
            /// Half to integer, toward zero.
            [concat!("cvt.rzi.", $name, ".", $ty)] Convert mode(_m)
            (a: $t) -> $store { half::half_to_int::<$t, $i>(a, IntRounding::Rzi) as $store }
            /// Half to integer, down.
            [concat!("cvt.rmi.", $name, ".", $ty)] Convert mode(_m)
            (a: $t) -> $store { half::half_to_int::<$t, $i>(a, IntRounding::Rmi) as $store }
            /// Half to integer, up.
            [concat!("cvt.rpi.", $name, ".", $ty)] Convert mode(_m)
            (a: $t) -> $store { half::half_to_int::<$t, $i>(a, IntRounding::Rpi) as $store }
        )* }
    };
}
integers! { f16_integers F16 "f16" }
integers! { bf16_integers Bf16 "bf16" }

macro_rules! floats {
    ($module:ident $t:ident $other:ident $ty:literal $pair:literal $other_ty:literal) => {
        mod $module {
            use super::*;
            rows! {
                /// Float to half.
                [concat!("cvt.", $ty, ".f32")] Convert (a: f32) -> $t { <$t>::from_f32(a) }
                /// Float to half in any mode.
                [concat!("cvt.", $ty, ".f32")] Convert mode(m)
                (a: f32) -> $t { half::f32_to_half_with(a, mode(m, false, false)) }
                /// Float to half; zero where negative.
                [concat!("cvt.relu.", $ty, ".f32")] Convert mode(m)
                (a: f32) -> $t { half::f32_to_half_with(a, mode(m, true, false)) }
                /// Float to half, never infinite.
                [concat!("cvt.satfinite.", $ty, ".f32")] Convert mode(m)
                (a: f32) -> $t { half::f32_to_half_with(a, mode(m, false, true)) }
                /// Float to half, never infinite; zero where negative.
                [concat!("cvt.relu.satfinite.", $ty, ".f32")] Convert mode(m)
                (a: f32) -> $t { half::f32_to_half_with(a, mode(m, true, true)) }
                /// Two floats to a pair, the first above.
                [concat!("cvt.", $pair, ".f32")] Convert mode(m)
                (a: f32, b: f32) -> u32 { half::f32_to_half_x2::<$t>(a, b, mode(m, false, false)) }
                /// Two floats to a pair, the first above; zero where negative.
                [concat!("cvt.relu.", $pair, ".f32")] Convert mode(m)
                (a: f32, b: f32) -> u32 { half::f32_to_half_x2::<$t>(a, b, mode(m, true, false)) }
                /// Two floats to a pair, the first above, never infinite.
                [concat!("cvt.satfinite.", $pair, ".f32")] Convert mode(m)
                (a: f32, b: f32) -> u32 { half::f32_to_half_x2::<$t>(a, b, mode(m, false, true)) }
                /// Two floats to a pair, the first above, never infinite; zero where negative.
                [concat!("cvt.relu.satfinite.", $pair, ".f32")] Convert mode(m)
                (a: f32, b: f32) -> u32 { half::f32_to_half_x2::<$t>(a, b, mode(m, true, true)) }
                /// Double to half.
                [concat!("cvt.", $ty, ".f64")] Convert mode(m)
                (a: f64) -> $t { half::f64_to_half(a, mode(m, false, false)) }
                /// Half to double.
                [concat!("cvt.f64.", $ty)] Convert mode(m) (a: $t) -> f64 { half::half_to_f64(a, m.sat) }
                /// One half type to the other.
                [concat!("cvt.", $ty, ".", $other_ty)] Convert mode(m)
                (a: $other) -> $t { half::f32_to_half_with(a.to_f32(), mode(m, false, false)) }
                /// Half to half: saturated.
                [concat!("cvt.", $ty, ".", $ty)] Convert mode(m)
                (a: $t) -> $t { half::half_to_same(a, m.sat) }
                /// Half rounded to an integer, still a half, to nearest.
                [concat!("cvt.rni.", $ty, ".", $ty)] Convert mode(m)
                (a: $t) -> $t { half::half_to_integral(a, IntRounding::Rni, m.sat) }
                /// Half rounded to an integer, still a half, toward zero.
                [concat!("cvt.rzi.", $ty, ".", $ty)] Convert mode(m)
                (a: $t) -> $t { half::half_to_integral(a, IntRounding::Rzi, m.sat) }
                /// Half rounded to an integer, still a half, down.
                [concat!("cvt.rmi.", $ty, ".", $ty)] Convert mode(m)
                (a: $t) -> $t { half::half_to_integral(a, IntRounding::Rmi, m.sat) }
                /// Half rounded to an integer, still a half, up.
                [concat!("cvt.rpi.", $ty, ".", $ty)] Convert mode(m)
                (a: $t) -> $t { half::half_to_integral(a, IntRounding::Rpi, m.sat) }
            }
        }
    };
}
floats! { f16_floats F16 Bf16 "f16" "f16x2" "bf16" }
floats! { bf16_floats Bf16 F16 "bf16" "bf16x2" "f16" }

mod other {
    use super::*;
    rows! {
        /// Half to float.
        ["cvt.f32.f16"] Convert (a: F16) -> f32 { half::f16_to_f32(a, false) }
        /// Half to float: saturated.
        ["cvt.f32.f16"] Convert mode(m) (a: F16) -> f32 { half::f16_to_f32(a, m.sat) }
        /// Half to float.
        ["cvt.f32.bf16"] Convert (a: Bf16) -> f32 { a.to_f32() }
        /// Float to the 19 bits of `.tf32`.
        ["cvt.tf32.f32"] Convert mode(m)
        (a: f32) -> u32 { tiny::f32_to_tf32(a, m.rounding, false, false) }
        /// Float to `.tf32`; zero where negative.
        ["cvt.relu.tf32.f32"] Convert mode(m)
        (a: f32) -> u32 { tiny::f32_to_tf32(a, m.rounding, true, false) }
        /// Float to `.tf32`, never infinite.
        ["cvt.satfinite.tf32.f32"] Convert mode(m)
        (a: f32) -> u32 { tiny::f32_to_tf32(a, m.rounding, false, true) }
        /// Float to `.tf32`, never infinite; zero where negative.
        ["cvt.satfinite.relu.tf32.f32", "cvt.relu.satfinite.tf32.f32"] Convert mode(m)
        (a: f32) -> u32 { tiny::f32_to_tf32(a, m.rounding, true, true) }
    }
}

macro_rules! tiny {
    ($module:ident $t:ident $ty:literal) => {
        mod $module {
            use super::*;
            rows! {
                /// Two floats to two 8-bit floats, the first above.
                [concat!("cvt.satfinite.", $ty, ".f32")] Convert
                (a: f32, b: f32) -> u16 { tiny::f32_to_tiny_x2(a, b, Tiny::$t, false) }
                /// Two floats to two 8-bit floats, the first above; zero where negative.
                [concat!("cvt.satfinite.relu.", $ty, ".f32")] Convert
                (a: f32, b: f32) -> u16 { tiny::f32_to_tiny_x2(a, b, Tiny::$t, true) }
                /// A pair of halves to two 8-bit floats.
                [concat!("cvt.satfinite.", $ty, ".f16x2")] Convert
                (a: u32) -> u16 { tiny::f16x2_to_tiny_x2(a, Tiny::$t, false) }
                /// A pair of halves to two 8-bit floats; zero where negative.
                [concat!("cvt.satfinite.relu.", $ty, ".f16x2")] Convert
                (a: u32) -> u16 { tiny::f16x2_to_tiny_x2(a, Tiny::$t, true) }
                /// Two 8-bit floats to a pair of halves.
                [concat!("cvt.f16x2.", $ty)] Convert
                (a: u16) -> u32 { tiny::tiny_x2_to_f16x2(a, Tiny::$t, false) }
                /// Two 8-bit floats to a pair of halves; zero where negative.
                [concat!("cvt.relu.f16x2.", $ty)] Convert
                (a: u16) -> u32 { tiny::tiny_x2_to_f16x2(a, Tiny::$t, true) }
            }
        }
    };
}
tiny! { e4m3 E4m3 "e4m3x2" }
tiny! { e5m2 E5m2 "e5m2x2" }

mod packed {
    use super::*;
    rows! {
        /// Two clamped halves, the first operand's above.
        ["cvt.pack.u16.s32"] Convert mode(_m) (a: i32, b: i32) -> u32 { tiny::pack_sat_u16(a, b) }
        /// Two clamped halves, signed.
        ["cvt.pack.s16.s32"] Convert mode(_m) (a: i32, b: i32) -> u32 { tiny::pack_sat_s16(a, b) }
        /// Two clamped bytes below the third operand's bits.
        ["cvt.pack.u8.s32.b32"] Convert mode(_m)
        (a: i32, b: i32, c: u32) -> u32 { tiny::pack_sat_small::<8, false>(a, b, c) }
        /// Two clamped bytes, signed, below the third operand's bits.
        ["cvt.pack.s8.s32.b32"] Convert mode(_m)
        (a: i32, b: i32, c: u32) -> u32 { tiny::pack_sat_small::<8, true>(a, b, c) }
        /// Two clamped nibbles below the third operand's bits.
        ["cvt.pack.u4.s32.b32"] Convert mode(_m)
        (a: i32, b: i32, c: u32) -> u32 { tiny::pack_sat_small::<4, false>(a, b, c) }
        /// Two clamped nibbles, signed, below the third operand's bits.
        ["cvt.pack.s4.s32.b32"] Convert mode(_m)
        (a: i32, b: i32, c: u32) -> u32 { tiny::pack_sat_small::<4, true>(a, b, c) }
        /// Two clamped pairs of bits below the third operand's bits.
        ["cvt.pack.u2.s32.b32"] Convert mode(_m)
        (a: i32, b: i32, c: u32) -> u32 { tiny::pack_sat_small::<2, false>(a, b, c) }
        /// Two clamped pairs of bits, signed, below the third operand's bits.
        ["cvt.pack.s2.s32.b32"] Convert mode(_m)
        (a: i32, b: i32, c: u32) -> u32 { tiny::pack_sat_small::<2, true>(a, b, c) }
    }
}

#[rustfmt::skip]
pub static TABLES: &[&[Row]] = &[
    f16_integers::ROWS, bf16_integers::ROWS, f16_floats::ROWS, bf16_floats::ROWS, other::ROWS,
    e4m3::ROWS, e5m2::ROWS, packed::ROWS,
];
