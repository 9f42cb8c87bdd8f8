//! Float operations against exact rounding, and the special values one by one.

use super::super::float::*;
use super::super::{Mode, Rounding, double, single};
use super::rational::{DOUBLE, Exact, SINGLE};
use super::{EDGES_F32, EDGES_F64, Random};

const DIRECTED: [Rounding; 4] = [Rounding::Rn, Rounding::Rz, Rounding::Rm, Rounding::Rp];

fn mode(rounding: Rounding) -> Mode {
    Mode { rounding, ..Mode::default() }
}

/// The sign that an exact zero sum of `a` and `b` takes (IEEE 754, 6.3).
fn zero_is_negative(a_negative: bool, b_negative: bool, rounding: Rounding) -> bool {
    if a_negative == b_negative { a_negative } else { rounding == Rounding::Rm }
}

#[test]
fn f32_in_every_rounding() {
    let mut random = Random(11);
    for _ in 0..6_000 {
        let (a, b, c) = (random.f32(), random.f32(), random.f32());
        if !(a.is_finite() && b.is_finite() && c.is_finite()) {
            continue;
        }
        let (x, y, z) = (Exact::of(a as f64), Exact::of(b as f64), Exact::of(c as f64));
        let (sum, product) = (x.plus(&y), x.times(&y));
        let fused = product.plus(&z);
        for rounding in DIRECTED {
            let what = || format!("{a:e} {b:e} {c:e} {rounding:?}");
            let m = mode(rounding);
            let got = single::add_with(a, b, m);
            SINGLE.assert_is(got.to_bits() as u64, &sum, rounding, &what);
            if sum.is_zero() {
                let wanted = zero_is_negative(a.is_sign_negative(), b.is_sign_negative(), rounding);
                assert_eq!(got.is_sign_negative(), wanted, "{}", what());
            }
            assert_eq!(single::sub_with(a, -b, m).to_bits(), got.to_bits());
            SINGLE.assert_is(single::mul_with(a, b, m).to_bits() as u64, &product, rounding, &what);
            let got = single::fma_with(a, b, c, m);
            SINGLE.assert_is(got.to_bits() as u64, &fused, rounding, &what);
            if fused.is_zero() {
                let wanted = zero_is_negative(product.negative, c.is_sign_negative(), rounding);
                assert_eq!(got.is_sign_negative(), wanted, "{}", what());
            }
            if a != 0.0 && b != 0.0 {
                let got = single::div_with(a, b, m);
                assert_eq!(got.is_sign_negative(), product.negative);
                let against = |v: &Exact| x.compare_magnitude(&v.times(&y));
                SINGLE.assert_rounded(
                    (got.to_bits() & 0x7fff_ffff) as u64,
                    product.negative,
                    rounding,
                    against,
                    &what,
                );
                let got = single::sqrt_with(a.abs(), m);
                let against = |v: &Exact| x.compare_magnitude(&v.times(v));
                SINGLE.assert_rounded(got.to_bits() as u64, false, rounding, against, &what);
                assert_eq!(single::rcp_with(b, m).to_bits(), single::div_with(1.0, b, m).to_bits());
            }
        }
    }
}

#[test]
fn f64_in_every_rounding() {
    let mut random = Random(12);
    for _ in 0..4_000 {
        let (a, b, c) = (random.f64(), random.f64(), random.f64());
        if !(a.is_finite() && b.is_finite() && c.is_finite()) {
            continue;
        }
        let (x, y, z) = (Exact::of(a), Exact::of(b), Exact::of(c));
        let (sum, product) = (x.plus(&y), x.times(&y));
        let fused = product.plus(&z);
        for rounding in DIRECTED {
            let what = || format!("{a:e} {b:e} {c:e} {rounding:?}");
            let got = double::add_with(a, b, rounding);
            DOUBLE.assert_is(got.to_bits(), &sum, rounding, &what);
            if sum.is_zero() {
                let wanted = zero_is_negative(a.is_sign_negative(), b.is_sign_negative(), rounding);
                assert_eq!(got.is_sign_negative(), wanted, "{}", what());
            }
            assert_eq!(double::sub_with(a, -b, rounding).to_bits(), got.to_bits());
            DOUBLE.assert_is(double::mul_with(a, b, rounding).to_bits(), &product, rounding, &what);
            let got = double::fma_with(a, b, c, rounding);
            DOUBLE.assert_is(got.to_bits(), &fused, rounding, &what);
            if fused.is_zero() {
                let wanted = zero_is_negative(product.negative, c.is_sign_negative(), rounding);
                assert_eq!(got.is_sign_negative(), wanted, "{}", what());
            }
            if a != 0.0 && b != 0.0 {
                let got = double::div_with(a, b, rounding);
                let against = |v: &Exact| x.compare_magnitude(&v.times(&y));
                let magnitude = got.to_bits() & (u64::MAX >> 1);
                DOUBLE.assert_rounded(magnitude, product.negative, rounding, against, &what);
                let got = double::sqrt_with(a.abs(), rounding);
                let against = |v: &Exact| x.compare_magnitude(&v.times(v));
                DOUBLE.assert_rounded(got.to_bits(), false, rounding, against, &what);
            }
        }
    }
}

/// The integer method and the host's own operation agree where both can do the rounding.
#[test]
fn exact_agrees_with_the_host_to_nearest() {
    use super::super::exact;
    let mut random = Random(13);
    for _ in 0..30_000 {
        let (a, b, c) = (random.f64(), random.f64(), random.f64());
        let same = |x: f64, y: f64| assert!(x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()));
        same(exact::add(a, b, Rounding::Rn), a + b);
        same(exact::mul(a, b, Rounding::Rn), a * b);
        same(exact::div(a, b, Rounding::Rn), a / b);
        same(exact::sqrt(a, Rounding::Rn), a.sqrt());
        same(exact::fma(a, b, c, Rounding::Rn), a.mul_add(b, c));
    }
}

#[test]
fn plain_forms_are_the_default_mode() {
    let mut random = Random(14);
    for _ in 0..20_000 {
        let (a, b, c) = (random.f32(), random.f32(), random.f32());
        let m = Mode::default();
        assert_eq!(single::add(a, b).to_bits(), single::add_with(a, b, m).to_bits());
        assert_eq!(single::sub(a, b).to_bits(), single::sub_with(a, b, m).to_bits());
        assert_eq!(single::mul(a, b).to_bits(), single::mul_with(a, b, m).to_bits());
        assert_eq!(single::fma(a, b, c).to_bits(), single::fma_with(a, b, c, m).to_bits());
        assert_eq!(single::div(a, b).to_bits(), single::div_with(a, b, m).to_bits());
        assert_eq!(single::rcp(a).to_bits(), single::rcp_with(a, m).to_bits());
        assert_eq!(single::sqrt(a).to_bits(), single::sqrt_with(a, m).to_bits());
    }
}

#[test]
fn nan_and_infinities() {
    let (inf, nan) = (f32::INFINITY, 0x7fff_ffff);
    for rounding in DIRECTED {
        let m = mode(rounding);
        for (got, wanted) in [
            (single::add_with(inf, -inf, m), nan),
            (single::mul_with(0.0, -inf, m), nan),
            (single::fma_with(inf, 0.0, 1.0, m), nan),
            (single::fma_with(inf, 1.0, -inf, m), nan),
            (single::div_with(0.0, 0.0, m), nan),
            (single::div_with(inf, -inf, m), nan),
            (single::sqrt_with(-1.0, m), nan),
            (single::add_with(f32::from_bits(0xff80_0001), 1.0, m), nan),
            (single::add_with(inf, 1.0, m), inf.to_bits()),
            (single::div_with(1.0, -0.0, m), (-inf).to_bits()),
            (single::div_with(-1.0, inf, m), (-0.0f32).to_bits()),
            (single::sqrt_with(-0.0, m), (-0.0f32).to_bits()),
            (single::sqrt_with(inf, m), inf.to_bits()),
        ] {
            assert_eq!(got.to_bits(), wanted, "{rounding:?}");
        }
    }
}

#[test]
fn flush_and_saturate() {
    let ftz = Mode { ftz: true, ..Mode::default() };
    let sat = Mode { sat: true, ..Mode::default() };
    let tiny = f32::from_bits(0x007f_ffff);
    assert_eq!(single::add_with(tiny, 0.0, ftz).to_bits(), 0);
    assert_eq!(single::add_with(-tiny, -0.0, ftz).to_bits(), 0x8000_0000);
    assert_eq!(single::mul_with(-f32::MIN_POSITIVE, 0.5, ftz).to_bits(), 0x8000_0000);
    assert_eq!(single::mul_with(f32::MIN_POSITIVE, 0.5, Mode::default()).to_bits(), 0x0040_0000);
    assert_eq!(single::div_with(1.0, tiny, ftz), f32::INFINITY);
    assert_eq!(single::add_with(f32::NAN, 0.0, sat).to_bits(), 0);
    assert_eq!(single::add_with(-0.0, -0.0, sat).to_bits(), 0);
    assert_eq!(single::add_with(1.0, 0.5, sat), 1.0);
    assert_eq!(single::add_with(-1.0, 0.5, sat).to_bits(), 0);
    assert_eq!(single::add_with(0.25, 0.5, sat), 0.75);
}

#[test]
fn least_and_greatest() {
    for a in EDGES_F32 {
        for b in EDGES_F32 {
            let (low, high) = (min(a, b), max(a, b));
            if a.is_nan() && b.is_nan() {
                assert_eq!((low.to_bits(), high.to_bits()), (0x7fff_ffff, 0x7fff_ffff));
            } else if a.is_nan() || b.is_nan() {
                let number = if a.is_nan() { b } else { a };
                assert_eq!((low.to_bits(), high.to_bits()), (number.to_bits(), number.to_bits()));
            } else {
                let ordered = if a.total_cmp(&b).is_le() { (a, b) } else { (b, a) };
                assert_eq!((low.to_bits(), high.to_bits()), (ordered.0.to_bits(), ordered.1.to_bits()));
            }
            if a.is_nan() || b.is_nan() {
                assert_eq!(min_nan(a, b).to_bits(), 0x7fff_ffff);
                assert_eq!(max_nan(a, b).to_bits(), 0x7fff_ffff);
            } else {
                assert_eq!(min_nan(a, b).to_bits(), low.to_bits());
            }
        }
    }
    let xor = Selection { xorsign_abs: true, ..Selection::default() };
    assert_eq!(min_with(-2.0f32, 3.0, xor), -2.0);
    assert_eq!(max_with(-2.0f32, -3.0, xor), 3.0);
    let ftz = Selection { ftz: true, ..Selection::default() };
    assert_eq!(max_with(f32::from_bits(1), -1.0, ftz).to_bits(), 0);
}

#[test]
fn signs_and_classes() {
    for a in EDGES_F64 {
        assert_eq!(testp_finite(a), f64::is_finite(a));
        assert_eq!(testp_infinite(a), f64::is_infinite(a));
        assert_eq!(testp_normal(a), f64::is_normal(a) || a == 0.0);
        assert_eq!(testp_subnormal(a), f64::is_subnormal(a));
        assert_eq!((testp_number(a), testp_notanumber(a)), (!f64::is_nan(a), f64::is_nan(a)));
        let (flipped, cleared) = (a.to_bits() ^ 1 << 63, a.to_bits() & !(1 << 63));
        let quieted = a.to_bits() | 1 << 51;
        assert_eq!(neg(a).to_bits(), if f64::is_nan(a) { quieted } else { flipped });
        assert_eq!(abs(a).to_bits(), if f64::is_nan(a) { quieted } else { cleared });
    }
    assert_eq!(copysign(-0.0f32, 2.0), -2.0);
    assert_eq!(relu(-3.0f32).to_bits(), 0);
    assert_eq!(relu(f32::NAN).to_bits(), 0x7fff_ffff);
    assert_eq!(relu(-0.0f32).to_bits(), 0);
}
