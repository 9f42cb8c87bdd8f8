//! Tests that a row does the same for one thread as for each lane of a warp.

use super::super::{Row, mode_bits, tables};
use super::{Random, builds, get, put};
use crate::arith::{Mode, Rounding};
use crate::code::{Guard, Inst, What};
use crate::lanes::{File, LANES, Registers, Slots};
use crate::scalar::{Operands, ScalarFn, bytes_of};

fn modes(row: &Row) -> Vec<Mode> {
    if !row.takes_mode {
        return vec![Mode::default()];
    }
    let mut modes = Vec::new();
    for rounding in [Rounding::Rn, Rounding::Rz, Rounding::Rm, Rounding::Rp, Rounding::Rna] {
        for flags in 0..4 {
            modes.push(Mode { rounding, ftz: flags & 1 != 0, sat: flags & 2 != 0 });
        }
    }
    modes
}

/// Returns bits that often have a special meaning: few set, or all, or those of small numbers.
fn value(random: &mut Random, file: File) -> u64 {
    let bits = match random.next() % 8 {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << (random.next() % 64),
        3 => random.next() % 40,
        4 => (((random.next() % 2000) as f32 - 1000.0) / 8.0).to_bits() as u64,
        5 => (((random.next() % 2000) as f64 - 1000.0) / 8.0).to_bits(),
        _ => random.next(),
    };
    match file {
        File::Pred => bits & 1,
        File::R32 => bits as u32 as u64,
        File::R64 => bits,
    }
}

/// Runs the scalar form on one lane's operands.
fn run_scalar(row: &Row, scalar: ScalarFn, sources: &[u64], mode: Mode) -> u64 {
    let mut frame = [0xaau8; 64];
    let operands = Operands { d: 40, s: [0, 8, 16, 24], detail: mode_bits(mode) };
    for ((at, value), file) in operands.s.iter().zip(sources).zip(row.sources) {
        let bytes = bytes_of(*file) as usize;
        frame[*at as usize..][..bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
    // SAFETY: all operands lie in the frame, and the caller chose a build that this processor can run.
    unsafe { scalar(frame.as_mut_ptr(), &operands) };
    let bytes = bytes_of(row.dest) as usize;
    let mut out = [0; 8];
    out[..bytes].copy_from_slice(&frame[40..40 + bytes]);
    assert_eq!(frame[40 + bytes..], [0xaa; 64][40 + bytes..], "{:?} writes past its result", row.names);
    u64::from_le_bytes(out)
}

#[test]
fn one_thread_computes_what_a_lane_computes() {
    let mut rows = 0;
    for row in tables() {
        rows += 1;
        let mut random = Random(row.names[0].bytes().fold(11u64, |seed, b| seed.rotate_left(7) ^ b as u64));
        for mode in modes(row) {
            for _ in 0..8 {
                let inst = Inst {
                    what: What::Lanes(row.handler),
                    guard: Guard::NONE,
                    d: 0,
                    s: [1, 2, 3, 4],
                    detail: mode_bits(mode),
                };
                let lanes: [Vec<u64>; LANES] =
                    std::array::from_fn(|_| row.sources.iter().map(|&f| value(&mut random, f)).collect());
                for (n, (build, handler)) in builds(row.handler).into_iter().enumerate() {
                    let room = Slots { r32: 5, r64: 5, preds: 5 };
                    let mut registers = Registers::new(Slots::default(), room);
                    for (i, &file) in row.sources.iter().enumerate() {
                        put(&mut registers, file, inst.s[i], &lanes.each_ref().map(|l| l[i]));
                    }
                    // SAFETY: `builds` leaves out the build that this processor can't run.
                    unsafe { handler(&mut registers, &inst) };
                    let expected = get(&registers, row.dest, inst.d);
                    let scalar = if n == 0 { row.scalar.baseline } else { row.scalar.wide };
                    for (sources, expected) in lanes.iter().zip(expected) {
                        let got = run_scalar(row, scalar, sources, mode);
                        let name = row.names[0];
                        assert_eq!(got, expected, "{name} {build} {mode:?} of {sources:x?}");
                    }
                }
            }
        }
    }
    assert!(rows > 200, "only {rows} rows");
}
