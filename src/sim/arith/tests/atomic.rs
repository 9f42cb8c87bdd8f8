//! Atomic operators.

use super::super::atomic::*;
use super::super::single;

#[test]
fn counters_wrap_at_their_limit() {
    assert_eq!([inc(0, 3), inc(2, 3), inc(3, 3), inc(9, 3), inc(0, 0)], [1, 3, 0, 0, 0]);
    assert_eq!([dec(3, 3), dec(0, 3), dec(9, 3), dec(1, 3), dec(0, 0)], [2, 3, 3, 0, 0]);
    assert_eq!((inc(u32::MAX, u32::MAX), dec(0, u32::MAX)), (0, u32::MAX));
}

#[test]
fn swaps() {
    assert_eq!((cas(5u16, 5, 9), cas(5u64, 4, 9), cas(1u128 << 100, 1 << 100, 7)), (9, 5, 7));
}

#[test]
fn global_float_sums_flush_and_shared_ones_do_not() {
    let tiny = f32::from_bits(3);
    assert_eq!(add_f32_global(tiny, tiny).to_bits(), 0);
    assert_eq!(add_f32_global(-tiny, -0.0).to_bits(), 0x8000_0000);
    assert_eq!(single::add(tiny, tiny).to_bits(), 6);
    assert_eq!(add_f32_global(1.5, 2.0), 3.5);
    assert_eq!(add_f32_global(f32::INFINITY, f32::NEG_INFINITY).to_bits(), 0x7fff_ffff);
}
