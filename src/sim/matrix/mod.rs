//! The matrix instructions of a warp (`mma.sync`, `wmma.*`, `ldmatrix`, `stmatrix`, `movmatrix`), and a warp's
//! part of those of a warpgroup (`wgmma.mma_async`).
//!
//! These are pure functions of a warp's registers. A 32-bit register of a warp is `[u32; 32]`, a 64-bit one
//! `[u64; 32]`, indexed by lane. Memory accesses are left to the caller: [`WmmaMove`] and [`RowMove`] say what
//! each lane accesses.
//!
//! # Arithmetic
//!
//! Results equal those of an H100's tensor cores bit for bit (checked there on random and special values for
//! every type), whatever compute capability is being simulated:
//!
//! - f16, bf16, tf32: the products over one instruction's whole k and the accumulator are summed at once. Every
//!   nonzero term is truncated (towards zero) to a multiple of 2^(e - 25), where e is the largest exponent
//!   among the terms (a product's is the sum of its factors' exponents); the truncated terms are summed
//!   exactly; the sum is rounded once, towards zero to f32, to nearest even to f16. `wmma` shapes are tiled
//!   into such instructions, so the same holds for them. The error is below 2^-21 of the largest term (17 terms
//!   truncated by less than 2^-25 each) plus one unit in the last place of the f32 result, and f32 results are
//!   biased towards zero.
//! - tf32 factors are the upper 19 bits of their registers; the lower bits are ignored.
//! - e4m3, e5m2: as f16, in two steps from zero: first the k with k mod 4 < 2, then the others; the accumulator
//!   is added last, rounded to nearest even in its own type.
//! - f16 with `m8n8k4`: f32 fused multiply-adds in order of k from zero, then an f32 addition of the
//!   accumulator; no tensor core since Volta's computes these.
//! - f64: fused multiply-adds in order of k, each rounded to nearest even.
//! - Integers: exact, then wrapped to 32 bits, or clamped with `.satfinite`.
//! - `wgmma`: as `mma` with the same types and the same k, eight columns at a time. It sums 8-bit floats
//!   differently from `mma`; those are not simulated.
//! - A NaN result is 0x7fffffff (f32) or 0x7fff (f16). Infinities follow IEEE 754. A zero result is +0.

mod descriptor;
mod element;
mod float;
mod fragment;
mod multiply;
mod parse;
mod row_move;
mod warpgroup;
#[cfg(target_arch = "x86_64")]
mod wide;
mod wmma;

#[cfg(test)]
mod tests;

pub use descriptor::{CHUNK_BYTES, Descriptor, Swizzle, gather};
pub use element::Element;
pub use multiply::Multiply;
pub use parse::parse;
pub use row_move::{RowMove, transpose};
pub use warpgroup::{A_REGISTERS, GroupMultiply, ROWS};
pub use wmma::{Step, WmmaMove};

/// The number of columns that are computed together.
const COLUMNS: usize = 8;

/// A decoded matrix instruction.
#[derive(Clone, Debug)]
pub enum MatrixOp {
    /// `mma.sync` and `wmma.mma`: operands d, a, b, c.
    Multiply(Multiply),
    /// `wmma.load`: operands r, `[p]`, and the stride in elements if there is one.
    WmmaLoad(WmmaMove),
    /// `wmma.store`: operands `[p]`, r, and the stride in elements if there is one.
    WmmaStore(WmmaMove),
    /// `ldmatrix`: operands r, `[p]`.
    LoadRows(RowMove),
    /// `stmatrix`: operands `[p]`, r.
    StoreRows(RowMove),
    /// `movmatrix.sync.aligned.m8n8.trans.b16`: operands d, a. See [`transpose`].
    Transpose,
}

/// Lanes per warp.
const LANES: usize = 32;

/// Registers of a warp: one word per lane in each.
pub type Registers<Word = u32> = [[Word; LANES]];
