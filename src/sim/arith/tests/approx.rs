//! Approximations: the ISA's error bounds against `f64`, and its tables of special values.

use super::super::approx::*;
use super::super::double;
use super::super::float::{flush, is_nan};
use super::super::half::{Bf16, F16, Half};
use super::{EDGES_F32, Random};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::from_bits(0x7fff_ffff);
/// A positive subnormal.
const SUB: f32 = f32::from_bits(0x0012_3456);

fn same(got: f32, wanted: f32, what: &str) {
    assert_eq!(got.to_bits(), wanted.to_bits(), "{what}: {got:e}, not {wanted:e}");
}

/// Checks `function`, with and without `.ftz`, at the operands of the ISA's tables.
fn table(name: &str, function: fn(f32, bool) -> f32, rows: &[(f32, f32, f32)]) {
    for &(a, plain, ftz) in rows {
        same(function(a, false), plain, &format!("{name} {a:e}"));
        same(function(a, true), ftz, &format!("{name}.ftz {a:e}"));
    }
}

#[test]
fn special_values() {
    table(
        "rcp",
        rcp,
        &[
            (-INF, -0.0, -0.0),
            (INF, 0.0, 0.0),
            (-0.0, -INF, -INF),
            (0.0, INF, INF),
            (f32::from_bits(1), INF, INF),
            (-f32::from_bits(0x7f_ffff), -(1.0 / f32::from_bits(0x7f_ffff)), -INF),
            (f32::MAX, 1.0 / f32::MAX, 0.0),
            (f32::NAN, NAN, NAN),
        ],
    );
    table(
        "sqrt",
        sqrt,
        &[
            (-INF, NAN, NAN),
            (-1.0, NAN, NAN),
            (-SUB, NAN, -0.0),
            (-0.0, -0.0, -0.0),
            (0.0, 0.0, 0.0),
            (SUB, SUB.sqrt(), 0.0),
            (INF, INF, INF),
            (-f32::NAN, NAN, NAN),
        ],
    );
    table(
        "rsqrt",
        rsqrt,
        &[
            (-INF, NAN, NAN),
            (-1.0, NAN, NAN),
            (-SUB, NAN, -INF),
            (-0.0, -INF, -INF),
            (0.0, INF, INF),
            (SUB, 1.0 / SUB.sqrt(), INF),
            (INF, 0.0, 0.0),
            (f32::NAN, NAN, NAN),
        ],
    );
    table(
        "ex2",
        ex2,
        &[
            (-INF, 0.0, 0.0),
            (-SUB, 1.0, 1.0),
            (-0.0, 1.0, 1.0),
            (0.0, 1.0, 1.0),
            (SUB, 1.0, 1.0),
            (INF, INF, INF),
            (f32::NAN, NAN, NAN),
            (128.0, INF, INF),
            (-126.0, f32::MIN_POSITIVE, f32::MIN_POSITIVE),
            (-149.0, f32::from_bits(1), 0.0),
            (-1000.0, 0.0, 0.0),
            (3.0, 8.0, 8.0),
        ],
    );
    table(
        "lg2",
        lg2,
        &[
            (-INF, NAN, NAN),
            (-1.0, NAN, NAN),
            (-SUB, NAN, -INF),
            (-0.0, -INF, -INF),
            (0.0, -INF, -INF),
            (f32::from_bits(1), -149.0, -INF),
            (INF, INF, INF),
            (f32::NAN, NAN, NAN),
            (1.0, 0.0, 0.0),
            (0.125, -3.0, -3.0),
        ],
    );
    table(
        "sin",
        sin,
        &[
            (-INF, NAN, NAN),
            (-SUB, -0.0, -0.0),
            (-0.0, -0.0, -0.0),
            (0.0, 0.0, 0.0),
            (SUB, 0.0, 0.0),
            (INF, NAN, NAN),
            (f32::NAN, NAN, NAN),
        ],
    );
    table(
        "cos",
        cos,
        &[
            (-INF, NAN, NAN),
            (-SUB, 1.0, 1.0),
            (-0.0, 1.0, 1.0),
            (0.0, 1.0, 1.0),
            (INF, NAN, NAN),
            (f32::NAN, NAN, NAN),
            (f32::MAX, 1.0, 1.0),
        ],
    );
    table(
        "tanh",
        |a, _| tanh(a),
        &[
            (-INF, -1.0, -1.0),
            (-SUB, -SUB, -SUB),
            (-0.0, -0.0, -0.0),
            (0.0, 0.0, 0.0),
            (SUB, SUB, SUB),
            (INF, 1.0, 1.0),
            (f32::NAN, NAN, NAN),
        ],
    );
}

fn relative(got: f32, wanted: f64) -> f64 {
    (got as f64 - wanted).abs() / wanted.abs()
}

#[test]
fn within_the_bounds_of_the_isa() {
    let mut random = Random(51);
    for _ in 0..40_000 {
        let any = random.f32();
        let unit = (random.next() >> 11) as f64 / (1u64 << 53) as f64;
        // An operand of moderate size.
        let x = ((unit - 0.5) * 250.0) as f32;
        assert!(relative(ex2(x, false), (x as f64).exp2()) <= 2f64.powi(-22), "ex2 {x:e}");
        let near = (0.5 + 1.5 * unit) as f32;
        assert!((lg2(near, false) as f64 - (near as f64).log2()).abs() <= 2f64.powi(-22), "lg2 {near:e}");
        if any.is_normal() {
            let a = any.abs();
            let wanted = (a as f64).log2();
            if !(0.5..=2.0).contains(&a) {
                assert!(relative(lg2(a, false), wanted) <= 2f64.powi(-22), "lg2 {a:e}");
            }
            let inverse = 1.0 / any as f64;
            if (inverse as f32).is_normal() {
                assert!(relative(rcp(any, true), inverse) <= 2f64.powi(-23), "rcp {any:e}");
            }
            assert!(relative(sqrt(a, true), (a as f64).sqrt()) <= 2f64.powi(-23), "sqrt {a:e}");
            assert!(relative(rsqrt(a, true), 1.0 / (a as f64).sqrt()) <= 2f64.powf(-22.9), "rsqrt {a:e}");
        }
        let angle = ((unit - 0.5) * 4.0 * std::f64::consts::PI) as f32;
        let close = 2f64.powf(-20.5);
        assert!((sin(angle, false) as f64 - (angle as f64).sin()).abs() <= close, "sin {angle:e}");
        assert!((cos(angle, false) as f64 - (angle as f64).cos()).abs() <= close, "cos {angle:e}");
        let wide = angle * 50.0;
        let close = 2f64.powf(-14.7);
        assert!((sin(wide, false) as f64 - (wide as f64).sin()).abs() <= close, "sin {wide:e}");
        assert!((cos(wide, false) as f64 - (wide as f64).cos()).abs() <= close, "cos {wide:e}");
        if any.is_normal() {
            assert!(relative(tanh(any), (any as f64).tanh()) <= 2f64.powi(-11), "tanh {any:e}");
        }
        let small = x / 30.0;
        if small != 0.0 {
            assert!(relative(tanh(small), (small as f64).tanh()) <= 2f64.powi(-11), "tanh {small:e}");
        }
    }
}

#[test]
fn quotients() {
    let mut random = Random(52);
    for _ in 0..20_000 {
        let (a, b) = (random.f32(), random.f32());
        let exact = a / b;
        same(div_full(a, b, false), if is_nan(exact) { NAN } else { exact }, "div.full");
        let flushed = flush(flush(a) / flush(b));
        same(div_full(a, b, true), if is_nan(flushed) { NAN } else { flushed }, "div.full.ftz");
        if exact.is_normal() && b.is_normal() && b.abs() <= 2f32.powi(126) {
            assert!(div(a, b, false).to_bits().abs_diff(exact.to_bits()) <= 2, "{a:e} {b:e}");
        }
    }
    for b in [2f32.powi(127), f32::MAX, -f32::MAX, INF] {
        same(div(1.5, b, false), 0.0f32.copysign(b), "div.approx by a large number");
        same(div(INF, b, false), NAN, "div.approx of infinity by a large number");
    }
    same(div(0.0, f32::from_bits(1), false), 0.0, "div.approx by a subnormal");
    same(div(0.0, f32::from_bits(1), true), NAN, "div.approx.ftz by a subnormal");
}

#[test]
fn doubles_with_twenty_bits() {
    let mut random = Random(53);
    for _ in 0..20_000 {
        let a = random.f64();
        for got in [rcp_f64(a), rsqrt_ftz_f64(a)] {
            assert_eq!(got.to_bits() as u32, 0);
        }
        let inverse = 1.0 / a;
        if a.is_normal() && inverse.is_normal() {
            assert!(((rcp_f64(a) - inverse) / inverse).abs() <= 2f64.powf(-19.5), "{a:e}");
            let root = 1.0 / a.abs().sqrt();
            assert!(((rsqrt_ftz_f64(a.abs()) - root) / root).abs() <= 2f64.powf(-19.5), "{a:e}");
            assert!(((double::rcp(double::sqrt(a.abs())) - root) / root).abs() <= 2f64.powi(-50), "{a:e}");
        }
    }
    assert_eq!(rcp_f64(-0.0), f64::NEG_INFINITY);
    assert_eq!(rcp_f64(f64::from_bits(1)), f64::INFINITY);
    assert_eq!(rcp_f64(f64::MAX).to_bits(), 0);
    assert_eq!(rsqrt_ftz_f64(-0.0), f64::NEG_INFINITY);
    assert_eq!(rsqrt_ftz_f64(-1.0).to_bits(), 0x7fff_ffff_0000_0000);
    assert_eq!(double::rcp(double::sqrt(f64::INFINITY)).to_bits(), 0);
}

#[test]
fn every_half() {
    for bits in 0..=u16::MAX {
        let (f, b) = (F16(bits), Bf16(bits));
        if is_nan(f) {
            assert_eq!((ex2_half(f, false).0, tanh_half(f).0), (0x7fff, 0x7fff));
        } else {
            let x = f.to_f32() as f64;
            let power = ex2_half(f, false).to_f32() as f64;
            let wanted = x.exp2();
            if power.is_finite() && wanted > 6.2e-5 {
                assert!((power - wanted).abs() <= wanted * 2f64.powf(-9.9), "ex2 {x:e}");
            }
            assert!((tanh_half(f).to_f32() as f64 - x.tanh()).abs() <= 2f64.powf(-10.987), "tanh {x:e}");
        }
        if !is_nan(b) {
            let x = b.to_f32() as f64;
            let wanted = x.exp2();
            let power = ex2_half(b, true).to_f32() as f64;
            if power.is_finite() && wanted > 1e-37 {
                assert!((power - wanted).abs() <= wanted * 2f64.powi(-7), "ex2 {x:e}");
            }
            assert!((tanh_half(b).to_f32() as f64 - x.tanh()).abs() <= 2f64.powi(-8), "tanh {x:e}");
        }
    }
    for a in EDGES_F32 {
        assert_eq!(is_nan(tanh(a)), is_nan(a));
    }
}
