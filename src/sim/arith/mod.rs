//! The scalar arithmetic of PTX: pure functions on plain values, one lane at a time.
//!
//! Every function is branch-free in its plain form, so that a loop over 32 lanes vectorises.
//!
//! | file | holds |
//! |---|---|
//! | [`int`] | integer arithmetic: add to sad, carries, 24-bit, packed 16-bit, dot products |
//! | [`bits`] | logic, shifts, fields, permutations, counts |
//! | [`float`] | what all float types share: NaN, subnormals, min, max, sign, classes |
//! | [`single`], [`double`] | IEEE arithmetic: the plain function, and `_with` for every modifier |
//! | [`half`] | `.f16`, `.bf16` and their packed forms |
//! | [`approx`] | the `.approx` and `.full` functions |
//! | [`compare`] | comparison operators, the results of `set`, and `slct` |
//! | [`convert`] | `cvt` between integers, `.f32` and `.f64` |
//! | [`convert_half`] | `cvt` from and to `.f16` and `.bf16`, alone and packed |
//! | [`convert_tiny`] | `cvt` to `.tf32`, from and to the 8-bit floats; `cvt.pack` |
//! | [`atomic`] | the values that `atom` and `red` store |
//! | [`round`] | rounding modes; exact directed rounding through `f64` |
//! | [`exact`] | directed rounding of `f64` itself, on integers |
//! | [`narrow`] | one rounding from `f64` to any narrower format |
//!
//! Where the ISA leaves a result open, the functions follow what an H100 (driver 580) was seen to
//! do, and say so. Source of the semantics: PTX ISA 8.8, chapter 9.7.

pub mod approx;
pub mod atomic;
pub mod bits;
pub mod compare;
pub mod convert;
pub mod convert_half;
pub mod convert_tiny;
pub mod double;
pub mod exact;
pub mod float;
pub mod half;
pub mod int;
pub mod narrow;
pub mod round;
pub mod single;

pub use round::{IntRounding, Rounding};

#[cfg(test)]
mod tests;

/// Modifiers of a float operation. The default is `.rn`, subnormals kept, no saturation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    pub rounding: Rounding,
    /// Subnormal inputs and results become zero of the same sign.
    pub ftz: bool,
    /// Clamp the result to [+0.0, 1.0]; NaN becomes +0.0.
    pub sat: bool,
}
