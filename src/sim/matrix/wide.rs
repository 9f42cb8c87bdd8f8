//! The inner loops of the floating-point sum for processors with AVX2, where the compiler would
//! vectorise along k and shuffle.

use super::COLUMNS;
use std::arch::x86_64::*;

/// Returns Σ over k of `left[k]·right[k][j]·scale[j]`, each term truncated to an integer. Terms and sums must fit
/// an i32.
#[target_feature(enable = "avx2")]
#[inline]
pub fn sum_of_cut(left: &[f32], right: &[[f32; COLUMNS]], scale: &[f32; COLUMNS]) -> [i32; COLUMNS] {
    let scale = load(scale);
    let mut totals = _mm256_setzero_si256();
    for (&x, y) in left.iter().zip(right) {
        let terms = _mm256_mul_ps(_mm256_mul_ps(_mm256_set1_ps(x), load(y)), scale);
        totals = _mm256_add_epi32(totals, _mm256_cvttps_epi32(terms));
    }
    let mut out = [0; COLUMNS];
    // SAFETY: `out` has the 32 bytes that are written.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), totals) };
    out
}

/// Returns the largest of `start[j]` and `left[k] + right[k][j]`.
#[target_feature(enable = "avx2")]
#[inline]
pub fn largest_sum(left: &[i16], right: &[[i16; COLUMNS]], start: &[i16; COLUMNS]) -> [i16; COLUMNS] {
    let mut largest = load_i16(start);
    for (&x, y) in left.iter().zip(right) {
        largest = _mm_max_epi16(largest, _mm_add_epi16(_mm_set1_epi16(x), load_i16(y)));
    }
    let mut out = [0; COLUMNS];
    // SAFETY: `out` has the 16 bytes that are written.
    unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), largest) };
    out
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(values: &[f32; COLUMNS]) -> __m256 {
    // SAFETY: `values` has the 32 bytes that are read.
    unsafe { _mm256_loadu_ps(values.as_ptr()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_i16(values: &[i16; COLUMNS]) -> __m128i {
    // SAFETY: `values` has the 16 bytes that are read.
    unsafe { _mm_loadu_si128(values.as_ptr().cast()) }
}
