//! Conversions between integers, `f32` and `f64`.

use super::super::convert::*;
use super::super::{IntRounding, Mode, Rounding};
use super::rational::{DOUBLE, Exact, SINGLE};
use super::{EDGES_F32, EDGES_INT, Random};

const DIRECTED: [Rounding; 4] = [Rounding::Rn, Rounding::Rz, Rounding::Rm, Rounding::Rp];

fn mode(rounding: Rounding) -> Mode {
    Mode { rounding, ..Mode::default() }
}

#[test]
fn integers_to_integers() {
    for a in EDGES_INT {
        assert_eq!(int_to_int::<u64, i8>(a), a as i8);
        assert_eq!(int_to_int::<i8, u64>(a as i8), a as i8 as u64);
        assert_eq!(int_to_int::<u8, i64>(a as u8), a as u8 as i64);
        assert_eq!(int_to_int_sat::<i64, u8>(a as i64) as i64, (a as i64).clamp(0, 255));
        assert_eq!(int_to_int_sat::<i64, i16>(a as i64) as i64, (a as i64).clamp(-32768, 32767));
        assert_eq!(int_to_int_sat::<u64, i32>(a) as u64, a.min(i32::MAX as u64));
        assert_eq!(int_to_int_sat::<i32, u64>(a as i32), (a as i32).max(0) as u64);
        assert_eq!(int_to_int_sat::<u32, i32>(a as u32) as u32, (a as u32).min(i32::MAX as u32));
    }
}

#[test]
fn integers_to_floats() {
    let mut random = Random(21);
    for _ in 0..3_000 {
        let a = random.int();
        for rounding in DIRECTED {
            let m = mode(rounding);
            let what = || format!("{a} {rounding:?}");
            let (u, s) = (Exact::of_int(a as i128), Exact::of_int(a as i64 as i128));
            SINGLE.assert_is(int_to_f32(a, m).to_bits() as u64, &u, rounding, &what);
            SINGLE.assert_is(int_to_f32(a as i64, m).to_bits() as u64, &s, rounding, &what);
            DOUBLE.assert_is(int_to_f64(a, m).to_bits(), &u, rounding, &what);
            DOUBLE.assert_is(int_to_f64(a as i64, m).to_bits(), &s, rounding, &what);
            let (u, s) = (Exact::of_int(a as u32 as i128), Exact::of_int(a as i32 as i128));
            SINGLE.assert_is(int_to_f32(a as u32, m).to_bits() as u64, &u, rounding, &what);
            SINGLE.assert_is(int_to_f32(a as i32, m).to_bits() as u64, &s, rounding, &what);
            assert_eq!(int_to_f64(a as i32, m), a as i32 as f64);
        }
        let sat = Mode { sat: true, ..Mode::default() };
        assert_eq!(int_to_f32(a as i64, sat), (a as i64).clamp(0, 1) as f32);
    }
}

#[test]
fn doubles_to_singles() {
    let mut random = Random(22);
    for i in 0..20_000 {
        // Ties of `f32` and what lies right next to them, and arbitrary values.
        let a = match i % 3 {
            0 => f64::from_bits(((random.f32() as f64).to_bits() | 1 << 28) + random.next() % 3 - 1),
            1 => random.f32() as f64 * 2f64.powi(-130),
            _ => random.f64(),
        };
        if !a.is_finite() {
            continue;
        }
        for rounding in DIRECTED {
            let got = f64_to_f32_with(a, mode(rounding));
            let what = || format!("{a:e} {rounding:?}");
            SINGLE.assert_is(got.to_bits() as u64, &Exact::of(a), rounding, &what);
            assert_eq!(got.is_sign_negative(), a.is_sign_negative());
        }
    }
    assert_eq!(f64_to_f32_with(1e-40, Mode { ftz: true, ..Mode::default() }).to_bits(), 0);
    assert_eq!(f64_to_f32_with(f64::NAN, Mode::default()).to_bits(), 0x7fc0_0000);
    assert_eq!(f32_to_f64(f32::from_bits(1), true, false).to_bits(), 0);
    assert_eq!(f32_to_f64(f32::from_bits(1), false, false), 2f64.powi(-149));
}

#[test]
fn floats_to_integers() {
    use IntRounding::*;
    for (a, wanted) in [
        (2.5, [2, 2, 2, 3]),
        (3.5, [4, 3, 3, 4]),
        (-2.5, [-2, -2, -3, -2]),
        (-0.5, [0, 0, -1, 0]),
        (0.49999997, [0, 0, 0, 1]),
        (1e10, [i32::MAX; 4]),
        (-1e10, [i32::MIN; 4]),
        (f32::INFINITY, [i32::MAX; 4]),
        (f32::NEG_INFINITY, [i32::MIN; 4]),
        (f32::NAN, [0; 4]),
    ] {
        for (rounding, wanted) in [Rni, Rzi, Rmi, Rpi].into_iter().zip(wanted) {
            assert_eq!(f32_to_int::<i32>(a, rounding, false), wanted, "{a} {rounding:?}");
            if !a.is_nan() && wanted.unsigned_abs() < 100 {
                assert_eq!(f64_to_int::<i64>(a as f64, rounding), wanted as i64);
                assert_eq!(f32_to_int::<u8>(a, rounding, false) as i32, wanted.max(0));
                assert_eq!(f32_to_integral(a, rounding, false, false), wanted as f32);
                assert_eq!(f64_to_integral(a as f64, rounding, false), wanted as f64);
            }
        }
    }
    assert_eq!(f32_to_int::<u8>(300.0, Rzi, false), 255);
    assert_eq!(f32_to_int::<u64>(3e19, Rzi, false), u64::MAX);
    assert_eq!(f32_to_int::<i32>(f32::from_bits(1), Rpi, false), 1);
    assert_eq!(f32_to_int::<i32>(f32::from_bits(1), Rpi, true), 0);
    assert_eq!(f32_to_integral(-0.25, Rni, false, false).to_bits(), 0x8000_0000);
    for a in EDGES_F32 {
        let clamped = if a > 0.0 { a.min(1.0) } else { 0.0 };
        assert_eq!(f32_to_f32(a, false, true).to_bits(), clamped.to_bits());
    }
}
