//! The comparisons of `setp`, `set` and `slct` (PTX ISA 9.7.5 and 9.3.1).

use super::float::Float;
use super::int::Int;

/// A comparison operator. `.lo`, `.ls`, `.hi` and `.hs` are `Lt`, `Le`, `Gt` and `Ge`: the type says
/// whether integers are signed.
#[rustfmt::skip]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CmpOp {
    Eq, Ne, Lt, Le, Gt, Ge,
    Equ, Neu, Ltu, Leu, Gtu, Geu,
    Num, Nan,
}

/// Compares integers. The unordered operators of floats are the same as the ordered ones.
#[inline(always)]
pub fn int<T: Int>(op: CmpOp, a: T, b: T) -> bool {
    match op {
        CmpOp::Eq | CmpOp::Equ => a == b,
        CmpOp::Ne | CmpOp::Neu => a != b,
        CmpOp::Lt | CmpOp::Ltu => a < b,
        CmpOp::Le | CmpOp::Leu => a <= b,
        CmpOp::Gt | CmpOp::Gtu => a > b,
        CmpOp::Ge | CmpOp::Geu => a >= b,
        CmpOp::Num => true,
        CmpOp::Nan => false,
    }
}

/// Written so that the compiler merges it with the comparison that it is combined with.
#[inline(always)]
#[allow(clippy::eq_op)]
fn is_unordered<T: Float>(a: T, b: T) -> bool {
    (a != a) | (b != b)
}

/// Compares floats: if an operand is NaN, an ordered operator is false and an unordered one is true.
#[inline(always)]
pub fn float<T: Float>(op: CmpOp, a: T, b: T) -> bool {
    let unordered = is_unordered(a, b);
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => (a != b) & !unordered,
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
        CmpOp::Gt => a > b,
        CmpOp::Ge => a >= b,
        CmpOp::Equ => (a == b) | unordered,
        CmpOp::Neu => a != b,
        CmpOp::Ltu => (a < b) | unordered,
        CmpOp::Leu => (a <= b) | unordered,
        CmpOp::Gtu => (a > b) | unordered,
        CmpOp::Geu => (a >= b) | unordered,
        CmpOp::Num => !unordered,
        CmpOp::Nan => unordered,
    }
}

/// Returns the result of `set` with an integer destination.
#[inline(always)]
pub fn set_u32(is_true: bool) -> u32 {
    0u32.wrapping_sub(is_true as u32)
}

/// Returns the result of `set` with an `.f32` destination.
#[inline(always)]
pub fn set_f32(is_true: bool) -> f32 {
    if is_true { 1.0 } else { 0.0 }
}

/// Returns the result of `set` with an `.f16` destination, as its bits.
#[inline(always)]
pub fn set_f16(is_true: bool) -> u16 {
    if is_true { 0x3c00 } else { 0 }
}

/// Returns the result of `set` with a `.bf16` destination, as its bits.
#[inline(always)]
pub fn set_bf16(is_true: bool) -> u16 {
    if is_true { 0x3f80 } else { 0 }
}

/// `slct.dtype.s32`: `a` if `c` is not negative, else `b`.
#[inline(always)]
pub fn slct_s32<T: Copy>(a: T, b: T, c: i32) -> T {
    if c >= 0 { a } else { b }
}

/// `slct.dtype.f32`: `a` if `c` is at least zero (-0.0 included), else `b`, also for NaN.
#[inline(always)]
pub fn slct_f32<T: Copy>(a: T, b: T, c: f32) -> T {
    if c >= 0.0 { a } else { b }
}
