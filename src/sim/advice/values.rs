//! Suspicious values: where a NaN or an infinity that ends up in memory was first computed, indices that wrap around,
//! divisions by zero, lossy conversions, differences of nearly equal values.

use super::watched::{FloatOp, IndexOp, Watched, watched};
use crate::arith::half::F16;
use crate::code::What;
use crate::engine::observer::Step;
use crate::finding::FindingKind;
use crate::lanes::{File, LANES, Registers, lanes_of};
use crate::memory::access::{Action, MemoryOp, Space};
use std::collections::BTreeMap;

/// Leading bits that a difference may lose before it is reported, for floats with 24-bit and with 53-bit
/// significands.
const MAX_LOST: [i32; 2] = [16, 40];

/// The tally of one instruction, with the values, as bits, of the lowest thread that it happened to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub hits: u64,
    /// Whether such a value was stored to global memory.
    pub stored: bool,
    pub block: u64,
    pub thread: u32,
    pub operands: [u64; 3],
    pub result: u64,
}

impl Seen {
    pub fn add(&mut self, other: &Seen) {
        let (hits, stored) = (self.hits + other.hits, self.stored | other.stored);
        if (other.block, other.thread) < (self.block, self.thread) {
            *self = other.clone();
        }
        (self.hits, self.stored) = (hits, stored);
    }
}

/// The instructions (program counters) in which a thread's last NaN and last infinity were first computed.
#[derive(Clone, Copy, Debug, Default)]
struct Births {
    nan: Option<u32>,
    infinity: Option<u32>,
}

#[derive(Debug, Default)]
pub struct Values {
    operands: [[u64; LANES]; 3],
    /// Indexed by warp and lane.
    births: Vec<[Births; LANES]>,
    /// The first NaN and the first infinity of the block.
    first: Births,
    pub tally: BTreeMap<(FindingKind, u32), Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Finite,
    Infinite,
    Nan,
}

/// Classifies a float of `bytes` bytes, given as bits.
fn class(bits: u64, bytes: u8) -> Class {
    let (exponent, fraction) = match bytes {
        2 => (bits >> 10 & 0x1f == 0x1f, bits & 0x3ff),
        4 => (bits >> 23 & 0xff == 0xff, bits & 0x7f_ffff),
        _ => (bits >> 52 & 0x7ff == 0x7ff, bits & 0xf_ffff_ffff_ffff),
    };
    match (exponent, fraction) {
        (false, _) => Class::Finite,
        (true, 0) => Class::Infinite,
        (true, _) => Class::Nan,
    }
}

/// Converts a float of `bytes` bytes, given as bits, to `f64`.
pub fn float(bits: u64, bytes: u8) -> f64 {
    match bytes {
        2 => crate::arith::convert_half::f16_to_f32(F16(bits as u16), false).into(),
        4 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

fn lanes(registers: &Registers, file: File, register: u32, out: &mut [u64; LANES]) {
    match file {
        File::R32 => {
            for (out, value) in out.iter_mut().zip(registers.r32(register)) {
                *out = u64::from(*value);
            }
        }
        File::R64 => *out = *registers.r64(register),
        File::Pred => {}
    }
}

impl Values {
    pub fn begin(&mut self, warps: usize) {
        self.births.clear();
        self.births.resize(warps, [Births::default(); LANES]);
        self.first = Births::default();
    }

    fn watched(step: &Step) -> Watched {
        let all = step.code.watched.get_or_init(|| watched(step.code));
        all.get(step.pc as usize).copied().unwrap_or_default()
    }

    pub fn before(&mut self, step: &Step) {
        match step.inst.what {
            What::Lanes(_) if Self::watched(step) != Watched::Nothing => {
                let Some(row) = step.code.row(step.pc) else { return };
                for (n, file) in row.sources.iter().enumerate().take(3) {
                    lanes(step.registers, *file, step.inst.s[n], &mut self.operands[n]);
                }
            }
            _ => step.code.access(step.inst).into_iter().for_each(|op| self.store(step, op)),
        }
    }

    /// Notes NaNs and infinities that a store writes to global memory.
    fn store(&mut self, step: &Step, op: &MemoryOp) {
        let none = self.first.nan.is_none() && self.first.infinity.is_none();
        if none || !matches!(op.action, Action::Store) || !matches!(op.space, Space::Global | Space::Generic)
        {
            return;
        }
        let mask = step.inst.guard.lanes(step.registers, step.registers.mask());
        let mut values = [0; LANES];
        for element in 0..usize::from(op.elements) {
            lanes(step.registers, op.file, op.registers[element], &mut values);
            for lane in lanes_of(mask) {
                let class = class(values[lane], op.element_bytes);
                if op.element_bytes == 1 || class == Class::Finite {
                    continue;
                }
                let Some(its) = self.births.get(step.warp as usize).map(|warp| warp[lane]) else { continue };
                let (code, born) = match class {
                    Class::Nan => (FindingKind::NotANumber, its.nan.or(self.first.nan)),
                    _ => (FindingKind::Infinity, its.infinity.or(self.first.infinity)),
                };
                if let Some(seen) = born.and_then(|pc| self.tally.get_mut(&(code, pc))) {
                    seen.stored = true;
                }
            }
        }
    }

    pub fn after(&mut self, step: &Step) {
        let watched = Self::watched(step);
        if watched == Watched::Nothing {
            return;
        }
        let Some(row) = step.code.row(step.pc) else { return };
        let mut results = [0; LANES];
        lanes(step.registers, row.dest, step.inst.d, &mut results);
        let mask = step.inst.guard.lanes(step.registers, step.registers.mask());
        let count = row.sources.len().min(3);
        for lane in lanes_of(mask) {
            let operands = [self.operands[0][lane], self.operands[1][lane], self.operands[2][lane]];
            if let Some(code) = judge(watched, &operands, count, results[lane]) {
                self.note(step, lane, code, operands, results[lane]);
            }
        }
    }

    fn note(&mut self, step: &Step, lane: usize, code: FindingKind, operands: [u64; 3], result: u64) {
        let thread = step.warp * LANES as u32 + lane as u32;
        let seen = Seen { hits: 1, stored: false, block: step.block, thread, operands, result };
        match self.tally.get_mut(&(code, step.pc)) {
            Some(known) => known.add(&seen),
            None => drop(self.tally.insert((code, step.pc), seen)),
        }
        let Some(its) = self.births.get_mut(step.warp as usize).map(|warp| &mut warp[lane]) else { return };
        match code {
            FindingKind::NotANumber => {
                its.nan = Some(step.pc);
                self.first.nan.get_or_insert(step.pc);
            }
            FindingKind::Infinity => {
                its.infinity = Some(step.pc);
                self.first.infinity.get_or_insert(step.pc);
            }
            _ => {}
        }
    }
}

/// Returns the finding that one thread's operands and result call for, if any.
fn judge(watched: Watched, operands: &[u64; 3], count: usize, result: u64) -> Option<FindingKind> {
    match watched {
        Watched::Nothing => None,
        Watched::Float { bytes, op } => {
            let inputs = operands[..count].iter().map(|bits| class(*bits, bytes));
            let (mut nan, mut infinite) = (false, false);
            for input in inputs {
                nan |= input == Class::Nan;
                infinite |= input == Class::Infinite;
            }
            match class(result, bytes) {
                Class::Nan if !nan => Some(FindingKind::NotANumber),
                Class::Infinite if !nan && !infinite => Some(FindingKind::Infinity),
                Class::Finite if !nan && !infinite => {
                    cancels(op, bytes, operands, result).then_some(FindingKind::Cancellation)
                }
                _ => None,
            }
        }
        Watched::Index(op) => {
            let exact = index(op, operands)?;
            (exact != i64::from(result as u32 as i32)).then_some(FindingKind::IndexOverflow)
        }
        Watched::Truncate { bytes, least, most } => {
            let value = float(operands[0], bytes).trunc();
            (!(value >= least && value <= most)).then_some(FindingKind::LossyConversion)
        }
        Watched::Narrow { from, to } => {
            let lost = class(operands[0], from) == Class::Finite && class(result, to) == Class::Infinite;
            lost.then_some(FindingKind::LossyConversion)
        }
    }
}

/// Returns the mathematical result of 32-bit index arithmetic; `None` if even 64 bits don't hold it.
pub fn index(op: IndexOp, operands: &[u64; 3]) -> Option<i64> {
    let [a, b, c] = operands.map(|bits| i64::from(bits as u32 as i32));
    match op {
        IndexOp::Add => Some(a + b),
        IndexOp::Sub => Some(a - b),
        IndexOp::Mul => Some(a * b),
        IndexOp::Mad => Some(a * b + c),
        IndexOp::Shl => a.checked_mul(1i64.checked_shl(operands[1] as u32)?).filter(|_| operands[1] < 32),
    }
}

/// Returns whether a sum lost most of its leading bits. A result of exactly zero is taken as intended.
fn cancels(op: FloatOp, bytes: u8, operands: &[u64; 3], result: u64) -> bool {
    let exponent = |bits: u64| match bytes {
        4 => (bits >> 23 & 0xff) as i32,
        _ => (bits >> 52 & 0x7ff) as i32,
    };
    let largest = match op {
        FloatOp::Add | FloatOp::Sub => exponent(operands[0]).max(exponent(operands[1])),
        FloatOp::Fma => exponent(operands[2]),
        _ => return false,
    };
    bytes != 2
        && float(result, bytes) != 0.0
        && largest - exponent(result) >= MAX_LOST[usize::from(bytes == 8)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(watched: Watched, operands: &[f32], result: f32) -> Option<FindingKind> {
        let mut bits = [0; 3];
        for (bits, value) in bits.iter_mut().zip(operands) {
            *bits = u64::from(value.to_bits());
        }
        judge(watched, &bits, operands.len(), u64::from(result.to_bits()))
    }

    #[test]
    fn births_are_told_from_what_is_passed_on() {
        let div = Watched::Float { bytes: 4, op: FloatOp::Div };
        assert_eq!(of(div, &[0.0, 0.0], f32::NAN), Some(FindingKind::NotANumber));
        assert_eq!(of(div, &[1.0, 0.0], f32::INFINITY), Some(FindingKind::Infinity));
        assert_eq!(of(div, &[f32::NAN, 1.0], f32::NAN), None);
        assert_eq!(of(div, &[f32::INFINITY, 2.0], f32::INFINITY), None);
        assert_eq!(of(div, &[1.0, 2.0], 0.5), None);
        let sub = Watched::Float { bytes: 4, op: FloatOp::Sub };
        assert_eq!(of(sub, &[f32::INFINITY, f32::INFINITY], f32::NAN), Some(FindingKind::NotANumber));
        assert_eq!(of(sub, &[1.000_000_1, 1.0], 1.000_000_1 - 1.0), Some(FindingKind::Cancellation));
        assert_eq!(of(sub, &[1.0, 1.0], 0.0), None);
        assert_eq!(of(sub, &[1.5, 1.0], 0.5), None);
    }

    #[test]
    fn integers_are_held_to_their_exact_values() {
        let of = |op, a: i32, b: i32, c: i32| {
            let operands = [a, b, c].map(|v| u64::from(v as u32));
            let result = match op {
                IndexOp::Add => a.wrapping_add(b),
                IndexOp::Sub => a.wrapping_sub(b),
                IndexOp::Mul => a.wrapping_mul(b),
                IndexOp::Mad => a.wrapping_mul(b).wrapping_add(c),
                IndexOp::Shl => a.wrapping_shl(b as u32),
            };
            judge(Watched::Index(op), &operands, 3, u64::from(result as u32))
        };
        assert_eq!(of(IndexOp::Mul, 65536, 65536, 0), Some(FindingKind::IndexOverflow));
        assert_eq!(of(IndexOp::Mul, -3, 5, 0), None);
        assert_eq!(of(IndexOp::Mad, 1 << 30, 2, -1), None);
        assert_eq!(of(IndexOp::Add, i32::MAX, 1, 0), Some(FindingKind::IndexOverflow));
        assert_eq!(of(IndexOp::Shl, 1 << 20, 11, 0), Some(FindingKind::IndexOverflow));
        assert_eq!(of(IndexOp::Shl, 3, 40, 0), None);
    }

    #[test]
    fn conversions_that_lose() {
        let int = Watched::Truncate { bytes: 4, least: i32::MIN.into(), most: i32::MAX.into() };
        assert_eq!(of(int, &[3e9], 0.0), Some(FindingKind::LossyConversion));
        assert_eq!(of(int, &[f32::NAN], 0.0), Some(FindingKind::LossyConversion));
        assert_eq!(of(int, &[-2.9], 0.0), None);
        let half = Watched::Narrow { from: 4, to: 2 };
        assert_eq!(
            judge(half, &[u64::from(1e5f32.to_bits()), 0, 0], 1, 0x7c00),
            Some(FindingKind::LossyConversion)
        );
        assert_eq!(judge(half, &[u64::from(f32::INFINITY.to_bits()), 0, 0], 1, 0x7c00), None);
    }
}
