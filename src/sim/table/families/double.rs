//! Double precision (PTX ISA 9.7.3). It has no special function units: division and square root are computed
//! with multiply-adds, and count as `Float64` like those.

use crate::arith::{double, float};
use crate::table::{Row, rows};

mod arithmetic {
    use super::*;
    rows! {
        /// Sum.
        ["add.f64"] Float64 flops(f64, 1) (a: f64, b: f64) -> f64 { double::add(a, b) }
        /// Sum in any rounding.
        ["add.f64"] Float64 flops(f64, 1) mode(m)
        (a: f64, b: f64) -> f64 { double::add_with(a, b, m.rounding) }
        /// Difference.
        ["sub.f64"] Float64 flops(f64, 1) (a: f64, b: f64) -> f64 { double::sub(a, b) }
        /// Difference in any rounding.
        ["sub.f64"] Float64 flops(f64, 1) mode(m)
        (a: f64, b: f64) -> f64 { double::sub_with(a, b, m.rounding) }
        /// Product.
        ["mul.f64"] Float64 flops(f64, 1) (a: f64, b: f64) -> f64 { double::mul(a, b) }
        /// Product in any rounding.
        ["mul.f64"] Float64 flops(f64, 1) mode(m)
        (a: f64, b: f64) -> f64 { double::mul_with(a, b, m.rounding) }
        /// Product plus a third operand, rounded once.
        ["fma.f64", "mad.f64"] Float64 flops(f64, 2)
        (a: f64, b: f64, c: f64) -> f64 { double::fma(a, b, c) }
        /// Product plus a third operand, rounded once, in any rounding.
        ["fma.f64", "mad.f64"] Float64 flops(f64, 2) mode(m)
        (a: f64, b: f64, c: f64) -> f64 { double::fma_with(a, b, c, m.rounding) }
        /// Quotient.
        ["div.f64"] Float64 (a: f64, b: f64) -> f64 { double::div(a, b) }
        /// Quotient in any rounding.
        ["div.f64"] Float64 mode(m) (a: f64, b: f64) -> f64 { double::div_with(a, b, m.rounding) }
        /// Reciprocal.
        ["rcp.f64"] Float64 (a: f64) -> f64 { double::rcp(a) }
        /// Reciprocal in any rounding.
        ["rcp.f64"] Float64 mode(m) (a: f64) -> f64 { double::rcp_with(a, m.rounding) }
        /// Square root.
        ["sqrt.f64"] Float64 (a: f64) -> f64 { double::sqrt(a) }
        /// Square root in any rounding.
        ["sqrt.f64"] Float64 mode(m) (a: f64) -> f64 { double::sqrt_with(a, m.rounding) }
    }
}

mod other {
    use super::*;
    rows! {
        /// Magnitude.
        ["abs.f64"] Float64 (a: f64) -> f64 { float::abs(a) }
        /// Negation.
        ["neg.f64"] Float64 (a: f64) -> f64 { float::neg(a) }
        /// Sign of the first operand on the second.
        ["copysign.f64"] Float64 (a: f64, b: f64) -> f64 { float::copysign(a, b) }
        /// The smaller; of a number and NaN the number.
        ["min.f64"] Compare (a: f64, b: f64) -> f64 { float::min(a, b) }
        /// The larger; of a number and NaN the number.
        ["max.f64"] Compare (a: f64, b: f64) -> f64 { float::max(a, b) }
        /// Whether it is finite.
        ["testp.finite.f64"] Compare (a: f64) -> bool { float::testp_finite(a) }
        /// Whether it is an infinity.
        ["testp.infinite.f64"] Compare (a: f64) -> bool { float::testp_infinite(a) }
        /// Whether it is a number.
        ["testp.number.f64"] Compare (a: f64) -> bool { float::testp_number(a) }
        /// Whether it is NaN.
        ["testp.notanumber.f64"] Compare (a: f64) -> bool { float::testp_notanumber(a) }
        /// Whether it is neither subnormal, infinite nor NaN.
        ["testp.normal.f64"] Compare (a: f64) -> bool { float::testp_normal(a) }
        /// Whether it is subnormal.
        ["testp.subnormal.f64"] Compare (a: f64) -> bool { float::testp_subnormal(a) }
    }
}

pub static TABLES: &[&[Row]] = &[arithmetic::ROWS, other::ROWS];
