//! Half precision, `.f16` and `.bf16`, alone and in pairs (PTX ISA 9.7.4).

use crate::arith::Mode;
use crate::arith::float::{self, Selection, flush_if};
use crate::arith::half::{self, Bf16, F16, HalfMode, packed1, packed2, packed3};
use crate::table::{Row, rows};

/// Returns the modifiers that half precision supports.
#[inline(always)]
fn mode(m: Mode) -> HalfMode {
    HalfMode { ftz: m.ftz, sat: m.sat, relu: false }
}

/// Returns the same modifiers with `.relu`.
#[inline(always)]
fn relu(m: Mode) -> HalfMode {
    HalfMode { relu: true, ..mode(m) }
}

macro_rules! arithmetic {
    ($module:ident $t:ident $flop:ident $ty:literal $pair:literal) => {
        mod $module {
            use super::*;
            rows! {
                /// Sum.
                [concat!("add.", $ty)] Float16 flops($flop, 1) (a: $t, b: $t) -> $t { half::add(a, b) }
                /// Sum in any mode.
                [concat!("add.", $ty)] Float16 flops($flop, 1) mode(m)
                (a: $t, b: $t) -> $t { half::add_with(a, b, mode(m)) }
                /// Difference.
                [concat!("sub.", $ty)] Float16 flops($flop, 1) (a: $t, b: $t) -> $t { half::sub(a, b) }
                /// Difference in any mode.
                [concat!("sub.", $ty)] Float16 flops($flop, 1) mode(m)
                (a: $t, b: $t) -> $t { half::sub_with(a, b, mode(m)) }
                /// Product.
                [concat!("mul.", $ty)] Float16 flops($flop, 1) (a: $t, b: $t) -> $t { half::mul(a, b) }
                /// Product in any mode.
                [concat!("mul.", $ty)] Float16 flops($flop, 1) mode(m)
                (a: $t, b: $t) -> $t { half::mul_with(a, b, mode(m)) }
                /// Product plus a third operand, rounded once.
                [concat!("fma.", $ty)] Float16 flops($flop, 2)
                (a: $t, b: $t, c: $t) -> $t { half::fma(a, b, c) }
                /// Product plus a third operand, rounded once, in any mode.
                [concat!("fma.", $ty)] Float16 flops($flop, 2) mode(m)
                (a: $t, b: $t, c: $t) -> $t { half::fma_with(a, b, c, mode(m)) }
                /// Product plus a third operand; zero where that is negative.
                [concat!("fma.relu.", $ty)] Float16 flops($flop, 2) mode(m)
                (a: $t, b: $t, c: $t) -> $t { half::fma_with(a, b, c, relu(m)) }

                /// Two sums.
                [concat!("add.", $pair)] Float16Pair flops($flop, 2)
                (a: u32, b: u32) -> u32 { packed2(a, b, half::add::<$t>) }
                /// Two sums in any mode.
                [concat!("add.", $pair)] Float16Pair flops($flop, 2) mode(m)
                (a: u32, b: u32) -> u32 { packed2::<$t>(a, b, |a, b| half::add_with(a, b, mode(m))) }
                /// Two differences.
                [concat!("sub.", $pair)] Float16Pair flops($flop, 2)
                (a: u32, b: u32) -> u32 { packed2(a, b, half::sub::<$t>) }
                /// Two differences in any mode.
                [concat!("sub.", $pair)] Float16Pair flops($flop, 2) mode(m)
                (a: u32, b: u32) -> u32 { packed2::<$t>(a, b, |a, b| half::sub_with(a, b, mode(m))) }
                /// Two products.
                [concat!("mul.", $pair)] Float16Pair flops($flop, 2)
                (a: u32, b: u32) -> u32 { packed2(a, b, half::mul::<$t>) }
                /// Two products in any mode.
                [concat!("mul.", $pair)] Float16Pair flops($flop, 2) mode(m)
                (a: u32, b: u32) -> u32 { packed2::<$t>(a, b, |a, b| half::mul_with(a, b, mode(m))) }
                /// Two products plus third operands, each rounded once.
                [concat!("fma.", $pair)] Float16Pair flops($flop, 4)
                (a: u32, b: u32, c: u32) -> u32 { packed3(a, b, c, half::fma::<$t>) }
                /// Two products plus third operands in any mode.
                [concat!("fma.", $pair)] Float16Pair flops($flop, 4) mode(m) (a: u32, b: u32, c: u32) -> u32 {
                    packed3::<$t>(a, b, c, |a, b, c| half::fma_with(a, b, c, mode(m)))
                }
                /// Two products plus third operands; zero where a sum is negative.
                [concat!("fma.relu.", $pair)] Float16Pair flops($flop, 4) mode(m)
                (a: u32, b: u32, c: u32) -> u32 {
                    packed3::<$t>(a, b, c, |a, b, c| half::fma_with(a, b, c, relu(m)))
                }
            }
        }
    };
}
arithmetic! { f16 F16 f16 "f16" "f16x2" }
arithmetic! { bf16 Bf16 bf16 "bf16" "bf16x2" }

macro_rules! sign {
    ($module:ident $t:ident $ty:literal $pair:literal) => {
        mod $module {
            use super::*;
            rows! {
                /// Magnitude.
                [concat!("abs.", $ty)] Float16 mode(m) (a: $t) -> $t { float::abs(flush_if(m.ftz, a)) }
                /// Two magnitudes.
                [concat!("abs.", $pair)] Float16Pair mode(m) (a: u32) -> u32 {
                    packed1::<$t>(a, |a| float::abs(flush_if(m.ftz, a)))
                }
                /// Negation.
                [concat!("neg.", $ty)] Float16 mode(m) (a: $t) -> $t { float::neg(flush_if(m.ftz, a)) }
                /// Two negations.
                [concat!("neg.", $pair)] Float16Pair mode(m) (a: u32) -> u32 {
                    packed1::<$t>(a, |a| float::neg(flush_if(m.ftz, a)))
                }
            }
        }
    };
}
sign! { f16_sign F16 "f16" "f16x2" }
sign! { bf16_sign Bf16 "bf16" "bf16x2" }

macro_rules! extremes {
    ($module:ident $t:ident $ty:literal $pair:literal:
        $($op:ident $name:literal $modifiers:literal $nan:literal $xorsign:literal)*) => {
        mod $module {
            use super::*;
            rows! { $(
                /// The smaller or larger, by its modifiers.
                [concat!($name, $modifiers, ".", $ty)] Compare mode(m) (a: $t, b: $t) -> $t {
                    float::$op(a, b, Selection { ftz: m.ftz, nan: $nan, xorsign_abs: $xorsign })
                }
                /// The smaller or larger of two pairs, by its modifiers.
                [concat!($name, $modifiers, ".", $pair)] Compare mode(m) (a: u32, b: u32) -> u32 {
                    let selection = Selection { ftz: m.ftz, nan: $nan, xorsign_abs: $xorsign };
                    packed2::<$t>(a, b, |a, b| float::$op(a, b, selection))
                }
            )* }
        }
    };
    ($module:ident $t:ident $ty:literal $pair:literal) => {
        extremes! { $module $t $ty $pair:
            min_with "min" "" false false
            min_with "min" ".NaN" true false
            min_with "min" ".xorsign.abs" false true
            min_with "min" ".NaN.xorsign.abs" true true
            max_with "max" "" false false
            max_with "max" ".NaN" true false
            max_with "max" ".xorsign.abs" false true
            max_with "max" ".NaN.xorsign.abs" true true
        }
    };
}
extremes! { f16_extremes F16 "f16" "f16x2" }
extremes! { bf16_extremes Bf16 "bf16" "bf16x2" }

#[rustfmt::skip]
pub static TABLES: &[&[Row]] = &[
    f16::ROWS, bf16::ROWS, f16_sign::ROWS, bf16_sign::ROWS, f16_extremes::ROWS, bf16_extremes::ROWS,
];
