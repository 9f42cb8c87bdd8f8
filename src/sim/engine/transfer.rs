//! Moves data between a warp's registers and a memory.

use super::bank::{Bank, gather_words, get_bytes, scatter_words, set_bytes};
use super::warp::Warp;
use crate::lanes::{File, LANES, Lanes32, lanes_of};
use crate::memory::access::{Action, MemoryOp, SINK};
use crate::memory::shape::Shape;

fn extend(value: u64, bytes: u8, signed: bool) -> u64 {
    match (signed, bytes) {
        (true, 1) => value as i8 as i64 as u64,
        (true, 2) => value as i16 as i64 as u64,
        (true, 4) => value as i32 as i64 as u64,
        _ => value,
    }
}

/// Moves data between registers and a bank; `first` is the byte offset of the first active lane there. Returns
/// whether lanes stored different values to the same bytes.
#[inline(always)]
pub fn transfer<B: Bank>(
    mut bank: B,
    op: &MemoryOp,
    shape: &mut Shape,
    first: u64,
    mask: u32,
    warp: &mut Warp,
) -> bool {
    match op.action {
        Action::Load => {
            load(&bank, op, shape, first, mask, warp);
            false
        }
        Action::Store => {
            store(&mut bank, op, shape, first, mask, warp);
            shape.overlaps() && clash(&bank, op, shape, first, mask, warp)
        }
        Action::Atomic { apply, operand, comparand } => {
            let mut old = [0u64; LANES];
            for lane in lanes_of(mask) {
                let at = first.wrapping_add(shape.offsets[lane]);
                let bytes = op.element_bytes as u32;
                old[lane] = get_bytes(&bank, at, bytes);
                let [by, with] = [operand, comparand].map(|register| value_of(op, register, lane, warp));
                let new = apply(old[lane], by, with);
                set_bytes(&mut bank, at, bytes, new);
            }
            if op.registers[0] != SINK {
                warp.registers.set(op.file, op.registers[0], &old);
            }
            false
        }
    }
}

#[inline(always)]
fn load<B: Bank>(bank: &B, op: &MemoryOp, shape: &Shape, first: u64, mask: u32, warp: &mut Warp) {
    match (op.element_bytes, op.file) {
        (4, File::R32) => {
            for k in 0..op.elements as usize {
                let words = gather_words(bank, first, k, shape, mask);
                if op.registers[k] != SINK {
                    warp.registers.set32(op.registers[k], &words);
                }
            }
        }
        (8, _) => {
            for k in 0..op.elements as usize {
                let low = gather_words(bank, first, k * 2, shape, mask);
                let high = gather_words(bank, first, k * 2 + 1, shape, mask);
                let mut out = [0u64; LANES];
                for lane in 0..LANES {
                    out[lane] = low[lane] as u64 | (high[lane] as u64) << 32;
                }
                if op.registers[k] != SINK {
                    warp.registers.set64(op.registers[k], &out);
                }
            }
        }
        _ => {
            for k in 0..op.elements as usize {
                let mut out = [0u64; LANES];
                for lane in lanes_of(mask) {
                    let at = first.wrapping_add(shape.offsets[lane]) + k as u64 * op.element_bytes as u64;
                    let value = get_bytes(bank, at, op.element_bytes as u32);
                    out[lane] = extend(value, op.element_bytes, op.signed);
                }
                if op.registers[k] != SINK {
                    warp.registers.set(op.file, op.registers[k], &out);
                }
            }
        }
    }
}

#[inline(always)]
fn store<B: Bank>(bank: &mut B, op: &MemoryOp, shape: &Shape, first: u64, mask: u32, warp: &Warp) {
    match (op.element_bytes, op.file) {
        (4, File::R32) => {
            for k in 0..op.elements as usize {
                scatter_words(bank, first, k, shape, mask, warp.registers.r32(op.registers[k]));
            }
        }
        (8, _) => {
            for k in 0..op.elements as usize {
                let value = warp.registers.r64(op.registers[k]);
                let low: Lanes32 = value.map(|v| v as u32);
                let high: Lanes32 = value.map(|v| (v >> 32) as u32);
                scatter_words(bank, first, k * 2, shape, mask, &low);
                scatter_words(bank, first, k * 2 + 1, shape, mask, &high);
            }
        }
        _ => {
            for lane in lanes_of(mask) {
                for k in 0..op.elements as usize {
                    let at = first.wrapping_add(shape.offsets[lane]) + k as u64 * op.element_bytes as u64;
                    set_bytes(bank, at, op.element_bytes as u32, value_of(op, op.registers[k], lane, warp));
                }
            }
        }
    }
}

/// Returns a lane's value of a register of an access; 0 where there is none.
#[inline(always)]
pub fn value_of(op: &MemoryOp, register: u32, lane: usize, warp: &Warp) -> u64 {
    if register == SINK { 0 } else { warp.registers.value(op.file, register, lane) }
}

/// Returns the lanes whose store would change nothing.
#[inline(always)]
pub fn kept<B: Bank>(bank: &B, op: &MemoryOp, shape: &Shape, first: u64, mask: u32, warp: &Warp) -> u32 {
    if op.element_bytes == 4 && op.elements == 1 && op.file == File::R32 {
        let (old, new) = (gather_words(bank, first, 0, shape, mask), warp.registers.r32(op.registers[0]));
        let same = old.iter().zip(new).enumerate();
        return same.fold(0, |bits, (lane, (old, new))| bits | ((old == new) as u32) << lane) & mask;
    }
    lanes_of(mask)
        .filter(|&lane| !differs(bank, op, shape, first, lane, warp))
        .fold(0, |bits, lane| bits | 1 << lane)
}

/// Returns whether a lane's value differs from the memory's contents.
fn differs<B: Bank>(bank: &B, op: &MemoryOp, shape: &Shape, first: u64, lane: usize, warp: &Warp) -> bool {
    (0..op.elements as usize).any(|k| {
        let at = first.wrapping_add(shape.offsets[lane]) + k as u64 * op.element_bytes as u64;
        let bits = 64 - op.element_bytes as u32 * 8;
        let value = value_of(op, op.registers[k], lane, warp) << bits >> bits;
        get_bytes(bank, at, op.element_bytes as u32) != value
    })
}

#[inline(never)]
fn clash<B: Bank>(bank: &B, op: &MemoryOp, shape: &Shape, first: u64, mask: u32, warp: &Warp) -> bool {
    lanes_of(mask).any(|lane| differs(bank, op, shape, first, lane, warp))
}
