//! The undefined values that a block leaves in memory.

use super::findings::Side;
use super::observer::Observer;
use super::undefined::{Lacking, matters};
use super::worker::{Cta, WorkerState};
use crate::code::What;
use crate::evidence::Use;
use crate::memory::access::Action;
use crate::memory::by_address::ByAddress;
use crate::memory::touch;

/// The undefined values in a block's shared memory, and those that it left in global memory.
#[derive(Debug, Default)]
pub struct UndefinedBytes {
    /// Bytes of shared memory that hold an undefined value, and where it was read.
    pub shared: ByAddress<Side>,
    left: Vec<PendingValue>,
}

/// An undefined value left in global memory.
#[derive(Clone, Copy, Debug)]
struct PendingValue {
    read: Side,
    /// The pc of the store, and its index among the memory instructions.
    pc: u32,
    op: u32,
    buffer: u32,
    offset: u64,
}

/// Undefined values left in global memory that are remembered for one block.
const MAX_LEFT: usize = 1 << 14;

impl UndefinedBytes {
    pub fn clear(&mut self) {
        self.shared.clear();
        self.left.clear();
    }
}

/// Updates the undefined bytes after a lane's store to global memory: undefined bytes count as never written.
pub fn left<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    (pc, op_number): (u32, u32),
    (buffer, offset): (u32, u64),
    lacks: Option<Lacking>,
) {
    let width = worker.launch.code.details.memory[op_number as usize].width() as u64;
    let size = worker.launch.memory.buffers[buffer as usize].words.len() as u64 * 4;
    let touched = &mut worker.log.buffers[buffer as usize];
    if lacks.is_none() && touched.unset.is_none() {
        return;
    }
    let unset = touched.unset.get_or_insert_with(|| Box::new(touch::UndefinedBytes::new(size)));
    for byte in 0..width {
        match lacks {
            Some(lacks) if lacks.bytes >> byte & 1 != 0 => {
                unset.insert(offset + byte, lacks.read);
                unset.held.insert(offset + byte, 1);
                match lacks.garbage >> byte & 1 {
                    0 => unset.garbage.remove(offset + byte, 1),
                    _ => unset.garbage.insert(offset + byte, 1),
                }
            }
            _ => unset.bytes.remove(offset + byte, 1),
        }
    }
    if let Some(Lacking { bytes, read, .. }) = lacks
        && bytes == u64::MAX >> (64 - width)
        && cta.unset.left.len() < MAX_LEFT
    {
        cta.unset.left.push(PendingValue { read, pc, op: op_number, buffer, offset });
    }
}

/// Reports, at the end of a block, the undefined values it left in global memory.
#[inline(never)]
pub fn emit_block<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>) {
    let code = worker.launch.code;
    for left in std::mem::take(&mut cta.unset.left) {
        let buffer = &worker.launch.memory.buffers[left.buffer as usize];
        let touched = &worker.log.buffers[left.buffer as usize];
        let Some(unset) = &touched.unset else { return };
        if !unset.bytes.contains(left.offset, 1) {
            continue;
        }
        // Other stores through the same pointer: parts of one structure.
        let group = code.details.together.get(left.op as usize);
        let start = code.details.memory[left.op as usize].offset;
        let others =
            code.details.memory.iter().zip(&code.details.together).enumerate().filter(|(n, (op, its))| {
                *n != left.op as usize && Some(*its) == group && matches!(op.action, Action::Store)
            });
        let written = |at: u64| {
            let in_launch = || touched.written.as_ref().is_some_and(|written| written.contains(at, 1));
            (buffer.written.is_none() || in_launch()) && !unset.bytes.contains(at, 1)
        };
        let mut parts =
            others.map(|(_, (op, _))| left.offset.wrapping_add(op.offset.wrapping_sub(start) as u64));
        // `memcpy()` moves byte by byte: padding is next to a member, within the 8 bytes of the widest member.
        let start = left.offset / 8 * 8;
        let width = u64::from(code.details.memory[left.op as usize].width());
        let is_read = !matches!(code.insts[left.read.pc as usize].what, What::Lanes(_));
        if is_read && (parts.any(written) || width == 1 && (start..start + 8).any(written)) {
            continue;
        }
        matters(worker, left.read, left.pc, &Use::LeftIn(buffer.name.clone()));
        // Once reported it counts as defined: later readers are not at fault.
        if let Some(unset) = &mut worker.log.buffers[left.buffer as usize].unset {
            unset.bytes.remove(left.offset, width);
        }
    }
}
