//! Float instructions by name.

use super::super::super::compare;
use super::super::super::convert::*;
use super::super::super::convert_half::*;
use super::super::super::convert_tiny::*;
use super::super::super::float::*;
use super::super::super::half::{self, Bf16, F16, Half, HalfMode};
use super::super::super::{approx, atomic, double, single};
use super::super::compare::named as compare_named;
use super::Name;
use super::integers::{Register, with_int};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

pub fn evaluate(name: &Name, a: u64, b: u64, c: u64) -> Option<u64> {
    if let "cvt" = name.opcode() {
        return convert(name, a, b);
    }
    if let "setp" | "set" | "slct" = name.opcode() {
        return comparison(name, a, b, c);
    }
    match name.ty() {
        "f32" => single_precision(name, a, b, c).map(|x| x as u64),
        "f64" => double_precision(name, a, b, c),
        "f16" => half_precision::<F16>(name, F16(a as u16), F16(b as u16), F16(c as u16)).map(|x| x.0 as u64),
        "bf16" => {
            half_precision::<Bf16>(name, Bf16(a as u16), Bf16(b as u16), Bf16(c as u16)).map(|x| x.0 as u64)
        }
        "f16x2" => packed::<F16>(name, a as u32, b as u32, c as u32),
        "bf16x2" => packed::<Bf16>(name, a as u32, b as u32, c as u32),
        _ => None,
    }
}

fn packed<T: Half>(name: &Name, a: u32, b: u32, c: u32) -> Option<u64> {
    half_precision::<T>(name, T::ZERO, T::ZERO, T::ZERO)?;
    let op = |x, y, z| half_precision::<T>(name, x, y, z).unwrap_or(T::ZERO);
    Some(half::packed3::<T>(a, b, c, op) as u64)
}

fn selection(name: &Name) -> Selection {
    Selection { ftz: name.has("ftz"), nan: name.has("NaN"), xorsign_abs: name.has("xorsign") }
}

fn class<T: Float>(name: &Name, a: T) -> Option<bool> {
    Some(match name.parts[1] {
        "finite" => testp_finite(a),
        "infinite" => testp_infinite(a),
        "number" => testp_number(a),
        "notanumber" => testp_notanumber(a),
        "normal" => testp_normal(a),
        "subnormal" => testp_subnormal(a),
        _ => return None,
    })
}

fn single_precision(name: &Name, a: u64, b: u64, c: u64) -> Option<u32> {
    let (a, b, c, mode) = (f(a), f(b), f(c), name.mode());
    let ftz = mode.ftz;
    let result = match name.opcode() {
        "add" => single::add_with(a, b, mode),
        "sub" => single::sub_with(a, b, mode),
        "mul" => single::mul_with(a, b, mode),
        "fma" => single::fma_with(a, b, c, mode),
        "div" if name.has("approx") => approx::div(a, b, ftz),
        "div" if name.has("full") => approx::div_full(a, b, ftz),
        "div" => single::div_with(a, b, mode),
        "rcp" if name.has("approx") => approx::rcp(a, ftz),
        "rcp" => single::rcp_with(a, mode),
        "sqrt" if name.has("approx") => approx::sqrt(a, ftz),
        "sqrt" => single::sqrt_with(a, mode),
        "rsqrt" => approx::rsqrt(a, ftz),
        "ex2" => approx::ex2(a, ftz),
        "lg2" => approx::lg2(a, ftz),
        "sin" => approx::sin(a, ftz),
        "cos" => approx::cos(a, ftz),
        "tanh" => approx::tanh(a),
        "min" => min_with(a, b, selection(name)),
        "max" => max_with(a, b, selection(name)),
        "abs" => abs(flush_if(ftz, a)),
        "neg" => neg(flush_if(ftz, a)),
        "copysign" => copysign(a, b),
        "testp" => return class(name, a).map(|x| x as u32),
        "atom" | "red" if name.has("shared") => single::add(a, b),
        "atom" | "red" => atomic::add_f32_global(a, b),
        _ => return None,
    };
    Some(result.to_bits())
}

fn double_precision(name: &Name, a: u64, b: u64, c: u64) -> Option<u64> {
    let (a, b, c, rounding) = (d(a), d(b), d(c), name.rounding());
    let result = match name.opcode() {
        "add" => double::add_with(a, b, rounding),
        "sub" => double::sub_with(a, b, rounding),
        "mul" => double::mul_with(a, b, rounding),
        "fma" => double::fma_with(a, b, c, rounding),
        "div" => double::div_with(a, b, rounding),
        "rcp" if name.has("approx") => approx::rcp_f64(a),
        "rcp" => double::rcp_with(a, rounding),
        "rsqrt" if name.has("ftz") => approx::rsqrt_ftz_f64(a),
        "rsqrt" => double::rcp(double::sqrt(a)),
        "sqrt" => double::sqrt_with(a, rounding),
        "min" => min(a, b),
        "max" => max(a, b),
        "abs" => abs(a),
        "neg" => neg(a),
        "copysign" => copysign(a, b),
        "testp" => return class(name, a).map(|x| x as u64),
        "atom" => double::add(a, b),
        _ => return None,
    };
    Some(result.to_bits())
}

fn half_precision<T: Half>(name: &Name, a: T, b: T, c: T) -> Option<T> {
    let mode = HalfMode { ftz: name.has("ftz"), sat: name.has("sat"), relu: name.has("relu") };
    Some(match name.opcode() {
        _ if name.has("oob") => return None,
        "add" => half::add_with(a, b, mode),
        "sub" => half::sub_with(a, b, mode),
        "mul" => half::mul_with(a, b, mode),
        "fma" => half::fma_with(a, b, c, mode),
        "neg" => neg(flush_if(mode.ftz, a)),
        "abs" => abs(flush_if(mode.ftz, a)),
        "min" => min_with(a, b, selection(name)),
        "max" => max_with(a, b, selection(name)),
        "ex2" => approx::ex2_half(a, mode.ftz),
        "tanh" => approx::tanh_half(a),
        "atom" => half::add(a, b),
        _ => return None,
    })
}

fn comparison(name: &Name, a: u64, b: u64, c: u64) -> Option<u64> {
    let ftz = name.has("ftz");
    if name.opcode() == "slct" {
        return Some(compare::slct_f32(a, b, flush_if(ftz, f(c))));
    }
    let op = compare_named(name.parts[1])?;
    let half = |shift: u32| (F16((a >> shift) as u16), F16((b >> shift) as u16));
    let brain = |shift: u32| (Bf16((a >> shift) as u16), Bf16((b >> shift) as u16));
    let is_true = match name.ty() {
        "f32" => compare::float(op, flush_if(ftz, f(a)), flush_if(ftz, f(b))),
        "f64" => compare::float(op, d(a), d(b)),
        "f16" | "f16x2" => {
            let (x, y) = half(0);
            compare::float(op, flush_if(ftz, x), flush_if(ftz, y))
        }
        "bf16" | "bf16x2" => {
            let (x, y) = brain(0);
            compare::float(op, x, y)
        }
        _ => return None,
    };
    if name.opcode() == "setp" {
        return Some(is_true as u64);
    }
    let upper = match name.ty() {
        "f16x2" => compare::float(op, half(16).0, half(16).1),
        "bf16x2" => compare::float(op, brain(16).0, brain(16).1),
        _ => false,
    };
    Some(match name.to() {
        "u32" => compare::set_u32(is_true) as u64,
        "u16" => compare::set_u32(is_true) as u16 as u64,
        "f32" => compare::set_f32(is_true).to_bits() as u64,
        "f16" => compare::set_f16(is_true) as u64,
        "bf16" => compare::set_bf16(is_true) as u64,
        "f16x2" => (compare::set_f16(upper) as u64) << 16 | compare::set_f16(is_true) as u64,
        _ => (compare::set_bf16(upper) as u64) << 16 | compare::set_bf16(is_true) as u64,
    })
}

fn narrow_mode(name: &Name) -> NarrowMode {
    NarrowMode {
        rounding: name.rounding(),
        sat: name.has("sat"),
        relu: name.has("relu"),
        satfinite: name.has("satfinite"),
    }
}

fn convert(name: &Name, a: u64, b: u64) -> Option<u64> {
    let (mode, narrow) = (name.mode(), narrow_mode(name));
    let (ftz, sat) = (mode.ftz, mode.sat);
    let (h, bh) = (F16(a as u16), Bf16(a as u16));
    // Last word of a probe of every `f16` pattern.
    let from = name.ty().split(' ').next()?;
    let all_f16 = name.ty().contains(' ');
    let tiny = |ty| match ty {
        "e4m3x2" => Some(Tiny::E4m3),
        "e5m2x2" => Some(Tiny::E5m2),
        _ => None,
    };
    if let Some(rounding) = name.int_rounding() {
        return match (name.to(), from) {
            ("f32", "f32") => Some(f32_to_integral(f(a), rounding, ftz, sat).to_bits() as u64),
            ("f64", "f64") => Some(f64_to_integral(d(a), rounding, sat).to_bits()),
            ("f16", "f16") => Some(half_to_integral(h, rounding, sat).0 as u64),
            ("bf16", "bf16") => Some(half_to_integral(bh, rounding, sat).0 as u64),
            (to, "f32") => with_int!(to, D => f32_to_int::<D>(f(a), rounding, ftz).put()),
            (to, "f64") => with_int!(to, D => f64_to_int::<D>(d(a), rounding).put()),
            (to, "f16") => with_int!(to, D => half_to_int::<F16, D>(h, rounding).put()),
            (to, _) => with_int!(to, D => half_to_int::<Bf16, D>(bh, rounding).put()),
        };
    }
    Some(match (name.to(), from) {
        ("tf32", _) => f32_to_tf32(f(a), narrow.rounding, narrow.relu, narrow.satfinite) as u64,
        ("f16x2", ty) if tiny(ty).is_some() => tiny_x2_to_f16x2(a as u16, tiny(ty)?, narrow.relu) as u64,
        (ty, "f32") if tiny(ty).is_some() => {
            let (x, y) = if all_f16 { (h.to_f32(), 0.0) } else { (f(a), f(b)) };
            f32_to_tiny_x2(x, y, tiny(ty)?, narrow.relu) as u64
        }
        (ty, "f16x2") => f16x2_to_tiny_x2(a as u32, tiny(ty)?, narrow.relu) as u64,
        ("f16x2", _) => f32_to_half_x2::<F16>(f(a), f(b), narrow) as u64,
        ("bf16x2", _) => f32_to_half_x2::<Bf16>(f(a), f(b), narrow) as u64,
        ("f32", "f32") => f32_to_f32(f(a), ftz, sat).to_bits() as u64,
        ("f64", "f64") => f64_to_f64(d(a), sat).to_bits(),
        ("f32", "f64") => f64_to_f32_with(d(a), mode).to_bits() as u64,
        ("f64", "f32") => f32_to_f64(f(a), ftz, sat).to_bits(),
        ("f16", "f16") => half_to_same(h, sat).0 as u64,
        ("bf16", "bf16") => half_to_same(bh, sat).0 as u64,
        ("f32", "f16") => f16_to_f32(h, sat).to_bits() as u64,
        ("f32", "bf16") => bh.to_f32().to_bits() as u64,
        ("f64", "f16") => half_to_f64(h, sat).to_bits(),
        ("f64", "bf16") => half_to_f64(bh, sat).to_bits(),
        ("f16", "bf16") => f32_to_half_with::<F16>(bh.to_f32(), narrow).0 as u64,
        ("bf16", "f16") => f32_to_half_with::<Bf16>(h.to_f32(), narrow).0 as u64,
        ("f16", "f32") => f32_to_half_with::<F16>(f(a), narrow).0 as u64,
        ("bf16", "f32") => f32_to_half_with::<Bf16>(f(a), narrow).0 as u64,
        ("f16", "f64") => f64_to_half::<F16>(d(a), narrow).0 as u64,
        ("bf16", "f64") => f64_to_half::<Bf16>(d(a), narrow).0 as u64,
        ("f32", ty) => return with_int!(ty, S => int_to_f32(S::get(a), mode).to_bits() as u64),
        ("f64", ty) => return with_int!(ty, S => int_to_f64(S::get(a), mode).to_bits()),
        ("f16", ty) => return with_int!(ty, S => int_to_half::<S, F16>(S::get(a), narrow).0 as u64),
        ("bf16", ty) => return with_int!(ty, S => int_to_half::<S, Bf16>(S::get(a), narrow).0 as u64),
        _ => return None,
    })
}
