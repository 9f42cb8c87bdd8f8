//! The values that `atom` and `red` store, computed from the old value and their operands (PTX ISA 9.7.13.5).
//!
//! Integers are added as by [`super::int::add`], `.f64` by [`super::double::add`], the half types by
//! [`super::half::add`], and `.f32` in shared memory by [`super::single::add`], which keeps subnormals.

use super::float::flush;
use super::single;

/// `atom.inc`: counts up, and from `limit` wraps to zero.
#[inline(always)]
pub fn inc(old: u32, limit: u32) -> u32 {
    if old >= limit { 0 } else { old.wrapping_add(1) }
}

/// `atom.dec`: counts down, and from zero or above `limit` wraps to `limit`.
#[inline(always)]
pub fn dec(old: u32, limit: u32) -> u32 {
    if old == 0 || old > limit { limit } else { old.wrapping_sub(1) }
}

/// Computes `atom.cas`.
#[inline(always)]
pub fn cas<T: PartialEq>(old: T, expected: T, new: T) -> T {
    if old == expected { new } else { old }
}

/// `atom.global.add.f32`: flushes subnormal operands and results.
#[inline(always)]
pub fn add_f32_global(old: f32, value: f32) -> f32 {
    flush(single::add(flush(old), flush(value)))
}
