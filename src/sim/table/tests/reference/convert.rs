//! Conversions: exact values clamped or rounded once.

use super::{Answer, FTZ, FTZ_SAT, Mode, RM, RP, RZ, Reference, Rounding, SAT};
use crate::table::tests::operand::{Operand, Ty};
use crate::table::tests::rounding::{Exact, after, before};

pub fn reference(parts: &[&str]) -> Option<Reference> {
    let ["cvt", parts @ ..] = parts else { return None };
    let flag = |name: &str| parts.contains(&name);
    let (relu, satfinite) = (flag("relu"), flag("satfinite"));
    let rest: Vec<&str> = parts.iter().copied().filter(|p| !matches!(*p, "relu" | "satfinite")).collect();
    match rest.as_slice() {
        ["pack", dest, "s32", ..] => pack(dest),
        [dest @ ("e4m3x2" | "e5m2x2"), source] => to_tiny(dest, Ty::named(source)?, relu),
        ["f16x2", source @ ("e4m3x2" | "e5m2x2")] => from_tiny(source, relu),
        ["tf32", "f32"] => to_tf32(relu, satfinite),
        [dest @ ("f16x2" | "bf16x2"), "f32"] => {
            let dest = Ty::named(dest)?;
            let element = dest.element()?;
            let both = move |v: &[Operand], mode| {
                // The first operand goes to the upper half.
                Answer::Floats([1, 0].map(|i| narrowed(element, v[i], mode, relu, satfinite)))
            };
            let modes = if relu || satfinite { vec![RZ] } else { vec![RZ, Mode { ftz: true, ..RZ }] };
            Some(Reference::new(&[Ty::F32, Ty::F32], dest, both)?.modes(&modes))
        }
        [integral, dest, source] => {
            let (dest, source) = (Ty::named(dest)?, Ty::named(source)?);
            let round = integral_rounding(integral)?;
            let modes: &[Mode] = if dest.int() { &[FTZ, SAT] } else { &[FTZ, SAT, FTZ_SAT] };
            let modes = if source == Ty::F64 { &[SAT] } else { modes };
            let eval = move |v: &[Operand], mode: Mode| {
                let flushes = mode.ftz && source == Ty::F32;
                let value = round(before(source, v[0].float(), Mode { ftz: flushes, ..mode }));
                if dest.int() {
                    Answer::Int(clamped(dest, source, value))
                } else {
                    Answer::Float(after(dest, value, Mode { ftz: false, ..mode }))
                }
            };
            Some(Reference::new(&[source], extended(dest), eval)?.modes(modes))
        }
        [dest, source] => plain(Ty::named(dest)?, Ty::named(source)?, relu, satfinite),
        _ => None,
    }
}

fn integral_rounding(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "rni" => f64::round_ties_even,
        "rzi" => f64::trunc,
        "rmi" => f64::floor,
        "rpi" => f64::ceil,
        _ => return None,
    })
}

/// A narrow integer is extended into the register by its sign.
fn extended(ty: Ty) -> Ty {
    match ty {
        Ty::U8 | Ty::U16 => Ty::U32,
        Ty::S8 | Ty::S16 => Ty::S32,
        other => other,
    }
}

/// NaN becomes zero, or the top bit alone if either type has 64 bits (as on an H100).
fn clamped(dest: Ty, source: Ty, value: f64) -> i128 {
    let top = dest.wrap(1 << (dest.bits() - 1));
    match value.is_nan() {
        true if source == Ty::F64 || dest.bits() == 64 => top,
        true => 0,
        false => (value as i128).clamp(dest.min(), dest.max()),
    }
}

fn plain(dest: Ty, source: Ty, relu: bool, satfinite: bool) -> Option<Reference> {
    if dest.int() && source.int() {
        let eval = move |v: &[Operand], mode: Mode| {
            let value = v[0].int();
            Answer::Int(if mode.sat { value.clamp(dest.min(), dest.max()) } else { dest.wrap(value) })
        };
        return Some(Reference::new(&[source], extended(dest), eval)?.modes(&[SAT]));
    }
    if dest.int() {
        return None;
    }
    let directed = [RZ, RM, RP, Mode { sat: true, ..RZ }, SAT];
    let half = |t| matches!(t, Ty::F16 | Ty::Bf16);
    let modes: &[Mode] = match (dest, source) {
        _ if relu || satfinite => &[RZ],
        (_, s) if s.int() => &directed,
        (Ty::F64, Ty::F64) => &[SAT],
        (Ty::F32, Ty::F64) => &[RZ, RM, RP, FTZ, SAT, FTZ_SAT],
        (d, Ty::F64) if half(d) => &directed,
        (d, Ty::F32) if half(d) => &[RZ, RM, RP, FTZ, SAT, FTZ_SAT],
        (d, s) if half(d) && half(s) && d != s => &[RZ, RM, RP],
        (Ty::F32, Ty::F16) => &[FTZ, SAT, FTZ_SAT],
        (_, Ty::Bf16) => &[],
        _ => &[FTZ, SAT, FTZ_SAT],
    };
    let eval = move |v: &[Operand], mode: Mode| match source.int() {
        true => Answer::Float(after(dest, Exact::int(v[0].int()).into(dest, mode.rounding), mode)),
        false => Answer::Float(narrowed(dest, v[0], mode, relu, satfinite)),
    };
    Some(Reference::new(&[source], dest, eval)?.modes(modes))
}

/// Float to float with every modifier. `.ftz` flushes `.f32`, but not one that becomes a half (as on an H100).
fn narrowed(dest: Ty, operand: Operand, mode: Mode, relu: bool, satfinite: bool) -> f64 {
    let value = match dest {
        Ty::F16 | Ty::Bf16 => operand.float(),
        _ if operand.ty == Ty::F32 => before(operand.ty, operand.float(), mode),
        _ => operand.float(),
    };
    let rounded = Exact::of(value).into(dest, mode.rounding);
    let flushes = mode.ftz && dest == Ty::F32;
    let result = after(dest, rounded, Mode { ftz: flushes, ..mode });
    let result = if relu && result <= 0.0 { 0.0 } else { result };
    let largest = if dest == Ty::F16 { 65504.0 } else { half::bf16::MAX.to_f64() };
    if satfinite && result.is_infinite() { largest.copysign(result) } else { result }
}

fn to_tf32(relu: bool, satfinite: bool) -> Option<Reference> {
    let rna = Mode { rounding: Rounding::Rna, ..Mode::default() };
    let eval = move |v: &[Operand], mode: Mode| {
        let value = if relu && v[0].float() <= 0.0 { 0.0 } else { v[0].float() };
        if value.is_nan() {
            // `.rna` truncates a NaN's bits, which may leave an infinity.
            return if mode.rounding == Rounding::Rna { Answer::Unknown } else { Answer::Float(value) };
        }
        let largest = f32::from_bits(0x7f7f_e000) as f64;
        let rounded = Exact::of(value).round(11, -126, largest, mode.rounding);
        let infinite = rounded.is_infinite() && satfinite;
        Answer::Float(if infinite { largest.copysign(rounded) } else { rounded })
    };
    Some(Reference::new(&[Ty::F32], Ty::F32, eval)?.modes(&[rna, RZ]))
}

/// The magnitude of an 8-bit float, by its definition.
fn tiny(format: &str, bits: u64) -> f64 {
    let (fraction, bias) = if format == "e4m3x2" { (3, 7) } else { (2, 15) };
    let (exponent, part) = ((bits & 0x7f) >> fraction, bits & ((1 << fraction) - 1));
    let part = part as f64 / (1 << fraction) as f64;
    let magnitude = match (format, exponent, bits & 0x7f) {
        ("e4m3x2", _, 0x7f) => f64::NAN,
        ("e5m2x2", 31, 0x7c) => f64::INFINITY,
        ("e5m2x2", 31, _) => f64::NAN,
        (_, 0, _) => part * 2f64.powi(1 - bias),
        _ => (1.0 + part) * 2f64.powi(exponent as i32 - bias),
    };
    if bits & 0x80 == 0 { magnitude } else { -magnitude }
}

fn to_tiny(format: &str, source: Ty, relu: bool) -> Option<Reference> {
    let format = format.to_string();
    let eval = move |v: &[Operand], _| {
        let [high, low] = match source {
            Ty::F32 => [v[0].float(), v[1].float()],
            _ => [v[0].halves()[1].float(), v[0].halves()[0].float()],
        };
        let byte = |value: f64| -> u64 {
            if value.is_nan() {
                return 0x7f;
            }
            let value = if relu && value <= 0.0 { 0.0 } else { value };
            let (precision, least, largest) =
                if format == "e4m3x2" { (4, -6, 448.0) } else { (3, -14, 57344.0) };
            let rounded = Exact::of(value).round(precision, least, largest, Rounding::Rn).abs().min(largest);
            let magnitude = (0..0x7f).find(|&b| tiny(&format, b) == rounded).expect("a number of the format");
            magnitude | (value.is_sign_negative() as u64) << 7
        };
        Answer::Bits(byte(high) << 8 | byte(low))
    };
    let sources: &[Ty] = if source == Ty::F32 { &[Ty::F32, Ty::F32] } else { &[Ty::F16x2] };
    Reference::new(sources, Ty::U16, eval)
}

fn from_tiny(format: &str, relu: bool) -> Option<Reference> {
    let format = format.to_string();
    Reference::new(&[Ty::U16], Ty::F16x2, move |v, _| {
        Answer::Floats([0, 8].map(|shift| {
            let value = tiny(&format, v[0].bits >> shift & 0xff);
            if relu && value <= 0.0 { 0.0 } else { value }
        }))
    })
}

fn pack(dest: &str) -> Option<Reference> {
    let (signed, bits) = (dest.starts_with('s'), dest[1..].parse::<u32>().ok()?);
    let range = if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let sources = if bits == 16 { vec![Ty::S32; 2] } else { vec![Ty::S32, Ty::S32, Ty::U32] };
    let eval = move |v: &[Operand], _| {
        let field = |o: Operand| o.int().clamp(range.0, range.1).rem_euclid(1 << bits);
        let above = if bits == 16 { 0 } else { v[2].int() << (2 * bits) };
        Answer::Int(above + (field(v[0]) << bits) + field(v[1]))
    };
    Some(Reference::new(&sources, Ty::U32, eval)?.modes(&[SAT]))
}
