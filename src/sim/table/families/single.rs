//! Single precision (PTX ISA 9.7.3). Division, reciprocal and square root are `Special`, whether exact or
//! approximate: a GPU starts each on its special function units.

use crate::arith::{float, single};
use crate::table::{Row, rows};
use float::Selection;

mod arithmetic {
    use super::*;
    rows! {
        /// Sum.
        ["add.f32"] Float32 flops(f32, 1) (a: f32, b: f32) -> f32 { single::add(a, b) }
        /// Sum in any mode.
        ["add.f32"] Float32 flops(f32, 1) mode(m) (a: f32, b: f32) -> f32 { single::add_with(a, b, m) }
        /// Difference.
        ["sub.f32"] Float32 flops(f32, 1) (a: f32, b: f32) -> f32 { single::sub(a, b) }
        /// Difference in any mode.
        ["sub.f32"] Float32 flops(f32, 1) mode(m) (a: f32, b: f32) -> f32 {
            // The sign of a NaN does not matter, and a negation that does not test for NaN vectorises.
            single::add_with(a, f32::from_bits(b.to_bits() ^ 1 << 31), m)
        }
        /// Product.
        ["mul.f32"] Float32 flops(f32, 1) (a: f32, b: f32) -> f32 { single::mul(a, b) }
        /// Product in any mode.
        ["mul.f32"] Float32 flops(f32, 1) mode(m) (a: f32, b: f32) -> f32 { single::mul_with(a, b, m) }
        /// Product plus a third operand, rounded once.
        ["fma.f32", "mad.f32"] Float32 flops(f32, 2)
        (a: f32, b: f32, c: f32) -> f32 { single::fma(a, b, c) }
        /// Product plus a third operand, rounded once, in any mode.
        ["fma.f32", "mad.f32"] Float32 flops(f32, 2) mode(m)
        (a: f32, b: f32, c: f32) -> f32 { single::fma_with(a, b, c, m) }
        /// Quotient.
        ["div.f32"] Special (a: f32, b: f32) -> f32 { single::div(a, b) }
        /// Quotient in any mode.
        ["div.f32"] Special mode(m) (a: f32, b: f32) -> f32 { single::div_with(a, b, m) }
        /// Reciprocal.
        ["rcp.f32"] Special (a: f32) -> f32 { single::rcp(a) }
        /// Reciprocal in any mode.
        ["rcp.f32"] Special mode(m) (a: f32) -> f32 { single::rcp_with(a, m) }
        /// Square root.
        ["sqrt.f32"] Special (a: f32) -> f32 { single::sqrt(a) }
        /// Square root in any mode.
        ["sqrt.f32"] Special mode(m) (a: f32) -> f32 { single::sqrt_with(a, m) }
    }
}

mod sign {
    use super::*;
    rows! {
        /// Magnitude.
        ["abs.f32"] Float32 (a: f32) -> f32 { float::abs(a) }
        /// Magnitude, subnormals flushed.
        ["abs.f32"] Float32 mode(m) (a: f32) -> f32 { float::abs(float::flush_if(m.ftz, a)) }
        /// Negation.
        ["neg.f32"] Float32 (a: f32) -> f32 { float::neg(a) }
        /// Negation, subnormals flushed.
        ["neg.f32"] Float32 mode(m) (a: f32) -> f32 { float::neg(float::flush_if(m.ftz, a)) }
        /// Sign of the first operand on the second.
        ["copysign.f32"] Float32 (a: f32, b: f32) -> f32 { float::copysign(a, b) }
        /// Whether it is finite.
        ["testp.finite.f32"] Compare (a: f32) -> bool { float::testp_finite(a) }
        /// Whether it is an infinity.
        ["testp.infinite.f32"] Compare (a: f32) -> bool { float::testp_infinite(a) }
        /// Whether it is a number.
        ["testp.number.f32"] Compare (a: f32) -> bool { float::testp_number(a) }
        /// Whether it is NaN.
        ["testp.notanumber.f32"] Compare (a: f32) -> bool { float::testp_notanumber(a) }
        /// Whether it is neither subnormal, infinite nor NaN.
        ["testp.normal.f32"] Compare (a: f32) -> bool { float::testp_normal(a) }
        /// Whether it is subnormal.
        ["testp.subnormal.f32"] Compare (a: f32) -> bool { float::testp_subnormal(a) }
    }
}

mod extremes {
    use super::*;
    rows! {
        /// The smaller; of a number and NaN the number.
        ["min.f32"] Compare (a: f32, b: f32) -> f32 { float::min(a, b) }
        /// The smaller, subnormals flushed.
        ["min.f32"] Compare mode(m) (a: f32, b: f32) -> f32 {
            float::min_with(a, b, Selection { ftz: m.ftz, ..Selection::default() })
        }
        /// The smaller; NaN where either is.
        ["min.NaN.f32"] Compare mode(m) (a: f32, b: f32) -> f32 {
            float::min_with(a, b, Selection { ftz: m.ftz, nan: true, xorsign_abs: false })
        }
        /// The smaller magnitude, with the product's sign.
        ["min.xorsign.abs.f32"] Compare mode(m) (a: f32, b: f32) -> f32 {
            float::min_with(a, b, Selection { ftz: m.ftz, nan: false, xorsign_abs: true })
        }
        /// The smaller magnitude, with the product's sign; NaN where either is.
        ["min.NaN.xorsign.abs.f32"] Compare mode(m) (a: f32, b: f32) -> f32 {
            float::min_with(a, b, Selection { ftz: m.ftz, nan: true, xorsign_abs: true })
        }
        /// The larger; of a number and NaN the number.
        ["max.f32"] Compare (a: f32, b: f32) -> f32 { float::max(a, b) }
        /// The larger, subnormals flushed.
        ["max.f32"] Compare mode(m) (a: f32, b: f32) -> f32 {
            float::max_with(a, b, Selection { ftz: m.ftz, ..Selection::default() })
        }
        /// The larger; NaN where either is.
        ["max.NaN.f32"] Compare mode(m) (a: f32, b: f32) -> f32 {
            float::max_with(a, b, Selection { ftz: m.ftz, nan: true, xorsign_abs: false })
        }
        /// The larger magnitude, with the product's sign.
        ["max.xorsign.abs.f32"] Compare mode(m) (a: f32, b: f32) -> f32 {
            float::max_with(a, b, Selection { ftz: m.ftz, nan: false, xorsign_abs: true })
        }
        /// The larger magnitude, with the product's sign; NaN where either is.
        ["max.NaN.xorsign.abs.f32"] Compare mode(m) (a: f32, b: f32) -> f32 {
            float::max_with(a, b, Selection { ftz: m.ftz, nan: true, xorsign_abs: true })
        }
    }
}

pub static TABLES: &[&[Row]] = &[arithmetic::ROWS, sign::ROWS, extremes::ROWS];
