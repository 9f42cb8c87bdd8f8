//! Approximations (PTX ISA 9.7.3.13 to 9.7.3.22): what a GPU's special function units compute.

use crate::arith::approx;
use crate::table::{Row, rows};

mod single {
    use super::*;
    rows! {
        /// Quotient by way of the reciprocal.
        ["div.approx.f32"] Special mode(m) (a: f32, b: f32) -> f32 { approx::div(a, b, m.ftz) }
        /// Quotient over the whole range.
        ["div.full.f32"] Special mode(m) (a: f32, b: f32) -> f32 { approx::div_full(a, b, m.ftz) }
        /// Reciprocal.
        ["rcp.approx.f32"] Special mode(m) (a: f32) -> f32 { approx::rcp(a, m.ftz) }
        /// Square root.
        ["sqrt.approx.f32"] Special mode(m) (a: f32) -> f32 { approx::sqrt(a, m.ftz) }
        /// Reciprocal of the square root.
        ["rsqrt.approx.f32"] Special mode(m) (a: f32) -> f32 { approx::rsqrt(a, m.ftz) }
        /// Power of two.
        ["ex2.approx.f32"] Special mode(m) (a: f32) -> f32 { approx::ex2(a, m.ftz) }
        /// Logarithm to base two.
        ["lg2.approx.f32"] Special mode(m) (a: f32) -> f32 { approx::lg2(a, m.ftz) }
        /// Sine.
        ["sin.approx.f32"] Special mode(m) (a: f32) -> f32 { approx::sin(a, m.ftz) }
        /// Cosine.
        ["cos.approx.f32"] Special mode(m) (a: f32) -> f32 { approx::cos(a, m.ftz) }
        /// Hyperbolic tangent.
        ["tanh.approx.f32"] Special (a: f32) -> f32 { approx::tanh(a) }
    }
}

mod double {
    use super::*;
    use crate::arith::double;
    rows! {
        /// Reciprocal to 20 bits.
        ["rcp.approx.f64"] Special mode(_m) (a: f64) -> f64 { approx::rcp_f64(a) }
        /// Reciprocal of the square root.
        ["rsqrt.approx.f64"] Special (a: f64) -> f64 { double::rcp(double::sqrt(a)) }
        /// Reciprocal of the square root to 20 bits.
        ["rsqrt.approx.f64"] Special mode(_m) (a: f64) -> f64 { approx::rsqrt_ftz_f64(a) }
    }
}

macro_rules! half {
    ($module:ident $t:ident $ty:literal $pair:literal) => {
        mod $module {
            use super::*;
            use crate::arith::half::{packed1, $t};
            rows! {
                /// Power of two.
                [concat!("ex2.approx.", $ty)] Special mode(m) (a: $t) -> $t { approx::ex2_half(a, m.ftz) }
                /// Two powers of two.
                [concat!("ex2.approx.", $pair)] Special mode(m) (a: u32) -> u32 {
                    packed1::<$t>(a, |a| approx::ex2_half(a, m.ftz))
                }
                /// Hyperbolic tangent.
                [concat!("tanh.approx.", $ty)] Special (a: $t) -> $t { approx::tanh_half(a) }
                /// Two hyperbolic tangents.
                [concat!("tanh.approx.", $pair)] Special (a: u32) -> u32 {
                    packed1::<$t>(a, approx::tanh_half)
                }
            }
        }
    };
}
half! { f16 F16 "f16" "f16x2" }
half! { bf16 Bf16 "bf16" "bf16x2" }

pub static TABLES: &[&[Row]] = &[single::ROWS, double::ROWS, f16::ROWS, bf16::ROWS];
