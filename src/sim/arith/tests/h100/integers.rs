//! Integer instructions by name.

use super::super::super::atomic;
use super::super::super::bits::*;
use super::super::super::compare;
use super::super::super::convert::int_to_int;
use super::super::super::convert::int_to_int_sat;
use super::super::super::convert_tiny::*;
use super::super::super::int::*;
use super::super::compare::named as compare_named;
use super::Name;

/// A register's bits as a type, and back.
pub trait Register: Copy {
    fn get(bits: u64) -> Self;
    fn put(self) -> u64;
}

macro_rules! register {
    ($($t:ident $register:ident;)*) => {$(
        impl Register for $t {
            fn get(bits: u64) -> $t {
                bits as $t
            }
            /// Bytes live in 16-bit registers.
            fn put(self) -> u64 {
                self as $register as u64
            }
        }
    )*};
}
register! { u8 u16; i8 u16; u16 u16; i16 u16; u32 u32; i32 u32; u64 u64; i64 u64; }

/// Runs `$body` with the type alias `$t` bound to the type of that name.
macro_rules! with_int {
    ($name:expr, $t:ident => $body:expr) => {
        match $name {
            "u8" => {
                type $t = u8;
                Some($body)
            }
            "s8" => {
                type $t = i8;
                Some($body)
            }
            "u16" | "b16" => {
                type $t = u16;
                Some($body)
            }
            "s16" => {
                type $t = i16;
                Some($body)
            }
            "u32" | "b32" => {
                type $t = u32;
                Some($body)
            }
            "s32" => {
                type $t = i32;
                Some($body)
            }
            "u64" | "b64" => {
                type $t = u64;
                Some($body)
            }
            "s64" => {
                type $t = i64;
                Some($body)
            }
            _ => None,
        }
    };
}
pub(super) use with_int;

pub fn evaluate(name: &Name, a: u64, b: u64, c: u64) -> Option<u64> {
    let (wa, wb, wc) = (a as u32, b as u32, c as u32);
    let (sa, sb, sc) = (a as i32, b as i32, c as i32);
    let word = match name.parts.join(".").as_str() {
        "add.sat.s32" => sa.saturating_add(sb) as u32,
        "sub.sat.s32" => sa.saturating_sub(sb) as u32,
        "mad.hi.sat.s32" => mul_hi(sa, sb).saturating_add(sc) as u32,
        "mad24.hi.sat.s32" => mul24_hi_s32(sa, sb).saturating_add(sc) as u32,
        "mul24.lo.u32" => mul24_lo_u32(wa, wb),
        "mul24.hi.u32" => mul24_hi_u32(wa, wb),
        "mul24.lo.s32" => mul24_lo_s32(sa, sb) as u32,
        "mul24.hi.s32" => mul24_hi_s32(sa, sb) as u32,
        "mad24.lo.u32" => add(mul24_lo_u32(wa, wb), wc),
        "mad24.hi.u32" => add(mul24_hi_u32(wa, wb), wc),
        "mad24.lo.s32" => add(mul24_lo_s32(sa, sb), sc) as u32,
        "mad24.hi.s32" => add(mul24_hi_s32(sa, sb), sc) as u32,
        "min.relu.s32" => relu(min(sa, sb)) as u32,
        "max.relu.s32" => relu(max(sa, sb)) as u32,
        "add.u16x2" | "add.s16x2" => packed_u16(wa, wb, u16::wrapping_add),
        "min.u16x2" => packed_u16(wa, wb, Ord::min),
        "max.u16x2" => packed_u16(wa, wb, Ord::max),
        "min.s16x2" => packed_s16(wa, wb, Ord::min),
        "max.s16x2" => packed_s16(wa, wb, Ord::max),
        "min.relu.s16x2" => packed_s16(wa, wb, |a, b| a.min(b).max(0)),
        "max.relu.s16x2" => packed_s16(wa, wb, |a, b| a.max(b).max(0)),
        "popc.b32" => wa.count_ones(),
        "popc.b64" => a.count_ones(),
        "clz.b32" => wa.leading_zeros(),
        "clz.b64" => a.leading_zeros(),
        "brev.b32" => wa.reverse_bits(),
        "brev.b64" => return Some(a.reverse_bits()),
        "bfind.u32" => bfind_u64(wa.into()),
        "bfind.s32" => bfind_s64(sa.into()),
        "bfind.u64" => bfind_u64(a),
        "bfind.s64" => bfind_s64(a as i64),
        "bfind.shiftamt.u32" => shift_amount(bfind_u64(wa.into()), 32),
        "bfind.shiftamt.s32" => shift_amount(bfind_s64(sa.into()), 32),
        "bfind.shiftamt.u64" => shift_amount(bfind_u64(a), 64),
        "bfind.shiftamt.s64" => shift_amount(bfind_s64(a as i64), 64),
        "bfe.u32" => bfe(wa, wb, wc),
        "bfe.s32" => bfe(sa, wb, wc) as u32,
        "bfe.u64" => return Some(bfe(a, wb, wc)),
        "bfe.s64" => return Some(bfe(a as i64, wb, wc) as u64),
        "bfi.b32" => bfi_b32(wa, wb, wc, wc >> 3),
        "bfi.b64" => return Some(bfi_b64(a, b, wc, wc >> 3)),
        "fns.b32" => fns(wa, wb & 31, sc >> 26),
        "bmsk.clamp.b32" => bmsk(wa, wb),
        "bmsk.wrap.b32" => bmsk(wa & 31, wb & 31),
        "szext.clamp.u32" => szext(wa, wb),
        "szext.wrap.u32" => szext(wa, wb & 31),
        "szext.clamp.s32" => szext(sa, wb) as u32,
        "szext.wrap.s32" => szext(sa, wb & 31) as u32,
        "shf.l.clamp.b32" => shf_l(wa, wb, wc.min(32)),
        "shf.l.wrap.b32" => shf_l(wa, wb, wc & 31),
        "shf.r.clamp.b32" => shf_r(wa, wb, wc.min(32)),
        "shf.r.wrap.b32" => shf_r(wa, wb, wc & 31),
        "prmt.b32" => prmt(wa, wb, wc),
        "prmt.b32.f4e" => prmt_mode(wa, wb, wc, Permute::Forward4),
        "prmt.b32.b4e" => prmt_mode(wa, wb, wc, Permute::Backward4),
        "prmt.b32.rc8" => prmt_mode(wa, wb, wc, Permute::Replicate8),
        "prmt.b32.ecl" => prmt_mode(wa, wb, wc, Permute::ClampLeft),
        "prmt.b32.ecr" => prmt_mode(wa, wb, wc, Permute::ClampRight),
        "prmt.b32.rc16" => prmt_mode(wa, wb, wc, Permute::Replicate16),
        "dp4a.u32.u32" => dp4a::<false, false>(wa, wb, wc),
        "dp4a.u32.s32" => dp4a::<false, true>(wa, wb, wc),
        "dp4a.s32.u32" => dp4a::<true, false>(wa, wb, wc),
        "dp4a.s32.s32" => dp4a::<true, true>(wa, wb, wc),
        "dp2a.lo.u32.u32" => dp2a::<false, false, false>(wa, wb, wc),
        "dp2a.lo.u32.s32" => dp2a::<false, true, false>(wa, wb, wc),
        "dp2a.lo.s32.u32" => dp2a::<true, false, false>(wa, wb, wc),
        "dp2a.lo.s32.s32" => dp2a::<true, true, false>(wa, wb, wc),
        "dp2a.hi.u32.u32" => dp2a::<false, false, true>(wa, wb, wc),
        "dp2a.hi.u32.s32" => dp2a::<false, true, true>(wa, wb, wc),
        "dp2a.hi.s32.u32" => dp2a::<true, false, true>(wa, wb, wc),
        "dp2a.hi.s32.s32" => dp2a::<true, true, true>(wa, wb, wc),
        "slct.b32.s32" => compare::slct_s32(wa, wb, sc),
        "cvt.pack.sat.s16.s32" => pack_sat_s16(sa, sb),
        "cvt.pack.sat.u16.s32" => pack_sat_u16(sa, sb),
        "cvt.pack.sat.u8.s32.b32" => pack_sat_small::<8, false>(sa, sb, wc),
        "cvt.pack.sat.s8.s32.b32" => pack_sat_small::<8, true>(sa, sb, wc),
        "cvt.pack.sat.u4.s32.b32" => pack_sat_small::<4, false>(sa, sb, wc),
        "cvt.pack.sat.s4.s32.b32" => pack_sat_small::<4, true>(sa, sb, wc),
        "cvt.pack.sat.u2.s32.b32" => pack_sat_small::<2, false>(sa, sb, wc),
        "cvt.pack.sat.s2.s32.b32" => pack_sat_small::<2, true>(sa, sb, wc),
        "atom.global.inc.u32" | "atom.shared.inc.u32" => atomic::inc(wa, wb),
        "atom.global.dec.u32" | "atom.shared.dec.u32" => atomic::dec(wa, wb),
        _ => return by_type(name, a, b, c),
    };
    Some(word as u64)
}

fn by_type(name: &Name, a: u64, b: u64, c: u64) -> Option<u64> {
    let (wa, wb, wc) = (a as u32, b as u32, c as u32);
    if name.opcode() == "lop3" {
        let table = name.ty().trim_start_matches("b32 ").parse().ok()?;
        return Some(lop3(wa, wb, wc, table) as u64);
    }
    if name.parts.iter().any(|part| part.starts_with("cc")) {
        return carries(name, a, b, c);
    }
    if name.opcode() == "cvt" && name.int_rounding().is_none() {
        return with_int!(name.to(), D => with_int!(name.ty(), S => {
            let source = S::get(a);
            let result: D = if name.has("sat") { int_to_int_sat(source) } else { int_to_int(source) };
            result.put()
        }))
        .flatten();
    }
    let operation = name.parts[..name.parts.len() - 1].join(".");
    if let Some(op) = operation.strip_prefix("setp.") {
        let op = compare_named(op)?;
        return with_int!(name.ty(), T => compare::int(op, T::get(a), T::get(b)) as u64);
    }
    let operation = operation
        .strip_prefix("atom.global.")
        .or(operation.strip_prefix("atom.shared."))
        .unwrap_or(&operation);
    if let "mul.wide" | "mad.wide" = operation {
        let c = if operation == "mad.wide" { c } else { 0 };
        return Some(match name.ty() {
            "u16" => mad_wide(a as u16, b as u16, c as u32) as u64,
            "s16" => mad_wide(a as i16, b as i16, c as i32) as u32 as u64,
            "u32" => mad_wide(wa, wb, c),
            _ => mad_wide(a as i32, b as i32, c as i64) as u64,
        });
    }
    if let ("cnot", "b16") = (operation, name.ty()) {
        return Some(cnot(a as u16) as u64);
    }
    with_int!(name.ty(), T => {
        let (a, b, c) = (T::get(a), T::get(b), T::get(c));
        let result = match operation {
            "add" => add(a, b),
            "sub" => sub(a, b),
            "mul.lo" => mul_lo(a, b),
            "mul.hi" => mul_hi(a, b),
            "mad.lo" => mad_lo(a, b, c),
            "mad.hi" => mad_hi(a, b, c),
            "div" => div(a, b),
            "rem" => rem(a, b),
            "min" => min(a, b),
            "max" => max(a, b),
            "sad" => sad(a, b, c),
            "abs" => abs(a),
            "neg" => neg(a),
            "shl" => shl(a, wb),
            "shr" => shr(a, wb),
            "cnot" => if a == 0 { 1 } else { 0 },
            _ => return None,
        };
        result.put()
    })
}

/// Returns carries as the probes returned them: above the result, or for 64 bits alone.
fn carries(name: &Name, a: u64, b: u64, c: u64) -> Option<u64> {
    if name.ty() == "u64" {
        let (_, out) = match name.parts[..name.parts.len() - 1].join(".").as_str() {
            "add.cc" => add_cc(a, b),
            // The probe read the flag with `subc`.
            "sub.cc" => return Some(sub(0, !sub_cc(a, b).1 as u32) as u64),
            "mad.hi.cc" => madc_hi_cc(a, b, c, false),
            _ => return None,
        };
        return Some(out as u64);
    }
    let (a, b, c) = (a as u32, b as u32, c as u32);
    let (sa, sb, sc) = (a as i32, b as i32, c as i32);
    let signed = name.ty() == "s32";
    // The probes set the carry to the top bit of `c`, or a borrow if `c` is zero.
    let carry = c >> 31 == 1;
    // The probes read the flag with an `addc` of zeros, or with a `subc`.
    let pair = |(low, carry): (u32, bool)| low as u64 | (carry as u64) << 32;
    let by_subc = |(low, carry): (u32, bool)| low as u64 | if carry { 0 } else { u64::MAX << 32 };
    let result = match name.parts[..name.parts.len() - 1].join(".").as_str() {
        "add.cc" => add_cc(a, b),
        "sub.cc" => return Some(by_subc(sub_cc(a, b))),
        "sub.cc+addc" => sub_cc(a, b),
        "add.cc+subc" => return Some(by_subc(add_cc(a, b))),
        "addc.cc" => addc_cc(a, b, carry),
        "subc.cc" => return Some(by_subc(subc_cc(a, b, c != 0))),
        "mad.lo.cc" => madc_lo_cc(a, b, c, false),
        "madc.lo.cc" => madc_lo_cc(a, b, c, carry),
        "mad.hi.cc" | "madc.hi.cc" => {
            let carry = carry && name.opcode() == "madc";
            if signed {
                let (low, out) = madc_hi_cc(sa, sb, sc, carry);
                (low as u32, out)
            } else {
                madc_hi_cc(a, b, c, carry)
            }
        }
        _ => return None,
    };
    Some(pair(result))
}
