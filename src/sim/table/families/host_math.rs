//! C's functions of mathematics for host code, by this machine's own library: those that the compiler has for GPUs give
//! other last bits, so that `(int)log2(8.0)` is 2. Host code calls them, and lowering makes these rows of the calls.

use crate::table::{Row, rows};

macro_rules! functions {
    ($module:ident $t:ident $suffix:literal) => {
        mod $module {
            use super::*;
            rows! {
                /// Arc cosine.
                [concat!("%acos", $suffix)] Special (a: $t) -> $t { a.acos() }
                /// Arc sine.
                [concat!("%asin", $suffix)] Special (a: $t) -> $t { a.asin() }
                /// Arc tangent.
                [concat!("%atan", $suffix)] Special (a: $t) -> $t { a.atan() }
                /// Angle of the point with this ordinate and this abscissa.
                [concat!("%atan2", $suffix)] Special (y: $t, x: $t) -> $t { y.atan2(x) }
                /// Cube root.
                [concat!("%cbrt", $suffix)] Special (a: $t) -> $t { a.cbrt() }
                /// Cosine.
                [concat!("%cos", $suffix)] Special (a: $t) -> $t { a.cos() }
                /// Hyperbolic cosine.
                [concat!("%cosh", $suffix)] Special (a: $t) -> $t { a.cosh() }
                /// Power of e.
                [concat!("%exp", $suffix)] Special (a: $t) -> $t { a.exp() }
                /// Power of two.
                [concat!("%exp2", $suffix)] Special (a: $t) -> $t { a.exp2() }
                /// Power of e, less one.
                [concat!("%expm1", $suffix)] Special (a: $t) -> $t { a.exp_m1() }
                /// Length of a vector of two.
                [concat!("%hypot", $suffix)] Special (a: $t, b: $t) -> $t { a.hypot(b) }
                /// Natural logarithm.
                [concat!("%log", $suffix)] Special (a: $t) -> $t { a.ln() }
                /// Logarithm to base ten.
                [concat!("%log10", $suffix)] Special (a: $t) -> $t { a.log10() }
                /// Natural logarithm of one and the argument.
                [concat!("%log1p", $suffix)] Special (a: $t) -> $t { a.ln_1p() }
                /// Logarithm to base two.
                [concat!("%log2", $suffix)] Special (a: $t) -> $t { a.log2() }
                /// A power.
                [concat!("%pow", $suffix)] Special (a: $t, b: $t) -> $t { a.powf(b) }
                /// Sine.
                [concat!("%sin", $suffix)] Special (a: $t) -> $t { a.sin() }
                /// Hyperbolic sine.
                [concat!("%sinh", $suffix)] Special (a: $t) -> $t { a.sinh() }
                /// Tangent.
                [concat!("%tan", $suffix)] Special (a: $t) -> $t { a.tan() }
                /// Hyperbolic tangent.
                [concat!("%tanh", $suffix)] Special (a: $t) -> $t { a.tanh() }
            }
        }
    };
}

functions!(single f32 ".f32");
functions!(double f64 ".f64");

pub static TABLES: &[&[Row]] = &[single::ROWS, double::ROWS];
