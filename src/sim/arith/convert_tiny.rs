//! `cvt` to `.tf32`, `cvt` from and to the 8-bit floats, and `cvt.pack` (PTX ISA 9.7.9.21, 9.7.9.22).

use super::Rounding;
use super::float::{is_nan, relu};
use super::half::{F16, Half};
use super::narrow::{self, Format};

/// Bits of `.f32` that `.tf32` lacks.
const TF32_DROPPED: u32 = 0x1fff;

/// `cvt.rn.tf32.f32`, `.rz`, `.rna`: the 13 low bits become zero.
///
/// `.rna` treats NaN and infinity like numbers, as an H100 does: they are truncated, and with `.satfinite`
/// reduced by one step (so that a NaN may turn into another value). The other roundings return a single NaN.
#[inline(always)]
pub fn f32_to_tf32(a: f32, rounding: Rounding, relu_on: bool, satfinite: bool) -> u32 {
    let a = if relu_on { relu(a) } else { a };
    let bits = a.to_bits();
    let up = match rounding {
        Rounding::Rna => 0x1000,
        Rounding::Rz => 0,
        _ => 0xfff + (bits >> 13 & 1),
    };
    let special = bits & 0x7f80_0000 == 0x7f80_0000;
    let rounded = if special { bits } else { bits.wrapping_add(up) } & !TF32_DROPPED;
    let overflowed = rounded & 0x7fff_ffff >= 0x7f80_0000;
    if is_nan(a) && rounding != Rounding::Rna {
        0x7fff_ffff & !TF32_DROPPED
    } else if satfinite && overflowed {
        // One step below infinity is the largest finite value.
        rounded - (TF32_DROPPED + 1)
    } else {
        rounded
    }
}

/// The 8-bit float formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tiny {
    E4m3,
    E5m2,
}

impl Tiny {
    #[inline(always)]
    fn format(self) -> Format {
        match self {
            Tiny::E4m3 => narrow::E4M3,
            Tiny::E5m2 => narrow::E5M2,
        }
    }
}

/// `cvt.rn.satfinite{.relu}`: overflow and infinity become the largest finite value, NaN 0x7f.
#[inline(always)]
pub fn f32_to_tiny(a: f32, tiny: Tiny, relu_on: bool) -> u8 {
    let a = if relu_on { relu(a) } else { a };
    let format = tiny.format();
    let magnitude = narrow::magnitude(a as f64, format, Rounding::Rn).min(format.largest);
    let sign = (a.to_bits() >> 24) as u8 & 0x80;
    if is_nan(a) { 0x7f } else { magnitude as u8 | sign }
}

/// Converts one 8-bit float to `.f16`: exact; NaN becomes 0x7fff.
#[inline(always)]
pub fn tiny_to_f16(bits: u8, tiny: Tiny) -> F16 {
    let sign = (bits as u16 & 0x80) << 8;
    let magnitude = bits as u16 & 0x7f;
    match tiny {
        // The upper byte of an `f16`.
        Tiny::E5m2 => {
            if magnitude > 0x7c {
                F16(0x7fff)
            } else {
                F16((bits as u16) << 8)
            }
        }
        Tiny::E4m3 => {
            // The exponent's bias differs by 8: a multiplication by 2^8, exact.
            let small = F16(magnitude << 7).to_f32() * 256.0;
            let value = F16::from_f32(small).0;
            if magnitude == 0x7f { F16(0x7fff) } else { F16(value | sign) }
        }
    }
}

/// `cvt.rn.satfinite.e4m3x2.f32`, `.e5m2x2.f32`: `a` to the upper byte, `b` to the lower.
#[inline(always)]
pub fn f32_to_tiny_x2(a: f32, b: f32, tiny: Tiny, relu_on: bool) -> u16 {
    (f32_to_tiny(a, tiny, relu_on) as u16) << 8 | f32_to_tiny(b, tiny, relu_on) as u16
}

/// Computes `cvt.rn.satfinite.e4m3x2.f16x2`, `.e5m2x2.f16x2`.
#[inline(always)]
pub fn f16x2_to_tiny_x2(a: u32, tiny: Tiny, relu_on: bool) -> u16 {
    f32_to_tiny_x2(F16((a >> 16) as u16).to_f32(), F16(a as u16).to_f32(), tiny, relu_on)
}

/// Computes `cvt.rn.f16x2.e4m3x2`, `.e5m2x2`.
#[inline(always)]
pub fn tiny_x2_to_f16x2(a: u16, tiny: Tiny, relu_on: bool) -> u32 {
    let of = |byte: u8| {
        let value = tiny_to_f16(byte, tiny);
        if relu_on { relu(value) } else { value }.0 as u32
    };
    of((a >> 8) as u8) << 16 | of(a as u8)
}

/// `cvt.pack.sat.u16.s32`: `a` to the upper half, `b` to the lower.
#[inline(always)]
pub fn pack_sat_u16(a: i32, b: i32) -> u32 {
    let of = |x: i32| x.clamp(0, 0xffff) as u32;
    of(a) << 16 | of(b)
}

/// Computes `cvt.pack.sat.s16.s32`.
#[inline(always)]
pub fn pack_sat_s16(a: i32, b: i32) -> u32 {
    let of = |x: i32| x.clamp(-0x8000, 0x7fff) as u16 as u32;
    of(a) << 16 | of(b)
}

/// `cvt.pack.sat.type.s32.b32` for the types of `WIDTH` 8, 4 or 2 bits: the clamped pair below the bits of `c`,
/// which are shifted up by two such widths.
#[inline(always)]
pub fn pack_sat_small<const WIDTH: u32, const SIGNED: bool>(a: i32, b: i32, c: u32) -> u32 {
    let (low, high) =
        if SIGNED { (-1 << (WIDTH - 1), (1 << (WIDTH - 1)) - 1) } else { (0, (1 << WIDTH) - 1) };
    let of = |x: i32| x.clamp(low, high) as u32 & ((1 << WIDTH) - 1);
    c << (2 * WIDTH) | of(a) << WIDTH | of(b)
}
