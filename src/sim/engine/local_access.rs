//! Accesses to local memory: whole rows at once where the lanes use the same offset.

use super::transfer::value_of;
use super::warp::Warp;
use crate::lanes::{File, LANES};
use crate::memory::access::{Action, MemoryOp, SINK};
use crate::memory::shape::Shape;

/// Moves data between registers and local memory; everything must be in bounds and aligned. Returns the lanes that
/// read bytes they did not write.
pub fn transfer(op: &MemoryOp, shape: &Shape, first: u64, mask: u32, warp: &mut Warp) -> u32 {
    let bytes = op.element_bytes as u64;
    let level = shape.low == 0 && shape.high == 0;
    let mut unwritten = 0u32;
    for k in 0..op.elements as usize {
        let register = op.registers[k];
        if level && bytes == 4 && op.file == File::R32 && !matches!(op.action, Action::Atomic { .. }) {
            let at = first + k as u64 * 4;
            if let Action::Store = op.action {
                let value = *warp.registers.r32(register);
                warp.local.set_row(at, &value, mask);
            } else if let Some((row, written)) = warp.local.row(at) {
                unwritten |= mask & !written;
                if register != SINK {
                    warp.registers.set32(register, row);
                }
            }
            continue;
        }
        let mut out = [0u64; LANES];
        for (lane, slot) in out.iter_mut().enumerate().filter(|(lane, _)| mask >> lane & 1 != 0) {
            let at = first.wrapping_add(shape.offsets[lane]) + k as u64 * bytes;
            let get = |warp: &Warp| {
                (0..bytes)
                    .fold(0u64, |v, b| v | (warp.local.byte(lane, at + b).unwrap_or(0) as u64) << (b * 8))
            };
            if !matches!(op.action, Action::Store) {
                *slot = get(warp);
                if !warp.local.is_written(lane, at, bytes) {
                    unwritten |= 1 << lane;
                }
            }
            let new = match op.action {
                Action::Load => continue,
                Action::Store => value_of(op, register, lane, warp),
                Action::Atomic { apply, operand, comparand } => {
                    apply(*slot, value_of(op, operand, lane, warp), value_of(op, comparand, lane, warp))
                }
            };
            for b in 0..bytes {
                warp.local.set_byte(lane, at + b, (new >> (b * 8)) as u8);
            }
        }
        if matches!(op.action, Action::Store) || register == SINK {
            continue;
        }
        if op.signed {
            let shift = 64 - bytes as u32 * 8;
            out = out.map(|v| ((v << shift) as i64 >> shift) as u64);
        }
        warp.registers.set(op.file, register, &out);
    }
    unwritten
}
