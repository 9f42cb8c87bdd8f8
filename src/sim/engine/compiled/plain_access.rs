//! Weak loads and stores of global memory that code hands to the interpreter, since their addresses do not follow from one
//! value or it does not know which lanes make them. Most of them are plainly valid, and quickly made.

use super::calls::event;
use crate::code::{DecodedModule, What};
use crate::engine::fault::kind_of;
use crate::engine::note::{all_written, note_touch, note_write};
use crate::engine::observer::{NO_BUFFER, Observer};
use crate::engine::transfer::transfer;
use crate::engine::warp::Warp;
use crate::engine::worker::{Cta, WorkerState};
use crate::kernel_code::Interpreted;
use crate::memory::access::{Action, MemoryOp, Order, Space};
use crate::memory::global::{Buffer, Owner};
use crate::memory::shape::{Shape, ShapeCache};
use crate::memory::touch::Touched;

/// Such an access, in a version of code.
#[derive(Clone, Debug)]
pub struct PlainAccess {
    /// The index of the module's memory operation.
    index: usize,
    shapes: ShapeCache,
}

impl PlainAccess {
    /// Returns the access that an instruction makes; `None` if it is none of this kind.
    pub fn of(code: &DecodedModule, interpreted: &Interpreted) -> Option<PlainAccess> {
        let inst = &code.insts[interpreted.number as usize];
        if !matches!(inst.what, What::Memory) || inst.guard.is_some() {
            return None;
        }
        let index = inst.detail as usize;
        let op = &code.details.memory[index];
        let is_plain = op.order == Order::Weak
            && op.space == Space::Global
            && matches!(op.action, Action::Load | Action::Store)
            && !(op.role.copy || op.role.bulk || op.role.image || op.role.polls);
        is_plain.then(|| PlainAccess { index, shapes: ShapeCache::new(op.width()) })
    }

    /// Makes the access by the lanes of a mask, which are active. Returns false, and does nothing, where it is not plainly
    /// valid.
    #[inline(always)]
    pub fn perform<O: Observer>(
        &mut self,
        worker: &mut WorkerState,
        cta: &mut Cta<O>,
        warp: &mut Warp,
        (pc, mask): (u32, u32),
    ) -> bool {
        if mask == 0 {
            return false;
        }
        let index = self.index;
        let (launch, saving) = (worker.launch, worker.saving());
        let op = &launch.code.details.memory[index];
        let (shape, base) = self.shapes.take(warp.registers.r64(op.base), mask, false);
        let number = worker.accesses.recent[index];
        let Some(buffer) = launch.memory.buffers.get(number as usize) else { return false };
        let first = base.wrapping_add(op.offset as u64);
        let touched = &mut worker.log.buffers[number as usize];
        let stores = matches!(op.action, Action::Store);
        // Each block of memory from `malloc` in kernels has bounds of its own.
        let is_heap = launch.heap.buffer == Some(number as usize);
        let Some(offset) = offset_within(buffer, op, shape, first).filter(|_| !is_heap) else { return false };
        if !stores && !is_set((buffer, touched), shape, offset)
            || stores && (buffer.read_only || shape.overlaps())
        {
            return false;
        }
        let is_tracked = !buffer.read_only;
        let (name, from) = if is_tracked { (number, buffer.base) } else { (NO_BUFFER, 0) };
        let event = event(kind_of(&op.action), warp.index, (pc, mask), first, (name, from, op));
        if stores && !cta.observer.plain_access(&event, shape) {
            return false;
        }
        if worker.noted.include(buffer, op) {
            note_touch(touched, buffer, op, shape, offset, mask);
        }
        if stores {
            note_write(touched, (buffer, &launch.saved[number as usize], saving), shape, offset, mask);
        } else if is_tracked {
            let low = offset.wrapping_add(shape.low as u64);
            let high = offset.wrapping_add(shape.high as u64) + u64::from(op.width());
            touched.read_first = touched.read_first.min(low);
            touched.read_end = touched.read_end.max(high);
            cta.observer.check_access(&event, shape, &mut worker.findings);
        }
        transfer(&buffer.words[..], op, shape, offset, mask, warp);
        cta.observer.count_access(&event, shape);
        true
    }
}

/// Returns the offset of an access's first lane in a buffer; `None` if not all of it is in the buffer and aligned, or if the
/// buffer's memory is not the GPU's own.
fn offset_within(buffer: &Buffer, op: &MemoryOp, shape: &Shape, first: u64) -> Option<u64> {
    let width = op.width();
    let lowest = first.wrapping_add(shape.low as u64);
    let highest = first.wrapping_add(shape.high as u64).wrapping_add(u64::from(width));
    let is_within =
        shape.compact && lowest >= buffer.base && lowest < highest && highest <= buffer.base + buffer.bytes;
    let is_aligned = first & (u64::from(width) - 1) == 0 && shape.alignment >= width;
    let is_plain = !buffer.freed && !buffer.constant && buffer.owner != Owner::Pinned;
    (is_within && is_aligned && is_plain).then(|| first - buffer.base)
}

/// Returns whether all bytes that an access reads were written.
fn is_set((buffer, touched): (&Buffer, &Touched), shape: &Shape, offset: u64) -> bool {
    let written = |before| all_written(before, touched, shape, offset, shape.mask());
    touched.unset.is_none() && (touched.presumed_written || buffer.written.as_ref().is_none_or(written))
}
