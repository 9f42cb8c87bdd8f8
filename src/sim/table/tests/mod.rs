//! Tests each row against an independent reference, and that every instruction that the compiler emits has
//! rows.

mod atomics;
mod emitted;
mod operand;
mod reference;
mod rounding;
mod scalar;

use super::*;
use crate::code::{Guard, Inst, What};
use crate::lanes::{FULL, LANES, Registers, Slots};
use operand::{Operand, Random, Ty};
use reference::{Answer, Reference, reference};
use std::collections::HashSet;

#[test]
fn a_name_has_one_row_in_a_mode() {
    let mut seen = HashSet::new();
    for row in tables() {
        for name in row.names {
            assert!(seen.insert((row.takes_mode, name)), "{name} is given twice");
        }
    }
}

/// Warps that each instruction runs on, in each mode.
const WARPS: u32 = 24;

#[test]
fn every_row_agrees_with_its_reference() {
    let mut failures = Vec::new();
    for row in tables() {
        for &name in row.names {
            let Some(reference) = reference(name) else {
                failures.push(format!("{name} has no reference"));
                continue;
            };
            if let Err(what) = check(row, name, &reference) {
                failures.push(what);
            }
        }
    }
    let count = failures.len();
    failures.truncate(40);
    assert!(failures.is_empty(), "{count} failures:\n{}", failures.join("\n"));
}

fn check(row: &Row, name: &str, reference: &Reference) -> Result<(), String> {
    let sources: Vec<File> = reference.sources.iter().map(|t| t.file()).collect();
    if row.sources != sources || row.dest != reference.dest.file() {
        let (dest, sources) = (row.dest, row.sources);
        return Err(format!("{name} has operands {dest:?} {sources:?}, not {:?}", reference.sources));
    }
    let mut modes = if row.takes_mode { reference.modes.clone() } else { Vec::new() };
    if !row.takes_mode || !index().contains_key(&(name, false)) {
        modes.push(Mode::default());
    }
    if modes.is_empty() {
        return Err(format!("{name} takes a mode, and its reference has none to try"));
    }
    let mut random = Random(name.bytes().fold(7u64, |seed, b| seed.rotate_left(9) ^ b as u64));
    for mode in modes {
        for warp in 0..WARPS {
            run(row, name, reference, mode, warp, &mut random)?;
        }
    }
    Ok(())
}

/// Runs a warp with a random mask; every second one overwrites its first source if it can.
fn run(
    row: &Row,
    name: &str,
    reference: &Reference,
    mode: Mode,
    warp: u32,
    random: &mut Random,
) -> Result<(), String> {
    let overwrites = warp % 2 == 1 && row.sources[0] == row.dest;
    let inst = Inst {
        what: What::Lanes(row.handler),
        guard: Guard::NONE,
        d: if overwrites { 1 } else { 0 },
        s: [1, 2, 3, 4],
        detail: mode_bits(mode),
    };
    let mask = if warp < 2 { FULL } else { random.next() as u32 };
    let operands: [Vec<Operand>; LANES] =
        std::array::from_fn(|_| reference.sources.iter().map(|&ty| random.operand(ty)).collect());
    let before: [u64; LANES] = match overwrites {
        true => operands.each_ref().map(|o| o[0].bits),
        false => std::array::from_fn(|_| random.operand(reference.dest).bits),
    };
    for (build, handler) in builds(row.handler) {
        let room = Slots { r32: 5, r64: 5, preds: 5 };
        let mut registers = Registers::new(Slots::default(), room);
        put(&mut registers, row.dest, inst.d, &before);
        for (i, &file) in row.sources.iter().enumerate() {
            put(&mut registers, file, inst.s[i], &operands.each_ref().map(|o| o[i].bits));
        }
        registers.set_mask(mask);
        // SAFETY: `builds` leaves out the build that this processor can't run.
        unsafe { handler(&mut registers, &inst) };
        let after = get(&registers, row.dest, inst.d);
        for lane in 0..LANES {
            let (got, values) = (after[lane], &operands[lane]);
            let place = || format!("{name} {build} {mode:?} {values:x?}: got {got:#x}");
            if mask >> lane & 1 == 0 {
                if got != before[lane] {
                    return Err(format!("{}: wrote an inactive lane", place()));
                }
                continue;
            }
            let answer = (reference.eval)(values, mode);
            if !agrees(answer, reference.dest, got) {
                return Err(format!("{}, not {answer:x?}", place()));
            }
        }
    }
    Ok(())
}

type Build = unsafe fn(&mut Registers, &Inst);

/// Returns the builds of a handler that this processor can run.
fn builds(handler: Handler) -> Vec<(&'static str, Build)> {
    let mut builds: Vec<(&'static str, Build)> = vec![("baseline", handler.baseline)];
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        if wide {
            builds.push(("wide", handler.wide));
        }
    }
    builds
}

fn put(registers: &mut Registers, file: File, register: u32, lanes: &[u64; LANES]) {
    registers.set_raw((file, registers.slot(file, register)), lanes);
}

fn get(registers: &Registers, file: File, register: u32) -> [u64; LANES] {
    match file {
        File::R32 => registers.r32(register).map(u64::from),
        File::R64 => *registers.r64(register),
        File::Pred => std::array::from_fn(|lane| (registers.pred(register) >> lane & 1) as u64),
    }
}

fn agrees(answer: Answer, ty: Ty, got: u64) -> bool {
    let mask = if ty.bits() == 64 { !0 } else { (1u64 << ty.bits()) - 1 };
    let parts = |ty: Ty| {
        let element = ty.element().expect("a packed type");
        (element, Operand { ty, bits: got }.halves().map(|h| h.bits))
    };
    match answer {
        Answer::Int(value) => got == value as u64 & mask,
        Answer::Bits(bits) => got == bits,
        Answer::Bool(held) => got == held as u64,
        Answer::Float(value) => is_float(ty, got, value),
        Answer::Floats(values) => {
            let (element, bits) = parts(ty);
            (0..2).all(|i| is_float(element, bits[i], values[i]))
        }
        Answer::Near(value, relative, absolute) => is_near(ty, got, value, relative, absolute),
        Answer::NearPair(values, relative, absolute) => {
            let (element, bits) = parts(ty);
            (0..2).all(|i| is_near(element, bits[i], values[i], relative, absolute))
        }
        Answer::Unknown => true,
    }
}

fn is_float(ty: Ty, got: u64, value: f64) -> bool {
    match rounding::bits(ty, value) {
        Some(bits) => got == bits,
        None => got >> (ty.bits() - 1) <= 1 && Operand { ty, bits: got }.float().is_nan(),
    }
}

fn is_near(ty: Ty, got: u64, value: f64, relative: f64, absolute: f64) -> bool {
    let got = Operand { ty, bits: got }.float();
    let largest = match ty {
        Ty::F16 => 65504.0,
        Ty::Bf16 | Ty::F32 => f32::MAX as f64,
        _ => f64::MAX,
    };
    if value.is_nan() || got.is_nan() {
        return value.is_nan() && got.is_nan();
    }
    if got.is_infinite() {
        return value.abs() * (1.0 + relative) >= largest && got.signum() == value.signum();
    }
    (got - value).abs() <= relative * value.abs() + absolute
}
