//! The arithmetic instructions that NVRTC was observed to emit, and others of the ISA.

use super::super::{find, split_mode};

/// From CUDA C++ compiled for compute capabilities 7.5, 8.0 and 9.0.
#[rustfmt::skip]
const EMITTED: &[&str] = &[
    "abs.f16", "abs.f32", "abs.f64", "add.bf16x2", "add.cc.u32", "add.f16", "add.f16x2", "add.f32",
    "add.f64", "add.rn.f32", "add.rn.f64", "add.rz.f32", "add.s16", "add.s32", "add.s64", "add.u16x2",
    "add.u64", "addc.cc.u32", "addc.u32", "and.b16", "and.b32", "and.b64", "and.pred", "bfe.u32", "bfi.b32",
    "bfi.b64", "bfind.shiftamt.u32", "brev.b32", "brev.b64", "clz.b32", "clz.b64", "copysign.f32",
    "cvt.f32.bf16", "cvt.f32.f16", "cvt.f64.f32", "cvt.rmi.f32.f32", "cvt.rn.bf16.f32", "cvt.rn.f16.f32",
    "cvt.rn.f16.s32", "cvt.rn.f16x2.e4m3x2", "cvt.rn.f16x2.e5m2x2", "cvt.rn.f16x2.f32", "cvt.rn.f32.f64",
    "cvt.rn.f32.s32", "cvt.rn.f32.u32", "cvt.rn.f64.s32", "cvt.rn.f64.s64", "cvt.rn.satfinite.e4m3x2.f32",
    "cvt.rn.satfinite.e5m2x2.f32", "cvt.rna.tf32.f32", "cvt.rni.f32.f32", "cvt.rni.s32.f32",
    "cvt.rni.s32.f64", "cvt.rpi.f32.f32", "cvt.rzi.f32.f32", "cvt.rzi.f64.f64", "cvt.rzi.s32.f16",
    "cvt.rzi.s32.f32", "cvt.rzi.s64.f64", "cvt.s64.s32", "cvt.sat.f32.f32", "cvt.u16.u32", "cvt.u16.u64",
    "cvt.u32.u16", "cvt.u32.u64", "cvt.u64.u32", "div.approx.f32", "div.rn.f32", "div.rn.f64", "div.s32",
    "div.s64", "div.u32", "dp4a.s32.s32", "ex2.approx.f32", "ex2.approx.ftz.f32", "fma.rm.f32",
    "fma.rn.bf16x2", "fma.rn.f16", "fma.rn.f16x2", "fma.rn.f32", "fma.rn.f64", "fma.rz.f32",
    "lg2.approx.f32", "lg2.approx.ftz.f32", "lop3.b32", "mad.lo.cc.u32", "mad.lo.s32", "mad.wide.u32",
    "madc.hi.cc.u32", "madc.hi.u32", "madc.lo.cc.u32", "max.f16x2", "max.f32", "max.s32", "min.f32",
    "min.f64", "min.s32", "min.u32", "mov.b16", "mov.b32", "mov.b64", "mov.f32", "mov.f64", "mov.pred",
    "mov.u16", "mov.u32", "mov.u64", "mul.f16", "mul.f16x2", "mul.f32", "mul.f64", "mul.hi.s32",
    "mul.hi.s64", "mul.hi.u32", "mul.hi.u64", "mul.lo.s32", "mul.lo.s64", "mul.lo.u32", "mul.rn.f32",
    "mul.rn.f64", "mul.wide.s32", "mul.wide.u32", "neg.f32", "neg.f64", "neg.s32", "neg.s64", "not.b32",
    "not.b64", "not.pred", "or.b16", "or.b32", "or.b64", "or.pred", "popc.b32", "popc.b64", "prmt.b32",
    "rcp.approx.ftz.f32", "rcp.approx.ftz.f64", "rcp.rn.f32", "rsqrt.approx.f32", "rsqrt.approx.ftz.f32",
    "sad.s32", "selp.b16", "selp.b32", "selp.b64", "selp.f32", "selp.f64", "selp.u16", "selp.u32",
    "selp.u64", "set.eq.f16.f16", "set.eq.f16x2.f16x2", "set.gt.f16x2.f16x2", "setp.eq.b16", "setp.eq.b32",
    "setp.eq.f32", "setp.eq.f64", "setp.eq.s16", "setp.eq.s32", "setp.eq.s64", "setp.ge.f32", "setp.ge.s32",
    "setp.ge.u32", "setp.geu.f32", "setp.gt.f32", "setp.gt.f64", "setp.gt.s16", "setp.gt.s32",
    "setp.gt.s64", "setp.gt.u16", "setp.gt.u32", "setp.gt.u64", "setp.gtu.f32", "setp.gtu.f64",
    "setp.le.f32", "setp.le.s32", "setp.le.u32", "setp.lt.f16", "setp.lt.f32", "setp.lt.f64", "setp.lt.s32",
    "setp.lt.u32", "setp.lt.u64", "setp.ltu.f32", "setp.ltu.f64", "setp.ne.s16", "setp.ne.s32",
    "setp.ne.s64", "setp.ne.u32", "shf.l.wrap.b32", "shl.b16", "shl.b32", "shl.b64", "shr.s32", "shr.s64",
    "shr.u16", "shr.u32", "shr.u64", "sin.approx.f32", "sqrt.approx.ftz.f32", "sqrt.rn.f32", "sqrt.rn.f64",
    "sub.cc.u32", "sub.f16", "sub.f32", "sub.f64", "sub.rn.f32", "sub.s16", "sub.s32", "sub.s64",
    "subc.cc.u32", "subc.u32", "tanh.approx.f16x2", "xor.b32", "xor.pred",
];

/// What inline PTX may contain in addition.
#[rustfmt::skip]
const WRITTEN: &[&str] = &[
    "add.sat.s32", "mad.hi.sat.s32", "mad24.hi.sat.s32", "mul24.lo.u32", "mul.wide.s16", "mad.wide.u16",
    "rem.u64", "cnot.b64", "fns.b32", "szext.wrap.s32", "bmsk.clamp.b32", "bfind.s64", "prmt.b32.f4e",
    "shf.r.clamp.b32", "dp2a.lo.s32.u32", "dp4a.s32.u32", "subc.cc.s64", "madc.hi.cc.s64",
    "div.full.f32", "div.full.ftz.f32", "tanh.approx.f32", "cos.approx.ftz.f32", "rsqrt.approx.ftz.f64",
    "fma.rp.ftz.sat.f32", "mad.rn.f32", "sqrt.rz.f32", "rcp.rm.f64", "min.NaN.f32", "max.ftz.NaN.xorsign.abs.f32",
    "testp.notanumber.f32", "setp.lo.u32", "setp.hs.u64", "setp.num.f64", "set.lt.u32.f32", "set.leu.ftz.f32.f32",
    "slct.ftz.u64.f32", "slct.s32.s32", "selp.bf16", "cvt.sat.u8.s32", "cvt.s8.s64", "cvt.rpi.u64.f64",
    "cvt.rz.f64.u64", "cvt.rmi.ftz.sat.f32.f32", "cvt.pack.sat.s16.s32", "cvt.pack.sat.u8.s32.b32",
    "fma.rn.ftz.sat.f16x2", "fma.rn.relu.bf16", "min.ftz.NaN.f16x2", "max.xorsign.abs.bf16x2",
    "ex2.approx.ftz.bf16x2", "tanh.approx.bf16", "set.ltu.ftz.f16x2.f16x2", "set.eq.u32.f16x2", "set.eq.u32.f16",
    "setp.geu.bf16", "cvt.rn.relu.bf16x2.f32", "cvt.rz.satfinite.f16.f32", "cvt.rn.bf16.s8", "cvt.rni.s64.bf16",
    "cvt.f64.f16", "cvt.rn.f16.bf16", "cvt.rp.f16.f64", "cvt.rn.satfinite.relu.e4m3x2.f16x2",
    "cvt.rn.relu.f16x2.e5m2x2", "cvt.rz.relu.tf32.f32", "min.relu.s16x2", "max.u16x2",
];

/// Returns the rows into which an instruction is lowered.
fn rows(instruction: &str) -> Vec<String> {
    let parts: Vec<&str> = instruction.split('.').collect();
    if let ["set", comparison @ .., to, from] = &parts[..] {
        let comparison = comparison.join(".");
        return match *from {
            "f16x2" | "bf16x2" => vec![
                format!("%setp.low.{comparison}.{from}"),
                format!("%setp.high.{comparison}.{from}"),
                format!("%set.pair.{to}"),
            ],
            _ => vec![format!("setp.{comparison}.{from}"), format!("%set.{to}")],
        };
    }
    match instruction.split_once(".cc.") {
        Some((start, end)) => vec![format!("{start}.{end}"), format!("%carry.{start}.{end}")],
        None => vec![instruction.to_string()],
    }
}

#[test]
fn every_arithmetic_instruction_has_its_rows() {
    let lost: Vec<String> = EMITTED
        .iter()
        .chain(WRITTEN)
        .flat_map(|instruction| rows(instruction))
        .filter(|name| {
            let parts: Vec<&str> = name.split('.').collect();
            let (name, mode) = split_mode(parts[0], &parts[1..]);
            find(&name, mode).is_none()
        })
        .collect();
    assert!(lost.is_empty(), "no row for {lost:?}");
}
