//! `.f16` and `.bf16` against the crate `half`, and against exact rounding.

use super::super::convert_half::*;
use super::super::float::{Float, flush, is_nan};
use super::super::half::*;
use super::super::{IntRounding, Rounding};
use super::Random;
use super::rational::{BRAIN, Exact, Format, HALF};

const DIRECTED: [Rounding; 4] = [Rounding::Rn, Rounding::Rz, Rounding::Rm, Rounding::Rp];

fn mode(rounding: Rounding) -> NarrowMode {
    NarrowMode { rounding, ..NarrowMode::default() }
}

#[test]
fn every_pattern_widens() {
    for bits in 0..=u16::MAX {
        let (h, b) = (half::f16::from_bits(bits), half::bf16::from_bits(bits));
        let (x, y) = (F16(bits).to_f32(), Bf16(bits).to_f32());
        assert!(x.to_bits() == h.to_f32().to_bits() || (x.is_nan() && h.is_nan()), "{bits:x}");
        assert!(y.to_bits() == b.to_f32().to_bits() || (y.is_nan() && b.is_nan()), "{bits:x}");
        assert_eq!(is_nan(F16(bits)), h.is_nan());
        assert_eq!(is_nan(Bf16(bits)), b.is_nan());
        assert_eq!((F16(bits).is_finite(), Bf16(bits).is_finite()), (h.is_finite(), b.is_finite()));
        let subnormal = |class| class == std::num::FpCategory::Subnormal;
        assert_eq!(F16(bits).is_subnormal(), subnormal(h.classify()));
        assert_eq!(Bf16(bits).is_subnormal(), subnormal(b.classify()));
        // Round trip.
        assert_eq!(F16::from_f32(x).0, if h.is_nan() { 0x7fff } else { bits });
        assert_eq!(Bf16::from_f32(y).0, if b.is_nan() { 0x7fff } else { bits });
        // NaN keeps its payload from `f64` and is quieted.
        let kept = |nan: bool, quiet: u16| if nan { bits | quiet } else { bits };
        assert_eq!(F16::from_f64(half_to_f64(F16(bits), false), Rounding::Rz).0, kept(h.is_nan(), 0x200));
        assert_eq!(Bf16::from_f64(half_to_f64(Bf16(bits), false), Rounding::Rp).0, kept(b.is_nan(), 0x40));
    }
}

#[test]
fn narrowing_to_nearest_as_the_crate() {
    let mut random = Random(31);
    for i in 0..200_000u32 {
        let x = match i % 4 {
            // Every exponent, and fractions at and next to the ties of both formats.
            0 => f32::from_bits((i << 21) ^ (random.next() as u32 & 0x8000_3fff)),
            1 => f32::from_bits((random.next() as u32 & 0xffff_e000).wrapping_add(i % 3).wrapping_sub(1)),
            2 => f32::from_bits((random.next() as u32 & 0xffff_8000).wrapping_add(i % 3).wrapping_sub(1)),
            _ => random.f32(),
        };
        let (h, b) = (half::f16::from_f32(x), half::bf16::from_f32(x));
        assert_eq!(F16::from_f32(x).0, if x.is_nan() { 0x7fff } else { h.to_bits() }, "{x:e}");
        assert_eq!(Bf16::from_f32(x).0, if x.is_nan() { 0x7fff } else { b.to_bits() }, "{x:e}");
        assert_eq!(F16::from_f32(x).0, f32_to_half_with::<F16>(x, mode(Rounding::Rn)).0);
    }
}

/// Returns any half, often with close exponents or at an edge.
fn any(random: &mut Random, fraction: u32, bias: u16) -> u16 {
    let bits = random.next();
    match bits >> 60 {
        0..=1 => {
            [0, 0x8000, 1, 0x8001, 0x7fff, 0x7c00, 0xfc00, 0x7f80, 0x7bff, 0x7f7f, 0x400, 0x80, 0x3ff, 0x7f]
                [(bits % 14) as usize]
        }
        2..=9 => {
            bits as u16 & (((1 << fraction) - 1) | 0x8000) | (bias - 8 + (bits >> 20 & 15) as u16) << fraction
        }
        _ => bits as u16,
    }
}

fn arithmetic<T: Half>(format: Format, bias: u16, rounds: usize) {
    let mut random = Random(32);
    for _ in 0..rounds {
        let mut next = || T::from_bits(any(&mut random, format.fraction, bias));
        let (a, b, c) = (next(), next(), next());
        let what = || format!("{:x} {:x} {:x}", a.bits(), b.bits(), c.bits());
        let (x, y, z) = (a.to_f32() as f64, b.to_f32() as f64, c.to_f32() as f64);
        if !(x.is_finite() && y.is_finite() && z.is_finite()) {
            for (got, wanted) in
                [(add(a, b), x + y), (sub(a, b), x - y), (mul(a, b), x * y), (fma(a, b, c), x * y + z)]
            {
                if wanted.is_nan() {
                    assert_eq!(got.bits(), 0x7fff, "{}", what());
                } else if !wanted.is_finite() {
                    assert_eq!(got.to_f32() as f64, wanted, "{}", what());
                }
            }
            continue;
        }
        let (x, y, z) = (Exact::of(x), Exact::of(y), Exact::of(z));
        let product = x.times(&y);
        let nearest = |got: T, exact: &Exact| format.assert_is(got.bits() as u64, exact, Rounding::Rn, &what);
        nearest(add(a, b), &x.plus(&y));
        nearest(sub(a, T::from_bits(b.bits() ^ 0x8000)), &x.plus(&y));
        nearest(mul(a, b), &product);
        nearest(fma(a, b, c), &product.plus(&z));
        let flushed = flush(mul(flush(a), flush(b)));
        assert_eq!(mul_with(a, b, HalfMode { ftz: true, ..HalfMode::default() }).bits(), flushed.bits());
    }
}

#[test]
fn f16_arithmetic_rounds_once() {
    arithmetic::<F16>(HALF, 15, 30_000);
}

#[test]
fn bf16_arithmetic_rounds_once() {
    arithmetic::<Bf16>(BRAIN, 127, 20_000);
}

/// A product that ends on a tie, and an addend far below it that decides.
#[test]
fn fused_ties_are_decided_by_the_smallest_addend() {
    // (1 + 2^-7) * 1.5 = 1.5 + 2^-7 + 2^-8, a tie between two `bf16`.
    let (a, b) = (Bf16(0x3f81), Bf16(0x3fc0));
    assert_eq!(fma(a, b, Bf16(0)).0, 0x3fc2);
    assert_eq!(fma(a, b, Bf16(0x0001)).0, 0x3fc2);
    assert_eq!(fma(a, b, Bf16(0x8001)).0, 0x3fc1);
    // The same for `f16`: (1 + 2^-10) * 1.5.
    let (a, b) = (F16(0x3c01), F16(0x3e00));
    assert_eq!(fma(a, b, F16(0)).0, 0x3e02);
    assert_eq!(fma(a, b, F16(0x8001)).0, 0x3e01);
}

fn narrowing<T: Half>(format: Format) {
    let mut random = Random(33);
    for i in 0..4_000 {
        let (single, double) = (random.f32(), random.f64());
        let scaled = double.rem_euclid(1.0) * 2f64.powi(i % 60 - 30);
        let int = random.int();
        for rounding in DIRECTED {
            let what = || format!("{single:e} {double:e} {scaled:e} {int} {rounding:?}");
            let m = mode(rounding);
            let check = |got: T, exact: Exact| format.assert_is(got.bits() as u64, &exact, rounding, &what);
            if single.is_finite() {
                check(f32_to_half_with(single, m), Exact::of(single as f64));
            }
            for value in [double, scaled] {
                if value.is_finite() {
                    check(f64_to_half(value, m), Exact::of(value));
                }
            }
            check(int_to_half(int, m), Exact::of_int(int as i128));
            check(int_to_half(int as i64, m), Exact::of_int(int as i64 as i128));
            check(int_to_half(int as i32, m), Exact::of_int(int as i32 as i128));
            check(int_to_half(int as u16, m), Exact::of_int(int as u16 as i128));
        }
    }
}

#[test]
fn narrowing_in_every_rounding() {
    narrowing::<F16>(HALF);
    narrowing::<Bf16>(BRAIN);
}

#[test]
fn modifiers() {
    let with = |set: fn(&mut NarrowMode)| {
        let mut m = NarrowMode::default();
        set(&mut m);
        m
    };
    let (relu, finite) = (with(|m| m.relu = true), with(|m| m.satfinite = true));
    assert_eq!(f32_to_half_with::<F16>(-1.5, relu).0, 0);
    assert_eq!(f32_to_half_with::<F16>(f32::NAN, relu).0, 0x7fff);
    assert_eq!(f32_to_half_with::<F16>(1e9, NarrowMode::default()).0, 0x7c00);
    assert_eq!(f32_to_half_with::<F16>(1e9, finite).0, 0x7bff);
    assert_eq!(f32_to_half_with::<Bf16>(f32::NEG_INFINITY, finite).0, 0xff7f);
    assert_eq!(f32_to_half_x2::<Bf16>(1.0, -2.0, NarrowMode::default()), 0x3f80_c000);
    assert_eq!(f32_to_half_with::<F16>(1.5, with(|m| m.sat = true)).0, 0x3c00);
    let half = HalfMode { sat: true, ..HalfMode::default() };
    assert_eq!(add_with(F16(0x3c00), F16(0x3c00), half).0, 0x3c00);
    assert_eq!(add_with(F16(0x7e00), F16(0x3c00), half).0, 0);
    assert_eq!(
        fma_with(Bf16(0x3f80), Bf16(0xbf80), Bf16(0), HalfMode { relu: true, ..HalfMode::default() }).0,
        0
    );
    assert_eq!(packed2(0x3c00_4000, 0x3c00_3c00, add::<F16>), 0x4000_4200);
    assert_eq!(packed1(0x3f80_bf80, super::super::float::neg::<Bf16>), 0xbf80_3f80);
    assert_eq!(packed3(0x3f80_4000, 0x4000_4000, 0x3f80_0000, fma::<Bf16>), 0x4040_4080);
}

#[test]
fn between_halves_and_integers() {
    for bits in 0..=u16::MAX {
        let (f, b) = (F16(bits), Bf16(bits));
        let single = f.to_f32();
        if !is_nan(f) {
            assert_eq!(half_to_int::<F16, i32>(f, IntRounding::Rzi), single as i32);
            assert_eq!(half_to_int::<F16, u8>(f, IntRounding::Rmi), single.floor() as u8);
            assert_eq!(half_to_integral(f, IntRounding::Rni, false).to_f32(), single.round_ties_even());
            assert_eq!(
                f32_to_half_with::<Bf16>(f.to_f32(), NarrowMode::default()).0,
                Bf16::from_f32(single).0
            );
        }
        assert_eq!(f32_to_half_with::<F16>(b.to_f32(), NarrowMode::default()).0, F16::from_f32(b.to_f32()).0);
        assert_eq!(b.to_f32().to_bits(), (bits as u32) << 16);
    }
    assert_eq!(half_to_int::<F16, i32>(F16(0x7fff), IntRounding::Rzi), 0);
    assert_eq!(half_to_int::<F16, i64>(F16(0x7fff), IntRounding::Rzi), i64::MIN);
    assert_eq!(f16_to_f32(F16(0xfe00), false).to_bits(), 0x7fff_ffff);
}
