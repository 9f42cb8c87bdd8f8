//! The mathematical functions of C for host code, from this machine's C library: the versions that the compiler
//! has for GPUs differ in the last bits, so that `(int)log2(8.0)` is 2. Lowering turns calls in host code into
//! these rows.

use crate::table::{Row, rows};

/// Rows of C functions in both precisions: the name in double precision, the name in single precision, and the
/// arguments.
macro_rules! functions {
    ($(#[doc = $doc:literal] $function:ident $single:literal ($($arg:ident),+))*) => {
        mod single {
            use super::*;
            mod c {
                unsafe extern "C" {
                    $(#[link_name = $single] pub safe fn $function($($arg: f32),+) -> f32;)*
                }
            }
            rows! {
                $(#[doc = $doc]
                [concat!("%", stringify!($function), ".f32")] Special ($($arg: f32),+) -> f32 { c::$function($($arg),+) })*
            }
        }
        mod double {
            use super::*;
            mod c {
                unsafe extern "C" {
                    $(pub safe fn $function($($arg: f64),+) -> f64;)*
                }
            }
            rows! {
                $(#[doc = $doc]
                [concat!("%", stringify!($function), ".f64")] Special ($($arg: f64),+) -> f64 { c::$function($($arg),+) })*
            }
        }
    };
}

functions! {
    /// Arc cosine.
    acos "acosf" (a)
    /// Area hyperbolic cosine.
    acosh "acoshf" (a)
    /// Arc sine.
    asin "asinf" (a)
    /// Area hyperbolic sine.
    asinh "asinhf" (a)
    /// Arc tangent.
    atan "atanf" (a)
    /// Angle of the point with this ordinate and this abscissa.
    atan2 "atan2f" (y, x)
    /// Area hyperbolic tangent.
    atanh "atanhf" (a)
    /// Cosine.
    cos "cosf" (a)
    /// Hyperbolic cosine.
    cosh "coshf" (a)
    /// Error function.
    erf "erff" (a)
    /// One minus the error function.
    erfc "erfcf" (a)
    /// Power of e.
    exp "expf" (a)
    /// Power of two.
    exp2 "exp2f" (a)
    /// Power of e, minus one.
    expm1 "expm1f" (a)
    /// Natural logarithm.
    log "logf" (a)
    /// Logarithm to base ten.
    log10 "log10f" (a)
    /// Natural logarithm of one plus the argument.
    log1p "log1pf" (a)
    /// Logarithm to base two.
    log2 "log2f" (a)
    /// A power.
    pow "powf" (a, b)
    /// Sine.
    sin "sinf" (a)
    /// Hyperbolic sine.
    sinh "sinhf" (a)
    /// Tangent.
    tan "tanf" (a)
    /// Hyperbolic tangent.
    tanh "tanhf" (a)
    /// Gamma function.
    tgamma "tgammaf" (a)
}

/// Functions that not every C library provides under these names.
mod other {
    use super::*;
    rows! {
        /// Cube root.
        ["%cbrt.f32"] Special (a: f32) -> f32 { a.cbrt() }
        /// Cube root.
        ["%cbrt.f64"] Special (a: f64) -> f64 { a.cbrt() }
        /// Length of a vector of two.
        ["%hypot.f32"] Special (a: f32, b: f32) -> f32 { a.hypot(b) }
        /// Length of a vector of two.
        ["%hypot.f64"] Special (a: f64, b: f64) -> f64 { a.hypot(b) }
    }
}

pub static TABLES: &[&[Row]] = &[single::ROWS, double::ROWS, other::ROWS];
