//! `.tf32` and the 8-bit floats against their definitions.

use super::super::Rounding;
use super::super::convert_tiny::*;
use super::super::float::is_nan;
use super::super::half::{F16, Half};
use super::Random;

/// The value of an 8-bit float by its definition; `None` for NaN.
fn value(bits: u8, tiny: Tiny) -> Option<f64> {
    let (fraction, bias) = match tiny {
        Tiny::E4m3 => (3, 7),
        Tiny::E5m2 => (2, 15),
    };
    let magnitude = bits & 0x7f;
    let (field, stored) = ((magnitude >> fraction) as i32, (magnitude & ((1 << fraction) - 1)) as f64);
    let sign = if bits & 0x80 != 0 { -1.0 } else { 1.0 };
    match tiny {
        Tiny::E4m3 if magnitude == 0x7f => return None,
        Tiny::E5m2 if magnitude == 0x7c => return Some(sign * f64::INFINITY),
        Tiny::E5m2 if magnitude > 0x7c => return None,
        _ => {}
    }
    let unit = 2f64.powi(-fraction);
    let scale = 2f64.powi(field.max(1) - bias);
    Some(sign * scale * (stored * unit + if field > 0 { 1.0 } else { 0.0 }))
}

#[test]
fn every_tiny_float_widens_and_comes_back() {
    for tiny in [Tiny::E4m3, Tiny::E5m2] {
        for bits in 0..=255u8 {
            let wide = tiny_to_f16(bits, tiny);
            let Some(wanted) = value(bits, tiny) else {
                assert_eq!(wide.0, 0x7fff);
                assert_eq!(f32_to_tiny(f32::NAN, tiny, false), 0x7f);
                continue;
            };
            assert_eq!(wide.to_f32() as f64, wanted, "{tiny:?} {bits:x}");
            assert_eq!(wide.0 >> 15, bits as u16 >> 7);
            let back = if wanted.is_infinite() { bits - 1 } else { bits };
            assert_eq!(f32_to_tiny(wide.to_f32(), tiny, false), back);
        }
    }
}

/// The nearest finite value, of two equally near the one with an even last bit.
fn nearest(x: f32, tiny: Tiny) -> u8 {
    let distance = |bits: u8| (value(bits, tiny).unwrap_or(f64::INFINITY) - x.abs() as f64).abs();
    let candidates = (0..0x7f).filter(|&bits| value(bits, tiny).is_some_and(f64::is_finite));
    let best = candidates.min_by(|&i, &j| distance(i).total_cmp(&distance(j)).then((i & 1).cmp(&(j & 1))));
    best.unwrap() | (x.to_bits() >> 24) as u8 & 0x80
}

#[test]
fn rounding_to_the_nearest_tiny_float() {
    let mut random = Random(41);
    for tiny in [Tiny::E4m3, Tiny::E5m2] {
        // Every `f16`, and `f32` at and next to the ties.
        for bits in (0..=u16::MAX).step_by(3) {
            let x = F16(bits).to_f32();
            let neighbour =
                f32::from_bits(x.to_bits().wrapping_add(random.next() as u32 % 3).wrapping_sub(1));
            for x in [x, neighbour].into_iter().filter(|x| !x.is_nan()) {
                // Within the reach of `f64`'s differences.
                let wanted = nearest(x.clamp(-1e6, 1e6), tiny);
                assert_eq!(f32_to_tiny(x, tiny, false), wanted, "{tiny:?} {x:e}");
            }
        }
    }
}

#[test]
fn packed_tiny_floats() {
    assert_eq!(f32_to_tiny_x2(1.0, -2.0, Tiny::E4m3, false), 0x38c0);
    assert_eq!(f32_to_tiny_x2(1.0, -2.0, Tiny::E5m2, true), 0x3c00);
    assert_eq!(f16x2_to_tiny_x2(0x3c00_c000, Tiny::E4m3, false), 0x38c0);
    assert_eq!(tiny_x2_to_f16x2(0x38c0, Tiny::E4m3, false), 0x3c00_c000);
    assert_eq!(tiny_x2_to_f16x2(0x38c0, Tiny::E4m3, true), 0x3c00_0000);
    assert_eq!(pack_sat_u16(70000, -1), 0xffff_0000);
    assert_eq!(pack_sat_s16(70000, -1), 0x7fff_ffff);
    assert_eq!(pack_sat_small::<8, true>(-200, 200, 0xabcd), 0xabcd_807f);
    assert_eq!(pack_sat_small::<4, false>(20, -3, 0x12), 0x12f0);
    assert_eq!(pack_sat_small::<2, true>(1, -9, 0), 0b0110);
}

#[test]
fn tf32_has_ten_fraction_bits() {
    let mut random = Random(42);
    for _ in 0..20_000 {
        let x = random.f32();
        if is_nan(x) {
            continue;
        }
        let of = |rounding| f32::from_bits(f32_to_tf32(x, rounding, false, false)) as f64;
        let bits = x.to_bits();
        let cut = f32::from_bits(bits & !0x1fff) as f64;
        assert_eq!(of(Rounding::Rz), cut);
        if x.is_infinite() {
            assert_eq!((of(Rounding::Rn), of(Rounding::Rna)), (cut, cut));
            continue;
        }
        // The next one away from zero, in `f64` so that it exists past the largest.
        let place = 2f64.powi((bits >> 23 & 0xff).max(1) as i32 - 137);
        let next = cut + place.copysign(x as f64);
        let (low, high) = ((x as f64 - cut).abs(), (next - x as f64).abs());
        let overflow = |v: f64| if v.abs() > f32::MAX as f64 { f64::INFINITY.copysign(v) } else { v };
        let up = overflow(next);
        let even = bits & 0x2000 == 0;
        assert_eq!(of(Rounding::Rna), if high <= low { up } else { cut }, "{x:e}");
        let to_nearest = if high < low || (high == low && !even) { up } else { cut };
        assert_eq!(of(Rounding::Rn), to_nearest, "{x:e}");
    }
    assert_eq!(f32_to_tf32(f32::MAX, Rounding::Rna, false, true), 0x7f7f_e000);
    assert_eq!(f32_to_tf32(-1.0, Rounding::Rn, true, false), 0);
    assert_eq!(f32_to_tf32(f32::NAN, Rounding::Rn, true, false), 0x7fff_e000);
}
